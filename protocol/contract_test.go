package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// bound is one row of a contract's table: an edit of a valid value, and whether
// it is still valid.
type bound[T any] struct {
	name string
	edit func(*T)
	ok   bool
}

// holdBounds runs a table against copies of a valid value.
func holdBounds[T any](t *testing.T, valid func() T, check func(T) error, table []bound[T]) {
	t.Helper()
	judged(t, "as it is", check(valid()), true)
	for _, row := range table {
		v := valid()
		row.edit(&v)
		judged(t, row.name, check(v), row.ok)
	}
}

// long is a text of so many bytes.
func long(n int) string { return strings.Repeat("a", n) }

func TestTaskEnvelope(t *testing.T) {
	acceptance := func(n int) []AcceptanceCheck {
		var out []AcceptanceCheck
		for i := range n {
			out = append(out, AcceptanceCheck{ID: fmt.Sprintf("c%d", i), Quantifier: "must_pass"})
		}
		return out
	}
	one := func(id, quantifier string) func(*TaskEnvelope) {
		return func(e *TaskEnvelope) { e.Acceptance = []AcceptanceCheck{{id, quantifier}} }
	}
	holdBounds(t, taskSample, TaskEnvelope.Validate, []bound[TaskEnvelope]{
		{"version 0", func(e *TaskEnvelope) { e.ProtocolVersion = 0 }, false},
		{"version 2", func(e *TaskEnvelope) { e.ProtocolVersion = 2 }, false},
		{"no input", func(e *TaskEnvelope) { e.Input = Inline("") }, true},
		{"the longest input", func(e *TaskEnvelope) { e.Input = Inline(long(MaxInputBytes)) }, true},
		{"a longer input", func(e *TaskEnvelope) { e.Input = Inline(long(MaxInputBytes + 1)) }, false},
		{"the longest input, by digest", func(e *TaskEnvelope) { e.Input = Text{"a", MaxInputBytes, ZeroDigest, false} }, true},
		{"a longer input, by digest", func(e *TaskEnvelope) { e.Input = Text{"a", MaxInputBytes + 1, ZeroDigest, false} }, false},
		{"untrusted input", func(e *TaskEnvelope) { e.Trust = Untrusted }, true},
		{"no ceiling", func(e *TaskEnvelope) { e.Ceiling = SetOf() }, false},
		{"the least ceiling", func(e *TaskEnvelope) { e.Ceiling = SetOf(ReadOnly) }, true},
		{"the whole ceiling", func(e *TaskEnvelope) { e.Ceiling = SetOf(Capabilities()...) }, true},
		{"no checks", func(e *TaskEnvelope) { e.Acceptance = nil }, true},
		{"an id of one byte", one("a", "must_pass"), true},
		{"no id", one("", "must_pass"), false},
		{"the longest id", one(long(MaxNameBytes), "must_pass"), true},
		{"a longer id", one(long(MaxNameBytes+1), "must_pass"), false},
		{"must_flip_to_pass", one("a", "must_flip_to_pass"), true},
		{"must_stay_passing", one("a", "must_stay_passing"), true},
		{"no quantifier", one("a", ""), false},
		{"another quantifier", one("a", "should_pass"), false},
		{"a check twice", func(e *TaskEnvelope) { e.Acceptance = append(e.Acceptance, e.Acceptance[0]) }, false},
		{"the most checks", func(e *TaskEnvelope) { e.Acceptance = acceptance(MaxAcceptance) }, true},
		{"one check more", func(e *TaskEnvelope) { e.Acceptance = acceptance(MaxAcceptance + 1) }, false},
		{"a bad budget", func(e *TaskEnvelope) { e.Budget.MaxTurns = 0 }, false},
	})
	version := new(VersionError)
	if err := (TaskEnvelope{ProtocolVersion: 7}).Validate(); !errors.As(err, &version) || *version != (VersionError{Expected: 1, Actual: 7}) {
		t.Errorf("another version is refused as %v", err)
	}
}

