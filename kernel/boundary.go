package kernel

import "github.com/tipstaff/tipstaff/protocol"

// stop is why a run does not go on.
type stop string

const (
	goOn       stop = ""
	stopRuling stop = "ruling"
	stopDrain  stop = "drain"
	stopSignal stop = "interrupt"
	stopClose  stop = "close"
	stopBudget stop = "budget"
	stopStuck  stop = "stuck"
)

// stopFor judges every reason to stop, in one fixed order.
func stopFor(unresolved bool, c control, axis string, stuck bool) stop {
	switch {
	case unresolved:
		return stopRuling
	case c.Drain:
		return stopDrain
	case c.Interrupt:
		return stopSignal
	case c.Close:
		return stopClose
	case axis != "":
		return stopBudget
	case stuck:
		return stopStuck
	}
	return goOn
}

// boundary is the one place where a run stops or goes on: no call is open, and
// nothing is in flight.
func (r *reduction) boundary() {
	if r.Phase == phaseFinished || r.Phase == phaseCompensating || r.Phase == phaseDrained {
		return
	}
	unresolved := false
	for fx := range r.Effects.all {
		if !fx.Unknown {
			return // its terminal leads back here
		}
		unresolved = true
	}
	model := r.Genesis.Proposer == protocol.ProposerModel
	axis, limit, used := exhausted(r.Genesis.Task.Budget, r.Spent, r.Genesis.Priced, model)
	if r.Genesis.Proposer == protocol.ProposerClient && axis == protocol.ReasonToolErrors {
		axis = "" // a client counts its own errors
	}
	switch stopFor(unresolved, r.Control, axis, model && repeating(r.Loop.Last)) {
	case stopRuling:
		r.park()
	case stopDrain:
		r.drain()
	case stopSignal:
		r.abandon("the run was interrupted")
		r.finish(protocol.Interrupted, protocol.ReasonOperatorInterrupt, "")
	case stopClose:
		r.abandon("the run was closed")
		r.complete()
	case stopBudget:
		r.emit(protocol.BudgetWasExhausted{Axis: axis, Limit: limit, Spent: used})
		r.abandon("the budget is used up")
		r.finish(protocol.BudgetExhausted, axis, "")
	case stopStuck:
		r.finish(protocol.Stuck, protocol.ReasonRepeatedCall, "the same call gave the same result again and again")
	default:
		r.next()
	}
}

// next asks whoever proposes for what comes next.
func (r *reduction) next() {
	switch r.Genesis.Proposer {
	case protocol.ProposerPlan:
		r.nextStep()
	case protocol.ProposerModel:
		r.selectContext()
	case protocol.ProposerClient:
		r.Phase = phaseAdmitting
	}
}

// park lets the run wait for a person. Nothing is held in flight meanwhile.
func (r *reduction) park() {
	status := protocol.StatusAwaitingApproval
	r.Phase = phaseApproval
	for fx := range r.Effects.all {
		if fx.Unknown && fx.Kind == protocol.EffectTool {
			status, r.Phase = protocol.StatusAwaitingRuling, phaseRuling
		}
	}
	r.act(protocol.Park{Status: status})
}

// drain leaves the run as it is, to be taken up again: checkpoint, then the end
// of this stay (S2-092).
func (r *reduction) drain() {
	r.emit(protocol.CheckpointTaken{Commands: r.Commands})
	r.Phase = phaseDrained
	ended := r.ended(protocol.Drained, protocol.ReasonOperatorDrain, "")
	r.End = &ended
	r.emit(ended)
	r.act(protocol.Checkpoint{})
	r.act(protocol.Finish{Outcome: protocol.Drained, Reason: protocol.ReasonOperatorDrain})
}

// complete is the good end: the guardrail walks to Done by its own edges.
func (r *reduction) complete() {
	if r.Saga.FSM == protocol.Planning {
		r.fire(protocol.PlanReady, guards{Planned: true})
	}
	if r.Saga.FSM == protocol.Acting {
		r.fire(protocol.ToolSucceeded, guards{Validate: true})
	}
	if r.Saga.FSM == protocol.Validating {
		r.fire(protocol.ValidationPassed, guards{})
	}
	if r.Phase != phaseFinished {
		r.end(protocol.Done, "", "")
	}
}

// finish ends a run. A bad end of a run that compensates undoes what it
// committed first.
func (r *reduction) finish(o protocol.Outcome, reason, detail string) {
	if r.Phase == phaseFinished || r.Phase == phaseCompensating {
		return
	}
	bad := o == protocol.BudgetExhausted || o == protocol.Stuck || o == protocol.HarnessError
	if bad && r.Genesis.OnFailure == protocol.Compensate && (r.Saga.FSM == protocol.Acting || r.Saga.FSM == protocol.Validating) {
		on := protocol.ToolFailed
		if r.Saga.FSM == protocol.Validating {
			on = protocol.ValidationFailed
		}
		r.compensate(on, guards{}, cause{o, reason, detail})
		return
	}
	r.end(o, reason, detail)
}

// end is a run's last step. Finished is absorbing, but for an operator's
// rollback.
func (r *reduction) end(o protocol.Outcome, reason, detail string) {
	if r.Phase == phaseFinished {
		return
	}
	r.cancelAll()
	r.abandon("the run has ended")
	if o != protocol.Done && r.hasCommitted() {
		r.emit(protocol.Notice{Code: protocol.NoticeStepsLeft})
	}
	r.Phase = phaseFinished
	ended := r.ended(o, reason, detail)
	r.End = &ended
	r.emit(ended)
	r.act(protocol.Finish{Outcome: o, Reason: reason})
}

func (s *state) ended(o protocol.Outcome, reason, detail string) protocol.RunEnded {
	e := protocol.RunEnded{
		Outcome: o, Reason: reason, Detail: clipped(detail), Status: protocol.StatusOf(o, reason, s.Saga.FSM), FSM: s.Saga.FSM,
		Turns: s.Spent.Turns, Usage: s.Spent.Usage,
	}
	if o == protocol.Done {
		e.Answer = s.Turns.Answer
	}
	return e
}

// clipped holds a detail to its bound, on a rune border.
func clipped(s string) string {
	if len(s) <= protocol.MaxReasonBytes {
		return s
	}
	cut := protocol.MaxReasonBytes
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut]
}
