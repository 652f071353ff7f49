package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/doc"
	"go/printer"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tipstaff/tipstaff/conformance"
)

// vocabulary is a package's exported types and constants with what their comments
// say, in the order of the source.
type vocabulary struct {
	source *conformance.Source
	types  []*entry
	loose  []group // constants without a type of ours
	kinds  map[string]string
	bounds map[string]string // the values of the Max… constants
}

// entry is one type.
type entry struct {
	name, file, doc string
	spec            *ast.TypeSpec
	words           []word // its constants
	encoded         bool   // it writes its own JSON
}

// group is one const declaration.
type group struct {
	file, doc string
	words     []word
}

// word is one constant.
type word struct{ name, value, doc string }

func readVocabulary(root, pkg string) (*vocabulary, error) {
	s, err := conformance.NewLoader().Load(root, pkg)
	if err != nil {
		return nil, err
	}
	if len(s.Errors) > 0 {
		return nil, fmt.Errorf("%s cannot be read: %s", pkg, s.Errors[0])
	}
	v := &vocabulary{source: s, kinds: map[string]string{}, bounds: map[string]string{}}
	for _, file := range s.Files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				v.readTypes(file, g)
			}
		}
	}
	spoken := map[string]string{}
	for _, file := range s.Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Body != nil {
				v.readMethod(f, spoken)
			}
		}
	}
	for _, file := range s.Files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				v.readConstants(file, g, spoken)
			}
		}
	}
	return v, nil
}

func (v *vocabulary) fileOf(file *ast.File) string {
	return path.Base(v.source.Fset.Position(file.Package).Filename)
}

func (v *vocabulary) readTypes(file *ast.File, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || !t.Name.IsExported() {
			continue
		}
		comment := t.Doc
		if comment == nil && len(g.Specs) == 1 {
			comment = g.Doc
		}
		v.types = append(v.types, &entry{name: t.Name.Name, file: v.fileOf(file), doc: text(comment), spec: t})
	}
}

// readMethod learns from a method what only it knows: the kind of a command or
// event, the words of an enumeration, that a type writes its own JSON.
func (v *vocabulary) readMethod(f *ast.FuncDecl, spoken map[string]string) {
	receiver := strings.TrimPrefix(v.code(f.Recv.List[0].Type), "*")
	switch f.Name.Name {
	case "CommandKind", "EventKind":
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
				if value := v.source.Info.Types[ret.Results[0]].Value; value != nil {
					v.kinds[constant.StringVal(value)] = receiver
				}
			}
			return true
		})
	case "MarshalJSON", "MarshalText":
		if e := v.find(receiver); e != nil {
			e.encoded = true
		}
	case "String":
		ast.Inspect(f.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CaseClause)
			if !ok || len(c.List) != 1 || len(c.Body) != 1 {
				return true
			}
			if ret, ok := c.Body[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
				if value := v.source.Info.Types[ret.Results[0]].Value; value != nil && value.Kind() == constant.String {
					spoken[v.code(c.List[0])] = constant.StringVal(value)
				}
			}
			return true
		})
	}
}

func (v *vocabulary) readConstants(file *ast.File, g *ast.GenDecl, spoken map[string]string) {
	loose := group{file: v.fileOf(file), doc: text(g.Doc)}
	for _, spec := range g.Specs {
		c, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for _, name := range c.Names {
			obj, ok := v.source.Info.Defs[name].(*types.Const)
			if !ok || !name.IsExported() {
				continue
			}
			w := word{name: name.Name, value: valueOf(obj, spoken), doc: text(c.Doc) + text(c.Comment)}
			if w.doc == "" && len(g.Specs) == 1 {
				w.doc = text(g.Doc)
			}
			if strings.HasPrefix(w.name, "Max") {
				v.bounds[w.name] = w.value
			}
			if e := v.find(typeName(obj.Type())); e != nil {
				e.words = append(e.words, w)
			} else {
				loose.words = append(loose.words, w)
			}
		}
	}
	if len(loose.words) > 0 {
		v.loose = append(v.loose, loose)
	}
}

func typeName(t types.Type) string {
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// valueOf is a constant as it stands on the wire.
func valueOf(c *types.Const, spoken map[string]string) string {
	if said, ok := spoken[c.Name()]; ok {
		return said
	}
	if c.Val().Kind() == constant.String {
		return constant.StringVal(c.Val())
	}
	return c.Val().ExactString()
}

func (v *vocabulary) find(name string) *entry {
	i := slices.IndexFunc(v.types, func(e *entry) bool { return e.name == name })
	if i < 0 {
		return nil
	}
	return v.types[i]
}

// code prints a piece of source as it is written.
func (v *vocabulary) code(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, v.source.Fset, n); err != nil {
		return "?" // a writer of bytes does not fail
	}
	return b.String()
}

// boundsIn names the Max… constants a comment speaks of, with their values.
func (v *vocabulary) boundsIn(comment string) []string {
	var out []string
	for _, name := range regexp.MustCompile(`\bMax[A-Z]\w*`).FindAllString(comment, -1) {
		if value, ok := v.bounds[name]; ok {
			out = append(out, name+" = "+value)
		}
	}
	return out
}

// member is one field as it stands on the wire.
type member struct {
	name     string
	optional bool
	typ      ast.Expr
	doc      string
}

// members lists a struct's fields that have a place on the wire. A comment speaks
// of its field and of those after it that have none.
func (v *vocabulary) members(st *ast.StructType) []member {
	var out []member
	said := ""
	for _, f := range st.Fields.List {
		if own := text(f.Doc) + text(f.Comment); own != "" {
			said = own
		}
		if f.Tag == nil || len(f.Names) == 0 {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name != "" && name != "-" {
			out = append(out, member{name: name, optional: strings.Contains(options, "omit"), typ: f.Type, doc: said})
		}
	}
	return out
}

// text is a comment in one line.
func text(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// firstSentence is what a list says of a word.
func firstSentence(s string) string { return new(doc.Package).Synopsis(s) }
