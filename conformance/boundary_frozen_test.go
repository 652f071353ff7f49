package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// change puts one text for another in a file of a tree.
func change(t *testing.T, tree, file, from, to string) {
	t.Helper()
	at := filepath.Join(tree, filepath.FromSlash(file))
	text, err := os.ReadFile(at)
	if err != nil || !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q, %v", file, from, err)
	}
	write(t, at, strings.Replace(string(text), from, to, 1))
}

// small is a module with two frozen packages, so that what is frozen in it does
// not depend on today's vocabulary.
func small(t *testing.T) string {
	t.Helper()
	tree := module1(t, map[string]string{
		"protocol/words.go": `package protocol

type Word string

const (
	First  Word = "first"
	second Word = "second"
)

const (
	MaxA = 1 << 10
	MaxB = MaxA * 2
)

type Op interface{ isOp() }

type Start struct {
	A int    ` + "`json:\"a\"`" + `
	B string ` + "`json:\"b,omitempty\"`" + `
	c int
}

func (Start) isOp() {}

func (s *Start) Set(a int) error { return nil }

func Make[T any](list ...T) map[Word]T { return nil }

var ErrX error
`,
		"ports/clock.go": `package ports

import "github.com/tipstaff/tipstaff/protocol"

type ClockV1 interface {
	Now(of protocol.Word) (at int64)
	Last() protocol.Word
}
`,
	})
	if _, err := UpdateFrozen(tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestSnapshot: what a snapshot holds, in full.
func TestSnapshot(t *testing.T) {
	tree := small(t)
	want := map[string][]string{
		"protocol": {
			`arm Op Start`,
			`const First Word = "first"`,
			`const MaxA untyped int = 1024`,
			`const MaxB untyped int = 2048`,
			`field Start 00 A int json:"a"`,
			`field Start 01 B string json:"b,omitempty"`,
			`func Make[T any](...T) map[Word]T`,
			`method Start *Set(int) error`,
			`type Op interface { isOp() }`,
			`type Start struct`,
			`type Word string`,
			`var ErrX error`,
		},
		"ports": {`type ClockV1 interface { Last() protocol.Word; Now(protocol.Word) int64 }`},
	}
	for pkg, lines := range want {
		raw, err := os.ReadFile(filepath.Join(tree, snapshotFile(pkg)))
		if err != nil {
			t.Fatal(err)
		}
		if got := snapshotLines(string(raw)); !slices.Equal(got, lines) {
			t.Errorf("%s is\n%s\nwant\n%s", pkg, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
	drifts, err := Frozen(tree)
	if err != nil || slices.ContainsFunc(drifts, func(d Drift) bool { return !d.None() }) {
		t.Errorf("it drifts from itself: %v, %v", drifts, err)
	}
}

// TestFrozenNoticesChanges: what changes a released shape is broken, and no
// update takes it; what only adds is taken by an update, and found without one.
func TestFrozenNoticesChanges(t *testing.T) {
	words, clock := "protocol/words.go", "ports/clock.go"
	for name, c := range map[string]struct {
		file, from, to string
		broken         bool
	}{
		"a tag":                         {words, `"a\"`, `"alpha\"`, true},
		"a value":                       {words, `"first"`, `"1st"`, true},
		"a bound":                       {words, "1 << 10", "1 << 11", true},
		"a constant less":               {words, "	MaxB =", "	maxB =", true},
		"a type":                        {words, "	A int ", "	A Word ", true},
		"a type hidden":                 {words, "ErrX error", "errX error", true},
		"a field less":                  {words, "	B string", "	b string", true},
		"a field moved":                 {words, "	A int", "	Z int `json:\"z,omitempty\"`\n	A int", true},
		"a field that is always there":  {words, "	c int", "	C int `json:\"c\"`", true},
		"a field that may be left out":  {words, "	c int", "	C int `json:\"c,omitempty\"`\n	c int", false},
		"a field without a wire form":   {words, "	c int", "	C int `json:\"-\"`\n	c int", false},
		"a parameter":                   {words, "Set(a int)", "Set(a int, b int)", true},
		"a parameter's name":            {words, "Set(a int)", "Set(n int)", false},
		"a result":                      {words, "map[Word]T { return nil }", "[]T { return nil }", true},
		"a method by value":             {words, "(s *Start) Set", "(s Start) Set", true},
		"an arm more":                   {words, "func (Start) isOp", "type Stop struct{}\n\nfunc (Stop) isOp() {}\n\nfunc (Start) isOp", false},
		"an arm less":                   {words, "func (Start) isOp() {}", "", true},
		"a constant more":               {words, "	MaxA =", "	MaxC = 3\n	MaxA =", false},
		"a port with a method more":     {clock, "	Now(", "	Sleep()\n	Now(", true},
		"a sealed sum asking for more":  {words, "Op interface{ isOp() }", "Op interface{ isOp(); Name() string }", true},
		"a port beside it":              {clock, "type ClockV1", "type ClockV2 interface{ Tick() }\n\ntype ClockV1", false},
		"a port's parameter":            {clock, "of protocol.Word", "of string", true},
		"a package that does not build": {clock, "int64)", "nothing)", true},
	} {
		t.Run(name, func(t *testing.T) {
			tree := small(t)
			if strings.HasSuffix(c.from, `\"`) {
				c.from, c.to = strings.ReplaceAll(c.from, `\"`, `"`), strings.ReplaceAll(c.to, `\"`, `"`)
			}
			change(t, tree, c.file, c.from, c.to)
			drifts, err := Frozen(tree)
			if name == "a package that does not build" {
				if err == nil {
					t.Error("an API that cannot be read is as it was")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			broken := slices.ContainsFunc(drifts, func(d Drift) bool { return len(d.Broken) > 0 })
			differs := slices.ContainsFunc(drifts, func(d Drift) bool { return !d.None() })
			if broken != c.broken || differs != (c.broken || name != "a parameter's name") {
				t.Errorf("broken is %v: %v", broken, drifts)
			}
			_, err = UpdateFrozen(tree)
			if (err != nil) != c.broken {
				t.Errorf("the update says %v", err)
			}
			again, err := Frozen(tree)
			if err != nil || slices.ContainsFunc(again, func(d Drift) bool { return !d.None() }) != c.broken {
				t.Errorf("after the update: %v, %v", again, err)
			}
		})
	}
}

// TestFrozenWithoutSnapshot: a package that was never frozen has drifted in every
// line, and an update freezes it.
func TestFrozenWithoutSnapshot(t *testing.T) {
	tree := small(t)
	if err := os.Remove(filepath.Join(tree, snapshotFile("ports"))); err != nil {
		t.Fatal(err)
	}
	drifts, err := Frozen(tree)
	if err != nil || len(drifts) != 2 || len(drifts[1].Added) != 1 || len(drifts[1].Findings()) != 1 {
		t.Fatalf("%v, %v", drifts, err)
	}
	if text := drifts[1].Findings()[0].String(); !strings.Contains(text, "frozen -update") {
		t.Errorf("the finding does not say what to do: %s", text)
	}
	if _, err := UpdateFrozen(tree); err != nil {
		t.Error(err)
	}
}

// TestFrozenNoticesRealWords plants changes in a copy of the real vocabulary.
func TestFrozenNoticesRealWords(t *testing.T) {
	for _, c := range []struct{ file, from, to string }{
		{"protocol/budget.go", "`json:\"max_tokens,omitempty\"`", "`json:\"max_tokens\"`"},
		{"protocol/limits.go", "MaxToolNameBytes = 128", "MaxToolNameBytes = 64"},
		{"ports/clock.go", "	// Now is the present.", "	Sleep()\n	// Now is the present."},
	} {
		tree := copyTree(t)
		change(t, tree, c.file, c.from, c.to)
		drifts, err := Frozen(tree)
		if err != nil || !slices.ContainsFunc(drifts, func(d Drift) bool { return len(d.Broken) > 0 }) {
			t.Errorf("%s: %q for %q is not noticed: %v, %v", c.file, c.to, c.from, drifts, err)
		}
	}
}
