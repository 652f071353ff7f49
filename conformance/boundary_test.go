package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the module's own root, seen from this folder.
const root = ".."

// TestHouse holds the real tree to every check of the house.
func TestHouse(t *testing.T) {
	for name, check := range map[string]func(string) ([]Finding, error){"imports": Imports, "purity": Purity} {
		t.Run(name, func(t *testing.T) {
			found, err := check(root)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
	t.Run("frozen", func(t *testing.T) {
		drifts, err := Frozen(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range drifts {
			for _, f := range d.Findings() {
				t.Error(f)
			}
		}
	})
}

// copyTree copies the core of the module, so that something can be planted in it.
func copyTree(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	for _, dir := range []string{".", "protocol", "kernel", "ports", "record", "kernel/driver", "conformance/testdata/frozen"} {
		files, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(to, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			wanted := strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") || strings.HasPrefix(f.Name(), "go.") || strings.HasSuffix(f.Name(), ".txt")
			if f.IsDir() || !wanted {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(to, dir, f.Name()), string(text))
		}
	}
	return to
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPlantedViolations plants one thing at a time in a copy of the real kernel,
// and sees the check that forbids it turn red (S2-128).
func TestPlantedViolations(t *testing.T) {
	plants := []struct{ name, check, code string }{
		{"N1", "N1", "import \"os\"\n\nfunc planted() { b, _ := os.ReadFile(\"/etc/passwd\"); _ = b }"},
		{"N1/environment", "N1", "import \"os\"\n\nfunc planted() string { return os.Getenv(\"HOME\") }"},
		{"N2", "N2", "// planted asks GPT for advice.\nfunc planted() {}"},
		{"N2/identifier", "N2", "func askClaude() {}"},
		{"N2/string", "N2", "func planted() string { return \"https://api.openai.com/v1\" }"},
		{"N3", "N3", "func planted() string { return \"You are a helpful assistant. Answer the user.\" }"},
		{"N4", "N4", "import \"github.com/tipstaff/tipstaff/protocol\"\n\nfunc planted() protocol.ContextGrant { return protocol.ContextGrant{Bytes: 1} }"},
		{"N5", "N5", "import \"os/exec\"\n\nfunc planted() { _ = exec.Command(\"sh\").Run() }"},
		{"N6", "N6", "func parseMCP(raw []byte) {}"},
		{"N7", "N7", "func planted() string { return \"\\x1b[31mred\\x1b[0m\" }"},
		{"N8", "N8", "func trainPolicy() {}\n\nfunc activatePolicy() {}"},
		{"function/clock", "clock", "import \"time\"\n\nfunc planted() int64 { return time.Now().Unix() }"},
		{"function/map", "map", "func planted(m map[string]int) (n int) {\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}"},
		{"function/goroutine", "goroutine", "func planted() { go func() {}() }"},
		{"function/channel", "channel", "func planted(c chan int) { c <- 1 }"},
		{"function/float", "float", "func planted() int { return int(0.1 * 30) }"},
		{"function/variable", "variable", "var planted int"},
		{"function/error", "error", "func planted() error { return nil }"},
		{"function/log", "log", "import \"log\"\n\nfunc planted() { log.Print(\"x\") }"},
		{"function/panic", "panic", "func planted() { panic(\"x\") }"},
		{"function/recover", "recover", "func planted() { defer func() { _ = recover() }() }"},
		{"function/random", "random", "import \"math/rand/v2\"\n\nfunc planted() int { return rand.Int() }"},
		{"function/unsafe", "unsafe", "import \"unsafe\"\n\nfunc planted(p *int) uintptr { return uintptr(unsafe.Pointer(p)) }"},
		{"function/import", "import", "import \"encoding/json\"\n\nfunc planted() bool { return json.Valid(nil) }"},
	}
	tree, loader := copyTree(t), NewLoader()
	clean, err := loader.Purity(tree)
	if err != nil {
		t.Fatal(err)
	}
	for id, found := range clean {
		for _, f := range found {
			t.Errorf("the copy is not clean: %s: %s", id, f)
		}
	}
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			file := filepath.Join(tree, "kernel", "planted.go")
			write(t, file, "package kernel\n\n"+p.code+"\n")
			defer os.Remove(file)
			found, err := loader.Purity(tree)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found[p.check], func(f Finding) bool { return f.File == "kernel/planted.go" && f.Line > 0 }) {
				t.Errorf("%s does not notice: %v", p.check, found)
			}
		})
	}
}

// TestPlantedImports: an import that the table does not have is found, with file
// and line.
func TestPlantedImports(t *testing.T) {
	for file, path := range map[string]string{
		"kernel/planted.go":             "github.com/tipstaff/tipstaff/adapters/noop",
		"protocol/planted.go":           "os",
		"record/planted.go":             "net/http",
		"kernel/driver/planted.go":      "os",
		"ports/planted.go":              "github.com/tipstaff/tipstaff/kernel",
		"adapters/noop/planted.go":      "github.com/tipstaff/tipstaff/adapters/calculator",
		"adapters/noop/more/planted.go": "github.com/tipstaff/tipstaff/host",
		"host/planted.go":               "github.com/tipstaff/tipstaff/adapters/noop",
		"adapters/noop/outside.go":      "github.com/spf13/cobra",
		"somewhere/planted.go":          "fmt",
	} {
		t.Run(file, func(t *testing.T) {
			tree := t.TempDir()
			write(t, filepath.Join(tree, "go.mod"), "module github.com/tipstaff/tipstaff\n\ngo 1.26.0\n")
			write(t, filepath.Join(tree, file), "package planted\n\nimport _ \""+path+"\"\n")
			found, err := Imports(tree)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.File == file || strings.HasPrefix(file, f.File) }) {
				t.Errorf("%s may import %s: %v", file, path, found)
			}
		})
	}
}

