package kernel

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/tipstaff/tipstaff/protocol"
)

const testRun protocol.RunID = "00000000-0000-7000-8000-000000000001"

// TestTranscripts plays the files of testdata: each directive is a command, the
// output what the kernel reports (events) and orders (actions), and where the run
// is after it. After every step the invariants hold, the state before is as it
// was, reducing again gives the same, and a snapshot restores to the same state.
//
// Run with -rewrite to write the outputs anew, then read the difference.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		p := &player{t: t}
		datadriven.RunTest(t, path, p.play)
	})
}

type player struct {
	t     *testing.T
	state State
	at    int64
}

func (p *player) play(t *testing.T, d *datadriven.TestData) string {
	p.t = t
	if d.Cmd == "state" {
		return p.state.Describe()
	}
	p.at += 10
	if d.HasArg("at") {
		d.ScanArgs(t, "at", &p.at)
	}
	return p.step(protocol.Stamped(p.command(d), p.at))
}

// step reduces and checks all that must hold of every step.
func (p *player) step(c protocol.Command) string {
	before := p.state.Snapshot()
	after, actions := Reduce(p.state, c)
	again, sameActions := Reduce(p.state, c)
	switch {
	case !bytes.Equal(before, p.state.Snapshot()):
		p.t.Fatal("the state before was changed")
	case !bytes.Equal(after.Snapshot(), again.Snapshot()) || print(actions) != print(sameActions):
		p.t.Fatal("reducing again gives something else")
	}
	if broken := after.Check(); broken != "" {
		p.t.Fatalf("after %s: %s", c.CommandKind(), broken)
	}
	restored, ok := Restore(after.Snapshot())
	if !ok || !bytes.Equal(restored.Snapshot(), after.Snapshot()) {
		p.t.Fatal("a snapshot does not restore to the same state")
	}
	performs(p.t, actions)
	p.state = after
	return print(actions) + "= " + string(after.s.Phase) + ", " + string(after.s.Saga.FSM) + "\n"
}

// performs checks that every Perform stands right behind its intent.
func performs(t *testing.T, actions []protocol.Action) {
	for i, a := range actions {
		p, ok := a.(protocol.Perform)
		if !ok {
			continue
		}
		emit, ok := actions[i-1].(protocol.Emit)
		intent, isIntent := emit.Event.(protocol.EffectIntent)
		if !ok || !isIntent || intent.ID != p.Effect {
			t.Fatalf("a Perform of %s without its intent before it", p.Effect)
		}
	}
}

func print(actions []protocol.Action) string {
	var b strings.Builder
	for _, a := range actions {
		if emit, ok := a.(protocol.Emit); ok {
			fmt.Fprintf(&b, "%s %s\n", emit.Event.EventKind(), protocol.MustMarshal(emit.Event))
		} else {
			fmt.Fprintf(&b, "! %s %s\n", a.ActionKind(), protocol.MustMarshal(a))
		}
	}
	out := strings.ReplaceAll(b.String(), string(testRun)+".", "")
	out = strings.ReplaceAll(out, string(testRun), "RUN")
	return strings.ReplaceAll(out, string(digestOf("bundle")), "BUNDLE")
}

// digestOf is a digest for tests: the name, padded.
func digestOf(name string) protocol.Digest {
	d := fmt.Sprintf("%x", name)
	return protocol.Digest(d + strings.Repeat("0", 64-len(d)))
}

// command reads a directive.
func (p *player) command(d *datadriven.TestData) protocol.Command {
	switch d.Cmd {
	case "begin":
		return p.begin(d)
	case "grant":
		return grant(p.t, d)
	case "turn":
		return turn(p.t, d)
	case "prepared":
		return prepared(p.t, d)
	case "done", "failed", "uncertain":
		return settled(p.t, d)
	case "probed":
		return protocol.Probed{Effect: fx(p.t, d), Finding: protocol.Finding(word(p.t, d, "found", "done")), Evidence: "looked at it"}
	case "propose":
		return protocol.Propose{Submission: "s", Call: callOf(strings.Fields(d.Input))}
	case "say":
		return protocol.Say{Submission: "s", Text: protocol.OperatorText{Text: protocol.Inline(d.Input)}}
	case "approve", "deny":
		return protocol.Decide{Submission: "s", Approval: protocol.NewApprovalID(testRun, num(p.t, d, "ap")), Approve: d.Cmd == "approve", By: "ann"}
	case "resolve":
		return protocol.Resolve{Submission: "s", Effect: fx(p.t, d), As: protocol.Terminal(word(p.t, d, "as", "done")), By: "ann"}
	case "control":
		return protocol.Control{Submission: "s", Signal: protocol.Signal(word(p.t, d, "signal", "interrupt")), By: "ann"}
	case "tick":
		return protocol.Tick{}
	case "reconcile":
		return protocol.Reconcile{By: "resume"}
	case "fault":
		return protocol.Fault{Reason: "provider_failed", Detail: "no route"}
	}
	p.t.Fatalf("no directive is called %s", d.Cmd)
	return nil
}

