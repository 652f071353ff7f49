package protocol

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sampledTypes gives the samples by the type they are of.
func sampledTypes(t *testing.T) map[string][]reflect.Value {
	t.Helper()
	found := map[string][]reflect.Value{}
	for _, f := range families(t) {
		for _, s := range f.samples {
			v := reflect.ValueOf(s.value)
			found[v.Type().Name()] = append(found[v.Type().Name()], v)
		}
	}
	return found
}

// TestEveryWireTypeHasAGolden fails when somebody adds a type with json tags,
// or an arm of a sum, and does not write down its bytes.
func TestEveryWireTypeHasAGolden(t *testing.T) {
	source, sampled := parseSource(t), sampledTypes(t)
	wire := source.wireStructs()
	for _, sum := range []string{"OpType", "CommandKind", "EventKind", "ActionKind"} {
		arms := source.arms(sum)
		if len(arms) < 10 {
			t.Errorf("%s has %d arms: the sum is not found in the source any more", sum, len(arms))
		}
		wire = append(wire, arms...)
	}
	if len(wire) < 80 {
		t.Errorf("only %d wire types found: the search is broken", len(wire))
	}
	for _, name := range wire {
		if len(sampled[name]) == 0 {
			t.Errorf("%s has no golden: add a sample of it and run with -update", name)
		}
	}
}

// TestEveryMemberHasAGolden fails when a member of a wire type is in no golden
// line, or when a member that may be left out never is.
func TestEveryMemberHasAGolden(t *testing.T) {
	for name, values := range sampledTypes(t) {
		typ := values[0].Type()
		if typ.Kind() != reflect.Struct {
			continue
		}
		for field := range typ.Fields() {
			member, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if member == "" || member == "-" {
				continue
			}
			zero := func(v reflect.Value) bool { return v.FieldByIndex(field.Index).IsZero() }
			if !slices.ContainsFunc(values, func(v reflect.Value) bool { return !zero(v) }) {
				t.Errorf("%s.%s: no sample has it", name, field.Name)
			}
			if options == "omitempty" && !slices.ContainsFunc(values, zero) {
				t.Errorf("%s.%s: no sample leaves it out", name, field.Name)
			}
		}
	}
}

// TestSampleNames: a golden line is found by its name, so no name stands twice.
func TestSampleNames(t *testing.T) {
	for _, f := range families(t) {
		seen := map[string]bool{}
		for _, s := range f.samples {
			if seen[s.name] {
				t.Errorf("%s: %q stands twice", f.file, s.name)
			}
			seen[s.name] = true
		}
	}
}

// TestMemberNames: a member is lower case with underscores, so that no two
// spellings of one name differ only in case.
func TestMemberNames(t *testing.T) {
	for name, values := range sampledTypes(t) {
		typ := values[0].Type()
		if typ.Kind() != reflect.Struct {
			continue
		}
		for field := range typ.Fields() {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if member != strings.ToLower(member) || strings.ContainsAny(strings.Trim(member, "-"), "- ") {
				t.Errorf("%s.%s: member %q", name, field.Name, member)
			}
			if field.Type.Kind() == reflect.Float64 || field.Type.Kind() == reflect.Float32 || field.Type.Kind() == reflect.Map {
				t.Errorf("%s.%s is a %s: no float and no map is recorded", name, field.Name, field.Type)
			}
		}
	}
}
