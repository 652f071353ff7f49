package conformance

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// Check is one thing that a package's source must not hold.
type Check struct {
	// ID names the check: N1 to N8 for the eight prohibitions, a word for the
	// rest.
	ID string
	// Requirement is the line of the requirements it settles.
	Requirement string
	// Says is the rule in words.
	Says string
	// In lists the folders it holds for. Those that do not exist are passed
	// over, but for kernel.
	In []string

	look func(*Source) []Finding
}

// Find applies the check to one package.
func (c Check) Find(s *Source) []Finding {
	found := c.look(s)
	for i := range found {
		found[i].Rule = c.ID
	}
	return inOrder(found)
}

// Checks lists every check: the eight prohibitions, then what keeps the kernel a
// function.
func Checks() []Check { return append(Prohibitions(), functionChecks()...) }

// Purity applies every check to the module at root. A package that does not
// type-check is a finding: the checks would be blind.
func Purity(root string) ([]Finding, error) {
	found, err := NewLoader().Purity(root)
	var out []Finding
	for _, f := range found {
		out = append(out, f...)
	}
	return inOrder(out), err
}

// Purity gives the findings of every check of the module at root by the check's
// ID. Those of packages that cannot be read well stand under "types".
func (l *Loader) Purity(root string) (map[string][]Finding, error) {
	m, err := openModule(root)
	if err != nil {
		return nil, err
	}
	out := map[string][]Finding{}
	sources := map[string]*Source{}
	for _, dir := range TrustedBase() {
		files, _ := goFiles(path.Join(m.root, dir))
		if len(files) == 0 && dir != "kernel" {
			continue
		}
		s, err := l.Load(root, dir)
		if err != nil {
			return nil, err
		}
		sources[dir] = s
		out["types"] = append(out["types"], s.Errors...)
	}
	for _, c := range Checks() {
		out[c.ID] = nil
		for _, dir := range c.In {
			if s := sources[dir]; s != nil {
				out[c.ID] = append(out[c.ID], c.Find(s)...)
			}
		}
	}
	return out, nil
}

// place is where a position really stands: a line directive does not move it.
func (s *Source) place(pos token.Pos) token.Position { return s.Fset.PositionFor(pos, false) }

// at makes a finding of a place.
func (s *Source) at(pos token.Pos, format string, args ...any) Finding {
	p := s.place(pos)
	return Finding{File: p.Filename, Line: p.Line, Text: fmt.Sprintf(format, args...)}
}

// each visits every node of every file.
func (s *Source) each(visit func(ast.Node)) {
	for _, file := range s.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				visit(n)
			}
			return true
		})
	}
}

// eachImport visits every import.
func (s *Source) eachImport(visit func(pos token.Pos, pkg string)) {
	for _, file := range s.Files {
		for _, spec := range file.Imports {
			if pkg, err := strconv.Unquote(spec.Path.Value); err == nil {
				visit(spec.Pos(), pkg)
			}
		}
	}
}

// importing finds imports that patterns speak of. Patterns of this module's
// packages start with "~/".
func (s *Source) importing(why string, patterns ...string) []Finding {
	var out []Finding
	m, err := openModule(s.Root)
	if err != nil {
		return []Finding{{File: s.Dir, Text: err.Error()}}
	}
	s.eachImport(func(pos token.Pos, pkg string) {
		name := pkg
		if dir, own := m.own(pkg); own {
			name = "~/" + dir
		}
		if coversAny(patterns, name) {
			out = append(out, s.at(pos, "%q is imported: %s", pkg, why))
		}
	})
	return out
}

// wording is a piece of text in a source, and what sort of text.
type wording struct {
	pos  token.Pos
	kind string // name, string, comment
	text string
}

// eachWording visits every name and every constant string, the latter as the
// compiler sees it: unquoted and put together. With comments it visits those too.
func (s *Source) eachWording(comments bool, visit func(wording)) {
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ImportSpec:
		case *ast.Ident:
			visit(wording{n.Pos(), "name", n.Name})
		case ast.Expr:
			if value := s.Info.Types[n].Value; value != nil && value.Kind() == constant.String {
				visit(wording{n.Pos(), "string", constant.StringVal(value)})
			} else if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && value == nil {
				visit(wording{n.Pos(), "string", lit.Value}) // a tag, or what the type checker has not seen
			}
		}
	})
	if !comments {
		return
	}
	for _, file := range s.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				visit(wording{c.Pos(), "comment", c.Text})
			}
		}
	}
}

// builtin tells whether an expression is a use of one of Go's own functions.
func (s *Source) builtin(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	obj := s.Info.Uses[id]
	return obj == nil || obj.Pkg() == nil
}

// called names the package-level function of another package that a call calls,
// "fmt.Println"; empty for anything else.
func (s *Source) called(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	obj := s.Info.Uses[sel.Sel]
	if obj == nil || obj.Pkg() == nil || s.Info.Selections[sel] != nil {
		return ""
	}
	return lastElement(obj.Pkg().Path()) + "." + obj.Name()
}

func lastElement(pkg string) string { return pkg[strings.LastIndexByte(pkg, '/')+1:] }
