package conformance

import (
	"os"
	"path/filepath"
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