// TestTaskInputIsAsLongAsItIs: the bound is on the text and not on what its
// sender says of it.
func TestTaskInputIsAsLongAsItIs(t *testing.T) {
	holdBounds(t, taskSample, TaskEnvelope.Validate, []bound[TaskEnvelope]{
		{"a long text called short", func(e *TaskEnvelope) { e.Input = Text{Text: long(MaxInputBytes + 1), Bytes: 1} }, false},
		{"a text called negative", func(e *TaskEnvelope) { e.Input = Text{Text: "a", Bytes: -1} }, false},
		{"a digest that is none", func(e *TaskEnvelope) { e.Input = Text{Text: "a", Bytes: 9, Digest: "abc"} }, false},
		{"a label nobody knows", func(e *TaskEnvelope) { e.Trust = Trusted + 1 }, false},
	})
}

func TestBudget(t *testing.T) {
	holdBounds(t, DefaultBudget, Budget.Validate, []bound[Budget]{
		{"no turns", func(b *Budget) { b.MaxTurns = 0 }, false},
		{"negative turns", func(b *Budget) { b.MaxTurns = -1 }, false},
		{"one turn", func(b *Budget) { b.MaxTurns = 1 }, true},
		{"no time", func(b *Budget) { b.MaxWallSecs = 0 }, false},
		{"one second", func(b *Budget) { b.MaxWallSecs = 1 }, true},
		{"no errors", func(b *Budget) { b.MaxConsecutiveToolErrors = 0 }, false},
		{"one error", func(b *Budget) { b.MaxConsecutiveToolErrors = 1 }, true},
		{"no money is a bound", func(b *Budget) { b.MaxUSD = new(int64(0)) }, true},
		{"negative money", func(b *Budget) { b.MaxUSD = new(int64(-1)) }, false},
		{"all the money", func(b *Budget) { b.MaxUSD = new(int64(math.MaxInt64)) }, true},
		{"no tokens", func(b *Budget) { b.MaxTokens = new(int64(0)) }, false},
		{"negative tokens", func(b *Budget) { b.MaxTokens = new(int64(-1)) }, false},
		{"one token", func(b *Budget) { b.MaxTokens = new(int64(1)) }, true},
	})
	judged(t, "nothing said", Budget{}.Validate(), false)
	if want := (Budget{MaxTurns: 60, MaxWallSecs: 900, MaxConsecutiveToolErrors: 3}); DefaultBudget() != want {
		t.Errorf("the default is %+v", DefaultBudget())
	}
	text := string(MustMarshal(DefaultBudget()))
	if !strings.Contains(text, `"max_usd":null`) || strings.Contains(text, "max_tokens") {
		t.Errorf("an absent bound is written as %s", text)
	}
}

