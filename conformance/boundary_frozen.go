package conformance

import (
	"errors"
	"fmt"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Drift is how a package's exported API differs from its frozen snapshot.
type Drift struct {
	// Package is the folder, File the snapshot's, relative to the root.
	Package, File string
	// Broken are lines of the snapshot that do not hold any more, and additions
	// that change what was there. They are never accepted: a released shape gets
	// a V2.
	Broken []string
	// Added are lines that are new. An update accepts them.
	Added []string
}

// None tells whether nothing differs.
func (d Drift) None() bool { return len(d.Broken)+len(d.Added) == 0 }

// FrozenPackages lists the folders whose exported API is frozen.
func FrozenPackages() []string { return []string{"protocol", "ports"} }

func snapshotFile(pkg string) string { return "conformance/testdata/frozen/" + pkg + ".txt" }

// snapshotHead is the first line of a snapshot.
func snapshotHead(pkg string) string {
	return "# The exported API of " + pkg + ". Lines are added by `go run ./xtask frozen -update` and never changed.\n"
}

// Frozen compares the API of the frozen packages with their snapshots. A package
// without a snapshot has drifted in every line.
func Frozen(root string) ([]Drift, error) {
	l := NewLoader()
	var out []Drift
	for _, pkg := range FrozenPackages() {
		now, err := l.API(root, pkg)
		if err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(snapshotFile(pkg))))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		d := Drift{Package: pkg, File: snapshotFile(pkg)}
		d.Broken, d.Added = compareAPI(snapshotLines(string(raw)), now)
		out = append(out, d)
	}
	return out, nil
}

// Findings are a drift as findings, one a line.
func (d Drift) Findings() []Finding {
	var out []Finding
	for _, line := range d.Broken {
		out = append(out, Finding{File: d.File, Rule: "frozen/broken", Text: line +
			" — a released shape does not change: add a V2 beside it (if nothing was released yet, remove the snapshot and run: go run ./xtask frozen -update)"})
	}
	for _, line := range d.Added {
		out = append(out, Finding{File: d.File, Rule: "frozen/added", Text: line + " — accept it: go run ./xtask frozen -update"})
	}
	return out
}

// UpdateFrozen takes additions into the snapshots. It writes nothing when
// something is broken.
func UpdateFrozen(root string) ([]Drift, error) {
	drifts, err := Frozen(root)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(drifts, func(d Drift) bool { return len(d.Broken) > 0 }) {
		return drifts, errors.New("nothing was updated: what is frozen has changed, and only additions are taken")
	}
	for _, d := range drifts {
		if d.None() {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(d.File))
		raw, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return drifts, err
		}
		lines := append(snapshotLines(string(raw)), d.Added...)
		slices.Sort(lines)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return drifts, err
		}
		if err := os.WriteFile(file, []byte(snapshotHead(d.Package)+strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return drifts, err
		}
	}
	return drifts, nil
}

func snapshotLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// compareAPI tells what of the old lines is gone or changed, and what is new. A
// new field of an old wire struct that is always written changes old bytes, so it
// counts as broken (S2-010).
func compareAPI(old, now []string) (broken, added []string) {
	have, had := map[string]bool{}, map[string]bool{}
	for _, line := range now {
		have[line] = true
	}
	for _, line := range old {
		had[line] = true
		if !have[line] {
			broken = append(broken, "gone or changed: "+line)
		}
	}
	for _, line := range now {
		word := strings.Fields(line)
		switch {
		case had[line]:
		case word[0] == "field" && had["type "+word[1]+" struct"] && strings.Contains(line, "json:") && !optional(line):
			broken = append(broken, "an old struct has a new field that is not omitempty: "+line)
		default:
			added = append(added, line)
		}
	}
	return broken, added
}

// optional tells whether a field's line has a json tag that may leave it out.
func optional(line string) bool {
	_, tag, _ := strings.Cut(line, "json:")
	return strings.Contains(tag, ",omitempty") || strings.Contains(tag, ",omitzero") || strings.Contains(tag, `"-"`)
}

// API lists a package's exported API, one sorted line an item: constants with
// their values, variables, functions, types with their fields (place, type, tags)
// and methods. An interface is one line, because a method more breaks whoever
// implements it.
func (l *Loader) API(root, pkg string) ([]string, error) {
	s, err := l.Load(root, pkg)
	if err != nil {
		return nil, err
	}
	if len(s.Errors) > 0 {
		return nil, fmt.Errorf("the API of %s cannot be read: %s", pkg, s.Errors[0])
	}
	a := &api{pkg: s.Types}
	scope := s.Types.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			a.object(obj)
		}
	}
	slices.Sort(a.lines)
	return a.lines, nil
}

