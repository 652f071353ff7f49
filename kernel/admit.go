package kernel

import (
	"github.com/tipstaff/tipstaff/protocol"
)

// facts is everything admission looks at. No field of it comes from a text.
type facts struct {
	// Tool, Class, Egress and Sink are the prepared call's.
	Tool   string
	Class  protocol.Capability
	Egress bool
	Sink   string
	// Undo says that what undoes the call is stored.
	Undo bool
	// Mode, Rules, Ceiling, Endorse are the policy; Ceiling is already the
	// task's intersected with the policy's.
	Mode    protocol.Mode
	Rules   []protocol.Rule
	Ceiling protocol.CapabilitySet
	Endorse bool
	// Trust governs the deciding turn and the arguments.
	Trust protocol.Trust
	// Planned says that an operator wrote exactly this call into a plan.
	Planned bool
	// FSM is the guardrail's state, as it will be when the call starts.
	FSM protocol.FSMState
}

// ruling is what admission says.
type ruling struct {
	Verdict protocol.Verdict
	// Reason names the stage and why.
	Reason string
	// Rule is the rule that decided, if one did.
	Rule string
}

// decide rules on a call: deny by default, in a fixed order, on facts alone
// (S2-036, S2-049). Every stage can only make the ruling stricter, but for the
// operator's plan, which is an approval of its own calls.
func decide(f facts) ruling {
	if !f.Ceiling.Contains(f.Class) {
		return ruling{Verdict: protocol.Deny, Reason: "ceiling: the run may not do anything " + f.Class.String()}
	}
	for _, rule := range f.Rules {
		if f.Class == protocol.ReadOnly && rule.Verdict == protocol.Deny && rule.Scope == protocol.ScopeTool && rule.Tool == f.Tool {
			return ruling{protocol.Deny, "ceiling: the tool was taken out of the run", rule.String()}
		}
	}
	if r, below := floor(f); below && r.Verdict == protocol.Deny {
		return r
	}
	out := gate(f.Mode, f.Rules, f.Tool, f.Class)
	if out.Verdict == protocol.Ask && f.Planned && out.Rule == "" && f.Class <= protocol.CodeExecuting {
		out = ruling{Verdict: protocol.Auto, Reason: "plan: the operator's plan is the approval of exactly this call"}
	}
	if r, below := floor(f); below && out.Verdict == protocol.Auto {
		out = r
	}
	if out.Verdict != protocol.Deny && !permits(f.FSM, f.Class) {
		return ruling{Verdict: protocol.Deny, Reason: "guardrail: nothing " + f.Class.String() + " may run while " + string(f.FSM)}
	}
	return out
}

// floor is the least trust a call needs; below it the ruling is no looser than
// what it gives (DESIGN section 5, S2-028).
func floor(f facts) (ruling, bool) {
	switch {
	case f.Class >= protocol.TrustMutating && f.Trust < protocol.Trusted:
		if f.Endorse {
			return ruling{Verdict: protocol.Ask, Reason: "trust: what led here is only " + f.Trust.String() + "; a person may endorse exactly this call"}, true
		}
		return ruling{Verdict: protocol.Deny, Reason: "trust: what led here is only " + f.Trust.String() + ", " + f.Class.String() + " needs trusted"}, true
	case f.Egress && !f.Trust.EgressPermitted():
		return ruling{Verdict: protocol.Deny, Reason: "egress: what led here is only " + f.Trust.String() + ", data leaves only for trusted"}, true
	case f.Class == protocol.ReadOnly:
		return ruling{}, false
	case f.Trust < protocol.Workspace:
		return ruling{Verdict: protocol.Ask, Reason: "trust: what led here is only " + f.Trust.String()}, true
	case f.Class == protocol.ReversibleLocal && !f.Undo:
		return ruling{Verdict: protocol.Ask, Reason: "undo: nothing is stored that could undo the call"}, true
	}
	return ruling{}, false
}