func TestContextRequest(t *testing.T) {
	one := func(s Selector) func(*ContextRequest) {
		return func(r *ContextRequest) { r.Selectors = []Selector{s} }
	}
	keys := func(n int) Selector { return Selector{Kind: "memory_keys", Keys: strings.Split(long(n), "")} }
	holdBounds(t, requestSample, ContextRequest.Validate, []bound[ContextRequest]{
		{"a bad slot", func(r *ContextRequest) { r.Slot = "context" }, false},
		{"no selectors", func(r *ContextRequest) { r.Selectors = nil }, true},
		{"the most selectors", func(r *ContextRequest) { r.Selectors = selectors(MaxSelectors) }, true},
		{"one selector more", func(r *ContextRequest) { r.Selectors = selectors(MaxSelectors + 1) }, false},
		{"no bytes", func(r *ContextRequest) { r.MaxBytes = 0 }, true},
		{"the most bytes", func(r *ContextRequest) { r.MaxBytes = MaxGrantBytes }, true},
		{"one byte more", func(r *ContextRequest) { r.MaxBytes = MaxGrantBytes + 1 }, false},
		{"a root of one byte", one(Selector{Kind: "repo_outline", Root: "a"}), true},
		{"no root", one(Selector{Kind: "repo_outline"}), false},
		{"the longest root", one(Selector{Kind: "repo_outline", Root: long(MaxSelectorRootBytes)}), true},
		{"a longer root", one(Selector{Kind: "repo_outline", Root: long(MaxSelectorRootBytes + 1)}), false},
		{"user scope", one(Selector{Kind: "instructions", Scope: "user"}), true},
		{"project scope", one(Selector{Kind: "instructions", Scope: "project"}), true},
		{"directory scope", one(Selector{Kind: "instructions", Scope: "directory"}), true},
		{"no scope", one(Selector{Kind: "instructions"}), false},
		{"another scope", one(Selector{Kind: "instructions", Scope: "system"}), false},
		{"no keys", one(Selector{Kind: "memory_keys"}), false},
		{"one key", one(keys(1)), true},
		{"the most keys", one(keys(MaxMemoryKeys)), true},
		{"one key more", one(keys(MaxMemoryKeys + 1)), false},
		{"an empty key", one(Selector{Kind: "memory_keys", Keys: []string{""}}), false},
		{"the longest key", one(Selector{Kind: "memory_keys", Keys: []string{long(MaxKeyBytes)}}), true},
		{"a longer key", one(Selector{Kind: "memory_keys", Keys: []string{long(MaxKeyBytes + 1)}}), false},
		{"the whole transcript", one(Selector{Kind: "transcript"}), true},
		{"facts", one(Selector{Kind: "environment_facts"}), true},
		{"no kind", one(Selector{}), false},
		{"a file", one(Selector{Kind: "file", Root: "/etc/passwd"}), false},
	})
}

func selectors(n int) []Selector {
	out := make([]Selector, n)
	for i := range out {
		out[i].Kind = "transcript"
	}
	return out
}

// TestSelectorHasItsOwnMembersOnly: a member that belongs to another kind of
// selector would have no bound at all.
func TestSelectorHasItsOwnMembersOnly(t *testing.T) {
	one := func(s Selector) func(*ContextRequest) {
		return func(r *ContextRequest) { r.Selectors = []Selector{s} }
	}
	holdBounds(t, requestSample, ContextRequest.Validate, []bound[ContextRequest]{
		{"a transcript with a root", one(Selector{Kind: "transcript", Root: long(MaxSelectorRootBytes + 1)}), false},
		{"facts with keys", one(Selector{Kind: "environment_facts", Keys: []string{"a"}}), false},
		{"an outline with a scope", one(Selector{Kind: "repo_outline", Root: "a", Scope: "user"}), false},
		{"instructions with a depth", one(Selector{Kind: "instructions", Scope: "user", Depth: 1}), false},
		{"memory with turns", one(Selector{Kind: "memory_keys", Keys: []string{"a"}, LastTurns: 1}), false},
		{"a negative depth", one(Selector{Kind: "repo_outline", Root: "a", Depth: -1}), false},
		{"negative turns", one(Selector{Kind: "transcript", LastTurns: -1}), false},
	})
}

