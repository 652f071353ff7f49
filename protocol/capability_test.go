package protocol

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sets draws a capability set the way a program makes one, classes that do not
// exist included.
func sets() *rapid.Generator[CapabilitySet] {
	return rapid.Map(rapid.SliceOfN(rapid.Map(rapid.Uint8(), func(n uint8) Capability { return Capability(n % 8) }), 0, 6),
		func(classes []Capability) CapabilitySet { return SetOf(classes...) })
}

// TestCapabilitySetAlgebra: authority narrows, whichever way it is combined.
func TestCapabilitySetAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := sets().Draw(t, "a"), sets().Draw(t, "b"), sets().Draw(t, "c")
		meet := a.Intersect(b)
		for law, holds := range map[string]bool{
			"commutative":           meet == b.Intersect(a),
			"associative":           meet.Intersect(c) == a.Intersect(b.Intersect(c)),
			"idempotent":            a.Intersect(a) == a,
			"below both":            meet.SubsetOf(a) && meet.SubsetOf(b),
			"greatest below both":   !(c.SubsetOf(a) && c.SubsetOf(b)) || c.SubsetOf(meet),
			"monotone":              !a.SubsetOf(b) || a.Intersect(c).SubsetOf(b.Intersect(c)),
			"nothing absorbs":       a.Intersect(SetOf()).Empty(),
			"everything is neutral": a.Intersect(SetOf(Capabilities()...)) == a,
			"order by meet":         a.SubsetOf(b) == (meet == a),
			"order is reflexive":    a.SubsetOf(a),
			"order is antisymmetric": !(a.SubsetOf(b) && b.SubsetOf(a)) ||
				a == b,
			"order is transitive":  !(a.SubsetOf(b) && b.SubsetOf(c)) || a.SubsetOf(c),
			"empty means nothing":  a.Empty() == (len(a.Classes()) == 0),
			"classes make the set": SetOf(a.Classes()...) == a,
			"classes are sorted":   slices.IsSorted(a.Classes()),
		} {
			if !holds {
				t.Errorf("not %s: %v, %v, %v", law, a.Classes(), b.Classes(), c.Classes())
			}
		}
		for n := range 256 {
			class := Capability(n)
			if meet.Contains(class) != (a.Contains(class) && b.Contains(class)) {
				t.Errorf("%v and %v disagree with their meet on %s", a.Classes(), b.Classes(), class)
			}
			if a.Contains(class) != slices.Contains(a.Classes(), class) || a.Contains(class) && class > IrreversibleExternal {
				t.Errorf("%v and class %d", a.Classes(), n)
			}
		}
	})
}

// TestCapabilitySetNeverWidens runs any program of narrowings.
func TestCapabilitySetNeverWidens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := sets().Draw(t, "ceiling")
		now := start
		for _, next := range rapid.SliceOfN(sets(), 0, 8).Draw(t, "narrowings") {
			before := now
			now = now.Intersect(next)
			if !now.SubsetOf(before) || !now.SubsetOf(start) {
				t.Fatalf("%v became %v", before.Classes(), now.Classes())
			}
		}
	})
}

// TestCapabilitySetHasNoWayUp: there is nothing in the package that makes more
// authority out of less (S2-019, S2-037).
func TestCapabilitySetHasNoWayUp(t *testing.T) {
	requireMethods(t, reflect.TypeFor[CapabilitySet](), "Classes", "Contains", "Empty", "Intersect", "MarshalJSON", "SubsetOf")
	requireMethods(t, reflect.TypeFor[*CapabilitySet](), "Classes", "Contains", "Empty", "Intersect", "MarshalJSON", "SubsetOf", "UnmarshalJSON")
	for _, typ := range []reflect.Type{reflect.TypeFor[*CapabilitySet](), reflect.TypeFor[*Capability](), reflect.TypeFor[*Trust]()} {
		for m := range typ.Methods() {
			for _, up := range []string{"Union", "Or", "Max", "Add", "Join", "Merge", "With", "Widen", "Grant", "Raise", "Set"} {
				if strings.HasPrefix(m.Name, up) {
					t.Errorf("%s has a method %s", typ, m.Name)
				}
			}
		}
	}
	for f := range reflect.TypeFor[CapabilitySet]().Fields() {
		if f.IsExported() {
			t.Errorf("CapabilitySet.%s can be set from outside", f.Name)
		}
	}
	if !new(CapabilitySet).Empty() {
		t.Error("the zero value admits something")
	}
}

// TestCapabilityHasTwoPredicates and no more (S2-045).
func TestCapabilityHasTwoPredicates(t *testing.T) {
	requireMethods(t, reflect.TypeFor[Capability](), "IsEgress", "MarshalText", "RunsUnattended", "String")
	for _, c := range []struct {
		class              Capability
		word               string
		unattended, egress bool
	}{
		{ReadOnly, "read_only", true, false},
		{ReversibleLocal, "reversible_local", true, false},
		{CodeExecuting, "code_executing", false, false},
		{TrustMutating, "trust_mutating", false, false},
		{IrreversibleExternal, "irreversible_external", false, true},
		{IrreversibleExternal + 1, "invalid", false, false},
		{255, "invalid", false, false},
	} {
		if c.class.String() != c.word || c.class.RunsUnattended() != c.unattended || c.class.IsEgress() != c.egress {
			t.Errorf("%d: %s, unattended %t, egress %t", c.class, c.class, c.class.RunsUnattended(), c.class.IsEgress())
		}
	}
	for i, class := range Capabilities() {
		if int(class) != i {
			t.Errorf("%s stands at %d", class, i)
		}
	}
	if len(Capabilities()) != 5 {
		t.Errorf("%d classes", len(Capabilities()))
	}
}

// requireMethods holds the exported methods of a type to a list.
func requireMethods(t *testing.T, typ reflect.Type, want ...string) {
	t.Helper()
	var got []string
	for m := range typ.Methods() {
		got = append(got, m.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the methods %v, not %v: a new one is a decision", typ, got, want)
	}
}

// TestCapabilitySetOnTheWire: sorted, each word once, and every set comes back.
func TestCapabilitySetOnTheWire(t *testing.T) {
	for bits := range 32 {
		var classes []Capability
		for i, c := range Capabilities() {
			if bits>>i&1 == 1 {
				classes = append([]Capability{c}, classes...)
			}
		}
		set := SetOf(append(classes, classes...)...)
		var back CapabilitySet
		if err := Unmarshal(MustMarshal(set), &back); err != nil || back != set || len(back.Classes()) != len(classes) {
			t.Errorf("%s: %v, %v", MustMarshal(set), back.Classes(), err)
		}
	}
	for _, in := range []string{`["code_executing","read_only"]`, `null`, `["read_only","read_only"]`, `["admin"]`, `[0]`, `31`, `{}`, `[["read_only"]]`} {
		var set CapabilitySet
		if err := Unmarshal([]byte(in), &set); err == nil {
			t.Errorf("%s was taken as %v", in, set.Classes())
		}
	}
	set := SetOf(CodeExecuting)
	if err := Decode([]byte(`["read_only","nonsense"]`), &set); err == nil || set != SetOf(CodeExecuting) {
		t.Errorf("a refused set left %v behind, %v", set.Classes(), err)
	}
}