// gate is the table of DESIGN section 5 (S2-046): mode, rules, tool, class. The
// strictest of all rules that match wins.
func gate(mode protocol.Mode, rules []protocol.Rule, tool string, class protocol.Capability) ruling {
	if class == protocol.ReadOnly {
		return ruling{Verdict: protocol.Auto, Reason: "gate: read_only"}
	}
	if mode == protocol.ModePlan {
		return ruling{Verdict: protocol.Deny, Reason: "gate: plan mode is read-only"}
	}
	var won *protocol.Rule
	for _, rule := range rules {
		if matches(rule, tool, class) && (won == nil || won.Verdict.Stricter(rule.Verdict) != won.Verdict) {
			won = &rule
		}
	}
	if won != nil {
		return ruling{won.Verdict, "gate: a rule", won.String()}
	}
	return ruling{Verdict: byMode(mode, class), Reason: "gate: " + class.String() + " in mode " + string(mode)}
}

// matches tells whether a rule speaks of a call. Of the two classes that always
// need a person a class rule can only deny; an exact-tool rule can do all
// (S2-041, S2-042).
func matches(rule protocol.Rule, tool string, class protocol.Capability) bool {
	if rule.Scope == protocol.ScopeTool {
		return rule.Tool == tool
	}
	if rule.Class == nil || *rule.Class != class {
		return false
	}
	return class < protocol.TrustMutating || rule.Verdict == protocol.Deny
}

// byMode is the verdict when no rule speaks.
func byMode(mode protocol.Mode, class protocol.Capability) protocol.Verdict {
	switch {
	case class == protocol.ReversibleLocal && (mode == protocol.ModeAcceptEdits || mode == protocol.ModeYolo):
		return protocol.Auto
	case class == protocol.CodeExecuting && mode == protocol.ModeYolo:
		return protocol.Auto // in a cell without egress, which the tool's contract guarantees
	}
	return protocol.Ask
}

// admit rules on a prepared call and follows the ruling.
func (r *reduction) admit(c call) {
	f := facts{
		Tool: c.Tool, Class: c.Class, Egress: c.Egress, Sink: c.Sink, Undo: c.Undo != "",
		Mode: r.Genesis.Mode, Rules: r.Genesis.Rules, Endorse: r.Genesis.Endorse,
		Ceiling: r.Genesis.Task.Ceiling.Intersect(r.Genesis.Ceiling),
		Trust:   c.Label.Trust, Planned: c.Step > 0, FSM: r.stateFor(c),
	}
	out := decide(f)
	r.emit(protocol.AdmissionDecided{
		Call: c.N, CallID: c.ID, Tool: c.Tool, Class: c.Class,
		Verdict: out.Verdict, Reason: out.Reason, Rule: out.Rule,
		Trust: c.Label.Trust, Origin: c.Label.Origin, Egress: c.Egress, Sink: c.Sink,
		Mode: f.Mode, ArgsDigest: c.ArgsDigest,
	})
	switch out.Verdict {
	case protocol.Auto:
		r.admitted(c)
	case protocol.Ask:
		r.ask(c)
	default:
		r.refuse(c, "denied", out.Reason)
	}
}

// Foresee says how a step of a plan would be ruled if it were of a class, before
// there is a run.
func Foresee(b protocol.Begin, s protocol.Step, class protocol.Capability, undo bool) protocol.Verdict {
	at := protocol.Acting
	if s.Check != nil {
		at = protocol.Validating
	}
	return decide(facts{
		Tool: s.Tool, Class: class, Undo: undo, Mode: b.Mode, Rules: b.Rules, Endorse: b.Endorse,
		Ceiling: b.Task.Ceiling.Intersect(b.Ceiling), Trust: b.Task.Trust, Planned: true, FSM: at,
	}).Verdict
}

// stateFor is the guardrail's state as it will be when the call starts: the
// first effecting call of a model or a client is its plan.
func (s *state) stateFor(c call) protocol.FSMState {
	if s.Saga.FSM == protocol.Planning && c.Class > protocol.ReadOnly && s.Genesis.Proposer != protocol.ProposerPlan {
		return protocol.Acting
	}
	return s.Saga.FSM
}

// admitted carries an admitted call out.
func (r *reduction) admitted(c call) {
	if r.Saga.FSM != r.stateFor(c) {
		r.fire(protocol.PlanReady, guards{Planned: true})
	}
	if !permits(r.Saga.FSM, c.Class) {
		r.refuse(c, "transition_denied", "nothing "+c.Class.String()+" may run while "+string(r.Saga.FSM))
		return
	}
	c.At = callExecuting
	r.Calls = r.Calls.put(c)
	if c.Prior != nil {
		r.reuse(c)
		return
	}
	r.launchCall(c)
}
