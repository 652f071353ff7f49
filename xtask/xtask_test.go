package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes a small module.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const goMod = "module example.com/small\n\ngo 1.26.0\n"

// house is a module on which every check can be run.
func house() map[string]string {
	return map[string]string{
		"go.mod":              goMod,
		"protocol/words.go":   "package protocol\n\n// A is one.\nconst A = 1\n",
		"ports/ports.go":      "package ports\n\n// P is a port.\ntype P interface{ Do() }\n",
		"kernel/kernel.go":    "package kernel\n\n// Reduce rules.\nfunc Reduce(n int) int { return n }\n",
		"kernel/k_test.go":    "package kernel\n\nimport \"testing\"\n\nfunc TestReduce(t *testing.T) {}\n",
		"adapters/x/there.go": "package x\n",
	}
}

func chored(t *testing.T, root string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), root, args, &out)
	return out.String(), err
}

func TestChores(t *testing.T) {
	listed, err := chored(t, ".")
	if err != nil {
		t.Error(err)
	}
	for _, c := range chores() {
		if !strings.Contains(listed, "  "+c.name+" ") {
			t.Errorf("%s is not listed:\n%s", c.name, listed)
		}
	}
	if _, err := chored(t, ".", "dishes"); err == nil || !strings.Contains(err.Error(), "dishes") {
		t.Errorf("an unknown chore: %v", err)
	}
	for _, args := range [][]string{{"conformance"}, {"conformance", "host"}} {
		if _, err := chored(t, ".", args...); err == nil {
			t.Errorf("%q is done", args)
		}
	}
}

// TestChecks: a chore is quiet and succeeds when nothing is found, and prints and
// fails when something is.
func TestChecks(t *testing.T) {
	for _, c := range []struct{ chore, file, text, finds string }{
		{"imports", "kernel/bad.go", "package kernel\n\nimport _ \"os\"\n", "kernel/bad.go:3: imports/std"},
		{"purity", "kernel/bad.go", "package kernel\n\nvar x int\n", "kernel/bad.go:3: variable"},
		{"purity", "kernel/bad.go", "package kernel\n\nfunc f() { go f() }\n", "kernel/bad.go:3: goroutine"},
	} {
		files := house()
		if out, err := chored(t, tree(t, files), c.chore); err != nil || out != "" {
			t.Errorf("%s of a clean house: %q, %v", c.chore, out, err)
		}
		files[c.file] = c.text
		if out, err := chored(t, tree(t, files), c.chore); err == nil || !strings.Contains(out, c.finds) {
			t.Errorf("%s does not find %q: %q, %v", c.chore, c.finds, out, err)
		}
	}
	for _, chore := range []string{"imports", "purity", "frozen"} {
		if _, err := chored(t, t.TempDir(), chore); err == nil {
			t.Errorf("%s of nothing succeeds", chore)
		}
	}
}

// TestFrozenChore: new words fail until they are accepted; changed ones fail
// always.
func TestFrozenChore(t *testing.T) {
	files := house()
	root := tree(t, files)
	if out, err := chored(t, root, "frozen"); err == nil || !strings.Contains(out, "frozen/added") {
		t.Errorf("words without a snapshot: %q, %v", out, err)
	}
	if out, err := chored(t, root, "frozen", "-update"); err != nil || !strings.Contains(out, "protocol: 1 additions accepted") {
		t.Errorf("the update: %q, %v", out, err)
	}
	if out, err := chored(t, root, "frozen"); err != nil || out != "" {
		t.Errorf("after the update: %q, %v", out, err)
	}
	words := filepath.Join(root, "protocol", "words.go")
	if err := os.WriteFile(words, []byte("package protocol\n\n// A is two.\nconst A = 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"frozen"}, {"frozen", "-update"}} {
		if out, err := chored(t, root, args...); err == nil || !strings.Contains(out, "gone or changed: const A untyped int = 1") {
			t.Errorf("%q of a changed word: %q, %v", args, out, err)
		}
	}
}

// TestConformanceChore runs the real matrix on a module that has none of its
// evidence: all 22 rows are printed and red, and the chore fails.
func TestConformanceChore(t *testing.T) {
	root := tree(t, house())
	out, err := chored(t, root, "conformance", "kernel")
	if err == nil || strings.Contains(out, " GREEN  the kernel") || !strings.Contains(out, "22 rows: 0 green, 22 red, 0 open") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, want := range []string{"ABI RED", "IMP GREEN", "SRC GREEN", "ALL GREEN", "K1  RED", "no such test"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

func TestCountLines(t *testing.T) {
	for name, c := range map[string]struct {
		source    string
		all, code int
	}{
		"nothing":          {"", 0, 0},
		"blank and code":   {"package a\n\nvar x int\n", 3, 2},
		"no last newline":  {"package a", 1, 1},
		"comments":         {"// one\npackage a // two\n\n/* three\n\nfour */\n", 6, 1},
		"code in comments": {"package a\n/*\nvar x int\n*/\nvar y int /* z\n*/ = 1\n", 6, 3},
		"a long string":    {"package a\n\nconst s = `one\n// two\n\nfour`\n", 6, 5},
		"two on a line":    {"package a; var x int; var y int\n", 1, 1},
	} {
		if all, code := countLines([]byte(c.source)); all != c.all || code != c.code {
			t.Errorf("%s: %d lines, %d of code, want %d and %d", name, all, code, c.all, c.code)
		}
	}
}

func TestTrusted(t *testing.T) {
	out, err := chored(t, tree(t, house()), "trusted")
	want := `protocol              4 lines,      2 of code
kernel                4 lines,      2 of code
record           is not there
kernel/driver    is not there
trusted base          8 lines,      4 of code
`
	if err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTestenv(t *testing.T) {
	if out, err := chored(t, tree(t, house()), "testenv"); err != nil || !strings.Contains(out, "at least go1.26.0 is asked for") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := chored(t, tree(t, map[string]string{"go.mod": "module x\n"}), "testenv"); err == nil || !strings.Contains(out, "MISSING") {
		t.Errorf("a module that asks for no version: %q, %v", out, err)
	}
	rows := []need{
		{"a", "x", func(context.Context, string) (string, error) { return "here", nil }},
		{"b", "y", func(context.Context, string) (string, error) { return "", errors.New("nobody answers") }},
	}
	var out bytes.Buffer
	err := survey(t.Context(), rows, ".", &out)
	if err == nil || out.String() != "a        here (x)\nb        MISSING: nobody answers (y)\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
