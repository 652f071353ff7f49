package conformance

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const us = "github.com/tipstaff/tipstaff/"

// TestPlantedImports: an import that the table does not have is found, with
// file, line, import and rule; one that it has is not.
func TestPlantedImports(t *testing.T) {
	for _, c := range []struct {
		file, imports string
		rule          string // empty: it is allowed
	}{
		{"protocol/p.go", "encoding/json", ""},
		{"protocol/p.go", "os", "imports/std"},
		{"protocol/p.go", us + "ports", "imports/ours"},
		{"protocol/p.go", "time", "imports/std"},
		{"kernel/p.go", us + "protocol", ""},
		{"kernel/p.go", "strings", ""},
		{"kernel/p.go", "context", "imports/std"},
		{"kernel/p.go", "errors", "imports/std"},
		{"kernel/p.go", us + "adapters/noop", "imports/ours"},
		{"kernel/p.go", us + "kernel/driver", "imports/ours"},
		{"kernel/p.go", us + "record", "imports/ours"},
		{"kernel/p.go", "C", "imports/cgo"},
		{"kernel/p_plan9.go", "os", "imports/std"},
		{"kernel/driver/p.go", "context", ""},
		{"kernel/driver/p.go", us + "record", ""},
		{"kernel/driver/p.go", "os", "imports/std"},
		{"kernel/driver/p.go", us + "host", "imports/ours"},
		{"kernel/driver/p.go", us + "record/pebblestore", "imports/ours"},
		{"record/p.go", "crypto/ed25519", ""},
		{"record/p.go", "net/http", "imports/std"},
		{"record/p.go", "io/fs", "imports/std"},
		{"record/p.go", "github.com/cockroachdb/pebble/v2", "imports/outside"},
		{"record/pebblestore/p.go", "github.com/cockroachdb/pebble/v2/vfs", ""},
		{"record/pebblestore/p.go", "sync/atomic", ""},
		{"record/pebblestore/p.go", "os", "imports/std"},
		{"record/pebblestore/p.go", us + "record", "imports/ours"},
		{"ports/p.go", "iter", ""},
		{"ports/p.go", us + "kernel", "imports/ours"},
		{"tool/p.go", "github.com/google/jsonschema-go/jsonschema", ""},
		{"tool/p.go", us + "kernel", "imports/ours"},
		{"adapters/noop/p.go", us + "tool", ""},
		{"adapters/noop/p.go", us + "adapters/noop/more", ""},
		{"adapters/noop/more/p.go", us + "adapters/noop", ""},
		{"adapters/noop/p.go", us + "adapters/calculator", "imports/ours"},
		{"adapters/noop/p.go", us + "adapters/noopish", "imports/ours"},
		{"adapters/noop/p.go", us + "kernel", "imports/ours"},
		{"adapters/noop/more/p.go", us + "host", "imports/ours"},
		{"adapters/noop/p.go", "github.com/spf13/cobra", "imports/outside"},
		{"adapters/calculator/p.go", "github.com/cockroachdb/apd/v3", ""},
		{"host/bind.go", us + "adapters/noop", ""},
		{"host/p.go", us + "adapters/noop", "imports/ours"},
		{"host/tipstaff/bind.go", us + "adapters/noop", "imports/ours"},
		{"host/p.go", "github.com/oklog/run", ""},
		{"host/p.go", "github.com/sirupsen/logrus", "imports/outside"},
		{"somewhere/p.go", "fmt", "imports/owner"},
		{"kernel/more/p.go", "fmt", "imports/owner"},
		{"p.go", "fmt", "imports/owner"},
		{"kernel/p_test.go", "pgregory.net/rapid", ""},
		{"kernel/p_test.go", "os", ""},
		{"kernel/p_test.go", us + "conformance", ""},
		{"kernel/p_test.go", "github.com/stretchr/testify/assert", "imports/outside"},
		{"kernel/testdata/p.go", "os", ""},
		{"kernel/.hidden/p.go", "os", ""},
	} {
		t.Run(c.file+" "+c.imports, func(t *testing.T) {
			tree := module1(t, map[string]string{c.file: "package p\n\nimport _ \"" + c.imports + "\"\n"})
			found, err := Imports(tree)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.rule == "" && len(found) > 0:
				t.Errorf("not allowed: %v", found)
			case c.rule == "":
			case len(found) != 1 || found[0].Rule != c.rule || found[0].File != c.file:
				t.Errorf("want one %s in %s: %v", c.rule, c.file, found)
			case c.rule != "imports/owner" && (found[0].Line != 3 || !strings.Contains(found[0].String(), `"`+c.imports+`"`)):
				t.Errorf("the finding does not say where or what: %s", found[0])
			}
		})
	}
}

