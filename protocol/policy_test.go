package protocol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestMode(t *testing.T) {
	for word, ok := range map[Mode]bool{
		"default": true, "acceptEdits": true, "plan": true, "yolo": true, "": false, "acceptedits": false, "Plan": false, "yolo ": false, "auto": false,
	} {
		judged(t, string(word), word.Validate(), ok)
	}
	if want := []Mode{"default", "acceptEdits", "plan", "yolo"}; !slices.Equal(Modes(), want) {
		t.Errorf("got %v", Modes())
	}
}

// TestVerdictStricter goes through all triples: the strictest wins in any
// order.
func TestVerdictStricter(t *testing.T) {
	loosestFirst := []Verdict{Auto, Ask, Deny}
	for i, a := range loosestFirst {
		for j, b := range loosestFirst {
			if got := a.Stricter(b); got != loosestFirst[max(i, j)] {
				t.Errorf("of %s and %s: %s", a, b, got)
			}
			for _, c := range loosestFirst {
				if a.Stricter(b).Stricter(c) != a.Stricter(b.Stricter(c)) {
					t.Errorf("of %s, %s, %s: the order matters", a, b, c)
				}
			}
		}
	}
}

// TestUnknownVerdictIsNotAuto: a word that is no verdict lets nothing through.
func TestUnknownVerdictIsNotAuto(t *testing.T) {
	for _, odd := range []Verdict{"", "allow", "Auto", "auto "} {
		for _, v := range []Verdict{Auto, odd} {
			if odd.Stricter(v) == Auto || v.Stricter(odd) == Auto {
				t.Errorf("of %q and %q: auto", odd, v)
			}
		}
	}
}

func TestRule(t *testing.T) {
	class := func(c Capability) *Capability { return &c }
	tool := func(name string, v Verdict) Rule {
		return Rule{Scope: ScopeTool, Tool: name, Verdict: v, Origin: "flags"}
	}
	of := func(c *Capability, v Verdict) Rule {
		return Rule{Scope: ScopeClass, Class: c, Verdict: v, Origin: "flags"}
	}
	for _, c := range []struct {
		name string
		rule Rule
		ok   bool
	}{
		{"allow a tool", tool("fs.write", Auto), true},
		{"ask for a tool", tool("fs.write", Ask), true},
		{"deny a tool", tool("fs.write", Deny), true},
		{"a verdict nobody knows", tool("fs.write", "allow"), false},
		{"no verdict", tool("fs.write", ""), false},
		{"no tool", tool("", Deny), false},
		{"a star is no exact name", tool("fs.*", Deny), false},
		{"every tool is no exact name", tool("*", Auto), false},
		{"the longest name", tool(strings.Repeat("a", MaxToolNameBytes), Deny), true},
		{"a longer name", tool(strings.Repeat("a", MaxToolNameBytes+1), Deny), false},
		{"no class", of(nil, Deny), false},
		{"a class rule without a verdict", of(class(ReadOnly), ""), false},
		{"no scope", Rule{Tool: "fs.write", Verdict: Deny, Origin: "flags"}, false},
		{"a scope nobody knows", Rule{Scope: "server", Tool: "fs.write", Verdict: Deny, Origin: "flags"}, false},
		{"a verdict in capitals", tool("fs.write", "Deny"), false},
	} {
		judged(t, c.name, c.rule.Validate(), c.ok)
	}
	for _, c := range Capabilities() {
		judged(t, "allow "+c.String(), of(&c, Auto).Validate(), c < TrustMutating)
		judged(t, "ask for "+c.String(), of(&c, Ask).Validate(), true)
		judged(t, "deny "+c.String(), of(&c, Deny).Validate(), true)
	}
}