func TestContextGrant(t *testing.T) {
	request := ContextRequest{RequestID: 3, Slot: SlotContext, MaxBytes: 1000, TrustCeiling: Workspace}
	grant := func() ContextGrant {
		return ContextGrant{RequestID: 3, Bytes: 30, Segments: []Segment{{"goal", Workspace, 10}, {"memory", Untrusted, 20}}}
	}
	segments := func(n int) []Segment {
		out := make([]Segment, n)
		for i := range out {
			out[i].Source = "transcript"
		}
		return out
	}
	source := func(word string) func(*ContextGrant) {
		return func(g *ContextGrant) { g.Segments[0].Source = word }
	}
	holdBounds(t, grant, func(g ContextGrant) error { return g.Validate(request) }, []bound[ContextGrant]{
		{"of another request", func(g *ContextGrant) { g.RequestID = 4 }, false},
		{"nothing", func(g *ContextGrant) { g.Segments, g.Bytes = nil, 0 }, true},
		{"the most segments", func(g *ContextGrant) { g.Segments = segments(MaxSegments) }, true},
		{"one segment more", func(g *ContextGrant) { g.Segments = segments(MaxSegments + 1) }, false},
		{"above the ceiling", func(g *ContextGrant) { g.Segments[1].Trust = Trusted }, false},
		{"a label nobody knows", func(g *ContextGrant) { g.Segments[1].Trust = 9 }, false},
		{"less than its parts", func(g *ContextGrant) { g.Bytes = 29 }, false},
		{"more than its parts", func(g *ContextGrant) { g.Bytes = 31 }, true},
		{"all that was asked for", func(g *ContextGrant) { g.Bytes = 1000 }, true},
		{"more than was asked for", func(g *ContextGrant) { g.Bytes = 1001 }, false},
		{"parts that are too much", func(g *ContextGrant) { g.Segments[0].Bytes, g.Bytes = 981, 1000 }, false},
		{"parts whose sum wraps", func(g *ContextGrant) { g.Segments[0].Bytes, g.Segments[1].Bytes = math.MaxUint32, 11 }, false},
		{"goal", source("goal"), true},
		{"instructions", source("instructions"), true},
		{"memory", source("memory"), true},
		{"environment", source("environment"), true},
		{"repo_outline", source("repo_outline"), true},
		{"transcript", source("transcript"), true},
		{"no source", source(""), false},
		{"a source nobody knows", source("web"), false},
	})
}

func TestToolIntent(t *testing.T) {
	holdBounds(t, proposedSample, ToolIntent.Validate, []bound[ToolIntent]{
		{"a bad slot", func(i *ToolIntent) { i.ProposedBy = "planner" }, false},
		{"no name", func(i *ToolIntent) { i.Call.Name = "" }, false},
		{"a bad name", func(i *ToolIntent) { i.Call.Name = "rm -rf" }, false},
		{"no id", func(i *ToolIntent) { i.Call.ID = "" }, true},
		{"the longest id", func(i *ToolIntent) { i.Call.ID = long(MaxCallIDBytes) }, true},
		{"a longer id", func(i *ToolIntent) { i.Call.ID = long(MaxCallIDBytes + 1) }, false},
		{"the longest arguments", func(i *ToolIntent) { i.Call.Input = rawOf(MaxArgumentsBytes) }, true},
		{"longer arguments", func(i *ToolIntent) { i.Call.Input = rawOf(MaxArgumentsBytes + 1) }, false},
		{"pure", func(i *ToolIntent) { i.Purity = Pure }, true},
		{"no purity", func(i *ToolIntent) { i.Purity = "" }, false},
		{"another purity", func(i *ToolIntent) { i.Purity = "mostly" }, false},
		{"its own authority", func(i *ToolIntent) { i.Admitted = SetOf(ReadOnly) }, false},
		{"all the authority", func(i *ToolIntent) { i.Admitted = SetOf(Capabilities()...) }, false},
		{"untrusted arguments", func(i *ToolIntent) { i.ArgumentTrust = Untrusted }, true},
	})
}

// rawOf is JSON of so many bytes.
func rawOf(n int) json.RawMessage { return json.RawMessage(`"` + long(n-2) + `"`) }

func proposalSample() EffectProposal {
	return EffectProposal{
		ID: sampleEffect, ToolUseID: "c1", Tool: "fs.write", Admitted: SetOf(ReversibleLocal), Arguments: sampleArgs(), Workspace: "/srv/w",
	}
}

