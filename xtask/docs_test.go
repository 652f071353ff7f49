package main

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is where the real vocabulary is, seen from this folder.
const module = ".."

// TestRealPages makes every page of the real tree: it holds every kind of entry,
// every type of the vocabulary and every port.
func TestRealPages(t *testing.T) {
	v, err := readVocabulary(module, "protocol")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, p := range pages() {
		text, err := p.make(module)
		if err != nil {
			t.Fatal(err)
		}
		made[filepath.Base(p.file)] = text
	}
	if kinds := v.recordKinds(); len(kinds) < 30 {
		t.Errorf("only %d kinds are known: %v", len(kinds), kinds)
	}
	for _, kind := range v.recordKinds() {
		if strings.Count(made["EVENTS.md"], "\n### `"+kind+"`\n") != 1 {
			t.Errorf("EVENTS.md does not have %s once", kind)
		}
	}
	for _, e := range v.types {
		if !token.IsExported(e.name) || strings.Count(made["GLOSSARY.md"], "- **"+e.name+"**: ") != 1 {
			t.Errorf("GLOSSARY.md does not have %s once", e.name)
		}
	}
	for name := range v.bounds {
		if !strings.Contains(made["GLOSSARY.md"], "- "+name+" `") {
			t.Errorf("GLOSSARY.md does not have the bound %s", name)
		}
	}
	ports, err := readVocabulary(module, "ports")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range ports.types {
		if strings.HasSuffix(e.name, "V1") && !strings.Contains(made["PORTS.md"], "\n## "+e.name+"\n") {
			t.Errorf("PORTS.md does not have %s", e.name)
		}
	}
	// A link leads somewhere.
	for _, part := range strings.Split(made["EVENTS.md"], "](#")[1:] {
		anchor, _, _ := strings.Cut(part, ")")
		if !strings.Contains(strings.ToLower(made["EVENTS.md"]), "\n### "+anchor+"\n") {
			t.Errorf("EVENTS.md links to %s, which it does not have", anchor)
		}
	}
}

// small is a vocabulary with one of everything.
const small = `package protocol

// MaxName bounds a name.
const MaxName = 1 << 4

// Entry is a line.
type Entry struct {
	// Kind says what it is.
	Kind string ` + "`json:\"kind\"`" + `
}

// At is a stamp.
type At struct {
	Millis int64 ` + "`json:\"-\"`" + `
}

// Word is one of two. More follows.
type Word string

// The two.
const (
	Yes Word = "yes" // it is | so
	No  Word = "no"
)

// Level has words of its own.
type Level uint8

const (
	Low Level = iota
	// High is above.
	High
)

func (l Level) String() string {
	switch l {
	case Low:
		return "low"
	case High:
		return "high"
	}
	return "?"
}

// Name is a name of at most MaxName bytes.
type Name string

// Part is a part.
type Part struct {
	Next *Part ` + "`json:\"next,omitempty\"`" + `
}

// Set writes itself.
type Set struct{ Bits uint8 ` + "`json:\"bits\"`" + ` }

func (Set) MarshalJSON() ([]byte, error) { return nil, nil }

// Go is a command, <always>.
type Go struct {
	At
	// Names, at most MaxName; Word is another.
	Names []Name ` + "`json:\"names\"`" + `
	Word  Word   ` + "`json:\"word,omitempty\"`" + `
	// Part is one.
	Part   *Part  ` + "`json:\"part\"`" + `
	Level  Level  ` + "`json:\"level\"`" + `
	Set    Set    ` + "`json:\"set\"`" + `
	hidden int
}

// Kinds.
const (
	KindGo   = "command.go"
	KindGone = "gone"
)

// Gone is an event.
type Gone struct{}

func (Go) CommandKind() string { return KindGo }
func (Gone) EventKind() string { return KindGone }
`

func TestEventsPage(t *testing.T) {
	root := tree(t, map[string]string{"go.mod": goMod, "protocol/p.go": small})
	got, err := events(root)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ = strings.Cut(got, "package `protocol`.\n\n")
	want := "| field | type | meaning | bound |\n| --- | --- | --- | --- |\n| `kind` | string | Kind says what it is. |  |\n\n" +
		"## What went in: commands\n\n### `command.go`\n\nGo is a command, &lt;always>.\n\n" +
		"| field | type | meaning | bound |\n| --- | --- | --- | --- |\n" +
		"| `names` | list of [Name](#name) | Names, at most MaxName; Word is another. | MaxName = 16 |\n" +
		"| `word?` | [Word](#word) | Names, at most MaxName; Word is another. | MaxName = 16 |\n" +
		"| `part` | [Part](#part) or null | Part is one. |  |\n| `level` | [Level](#level) | Part is one. |  |\n| `set` | [Set](#set) | Part is one. |  |\n\n" +
		"## What came out: events\n\n### `gone`\n\nGone is an event.\n\nNo fields.\n\n" +
		"## What the fields are made of\n\n" +
		"### Level\n\nLevel has words of its own.\n\n- `low`\n- `high` High is above.\n\n" +
		"### Name\n\nName is a name of at most MaxName bytes.\n\n" +
		"### Part\n\nPart is a part.\n\n| field | type | meaning | bound |\n| --- | --- | --- | --- |\n| `next?` | [Part](#part) or null |  |  |\n\n" +
		"### Set\n\nSet writes itself.\n\n" +
		"### Word\n\nWord is one of two. More follows.\n\n- `yes` it is \\| so\n- `no`\n\n"
	if got != want {
		t.Errorf("%s\nbecause %s", got, difference(got, want))
	}
}