// TestRuleSaysOneThing: a rule is of a class that exists, of a layer that
// exists, and of a tool or a class and not of both.
func TestRuleSaysOneThing(t *testing.T) {
	odd, low := IrreversibleExternal+1, ReadOnly
	for _, c := range []struct {
		name string
		rule Rule
	}{
		{"a class nobody knows", Rule{Scope: ScopeClass, Class: &odd, Verdict: Deny, Origin: "flags"}},
		{"a tool rule with a class", Rule{Scope: ScopeTool, Tool: "fs.write", Class: &low, Verdict: Deny, Origin: "flags"}},
		{"a class rule with a tool", Rule{Scope: ScopeClass, Class: &low, Tool: "fs.write", Verdict: Deny, Origin: "flags"}},
		{"no layer", Rule{Scope: ScopeTool, Tool: "fs.write", Verdict: Deny}},
		{"a layer nobody knows", Rule{Scope: ScopeTool, Tool: "fs.write", Verdict: Deny, Origin: "model"}},
	} {
		judged(t, c.name, c.rule.Validate(), false)
	}
	for _, origin := range []string{"managed", "flags", "project", "user"} {
		judged(t, origin, Rule{Scope: ScopeTool, Tool: "fs.write", Verdict: Deny, Origin: origin}.Validate(), true)
	}
}