func TestEffectProposal(t *testing.T) {
	holdBounds(t, proposalSample, EffectProposal.Validate, []bound[EffectProposal]{
		{"no id", func(p *EffectProposal) { p.ID = "" }, false},
		{"an approval's id", func(p *EffectProposal) { p.ID = EffectID(sampleAsked) }, false},
		{"no call", func(p *EffectProposal) { p.ToolUseID = "" }, false},
		{"the longest call", func(p *EffectProposal) { p.ToolUseID = long(MaxCallIDBytes) }, true},
		{"a longer call", func(p *EffectProposal) { p.ToolUseID = long(MaxCallIDBytes + 1) }, false},
		{"no tool", func(p *EffectProposal) { p.Tool = "" }, false},
		{"a class label", func(p *EffectProposal) { p.Tool = "provider:script" }, true},
		{"the longest tool", func(p *EffectProposal) { p.Tool = long(2 * MaxToolNameBytes) }, true},
		{"a longer tool", func(p *EffectProposal) { p.Tool = long(2*MaxToolNameBytes + 1) }, false},
		{"admitted for nothing", func(p *EffectProposal) { p.Admitted = SetOf() }, false},
		{"admitted for two classes", func(p *EffectProposal) { p.Admitted = SetOf(ReadOnly, CodeExecuting) }, false},
		{"the longest arguments", func(p *EffectProposal) { p.Arguments = rawOf(MaxArgumentsBytes) }, true},
		{"longer arguments", func(p *EffectProposal) { p.Arguments = rawOf(MaxArgumentsBytes + 1) }, false},
		{"no workspace", func(p *EffectProposal) { p.Workspace = "" }, false},
		{"the longest workspace", func(p *EffectProposal) { p.Workspace = long(MaxWorkspaceBytes) }, true},
		{"a longer workspace", func(p *EffectProposal) { p.Workspace = long(MaxWorkspaceBytes + 1) }, false},
	})
	for _, class := range Capabilities() {
		p := proposalSample()
		p.Admitted = SetOf(class)
		want := EffectIntent{
			ID: p.ID, ToolUseID: p.ToolUseID, Tool: p.Tool, Capability: class, Arguments: p.Arguments, Workspace: p.Workspace,
		}
		if got := p.Intent(); p.Validate() != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", class, got)
		}
	}
}