func TestGlossaryPage(t *testing.T) {
	root := tree(t, map[string]string{"go.mod": goMod, "protocol/p.go": small})
	got, err := glossary(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n## p\n\n- **Entry**: Entry is a line.\n",
		"- **Word**: Word is one of two.\n  - Yes `yes`: it is | so\n  - No `no`\n",
		"- **Level**: Level has words of its own.\n  - Low `low`\n  - High `high`: High is above.\n",
		"- MaxName bounds a name.\n  - MaxName `16`: MaxName bounds a name.\n",
		"- Kinds.\n  - KindGo `command.go`\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

// TestKindWithoutType: a kind that no type has is a mistake of the vocabulary,
// and no page is written about it.
func TestKindWithoutType(t *testing.T) {
	broken := strings.Replace(small, "func (Gone) EventKind() string { return KindGone }\n", "", 1)
	if _, err := events(tree(t, map[string]string{"go.mod": goMod, "protocol/p.go": broken})); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("not noticed: %v", err)
	}
	if _, err := glossary(tree(t, map[string]string{"go.mod": goMod, "protocol/p.go": "package protocol\n\nvar x = nobody\n"})); err == nil {
		t.Error("a vocabulary that does not type-check has a glossary")
	}
}

func TestPortsPage(t *testing.T) {
	got, err := portsPage(tree(t, map[string]string{
		"go.mod":           goMod,
		"ports/p.go":       "package ports\n\n// OneV1 is one.\ntype OneV1 interface {\n\t// Do does\n\t// it.\n\tDo(a int) (b int)\n}\n\n// TwoV1 is two.\ntype TwoV1 interface{}\n\n// Three is none.\ntype Three struct{}\n",
		"conformance/s.go": "package conformance\n\nfunc OneV1() {}\n",
	}))
	want := "## OneV1\n\nOneV1 is one.\n\n- `Do(a int) (b int)`: Do does it.\n\nSuite: `conformance.OneV1`.\n\n## TwoV1\n\nTwoV1 is two.\n\n\n"
	if err != nil || !strings.HasSuffix(got, want) {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestRenew: pages are written once, are then up to date, and a stale one is told
// with its line.
func TestRenew(t *testing.T) {
	root := t.TempDir()
	all := []page{
		{"docs/A.md", func(string) (string, error) { return "one\ntwo\n", nil }},
		{"docs/B.md", func(string) (string, error) { return "three\n", nil }},
	}
	do := func(check bool) (string, error) {
		var out bytes.Buffer
		err := renew(all, root, check, &out)
		return out.String(), err
	}
	if out, err := do(true); err == nil || !strings.Contains(out, `docs/A.md:1: is "", should be "one"`) {
		t.Errorf("what was never written: %q, %v", out, err)
	}
	if out, err := do(false); err != nil || out != "wrote docs/A.md\nwrote docs/B.md\n" {
		t.Errorf("the first time: %q, %v", out, err)
	}
	for _, check := range []bool{true, false} {
		if out, err := do(check); err != nil || out != "" {
			t.Errorf("the second time: %q, %v", out, err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "A.md"), []byte("one\n2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := do(true); err == nil || out != "docs/A.md:2: is \"2\", should be \"two\"\n" {
		t.Errorf("a stale page: %q, %v", out, err)
	}
}

func TestDifference(t *testing.T) {
	if got := difference("a\nb", "a\nb\nc"); got != `3: is the end, should be "c"` {
		t.Error(got)
	}
}

func TestDiagramNeedsItsPlace(t *testing.T) {
	for name, text := range map[string]string{"no place": "# x\n", "no end": "<!-- generated: fsm -->\n"} {
		if _, err := withDiagram(tree(t, map[string]string{"docs/ARCHITECTURE.md": text})); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	got, err := withDiagram(tree(t, map[string]string{"docs/ARCHITECTURE.md": "a\n<!-- generated: fsm -->\nold\n<!-- end -->\nz\n"}))
	if err != nil || strings.Contains(got, "old") || !strings.HasPrefix(got, "a\n") || !strings.HasSuffix(got, "z\n") || !strings.Contains(got, "stateDiagram") {
		t.Errorf("%v\n%s", err, got)
	}
}
