package protocol

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestToolName(t *testing.T) {
	for name, ok := range map[string]bool{
		"shell": true, "fs.write": true, "a.b.c": true, "sql_readonly": true, "x-y": true, "a1.2b": true, strings.Repeat("a", MaxToolNameBytes): true,
		"": false, strings.Repeat("a", MaxToolNameBytes+1): false, ".": false, ".a": false, "a.": false, "a..b": false, "A": false, "fs write": false,
		"fs/write": false, "a:b": false, "é": false, "a\x00": false, "a\n": false, "provider:script": false,
	} {
		judged(t, name, ValidateToolName(name), ok)
	}
}

// TestWireName: providers take letters, digits, _ and -, and what they give
// back leads to the tool it was made from.
func TestWireName(t *testing.T) {
	for name, want := range map[string]string{"fs.write": "fs__write", "sql_readonly": "sql_readonly", "a.b-c.d_e": "a__b-c__d_e", "shell": "shell"} {
		got, err := WireName(name)
		if err != nil || got != want || CanonicalName(got) != name || CanonicalName(name) != name {
			t.Errorf("%s: got %s, %v, and back %s", name, got, err, CanonicalName(got))
		}
	}
	for _, name := range []string{"a__b", "a__", "__", "a___b"} {
		if got, err := WireName(name); err == nil {
			t.Errorf("%s has the wire name %s", name, got)
		}
	}
}

// TestWireNamesOfAllShortNames goes through every name of up to six bytes of
// the three that matter.
func TestWireNamesOfAllShortNames(t *testing.T) {
	byWire := map[string]string{}
	names := []string{""}
	for range 6 {
		var longer []string
		for _, name := range names {
			longer = append(longer, name+"a", name+"_", name+".")
		}
		names = longer
		for _, name := range names {
			if ValidateToolName(name) != nil {
				continue
			}
			wire, err := WireName(name)
			if err != nil {
				continue
			}
			if back := CanonicalName(wire); back != name {
				t.Fatalf("%s goes out as %s and comes back as %s", name, wire, back)
			}
			if other, taken := byWire[wire]; taken {
				t.Fatalf("%s and %s both go out as %s", name, other, wire)
			}
			byWire[wire] = name
		}
	}
	if len(byWire) < 50 {
		t.Errorf("only %d names were tried", len(byWire))
	}
}

func TestWireNamesOfAnyNames(t *testing.T) {
	names := rapid.StringMatching(`[a-z0-9_-]{1,5}(\.[a-z0-9_-]{1,5}){0,3}`)
	safe := regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := names.Draw(t, "a"), names.Draw(t, "b")
		wireA, errA := WireName(a)
		wireB, errB := WireName(b)
		if errA == nil && (CanonicalName(wireA) != a || CanonicalName(a) != a || !safe.MatchString(wireA)) {
			t.Errorf("%s goes out as %s and comes back as %s", a, wireA, CanonicalName(wireA))
		}
		if errA == nil && errB == nil && a != b && wireA == wireB {
			t.Errorf("%s and %s both go out as %s", a, b, wireA)
		}
		if !strings.Contains(a, "_") && errA != nil {
			t.Errorf("%s has no wire name: %v", a, errA)
		}
		if once := CanonicalName(a); CanonicalName(once) != once {
			t.Errorf("%s: undoing twice gives %s, once %s", a, CanonicalName(once), once)
		}
	})
}

func TestToolContract(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*ToolContract)
		ok   bool
	}{
		{"as it is", func(*ToolContract) {}, true},
		{"no name", func(c *ToolContract) { c.Name = "" }, false},
		{"a bad name", func(c *ToolContract) { c.Name = "Fs.Write" }, false},
		{"no description", func(c *ToolContract) { c.Description = "" }, false},
		{"floor at the top", func(c *ToolContract) { c.Floor = c.Top }, true},
		{"floor above the top", func(c *ToolContract) { c.Floor, c.Top = CodeExecuting, ReversibleLocal }, false},
		{"the highest top", func(c *ToolContract) { c.Top = IrreversibleExternal }, true},
		{"a top nobody knows", func(c *ToolContract) { c.Top = IrreversibleExternal + 1 }, false},
		{"both nobody knows", func(c *ToolContract) { c.Floor, c.Top = 9, 9 }, false},
		{"untrusted results", func(c *ToolContract) { c.ResultTrust = Untrusted }, true},
		{"workspace results", func(c *ToolContract) { c.ResultTrust = Workspace }, true},
		{"trusted results", func(c *ToolContract) { c.ResultTrust = Trusted }, false},
		{"results of a label nobody knows", func(c *ToolContract) { c.ResultTrust = Trusted + 1 }, false},
		{"no time", func(c *ToolContract) { c.TimeoutMillis = 0 }, false},
		{"negative time", func(c *ToolContract) { c.TimeoutMillis = -1 }, false},
		{"the least time", func(c *ToolContract) { c.TimeoutMillis = 1 }, true},
		{"the most time", func(c *ToolContract) { c.TimeoutMillis = MaxTimeoutMillis }, true},
		{"more time", func(c *ToolContract) { c.TimeoutMillis = MaxTimeoutMillis + 1 }, false},
	} {
		contract := ToolContract{
			Name: "fs.write", Description: "Write a file.", Version: "1.0.0", Schema: json.RawMessage(`{}`),
			Floor: ReversibleLocal, Top: TrustMutating, ResultTrust: Workspace, TimeoutMillis: 1000,
		}
		c.edit(&contract)
		judged(t, c.name, contract.Validate(), c.ok)
	}
}

// TestToolPurity: only a tool none of whose calls can change anything is pure,
// so no pure tool can have an egress class.
func TestToolPurity(t *testing.T) {
	for _, top := range Capabilities() {
		c := ToolContract{Top: top}
		if pure := c.Purity() == Pure; pure != (top == ReadOnly) || pure && top.IsEgress() {
			t.Errorf("a tool up to %s is %s", top, c.Purity())
		}
	}
}

func TestToolBrief(t *testing.T) {
	c := ToolContract{
		Name: "fs.write", Description: "Write a file.", Version: "2.1.0", Schema: json.RawMessage(`{}`),
		Floor: ReversibleLocal, Top: TrustMutating, ResultTrust: Workspace, TimeoutMillis: 1000,
	}
	want := ToolBrief{Name: "fs.write", Version: "2.1.0", Floor: ReversibleLocal, Top: TrustMutating, ResultTrust: Workspace, TimeoutMillis: 1000}
	if got := c.Brief(); got != want {
		t.Errorf("got %+v", got)
	}
}
