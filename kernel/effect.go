package kernel

import (
	"github.com/tipstaff/tipstaff/protocol"
)

// effect is one effect that has an intent and no terminal yet, or one whose
// terminal is unknown and that nobody has ruled on.
type effect struct {
	N     uint64
	Kind  protocol.EffectKind
	Tool  string
	Class protocol.Capability
	// Call is the call it works for, Step the saga's step a compensation
	// undoes.
	Call uint64
	Step uint64
	// Probing says that a probe was ordered; Unknown that the terminal is
	// unknown; Redone how often it was tried before, after a probe.
	Probing bool
	Unknown bool
	Redone  int
}

func (e effect) key() uint64 { return e.N }

func (s *state) effectID(e effect) protocol.EffectID {
	return protocol.NewEffectID(s.Genesis.Run, e.N)
}

// launch is what only the order to carry an effect out needs.
type launch struct {
	useID    string
	args     []byte
	tool     string
	key      string
	place    string
	deadline int64
	delay    int64
	undo     protocol.Digest
	check    *protocol.Check
}

// launch mints an effect, emits its intent and orders it, in one step. It is the
// only place of the kernel where a Perform is made (S2-052, S2-053).
func (r *reduction) launch(e effect, l launch) {
	r.NextFx++
	e.N = r.NextFx
	if l.key == "" {
		l.key = string(r.effectID(e))
	}
	proposal := protocol.EffectProposal{
		ID: r.effectID(e), ToolUseID: l.useID, Tool: e.Tool, Admitted: protocol.SetOf(e.Class),
		Arguments: l.args, Workspace: r.Genesis.Workspace,
	}
	if l.place != "" {
		proposal.Workspace = l.place
	}
	if err := proposal.Validate(); err != nil {
		broken("an effect was admitted that cannot be proposed: %s", err)
	}
	r.Effects = r.Effects.put(e)
	r.emit(proposal.Intent())
	r.act(protocol.Perform{
		Effect: r.effectID(e), Kind: e.Kind, Call: e.Call, Class: e.Class, Tool: l.tool, Key: l.key,
		DeadlineMillis: max(1, min(l.deadline, r.wallLeft(e.Kind))), DelayMillis: l.delay, Undo: l.undo, Check: l.check,
	})
}

func (r *reduction) launchCall(c call) {
	if !permits(r.Saga.FSM, c.Class) {
		broken("a %s call is launched while %s", c.Class, r.Saga.FSM)
	}
	brief, _ := r.brief(c.Tool)
	deadline := brief.TimeoutMillis
	if c.Timeout > 0 {
		deadline = c.Timeout
	}
	r.launch(effect{Kind: protocol.EffectTool, Tool: c.Tool, Class: c.Class, Call: c.N, Redone: c.Redone}, launch{
		useID: c.ID, args: projection(c.Args), tool: c.Tool, key: c.Key, place: c.Workspace, deadline: deadline, undo: c.Undo,
	})
}

// settled takes in what came of an effect. Whatever came, there is exactly one
// terminal; an answer for an effect that has one already is passed over.
func (r *reduction) settled(c protocol.Settled) {
	fx, ok := r.openEffect(c.Effect)
	if !ok || fx.Probing || fx.Unknown {
		if !r.late(r.minted(c.Effect)) {
			r.violation("an outcome of %s, which was never intended", c.Effect)
		}
		return
	}
	switch fx.Kind {
	case protocol.EffectProvider, protocol.EffectVerify:
		r.Effects = r.Effects.drop(fx.N)
		switch {
		case r.Phase == phaseFinished || r.Phase == phaseCompensating:
			r.afterTheEnd(fx, c)
			r.then(r.compensateNext)
		case fx.Kind == protocol.EffectProvider:
			r.providerSettled(fx, c)
		default:
			r.verifySettled(fx, c)
		}
	case protocol.EffectCompensate:
		r.compensationSettled(fx, c)
	case protocol.EffectTool:
		r.toolSettled(fx, c)
	default:
		broken("effect %d is of no kind", fx.N)
	}
}

// afterTheEnd gives an effect that changes nothing its terminal, when the run is
// over already.
func (r *reduction) afterTheEnd(fx effect, c protocol.Settled) {
	r.Calls = r.Calls.drop(fx.Call)
	if c.How == protocol.HowDone {
		r.emit(protocol.EffectDone{ID: r.effectID(fx), Tool: fx.Tool})
		return
	}
	r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: c.Reason})
}

