package main

import (
	"fmt"
	"go/ast"
	"io"
	"slices"
	"strings"
)

// events lists every kind of entry with its fields, and what the fields are made
// of.
func events(root string) (string, error) {
	v, err := readVocabulary(root, "protocol")
	if err != nil {
		return "", err
	}
	p := &eventsPage{vocabulary: v}
	var in, out strings.Builder
	for _, kind := range v.recordKinds() {
		w := &out
		if kind == "run.started" || strings.HasPrefix(kind, "command.") {
			w = &in
		}
		if err := p.kind(w, kind); err != nil {
			return "", err
		}
	}
	var envelope, parts strings.Builder
	if line := v.find("Entry"); line != nil {
		p.fields(&envelope, line)
	}
	p.parts(&parts)
	return "# Entries of the record\n\n" + generated +
		"One line is one entry, canonical JSON, chained by `prev`. A command's entry comes first, then the events it caused. The body of a\n" +
		"command also has `actions`, the SHA-256 of what the kernel ordered. A field marked `?` may be left out; a bound is a constant of\n" +
		"package `protocol`.\n\n" + envelope.String() +
		"## What went in: commands\n\n" + in.String() + "## What came out: events\n\n" + out.String() +
		"## What the fields are made of\n\n" + parts.String(), nil
}

// recordKinds lists the values of the Kind… constants, in the order of the source.
func (v *vocabulary) recordKinds() []string {
	var out []string
	for _, g := range v.loose {
		for _, w := range g.words {
			if strings.HasPrefix(w.name, "Kind") {
				out = append(out, w.value)
			}
		}
	}
	return out
}

// eventsPage collects which types the fields name, so that each is explained
// once.
type eventsPage struct {
	*vocabulary
	named []string
}

func (p *eventsPage) kind(w io.Writer, kind string) error {
	e := p.find(p.kinds[kind])
	if e == nil {
		return fmt.Errorf("no type is an entry of kind %s: give one its CommandKind or EventKind", kind)
	}
	fmt.Fprintf(w, "### `%s`\n\n%s\n\n", kind, cell(e.doc))
	p.fields(w, e)
	return nil
}

// fields writes a struct's members as a table.
func (p *eventsPage) fields(w io.Writer, e *entry) {
	st, ok := e.spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	members := p.members(st)
	if len(members) == 0 {
		fmt.Fprint(w, "No fields.\n\n")
		return
	}
	fmt.Fprint(w, "| field | type | meaning | bound |\n| --- | --- | --- | --- |\n")
	for _, m := range members {
		name := m.name
		if m.optional {
			name += "?"
		}
		bounds := p.boundsIn(m.doc)
		for _, t := range p.typesIn(m.typ) {
			if e := p.find(t); e != nil {
				bounds = append(bounds, p.boundsIn(e.doc)...)
			}
		}
		slices.Sort(bounds)
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", name, p.typed(m.typ), cell(m.doc), strings.Join(slices.Compact(bounds), ", "))
	}
	fmt.Fprintln(w)
}

// typesIn names the package's own types in a type expression, and notes that
// they need explaining.
func (p *eventsPage) typesIn(t ast.Expr) []string {
	var out []string
	ast.Inspect(t, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel != nil {
			return false // another package's
		}
		if id, ok := n.(*ast.Ident); ok && p.find(id.Name) != nil {
			out = append(out, id.Name)
			if !slices.Contains(p.named, id.Name) {
				p.named = append(p.named, id.Name)
			}
		}
		return true
	})
	return out
}

// typed writes a type: in words what JSON has a word for, else as it is declared,
// with a link to where it is explained.
func (p *eventsPage) typed(t ast.Expr) string {
	written := p.code(t)
	switch {
	case strings.HasPrefix(written, "[]"):
		if list, ok := t.(*ast.ArrayType); ok {
			return "list of " + p.typed(list.Elt)
		}
	case strings.HasPrefix(written, "*"):
		if to, ok := t.(*ast.StarExpr); ok {
			return p.typed(to.X) + " or null"
		}
	case written == "json.RawMessage":
		return "JSON"
	case p.find(written) != nil:
		return fmt.Sprintf("[%s](#%s)", written, strings.ToLower(written))
	}
	return written
}

// parts explains every type a field named, and what those name in turn.
func (p *eventsPage) parts(w io.Writer) {
	var written []string
	for len(written) < len(p.named) {
		rest := slices.DeleteFunc(slices.Clone(p.named), func(n string) bool { return slices.Contains(written, n) })
		slices.Sort(rest)
		e := p.find(rest[0])
		written = append(written, e.name)
		fmt.Fprintf(w, "### %s\n\n%s\n\n", e.name, cell(e.doc))
		switch {
		case len(e.words) > 0:
			p.enumeration(w, e)
		case !e.encoded:
			p.fields(w, e)
		}
	}
}

func (p *eventsPage) enumeration(w io.Writer, e *entry) {
	for _, c := range e.words {
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("- `%s` %s", c.value, cell(c.doc))))
	}
	fmt.Fprintln(w)
}

// cell makes a comment safe inside a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s)
}