// begin reads a beginning; plan steps are lines "id tool [check] [retries=N]".
func (p *player) begin(d *datadriven.TestData) protocol.Begin {
	b := testBegin(protocol.Proposer(word(p.t, d, "proposer", "model")))
	b.Mode = protocol.Mode(word(p.t, d, "mode", "default"))
	b.OnFailure = protocol.OnFailure(word(p.t, d, "on-failure", map[protocol.Proposer]string{protocol.ProposerPlan: "compensate"}[b.Proposer]))
	if b.OnFailure == "" {
		b.OnFailure = protocol.Report
	}
	if n := word(p.t, d, "max-turns", ""); n != "" {
		fmt.Sscan(n, &b.Task.Budget.MaxTurns)
	}
	if n := word(p.t, d, "max-tokens", ""); n != "" {
		b.Task.Budget.MaxTokens = new(int64)
		fmt.Sscan(n, b.Task.Budget.MaxTokens)
	}
	if n := word(p.t, d, "max-usd", ""); n != "" {
		b.Task.Budget.MaxUSD = new(int64)
		fmt.Sscan(n, b.Task.Budget.MaxUSD)
	}
	if n := word(p.t, d, "max-wall", ""); n != "" {
		fmt.Sscan(n, &b.Task.Budget.MaxWallSecs)
	}
	if n := word(p.t, d, "kernel", ""); n != "" {
		fmt.Sscan(n, &b.Kernel)
	}
	for _, v := range []protocol.Verdict{protocol.Auto, protocol.Deny} {
		if name := word(p.t, d, map[protocol.Verdict]string{protocol.Auto: "allow", protocol.Deny: "forbid"}[v], ""); name != "" {
			b.Rules = append(b.Rules, protocol.Rule{Scope: protocol.ScopeTool, Tool: name, Verdict: v, Origin: "flags"})
		}
	}
	for _, line := range strings.Split(d.Input, "\n") {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		s := protocol.Step{ID: f[0], Tool: f[1], Args: protocol.Inline("{}")}
		for _, more := range f[2:] {
			if more == "check" {
				s.Check = &protocol.Check{Contains: "ok"}
			}
			fmt.Sscanf(more, "retries=%d", &s.Retries)
		}
		b.Steps = append(b.Steps, s)
	}
	return b
}

func testBegin(proposer protocol.Proposer) protocol.Begin {
	all := protocol.SetOf(protocol.Capabilities()...)
	brief := func(name string, floor, top protocol.Capability, trust protocol.Trust) protocol.ToolBrief {
		return protocol.ToolBrief{Name: name, Version: "1.0.0", Floor: floor, Top: top, ResultTrust: trust, TimeoutMillis: 1000}
	}
	return protocol.Begin{
		Tenant: protocol.DefaultTenant, Run: testRun, Bundle: digestOf("bundle"), BundleID: "test@v1", Kernel: Version, Wire: 1,
		FSM: digestOf("fsm"), Sandbox: digestOf("sandbox"), Proposer: proposer, Route: "script/test",
		Task: protocol.TaskEnvelope{
			ProtocolVersion: 1, Input: protocol.Inline("do it"), Trust: protocol.Trusted, Acceptance: []protocol.AcceptanceCheck{},
			Budget: protocol.DefaultBudget(), Ceiling: all,
		},
		Mode: protocol.ModeDefault, Rules: []protocol.Rule{}, Ceiling: all, OnFailure: protocol.Report, Workspace: "/w",
		Tools: []protocol.ToolBrief{
			brief("calc", protocol.ReadOnly, protocol.ReadOnly, protocol.Workspace),
			brief("fs.read", protocol.ReadOnly, protocol.ReadOnly, protocol.Workspace),
			brief("fs.write", protocol.ReversibleLocal, protocol.TrustMutating, protocol.Workspace),
			brief("send", protocol.IrreversibleExternal, protocol.IrreversibleExternal, protocol.Untrusted),
			brief("shell", protocol.CodeExecuting, protocol.IrreversibleExternal, protocol.Untrusted),
			brief("web", protocol.ReadOnly, protocol.ReadOnly, protocol.Untrusted),
		},
	}
}