func (s *state) openEffect(id protocol.EffectID) (effect, bool) {
	run, n, err := id.Split()
	if err != nil || run != s.Genesis.Run {
		return effect{}, false
	}
	return s.Effects.find(n)
}

// minted tells whether this run once had such an effect.
func (s *state) minted(id protocol.EffectID) bool {
	run, n, err := id.Split()
	return err == nil && run == s.Genesis.Run && n >= 1 && n <= s.NextFx
}

// late notes an answer to a question that is no longer open, when once it was.
func (r *reduction) late(once bool) bool {
	if once {
		r.emit(protocol.Notice{Code: protocol.NoticeLateResult})
	}
	return once
}

// toolSettled closes a tool's call, or finds out first whether it happened.
func (r *reduction) toolSettled(fx effect, c protocol.Settled) {
	row, ok := r.Calls.find(fx.Call)
	if !ok || row.At != callExecuting {
		broken("effect %d works for call %d, which is not executing", fx.N, fx.Call)
	}
	how := c.How
	if how == protocol.HowUncertain && fx.Class == protocol.ReadOnly {
		how = protocol.HowFailed // nothing can have happened
	}
	switch {
	case how == protocol.HowDone && c.Result != nil:
		r.toolDone(fx, row, *c.Result, false)
	case how == protocol.HowUncertain:
		r.uncertain(fx, row.probe(), c.Reason)
	default:
		r.toolFailed(fx, row, c.Reason, c.Retriable)
	}
	r.then(r.progress)
}

// toolDone is a tool's success: the result is shown to the proposer, and what
// changed is a step of the saga.
func (r *reduction) toolDone(fx effect, c call, result protocol.ToolResult, proven bool) {
	r.Effects = r.Effects.drop(fx.N)
	r.emit(protocol.ToolDone{Result: result.Text, EffectID: r.effectID(fx), Trust: c.ResultTrust, Effects: result.Effects, Proven: proven})
	r.Label = r.Label.lower(c.ResultTrust, "the result of "+c.ID+" ("+c.Tool+")")
	if c.Class > protocol.ReadOnly {
		r.commit(fx, c)
	}
	if c.Step > 0 && r.checks(c) && !r.windingUp() {
		r.verify(c)
		return
	}
	r.closeCall(c, string(result.Digest), true)
}

// reuse gives a call the outcome it had before under its caller's idempotency
// key. It was ruled on like any other; nothing is carried out, and there is
// nothing of this run's to undo.
func (r *reduction) reuse(c call) {
	r.emit(protocol.CallReused{Call: c.N, CallID: c.ID, Tool: c.Tool, Effect: c.Prior.Effect, Result: c.Prior.Result, Trust: c.ResultTrust})
	r.Label = r.Label.lower(c.ResultTrust, "the result of "+c.ID+" ("+c.Tool+")")
	if c.Step > 0 && r.checks(c) {
		r.verify(c)
		return
	}
	r.closeCall(c, string(c.Prior.Digest), true)
	r.then(r.progress)
}

// toolFailed is a proven failure. It may be tried again as a new effect with the
// same idempotency key, as often as its proposer said.
func (r *reduction) toolFailed(fx effect, c call, reason string, retriable bool) {
	r.Effects = r.Effects.drop(fx.N)
	r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: reason})
	r.Label = r.Label.lower(c.ResultTrust, "the error of "+c.ID+" ("+c.Tool+")")
	if c.Retries > 0 && retriable && !r.windingUp() {
		c.Retries--
		r.Calls = r.Calls.put(c)
		r.launchCall(c)
		return
	}
	r.closeCall(c, "failed: "+reason, false)
	if c.Step == 0 && r.Genesis.OnFailure == protocol.Compensate && !r.outOfTime() {
		r.then(func() { r.fail(protocol.ToolFailed, "call "+c.ID+" ("+c.Tool+"): "+reason) })
	}
}

// uncertain asks the tool's probe, when it has one, and otherwise says that
// nobody knows. What is uncertain is never done again on its own (S2-014).
func (r *reduction) uncertain(fx effect, p probe, reason string) {
	if !p.Possible {
		r.unknown(fx, reason)
		return
	}
	fx.Probing = true
	r.Effects = r.Effects.put(fx)
	r.act(protocol.Probe{Effect: r.effectID(fx), Kind: fx.Kind, Call: fx.Call, Tool: p.Tool, Key: p.Key, Undo: p.Undo})
}

