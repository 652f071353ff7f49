package conformance

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is one place that breaks a rule of the house.
type Finding struct {
	// File is relative to the module's root, with slashes. Line counts from 1;
	// 0 means the file as a whole.
	File string
	Line int
	// Rule names the rule, Text says what breaks it and what to do.
	Rule string
	Text string
}

// String is the finding as compilers write theirs: file:line: rule: text.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Text)
}

// inOrder sorts findings by place and drops those that say the same of the same
// line.
func inOrder(findings []Finding) []Finding {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(findings)
}

// module is a Go module on disk.
type module struct {
	root string // the folder of go.mod
	path string // the module's import path
}

// openModule reads a module's name.
func openModule(root string) (module, error) {
	raw, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return module{}, fmt.Errorf("%s is not the root of a module: %w", root, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "module "); ok {
			return module{root: root, path: strings.Trim(strings.TrimSpace(name), `"`)}, nil
		}
	}
	return module{}, fmt.Errorf("%s names no module", filepath.Join(root, "go.mod"))
}

// folder is a folder with Go files.
type folder struct {
	dir   string   // relative to the root, with slashes; "." is the root
	files []string // every .go file, whatever its build constraints
}

// folders lists the module's own folders that hold Go files. What the go command
// does not see is not seen here: testdata, vendor, hidden folders and modules
// inside the module.
func (m module) folders() ([]folder, error) {
	var out []folder
	err := filepath.WalkDir(m.root, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if at != m.root && (outOfSight(e.Name()) || exists(filepath.Join(at, "go.mod"))) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(m.root, at)
		if err != nil {
			return err
		}
		files, err := goFiles(at)
		if len(files) > 0 {
			out = append(out, folder{dir: filepath.ToSlash(rel), files: files})
		}
		return err
	})
	return out, err
}

func outOfSight(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// goFiles names the .go files of a folder, in order.
func goFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") {
			out = append(out, e.Name())
		}
	}
	return out, err
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// own tells whether an import path is one of the module's packages, and where it
// stands in the module.
func (m module) own(importPath string) (dir string, ok bool) {
	if importPath == m.path {
		return ".", true
	}
	return strings.CutPrefix(importPath, m.path+"/")
}

// isStd tells whether an import path is of the standard library: its first
// element has no dot.
func isStd(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// covers tells whether a pattern speaks of a path: "..." of all, "a/..." of a
// and everything below it, "a/*" of what stands right below a, anything else of
// itself.
func covers(pattern, what string) bool {
	if pattern == "..." {
		return true
	}
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return what == tree || strings.HasPrefix(what, tree+"/")
	}
	if above, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(what) == above
	}
	return pattern == what
}

func coversAny(patterns []string, what string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, what) })
}