func word(t *testing.T, d *datadriven.TestData, key, otherwise string) string {
	if d.HasArg(key) {
		d.ScanArgs(t, key, &otherwise)
	}
	return otherwise
}

func num(t *testing.T, d *datadriven.TestData, key string) uint64 {
	var n uint64
	d.ScanArgs(t, key, &n)
	return n
}

func fx(t *testing.T, d *datadriven.TestData) protocol.EffectID {
	return protocol.NewEffectID(testRun, num(t, d, "fx"))
}

func flag(t *testing.T, d *datadriven.TestData, key string) bool {
	return d.HasArg(key)
}

func trustOf(t *testing.T, s string) protocol.Trust {
	var v protocol.Trust
	if err := v.UnmarshalText([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return v
}

func grant(t *testing.T, d *datadriven.TestData) protocol.Command {
	n := num(t, d, "request")
	if flag(t, d, "fault") {
		return protocol.Granted{Request: protocol.ContextRequest{RequestID: n, Slot: protocol.SlotContext}, Fault: "the store is away"}
	}
	return protocol.Granted{
		Request: protocol.ContextRequest{
			RequestID: n, Slot: protocol.SlotContext, Selectors: []protocol.Selector{{Kind: "transcript"}},
			MaxBytes: 1000, TrustCeiling: protocol.Trusted,
		},
		Grant: protocol.ContextGrant{RequestID: n, Bytes: 5, Segments: []protocol.Segment{
			{Source: "goal", Trust: trustOf(t, word(t, d, "trust", "trusted")), Bytes: 5},
		}},
	}
}

// callOf reads "id tool {args}".
func callOf(f []string) protocol.ProposedCall {
	args := "{}"
	if len(f) > 2 {
		args = f[2]
	}
	return protocol.ProposedCall{ID: f[0], Name: f[1], Args: protocol.Inline(args)}
}

// turn reads a model's turn: lines "call id tool {args}", the rest is text.
func turn(t *testing.T, d *datadriven.TestData) protocol.Command {
	m := protocol.ModelTurn{Stop: word(t, d, "stop", ""), Usage: &protocol.Usage{Input: 100, Output: 10}}
	if flag(t, d, "no-usage") {
		m.Usage = nil
	}
	var text []string
	for _, line := range strings.Split(d.Input, "\n") {
		if rest, ok := strings.CutPrefix(line, "call "); ok {
			m.Calls = append(m.Calls, callOf(strings.Fields(rest)))
		} else {
			text = append(text, line)
		}
	}
	m.Text = protocol.Inline(strings.Join(text, "\n"))
	if m.Stop == "" {
		m.Stop = protocol.StopEndTurn
		if len(m.Calls) > 0 {
			m.Stop = protocol.StopToolUse
		}
	}
	return protocol.Settled{Effect: fx(t, d), How: protocol.HowDone, Turn: &m}
}

func prepared(t *testing.T, d *datadriven.TestData) protocol.Command {
	p := protocol.Prepared{Call: num(t, d, "call"), Args: protocol.Inline("{}"), ArgsDigest: digestOf(word(t, d, "args", "args")), Preview: protocol.Inline("")}
	if p.Refused = word(t, d, "refused", ""); p.Refused != "" {
		return p
	}
	if err := p.Class.UnmarshalText([]byte(word(t, d, "class", "read_only"))); err != nil {
		t.Fatal(err)
	}
	p.ResultTrust = trustOf(t, word(t, d, "result", "workspace"))
	if flag(t, d, "undo") {
		p.Undo, p.Compensation = digestOf("undo"), "put it back"
	}
	p.Probeable = flag(t, d, "probe")
	if p.Sink = word(t, d, "sink", ""); p.Sink != "" {
		p.Egress = true
	}
	return p
}

func settled(t *testing.T, d *datadriven.TestData) protocol.Command {
	c := protocol.Settled{Effect: fx(t, d), How: protocol.How(d.Cmd), Retriable: flag(t, d, "retriable"), Refusal: flag(t, d, "refusal")}
	if d.Cmd != "done" {
		c.Reason = word(t, d, "reason", "it broke")
		return c
	}
	if v := word(t, d, "passed", ""); v != "" {
		passed := v == "true"
		c.Passed = &passed
		return c
	}
	text := word(t, d, "text", "ok")
	c.Result = &protocol.ToolResult{Text: protocol.Inline(text), Digest: digestOf(text)}
	return c
}