// TestEffectIntentHasSixFields, in this order, and none of them is about trust
// (S2-057, S2-060).
func TestEffectIntentHasSixFields(t *testing.T) {
	want := []string{"id EffectID", "tool_use_id string", "tool string", "capability Capability", "arguments RawMessage", "workspace string"}
	var got []string
	for f := range reflect.TypeFor[EffectIntent]().Fields() {
		got = append(got, f.Tag.Get("json")+" "+f.Type.Name())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	text := string(MustMarshal(intentSample()))
	if want := `{"id":"` + string(sampleEffect) + `","tool_use_id":"c1","tool":"fs.write","capability":"reversible_local",` +
		`"arguments":{"content":"new","path":"app.conf"},"workspace":"/srv/w"}`; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestTerminalsAreFour, each the kind of its event.
func TestTerminalsAreFour(t *testing.T) {
	for terminal, event := range map[Terminal]Event{
		TerminalToolDone: ToolDone{}, TerminalDone: EffectDone{}, TerminalFailed: EffectFailed{}, TerminalUnknown: EffectUnknown{},
	} {
		if event.EventKind() != "effect."+string(terminal) {
			t.Errorf("%s is %s", terminal, event.EventKind())
		}
	}
	if n := len(parseSource(t).wordsOf("Terminal")); n != 4 {
		t.Errorf("%d terminals", n)
	}
}

func TestArtifactRef(t *testing.T) {
	parents := func(n int) []Digest {
		out := make([]Digest, n)
		for i := range out {
			out[i] = ZeroDigest
		}
		return out
	}
	holdBounds(t, artifactSample, ArtifactRef.Validate, []bound[ArtifactRef]{
		{"no hash", func(a *ArtifactRef) { a.Hash = "" }, false},
		{"a hash in capitals", func(a *ArtifactRef) { a.Hash = digestOf("D") }, false},
		{"no permissions", func(a *ArtifactRef) { a.Permissions = SetOf() }, false},
		{"no locator", func(a *ArtifactRef) { a.Locator = "" }, true},
		{"the longest locator", func(a *ArtifactRef) { a.Locator = long(MaxLocatorBytes) }, true},
		{"a longer locator", func(a *ArtifactRef) { a.Locator = long(MaxLocatorBytes + 1) }, false},
		{"no parents", func(a *ArtifactRef) { a.Provenance.ParentHashes = nil }, true},
		{"the most parents", func(a *ArtifactRef) { a.Provenance.ParentHashes = parents(MaxArtifactParents) }, true},
		{"one parent more", func(a *ArtifactRef) { a.Provenance.ParentHashes = parents(MaxArtifactParents + 1) }, false},
		{"a bad parent", func(a *ArtifactRef) { a.Provenance.ParentHashes[1] = "abc" }, false},
		{"no schema", func(a *ArtifactRef) { a.Schema = "" }, false},
		{"a schema nobody knows", func(a *ArtifactRef) { a.Schema = "hologram" }, true},
		{"the longest schema", func(a *ArtifactRef) { a.Schema = long(MaxUnknownTagBytes) }, true},
		{"a longer schema", func(a *ArtifactRef) { a.Schema = long(MaxUnknownTagBytes + 1) }, false},
		{"a control character", func(a *ArtifactRef) { a.Schema = "a\x1f" }, false},
		{"a newline", func(a *ArtifactRef) { a.Schema = "a\nb" }, false},
		{"a delete", func(a *ArtifactRef) { a.Producer = "a\x7f" }, false},
		{"a space", func(a *ArtifactRef) { a.Producer = "a b" }, true},
		{"no producer", func(a *ArtifactRef) { a.Producer = "" }, false},
		{"the longest producer", func(a *ArtifactRef) { a.Producer = long(MaxUnknownTagBytes) }, true},
		{"a longer producer", func(a *ArtifactRef) { a.Producer = long(MaxUnknownTagBytes + 1) }, false},
		{"no run", func(a *ArtifactRef) { a.Provenance.RunID = "" }, false},
		{"made by no effect", func(a *ArtifactRef) { a.Provenance.EffectID = "" }, true},
	})
}

// TestArtifactEffectIsAnEffect: the one variable member of a reference that has
// no length of its own has its form instead.
func TestArtifactEffectIsAnEffect(t *testing.T) {
	holdBounds(t, artifactSample, ArtifactRef.Validate, []bound[ArtifactRef]{
		{"a bad effect", func(a *ArtifactRef) { a.Provenance.EffectID = "fx1" }, false},
		{"a long effect", func(a *ArtifactRef) { a.Provenance.EffectID = EffectID(long(1 << 20)) }, false},
	})
}

// TestModelTurnComplete: a turn that was cut, refused or has no end makes no
// calls.
func TestModelTurnComplete(t *testing.T) {
	for stop, want := range map[string]bool{
		StopEndTurn: true, StopToolUse: true, StopMaxTokens: false, StopRefusal: false, "": false, "stop_sequence": false, "Tool_Use": false,
	} {
		if got := (ModelTurn{Stop: stop}).Complete(); got != want {
			t.Errorf("%q: complete is %t", stop, got)
		}
	}
}

// TestRejectionIsAnError, and its text is what it says.
func TestRejectionIsAnError(t *testing.T) {
	var err error = &Rejection{Code: CodeKilled, Message: "the stop switch is thrown"}
	if err.Error() != "the stop switch is thrown" {
		t.Errorf("got %q", err)
	}
	if got := (&VersionError{Expected: 1, Actual: 2}).Error(); !strings.Contains(got, "1") || !strings.Contains(got, "2") {
		t.Errorf("got %q", got)
	}
}
