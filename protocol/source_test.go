package protocol

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is the package as it is written: what the tests ask when "every" must
// mean every, also of what somebody adds tomorrow.
type source struct {
	fset  *token.FileSet
	files []*ast.File
}

func parseSource(t *testing.T) source {
	t.Helper()
	dir, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	s := source{fset: token.NewFileSet()}
	for _, e := range dir {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(s.fset, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.files = append(s.files, f)
	}
	return s
}

// specs calls yield with every declared spec of one kind of declaration.
func (s source) specs(kind token.Token, yield func(ast.Spec)) {
	for _, f := range s.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == kind {
				for _, spec := range g.Specs {
					yield(spec)
				}
			}
		}
	}
}

// wireStructs names the exported struct types that have a member on the wire.
func (s source) wireStructs() []string {
	var names []string
	s.specs(token.TYPE, func(spec ast.Spec) {
		ts := spec.(*ast.TypeSpec)
		st, ok := ts.Type.(*ast.StructType)
		if !ok || !ts.Name.IsExported() {
			return
		}
		for _, f := range st.Fields.List {
			if f.Tag == nil {
				continue
			}
			raw, _ := strconv.Unquote(f.Tag.Value)
			if tag, ok := reflect.StructTag(raw).Lookup("json"); ok && tag != "-" {
				names = append(names, ts.Name.Name)
				return
			}
		}
	})
	return names
}

// arms names the types that have a method: the arms of a sum.
func (s source) arms(method string) []string {
	var names []string
	for _, f := range s.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == method {
				names = append(names, fn.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	return names
}

// literals gives the exported constants whose value is written out, by name, as
// Go source.
func (s source) literals() map[string]string {
	found := map[string]string{}
	s.specs(token.CONST, func(spec ast.Spec) {
		vs := spec.(*ast.ValueSpec)
		for i, name := range vs.Names {
			if i < len(vs.Values) && name.IsExported() {
				var b strings.Builder
				_ = printer.Fprint(&b, s.fset, vs.Values[i]) // a Builder takes everything
				found[name.Name] = b.String()
			}
		}
	})
	return found
}

// words lists every string constant: the closed vocabularies, word by word.
func (s source) words() []sample {
	literals := s.literals()
	var out []sample
	for _, name := range slices.Sorted(maps.Keys(literals)) {
		if word, err := strconv.Unquote(literals[name]); err == nil && literals[name][0] == '"' {
			out = append(out, sample{name, word})
		}
	}
	return out
}

// numbers lists every integer constant: the bounds, and the versions.
func (s source) numbers(t *testing.T) []sample {
	t.Helper()
	literals := s.literals()
	var out []sample
	for _, name := range slices.Sorted(maps.Keys(literals)) {
		if strings.Contains(literals[name], "iota") || strings.ContainsAny(literals[name], `"'`) {
			continue
		}
		v, err := types.Eval(s.fset, nil, token.NoPos, literals[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n, exact := constant.Int64Val(v.Value)
		if !exact {
			t.Fatalf("%s = %s is not an integer", name, v.Value)
		}
		out = append(out, sample{name, n})
	}
	return out
}

// wordsOf lists the words of the constants whose names begin so.
func (s source) wordsOf(prefix string) []string {
	var out []string
	for _, w := range s.words() {
		if strings.HasPrefix(w.name, prefix) {
			out = append(out, w.value.(string))
		}
	}
	return out
}