// api collects the lines of one package.
type api struct {
	pkg   *types.Package
	lines []string
}

func (a *api) say(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

func (a *api) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		a.say("const %s %s = %s", obj.Name(), a.of(obj.Type()), obj.Val().ExactString())
	case *types.Var:
		a.say("var %s %s", obj.Name(), a.of(obj.Type()))
	case *types.Func:
		a.say("func %s%s", obj.Name(), a.signature(obj))
	case *types.TypeName:
		a.typeName(obj)
	}
}

func (a *api) typeName(obj *types.TypeName) {
	name := obj.Name()
	if obj.IsAlias() {
		a.say("type %s = %s", name, a.of(types.Unalias(obj.Type())))
		return
	}
	switch u := obj.Type().Underlying().(type) {
	case *types.Interface:
		a.say("type %s interface { %s }", name, strings.Join(a.methods(obj.Type()), "; "))
		a.arms(obj, u)
		return
	case *types.Struct:
		a.say("type %s struct", name)
		a.fields(name, u)
	default:
		a.say("type %s %s", name, a.of(u))
	}
	for _, m := range a.methods(obj.Type()) {
		a.say("method %s %s", name, m)
	}
}

// fields: the place of a field is frozen too, because it is the order of the wire.
func (a *api) fields(name string, u *types.Struct) {
	for i := range u.NumFields() {
		f := u.Field(i)
		if !f.Exported() {
			continue
		}
		kind := ""
		if f.Embedded() {
			kind = " embedded"
		}
		tags := ""
		for _, key := range []string{"json", "toml"} {
			if value, ok := reflect.StructTag(u.Tag(i)).Lookup(key); ok {
				tags += fmt.Sprintf(" %s:%q", key, value)
			}
		}
		a.say("field %s %02d %s %s%s%s", name, i, f.Name(), a.of(f.Type()), kind, tags)
	}
}

// methods lists a type's exported methods, of values and of pointers ("*"). An
// interface's unexported ones belong to what it asks of an implementation.
func (a *api) methods(t types.Type) []string {
	var out []string
	byValue := types.NewMethodSet(t)
	all := byValue
	if !types.IsInterface(t) {
		all = types.NewMethodSet(types.NewPointer(t))
	}
	for m := range all.Methods() {
		f, ok := m.Obj().(*types.Func)
		if !ok || !f.Exported() && !types.IsInterface(t) {
			continue
		}
		star := ""
		if byValue.Lookup(f.Pkg(), f.Name()) == nil {
			star = "*"
		}
		out = append(out, star+f.Name()+a.signature(f))
	}
	slices.Sort(out)
	return out
}

// arms lists who belongs to a sealed sum: the types that have its unexported
// method.
func (a *api) arms(sum *types.TypeName, u *types.Interface) {
	sealed := false
	for m := range u.Methods() {
		sealed = sealed || !m.Exported()
	}
	if !sealed {
		return
	}
	for _, name := range a.pkg.Scope().Names() {
		arm, ok := a.pkg.Scope().Lookup(name).(*types.TypeName)
		if ok && arm.Exported() && !types.IsInterface(arm.Type()) && types.Implements(arm.Type(), u) {
			a.say("arm %s %s", sum.Name(), name)
		}
	}
}

// signature writes parameters and results by type: their names are no API.
func (a *api) signature(f *types.Func) string {
	sig, ok := f.Type().(*types.Signature)
	if !ok {
		return "()"
	}
	generic := ""
	for p := range sig.TypeParams().TypeParams() {
		generic += ", " + p.Obj().Name() + " " + a.of(p.Constraint())
	}
	if generic != "" {
		generic = "[" + generic[2:] + "]"
	}
	bare := types.NewSignatureType(nil, nil, nil, nameless(sig.Params()), nameless(sig.Results()), sig.Variadic())
	return generic + strings.TrimPrefix(a.of(bare), "func")
}

func nameless(t *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range t.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), nil, "", v.Type()))
	}
	return types.NewTuple(vars...)
}

// of writes a type; names of the package itself stand bare.
func (a *api) of(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == a.pkg {
			return ""
		}
		return p.Name()
	})
}
