package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Imports holds every Go file of the module at root to the import table. It
// looks at all files, whatever their build constraints, without building them.
func Imports(root string) ([]Finding, error) { return importsBy(Layers(), root) }

func importsBy(layers []Layer, root string) ([]Finding, error) {
	m, err := openModule(root)
	if err != nil {
		return nil, err
	}
	folders, err := m.folders()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for i, row := range layers {
		if slices.ContainsFunc(layers[:i], func(l Layer) bool { return l.Path == row.Path }) {
			out = append(out, Finding{File: row.Path, Rule: "imports/owner", Text: "two rows of the import table own this folder: keep one"})
		}
	}
	for _, f := range folders {
		row, owned := owner(layers, f.dir)
		if !owned {
			out = append(out, Finding{
				File: path.Join(f.dir, f.files[0]), Line: 1, Rule: "imports/owner",
				Text: fmt.Sprintf("no row of the import table owns the folder %s: move the file, or decide on a row (conformance/boundary_table.go)", f.dir),
			})
			continue
		}
		for _, name := range f.files {
			c := importCheck{module: m, row: row, dir: f.dir, file: path.Join(f.dir, name), test: isTest(name)}
			out = append(out, c.run()...)
		}
	}
	return inOrder(out), nil
}

// owner finds the most exact row for a folder.
func owner(layers []Layer, dir string) (Layer, bool) {
	best, at := 0, -1
	for i, row := range layers {
		exactness := 2*len(row.Path) + 1
		if trimmed, ok := strings.CutSuffix(row.Path, "/..."); ok {
			exactness = 2 * len(trimmed)
		} else if trimmed, ok := strings.CutSuffix(row.Path, "/*"); ok {
			exactness = 2 * len(trimmed)
		}
		if covers(row.Path, dir) && exactness > best {
			best, at = exactness, i
		}
	}
	if at < 0 {
		return Layer{}, false
	}
	return layers[at], true
}

// importCheck holds one file to one row.
type importCheck struct {
	module module
	row    Layer
	dir    string // the folder
	file   string // the file, both relative to the root
	test   bool
	out    []Finding
}

func (c *importCheck) run() []Finding {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join(c.module.root, filepath.FromSlash(c.file)), nil, parser.SkipObjectResolution)
	if err != nil {
		c.find(0, "imports/parse", "the file is not Go, so nothing can be said of it: "+err.Error())
		return c.out
	}
	names := map[string]string{}
	for _, spec := range file.Imports {
		line := fset.PositionFor(spec.Pos(), false).Line
		pkg, _ := strconv.Unquote(spec.Path.Value)
		c.one(line, pkg)
		local := path.Base(pkg)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "." {
			c.find(line, "imports/form", fmt.Sprintf("%q is imported with a dot, which hides where names come from: import it by name", pkg))
		}
		names[local] = pkg
	}
	if !c.test && len(c.row.Not) > 0 {
		c.uses(fset, file, names)
	}
	return c.out
}

// one judges one import.
func (c *importCheck) one(line int, pkg string) {
	ours, isOurs := c.module.own(pkg)
	rule, allowed, list := "imports/outside", coversAny(c.row.Outside, pkg), c.row.Outside
	switch {
	case pkg == "C":
		rule, allowed, list = "imports/cgo", false, nil
	case isOurs:
		rule, allowed, list = "imports/ours", c.test || c.oursAllowed(ours), c.row.Ours
	case isStd(pkg):
		rule, allowed, list = "imports/std", c.test || stdAllowed(c.row.Std, pkg), c.row.Std
	case c.test:
		list = append(testModules(), list...)
		allowed = coversAny(list, pkg)
	}
	if !allowed {
		c.find(line, rule, fmt.Sprintf("%s may not import %q: the table allows it %s (DESIGN section 2)", c.row.Path, pkg, spoken(list)))
	}
}

func (c *importCheck) oursAllowed(ours string) bool {
	if c.file == c.row.Door && coversAny(c.row.DoorOurs, ours) {
		return true
	}
	return slices.ContainsFunc(c.row.Ours, func(p string) bool {
		if p == "./..." {
			return strings.HasPrefix(ours, ownFolder(c.dir)+"/") || ours == ownFolder(c.dir)
		}
		return covers(p, ours)
	})
}

// ownFolder is the folder an adapter begins at: adapters/x, also for what stands
// below it.
func ownFolder(dir string) string {
	parts := strings.Split(dir, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// uses looks for what the row forbids of packages it allows. A local variable
// that is called like the package counts as the package: call it otherwise.
func (c *importCheck) uses(fset *token.FileSet, file *ast.File, names map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || names[x.Name] == "" {
			return true
		}
		if used := names[x.Name] + "." + sel.Sel.Name; slices.Contains(c.row.Not, used) {
			c.find(fset.PositionFor(sel.Pos(), false).Line, "imports/clock", fmt.Sprintf("%s may not use %s: the clock is a port, ask ports.ClockV1 (DESIGN section 2)", c.row.Path, used))
		}
		return true
	})
}

func (c *importCheck) find(line int, rule, text string) {
	c.out = append(c.out, Finding{File: c.file, Line: line, Rule: rule, Text: text})
}

// spoken says a list in words.
func spoken(list []string) string {
	switch {
	case len(list) == 0:
		return "none of these"
	case list[0] == "...":
		return "all but " + strings.ReplaceAll(strings.Join(list[1:], " "), "!", "")
	}
	return "only " + strings.Join(list, " ")
}