// probe is what is needed to find out whether an effect happened.
type probe struct {
	Possible bool
	Tool     string
	Key      string
	Undo     protocol.Digest
}

func (c call) probe() probe { return probe{c.Probeable, c.Tool, c.Key, c.Undo} }

// unknown is the terminal of an effect nobody can tell anything of. A person
// rules on a tool's before the run goes on.
func (r *reduction) unknown(fx effect, reason string) {
	r.emit(protocol.EffectUnknown{ID: r.effectID(fx), Tool: fx.Tool, Reason: reason})
	fx.Unknown, fx.Probing = true, false
	r.Effects = r.Effects.put(fx)
	if row, ok := r.Calls.find(fx.Call); ok && fx.Kind == protocol.EffectTool {
		row.At = callUnknown
		r.Calls = r.Calls.put(row)
	}
}

// probed takes in what a probe found.
func (r *reduction) probed(c protocol.Probed) {
	fx, ok := r.openEffect(c.Effect)
	if !ok || !fx.Probing {
		if !r.late(r.minted(c.Effect)) {
			r.violation("a probe of %s, which was never intended", c.Effect)
		}
		return
	}
	fx.Probing = false
	if fx.Kind == protocol.EffectCompensate {
		r.compensationProbed(fx, c)
		return
	}
	row, ok := r.Calls.find(fx.Call)
	if !ok {
		broken("effect %d was probed for call %d, which is closed", fx.N, fx.Call)
	}
	switch c.Finding {
	case protocol.FoundDone:
		r.toolDone(fx, row, protocol.ToolResult{Text: protocol.Inline("done, as found afterwards: " + c.Evidence)}, true)
	case protocol.FoundNotDone:
		r.redo(fx, row, c.Evidence)
	default:
		r.unknown(fx, c.Evidence)
	}
	r.then(r.progress)
}

// maxRedone bounds how often an effect is tried again that is proven not to have
// happened: once each time a process dies over it.
const maxRedone = 8

// redo tries a call again whose effect is proven not to have happened.
func (r *reduction) redo(fx effect, c call, evidence string) {
	if c.Redone == maxRedone || r.windingUp() {
		r.toolFailed(fx, c, "not carried out: "+evidence, false)
		return
	}
	r.Effects = r.Effects.drop(fx.N)
	r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: "not carried out: " + evidence})
	r.emit(protocol.Notice{Code: protocol.NoticeRedone})
	c.Redone++
	r.Calls = r.Calls.put(c)
	r.launchCall(c)
}

// resolve takes a person's ruling on an unknown effect.
func (r *reduction) resolve(c protocol.Resolve) {
	fx, ok := r.openEffect(c.Effect)
	switch {
	case !ok || !fx.Unknown:
		r.reject(c.Submission, protocol.CodeConflict, "this effect is not unknown")
		return
	case c.As != protocol.TerminalDone && c.As != protocol.TerminalFailed:
		r.reject(c.Submission, protocol.CodeInvalid, "an effect is resolved as done or as failed")
		return
	}
	if r.Phase == phaseCompensating {
		r.reject(c.Submission, protocol.CodeConflict, "the run is being rolled back: rule when that is through")
		return
	}
	r.emit(protocol.EffectResolved{ID: c.Effect, As: c.As, By: c.By, Note: c.Note})
	r.accept(c.Submission)
	r.Effects = r.Effects.drop(fx.N)
	if fx.Kind == protocol.EffectCompensate {
		r.compensationRuled(fx, c)
		return
	}
	row, ok := r.Calls.find(fx.Call)
	if !ok {
		broken("effect %d is unknown, and its call %d is closed", fx.N, fx.Call)
	}
	row.At = callRuledFail
	if c.As == protocol.TerminalDone {
		row.At = callRuledDone
		r.commit(fx, row)
	}
	r.Calls = r.Calls.put(row)
	if r.Phase == phaseFinished {
		r.Calls = r.Calls.drop(row.N) // nobody goes on with it
	}
}

// ruled closes a call a person has ruled on.
func (r *reduction) ruled(c call) {
	if c.At == callRuledDone {
		r.closeCall(c, "ruled done", true)
		return
	}
	r.refuse(c, "ruled_failed", "a person ruled that it did not happen")
}