// module1 makes a module of our name out of nothing but these files.
func module1(t *testing.T, files map[string]string) string {
	t.Helper()
	tree := t.TempDir()
	write(t, filepath.Join(tree, "go.mod"), "module github.com/tipstaff/tipstaff\n\ngo 1.26.0\n")
	for file, text := range files {
		write(t, filepath.Join(tree, file), text)
	}
	return tree
}

// TestClockIsAPort: what an allowed package may not be used for is found, under
// any name the package is imported by.
func TestClockIsAPort(t *testing.T) {
	for _, c := range []struct {
		file, code string
		line       int // 0: nothing is found
	}{
		{"kernel/driver/p.go", "import \"time\"\n\nvar x = 2 * time.Second\n", 0},
		{"kernel/driver/p.go", "import \"time\"\n\nvar x = time.Now()\n", 5},
		{"kernel/driver/p.go", "import \"time\"\n\nvar now = time.Now\n", 5},
		{"kernel/driver/p.go", "import clock \"time\"\n\nfunc f() { clock.Sleep(1) }\n", 5},
		{"kernel/driver/p.go", "import \"time\"\n\nvar x = time.NewTimer(1)\n", 5},
		{"kernel/driver/p.go", "import \"time\"\n\nvar x = time.Since(time.Time{})\n", 5},
		{"kernel/driver/p.go", "import \"context\"\n\nfunc f(c context.Context) { context.WithTimeout(c, 1) }\n", 5},
		{"kernel/driver/p_test.go", "import \"time\"\n\nvar x = time.Now()\n", 0},
		{"ports/p.go", "import \"time\"\n\nvar x = time.After(1)\n", 5},
		{"host/p.go", "import \"time\"\n\nvar x = time.Now()\n", 0},
	} {
		found, err := Imports(module1(t, map[string]string{c.file: "package p\n\n" + c.code}))
		switch {
		case err != nil:
			t.Error(err)
		case c.line == 0 && len(found) > 0:
			t.Errorf("%s: %q: %v", c.file, c.code, found)
		case c.line > 0 && (len(found) != 1 || found[0].Line != c.line || found[0].Rule != "imports/clock"):
			t.Errorf("%s: %q is not found in line %d: %v", c.file, c.code, c.line, found)
		}
	}
}

// TestImportsSeesThroughDisguise: dots, broken files, moved lines, modules within.
func TestImportsSeesThroughDisguise(t *testing.T) {
	found, err := Imports(module1(t, map[string]string{
		"kernel/dot.go":         "package kernel\n\nimport . \"strings\"\n",
		"kernel/notgo.go":       "package kernel\n\nfunc (\n",
		"kernel/moved.go":       "package kernel\n\n//line protocol/fine.go:1\nimport \"os\"\n",
		"kernel/inside/go.mod":  "module other\n",
		"kernel/inside/free.go": "package inside\n\nimport \"os\"\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.File+" "+f.Rule)
	}
	want := []string{"kernel/dot.go imports/form", "kernel/moved.go imports/std", "kernel/notgo.go imports/parse"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestLayersAreUnique: every folder has one owner, and a table that says
// otherwise is a finding (S2-161).
func TestLayersAreUnique(t *testing.T) {
	tree := module1(t, map[string]string{"kernel/p.go": "package kernel\n"})
	twice := append(Layers(), Layer{Path: "kernel", Std: []string{"..."}})
	found, err := importsBy(twice, tree)
	if err != nil || len(found) != 1 || found[0].Rule != "imports/owner" {
		t.Errorf("two owners are not noticed: %v, %v", found, err)
	}
	for dir, want := range map[string]string{
		"kernel": "kernel", "kernel/driver": "kernel/driver", "xtask": "xtask/...", "xtask/bench": "xtask/bench",
		"adapters/noop": "adapters/...", "adapters/calculator/deep": "adapters/calculator/...", "host/tipstaff": "host/...", "elsewhere": "",
	} {
		row, ok := owner(Layers(), dir)
		if row.Path != want || ok != (want != "") {
			t.Errorf("%s belongs to %q, want %q", dir, row.Path, want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, what string
		want          bool
	}{
		{"...", "anything/at/all", true},
		{"os/...", "os", true},
		{"os/...", "os/exec", true},
		{"os/...", "osx", false},
		{"a/*", "a/b", true},
		{"a/*", "a/b/c", false},
		{"a/*", "a", false},
		{"time", "time", true},
		{"time", "time/tzdata", false},
	} {
		if got := covers(c.pattern, c.what); got != c.want {
			t.Errorf("covers(%q, %q) is %v", c.pattern, c.what, got)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"MCPServer": "mcp server", "parseMCP": "parse mcp", "trainPolicy": "train policy", "snake_case": "snake case",
		"constraint": "constraint", "HTTP2Server": "http2 server", "": "", "a person activates it": "a person activates it",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("words(%q) = %q, want %q", text, got, want)
		}
	}
}
