package kernel

import (
	"fmt"
	"testing"

	"github.com/tipstaff/tipstaff/protocol"
)

// ruleSets are the rules the tables are tried with, by name.
func ruleSets() map[string][]protocol.Rule {
	class := func(c protocol.Capability, v protocol.Verdict) protocol.Rule {
		return protocol.Rule{Scope: protocol.ScopeClass, Class: &c, Verdict: v, Origin: "user"}
	}
	tool := func(v protocol.Verdict) protocol.Rule {
		return protocol.Rule{Scope: protocol.ScopeTool, Tool: "t", Verdict: v, Origin: "user"}
	}
	out := map[string][]protocol.Rule{
		"none": nil, "tool auto": {tool(protocol.Auto)}, "tool ask": {tool(protocol.Ask)}, "tool deny": {tool(protocol.Deny)},
		"tool auto and deny":  {tool(protocol.Auto), tool(protocol.Deny)},
		"another tool's auto": {{Scope: protocol.ScopeTool, Tool: "u", Verdict: protocol.Auto, Origin: "user"}},
	}
	for _, v := range []protocol.Verdict{protocol.Auto, protocol.Ask, protocol.Deny} {
		var all []protocol.Rule
		for _, c := range protocol.Capabilities() {
			all = append(all, class(c, v))
		}
		out["class "+string(v)] = all
	}
	return out
}

// TestGateTable is the table of DESIGN section 5, cell by cell (S2-046).
func TestGateTable(t *testing.T) {
	const auto, ask, deny = protocol.Auto, protocol.Ask, protocol.Deny
	byMode := map[protocol.Capability][4]protocol.Verdict{
		protocol.ReadOnly:             {auto, auto, auto, auto},
		protocol.ReversibleLocal:      {ask, auto, deny, auto},
		protocol.CodeExecuting:        {ask, ask, deny, auto},
		protocol.TrustMutating:        {ask, ask, deny, ask},
		protocol.IrreversibleExternal: {ask, ask, deny, ask},
	}
	for class, row := range byMode {
		for i, mode := range protocol.Modes() {
			for name, rules := range ruleSets() {
				want := row[i]
				if class != protocol.ReadOnly && mode != protocol.ModePlan {
					switch name {
					case "tool auto":
						want = auto
					case "tool ask", "class ask":
						want = ask
						if name == "class ask" && class >= protocol.TrustMutating {
							want = row[i] // only a class rule's deny is heard
						}
					case "tool deny", "class deny", "tool auto and deny":
						want = deny
					case "class auto":
						if class < protocol.TrustMutating {
							want = auto
						}
					}
				}
				if got := gate(mode, rules, "t", class); got.Verdict != want {
					t.Errorf("%s in %s with %s: %s, want %s", class, mode, name, got.Verdict, want)
				}
			}
		}
	}
}

// forEachFacts tries every combination of what admission looks at.
func forEachFacts(try func(f facts, rules string)) {
	all := protocol.SetOf(protocol.Capabilities()...)
	for _, class := range protocol.Capabilities() {
		for _, mode := range protocol.Modes() {
			for _, trust := range []protocol.Trust{protocol.Untrusted, protocol.Workspace, protocol.Trusted} {
				for name, rules := range ruleSets() {
					for _, state := range protocol.FSMStates() {
						for bits := range 1 << 4 {
							try(facts{
								Tool: "t", Class: class, Mode: mode, Trust: trust, Rules: rules, FSM: state, Ceiling: all,
								Egress: bits&1 > 0, Undo: bits&2 > 0, Endorse: bits&4 > 0, Planned: bits&8 > 0,
							}, name)
						}
					}
				}
			}
		}
	}
}

// TestAdmissionNeverLoosens holds what no combination may break: the laws of
// section 5, over every combination of facts.
func TestAdmissionNeverLoosens(t *testing.T) {
	n := 0
	forEachFacts(func(f facts, rules string) {
		n++
		got := decide(f)
		name := fmt.Sprintf("%+v (%s): %s, %s", f, rules, got.Verdict, got.Reason)
		switch {
		case got.Reason == "":
			t.Error("no reason: " + name)
		case got.Verdict == protocol.Deny:
		case f.Mode == protocol.ModePlan && f.Class != protocol.ReadOnly:
			t.Error("plan mode is read-only: " + name)
		case !permits(f.FSM, f.Class):
			t.Error("the guardrail forbids it: " + name)
		case f.Class >= protocol.TrustMutating && f.Trust < protocol.Trusted && (!f.Endorse || got.Verdict == protocol.Auto):
			t.Error("below the floor: " + name)
		case f.Egress && f.Trust < protocol.Trusted && !(f.Endorse && f.Class >= protocol.TrustMutating):
			t.Error("egress of what is not trusted: " + name)
		case got.Verdict == protocol.Auto && f.Class > protocol.ReadOnly && f.Trust < protocol.Workspace:
			t.Error("an untrusted turn changes something: " + name)
		case got.Verdict == protocol.Auto && f.Class == protocol.ReversibleLocal && !f.Undo:
			t.Error("reversible without an undo: " + name)
		case got.Verdict == protocol.Auto && f.Class >= protocol.TrustMutating && rules != "tool auto":
			t.Error("only an exact-tool rule pre-approves it: " + name)
		case rules == "tool deny" || rules == "tool auto and deny":
			t.Error("a deny is final: " + name)
		}
		narrow := f
		narrow.Ceiling = protocol.SetOf()
		if decide(narrow).Verdict != protocol.Deny {
			t.Error("outside the ceiling: " + name)
		}
		lower := f
		if lower.Trust > protocol.Untrusted {
			lower.Trust--
			if looser(decide(lower).Verdict, got.Verdict) {
				t.Error("less trust loosens it: " + name)
			}
		}
	})
	t.Logf("%d combinations", n)
}

func looser(a, b protocol.Verdict) bool { return a != b && a.Stricter(b) == b }

// TestGoverning: the label only sinks, and nothing shown governs nothing.
func TestGoverning(t *testing.T) {
	l := label{Trust: protocol.Trusted, Origin: "the task"}
	l = l.lower(protocol.Workspace, "a file").lower(protocol.Trusted, "typed text").lower(protocol.Untrusted, "a page").lower(protocol.Workspace, "a file")
	if l.Trust != protocol.Untrusted || l.Origin != "a page" {
		t.Errorf("%+v", l)
	}
}

func BenchmarkDecide(b *testing.B) {
	f := facts{
		Tool: "t", Class: protocol.ReversibleLocal, Mode: protocol.ModeAcceptEdits, Trust: protocol.Workspace, Undo: true,
		FSM: protocol.Acting, Ceiling: protocol.SetOf(protocol.Capabilities()...),
	}
	b.ReportAllocs()
	for b.Loop() {
		decide(f)
	}
}