func TestRuleInWords(t *testing.T) {
	class := CodeExecuting
	for want, r := range map[string]Rule{
		"allow fs.write (flags)":              {Scope: ScopeTool, Tool: "fs.write", Verdict: Auto, Origin: "flags"},
		"ask http.post (user)":                {Scope: ScopeTool, Tool: "http.post", Verdict: Ask, Origin: "user"},
		"deny class code_executing (managed)": {Scope: ScopeClass, Class: &class, Verdict: Deny, Origin: "managed"},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSlotID(t *testing.T) {
	for id, ok := range map[string]bool{
		"core/router": true, "db/query_planner": true, "a/b": true, "a-1/_": true, "a/" + strings.Repeat("b", MaxNameBytes-2): true,
		"": false, "/": false, "a": false, "a/": false, "/b": false, "a//b": false, "a/b/c": false, "A/b": false, "a/B": false, "a b/c": false, "a/b.c": false,
		"é/a": false, "a/b\n": false, "a/" + strings.Repeat("b", MaxNameBytes-1): false,
	} {
		judged(t, id, SlotID(id).Validate(), ok)
	}
	seen := map[SlotID]bool{}
	for _, s := range CoreSlots() {
		judged(t, string(s), s.Validate(), true)
		if seen[s] || !strings.HasPrefix(string(s), "core/") {
			t.Errorf("%s is no core slot or stands twice", s)
		}
		seen[s] = true
	}
	if len(seen) != 9 {
		t.Errorf("%d core slots", len(seen))
	}
}

// manifest is a valid one.
func manifest() PolicyManifest {
	return PolicyManifest{
		SchemaVersion: 1, Slot: SlotRouter, PolicyID: "single", Version: "1", Kind: "builtin", Parameters: ZeroDigest,
		Required: SetOf(ReadOnly), Method: "hand_authored",
	}
}

func TestPolicyManifest(t *testing.T) {
	longest := strings.Repeat("a", MaxNameBytes)
	for _, c := range []struct {
		name string
		edit func(*PolicyManifest)
		ok   bool
	}{
		{"as it is", func(*PolicyManifest) {}, true},
		{"schema 0", func(m *PolicyManifest) { m.SchemaVersion = 0 }, false},
		{"schema 2", func(m *PolicyManifest) { m.SchemaVersion = 2 }, false},
		{"a bad slot", func(m *PolicyManifest) { m.Slot = "router" }, false},
		{"no id", func(m *PolicyManifest) { m.PolicyID = "" }, false},
		{"the longest id", func(m *PolicyManifest) { m.PolicyID = longest }, true},
		{"a longer id", func(m *PolicyManifest) { m.PolicyID = longest + "a" }, false},
		{"no version", func(m *PolicyManifest) { m.Version = "" }, false},
		{"the longest version", func(m *PolicyManifest) { m.Version = longest }, true},
		{"a longer version", func(m *PolicyManifest) { m.Version = longest + "a" }, false},
		{"rules", func(m *PolicyManifest) { m.Kind = "rules" }, true},
		{"prompt", func(m *PolicyManifest) { m.Kind = "prompt" }, true},
		{"no kind", func(m *PolicyManifest) { m.Kind = "" }, false},
		{"model weights", func(m *PolicyManifest) { m.Kind = "model_weights" }, false},
		{"no parameters", func(m *PolicyManifest) { m.Parameters = "" }, false},
		{"bad parameters", func(m *PolicyManifest) { m.Parameters = ZeroDigest[:63] }, false},
		{"no authority needed", func(m *PolicyManifest) { m.Required = SetOf() }, true},
		{"a parent", func(m *PolicyManifest) { m.Parent = ZeroDigest }, true},
		{"a bad parent", func(m *PolicyManifest) { m.Parent = "abc" }, false},
		{"no method", func(m *PolicyManifest) { m.Method = "" }, false},
		{"the longest method", func(m *PolicyManifest) { m.Method = longest }, true},
		{"a longer method", func(m *PolicyManifest) { m.Method = longest + "a" }, false},
	} {
		m := manifest()
		c.edit(&m)
		judged(t, c.name, m.Validate(), c.ok)
	}
}

func policies(n int) []PolicyRef {
	var out []PolicyRef
	for i := range n {
		out = append(out, PolicyRef{Slot: SlotID(fmt.Sprintf("a/s%03d", i)), PolicyID: "p", Version: "1", Digest: ZeroDigest})
	}
	return out
}

func rules(n int) []Rule {
	return slices.Repeat([]Rule{{Scope: ScopeTool, Tool: "shell", Verdict: Deny, Origin: "managed"}}, n)
}

func TestPolicyBundle(t *testing.T) {
	longest := strings.Repeat("a", MaxNameBytes)
	first := func(edit func(*PolicyRef)) func(*PolicyBundle) {
		return func(b *PolicyBundle) { edit(&b.Policies[0]) }
	}
	for _, c := range []struct {
		name string
		edit func(*PolicyBundle)
		ok   bool
	}{
		{"as it is", func(*PolicyBundle) {}, true},
		{"no id", func(b *PolicyBundle) { b.ID = "" }, false},
		{"the longest id", func(b *PolicyBundle) { b.ID = longest }, true},
		{"a longer id", func(b *PolicyBundle) { b.ID = longest + "a" }, false},
		{"nothing in it", func(b *PolicyBundle) { b.Policies, b.Rules = nil, nil }, true},
		{"the most policies", func(b *PolicyBundle) { b.Policies = policies(MaxPolicies) }, true},
		{"one policy more", func(b *PolicyBundle) { b.Policies = policies(MaxPolicies + 1) }, false},
		{"the most rules", func(b *PolicyBundle) { b.Rules = rules(MaxRules) }, true},
		{"one rule more", func(b *PolicyBundle) { b.Rules = rules(MaxRules + 1) }, false},
		{"a bad rule at the end", func(b *PolicyBundle) { b.Rules = append(rules(2), Rule{}) }, false},
		{"not sorted", func(b *PolicyBundle) { slices.Reverse(b.Policies) }, false},
		{"a slot twice", func(b *PolicyBundle) { b.Policies[1].Slot = b.Policies[0].Slot }, false},
		{"a bad slot", first(func(p *PolicyRef) { p.Slot = "a" }), false},
		{"a bad digest", first(func(p *PolicyRef) { p.Digest = "" }), false},
		{"no policy id", first(func(p *PolicyRef) { p.PolicyID = "" }), false},
		{"the longest policy id", first(func(p *PolicyRef) { p.PolicyID = longest }), true},
		{"a longer policy id", first(func(p *PolicyRef) { p.PolicyID = longest + "a" }), false},
		{"no policy version", first(func(p *PolicyRef) { p.Version = "" }), false},
		{"a longer policy version", first(func(p *PolicyRef) { p.Version = longest + "a" }), false},
		{"somewhere to go back to", func(b *PolicyBundle) { b.RollbackTo = ZeroDigest }, true},
		{"nowhere to go back to", func(b *PolicyBundle) { b.RollbackTo = "builtin@v1" }, false},
	} {
		b := PolicyBundle{ID: "builtin@v1", Policies: policies(2), Ceiling: SetOf(ReadOnly), Rules: rules(1)}
		c.edit(&b)
		judged(t, c.name, b.Validate(), c.ok)
	}
}