// TestFrozenNoticesChanges: a changed tag, a method more and a word less are
// found; so is an addition, which an update accepts.
func TestFrozenNoticesChanges(t *testing.T) {
	for name, c := range map[string]struct{ file, from, to string }{
		"a tag":           {"protocol/entry.go", "`json:\"prev\"`", "`json:\"previous\"`"},
		"a value":         {"protocol/saga.go", `"compensation_failed"`, `"failed"`},
		"a method more":   {"ports/clock.go", "	// Now is the present.", "	Sleep()\n	// Now is the present."},
		"a constant less": {"protocol/limits.go", "	MaxContentBytes = 16 << 20", "	maxContentBytes = 16 << 20"},
		"a field moved":   {"protocol/entry.go", "	Next uint64 `json:\"next\"`\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := copyTree(t)
			text, err := os.ReadFile(filepath.Join(tree, c.file))
			if err != nil || !bytes.Contains(text, []byte(c.from)) {
				t.Fatalf("%s has no %q, %v", c.file, c.from, err)
			}
			write(t, filepath.Join(tree, c.file), strings.Replace(string(text), c.from, c.to, 1))
			drifts, err := Frozen(tree)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(drifts, func(d Drift) bool { return len(d.Broken) > 0 }) {
				t.Errorf("not noticed: %v", drifts)
			}
		})
	}
}

// TestMatrixIsWhole: 22 rows and no gaps; a row whose test does not exist is red,
// never green.
func TestMatrixIsWhole(t *testing.T) {
	rows := Matrix()
	if gaps := Gaps(rows); len(gaps) > 0 || len(rows) != 22 {
		t.Errorf("%d rows, gaps %v", len(rows), gaps)
	}
	nothing := func(string, []string) (map[string]string, string) { return map[string]string{}, "" }
	for _, j := range Judge(root, rows, map[string][]Finding{}, nothing) {
		if j.Status == Green {
			t.Errorf("%s is green without evidence", j.Row.ID)
		}
	}
}
