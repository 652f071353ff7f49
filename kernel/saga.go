package kernel

import (
	"strconv"

	"github.com/tipstaff/tipstaff/protocol"
)

// compensateTimeoutMillis is how long one compensation may take. It does not
// count against the run's time.
const compensateTimeoutMillis = 60 * 1000

// saga is what a run has committed and how far it is undone.
type saga struct {
	FSM   protocol.FSMState
	Steps table[step]
	// Cause is why the run is being undone: its end, once that is done.
	Cause *cause
}

// cause is an end that waits for its compensations.
type cause struct {
	Outcome protocol.Outcome
	Reason  string
	Detail  string
}

// step is one committed change.
type step struct {
	N    uint64
	Name string
	Tool string
	// Class is what the call was, Effect its effect, Call its number.
	Class  protocol.Capability
	Effect protocol.EffectID
	Call   uint64
	// Undo and Compensation are what undoing it does, approved with the call.
	Undo         protocol.Digest
	Compensation string
	Probeable    bool
	Status       protocol.SagaStatus
}

func (s step) key() uint64 { return s.N }

// commit notes a change and how it would be undone.
func (r *reduction) commit(fx effect, c call) {
	s := step{
		N: uint64(r.Saga.Steps.size()) + 1, Name: c.ID, Tool: c.Tool, Class: c.Class, Effect: r.effectID(fx), Call: c.N,
		Undo: c.Undo, Compensation: c.Compensation, Probeable: c.Probeable, Status: protocol.StepCommitted,
	}
	r.Saga.Steps = r.Saga.Steps.put(s)
	r.emit(protocol.SagaCommitted{Step: int(s.N), Name: s.Name, Tool: s.Tool, Effect: s.Effect, Undo: s.Undo, Compensation: s.Compensation})
	if r.Saga.FSM.RolledBack() {
		r.leave(s, "it became known only after the rollback")
	}
}

// fail turns a run over to its compensations because something failed.
func (r *reduction) fail(on protocol.FSMEvent, why string) {
	if r.Phase == phaseFinished || r.Phase == phaseCompensating {
		return
	}
	r.compensate(on, guards{}, cause{protocol.Stuck, protocol.ReasonRolledBack, why})
}

// compensate begins to undo, in reverse order (S1-007).
func (r *reduction) compensate(on protocol.FSMEvent, g guards, why cause) {
	r.fire(on, g)
	if r.Saga.FSM != protocol.Compensating {
		return
	}
	r.cancelAll()
	r.abandon("the run is being rolled back")
	r.Saga.Cause = &why
	r.Phase = phaseCompensating
	r.End = nil
	r.then(r.compensateNext)
}

// compensateNext undoes the last step that is still committed. One failure does
// not stop the rest.
func (r *reduction) compensateNext() {
	if r.Phase != phaseCompensating {
		return
	}
	for fx := range r.Effects.all {
		if !fx.Unknown {
			return // something is in flight; its terminal leads back here
		}
	}
	for s := range r.Saga.Steps.backward {
		if s.Status != protocol.StepCommitted {
			continue
		}
		if s.Undo == "" {
			r.leave(s, "nothing was stored that could undo it")
			continue
		}
		r.launchCompensation(s, 0)
		return
	}
	r.rolledBack()
}

func (r *reduction) launchCompensation(s step, redone int) {
	args := protocol.MustMarshal(struct {
		Step         uint64          `json:"step"`
		Undo         protocol.Digest `json:"undo"`
		Compensation string          `json:"compensation"`
	}{s.N, s.Undo, s.Compensation})
	r.launch(effect{
		Kind: protocol.EffectCompensate, Tool: "compensate:" + s.Tool, Class: s.Class, Call: s.Call, Step: s.N, Redone: redone,
	}, launch{
		useID: s.Name, args: args, tool: s.Tool, key: r.undoKey(s),
		deadline: compensateTimeoutMillis, undo: s.Undo,
	})
}

// undoKey is the idempotency key of undoing a step, the same for every try.
func (s *state) undoKey(st step) string {
	return string(s.Genesis.Run) + ".undo" + strconv.FormatUint(st.N, 10)
}

func (s *state) probeOf(st step) probe {
	return probe{st.Probeable, st.Tool, s.undoKey(st), st.Undo}
}

// compensationSettled notes what came of undoing a step.
func (r *reduction) compensationSettled(fx effect, c protocol.Settled) {
	s := r.stepOf(fx)
	switch c.How {
	case protocol.HowDone:
		r.undone(fx, s, false)
	case protocol.HowUncertain:
		r.uncertain(fx, r.probeOf(s), c.Reason)
		if _, open := r.Effects.find(fx.N); open && !s.Probeable {
			r.leave(s, c.Reason)
		}
	default:
		r.notUndone(fx, s, c.Reason)
	}
	r.then(r.compensateNext)
}

// compensationProbed notes what a probe found of undoing a step.
func (r *reduction) compensationProbed(fx effect, c protocol.Probed) {
	s := r.stepOf(fx)
	switch {
	case c.Finding == protocol.FoundDone:
		r.undone(fx, s, true)
	case c.Finding == protocol.FoundNotDone && fx.Redone < maxRedone:
		r.Effects = r.Effects.drop(fx.N)
		r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: "not carried out: " + c.Evidence})
		r.emit(protocol.Notice{Code: protocol.NoticeRedone})
		r.launchCompensation(s, fx.Redone+1)
		return
	case c.Finding == protocol.FoundNotDone:
		r.notUndone(fx, s, "not carried out: "+c.Evidence)
	default:
		r.unknown(fx, c.Evidence)
		r.leave(s, c.Evidence)
	}
	r.then(r.compensateNext)
}

// compensationRuled notes a person's ruling on undoing a step, after the end.
func (r *reduction) compensationRuled(fx effect, c protocol.Resolve) {
	s := r.stepOf(fx)
	if c.As != protocol.TerminalDone {
		return
	}
	s.Status = protocol.StepCompensated
	r.Saga.Steps = r.Saga.Steps.put(s)
	r.emit(protocol.SagaCompensated{Step: int(s.N), Name: s.Name, Tool: s.Tool, Effect: r.effectID(fx)})
}

func (r *reduction) stepOf(fx effect) step {
	s, ok := r.Saga.Steps.find(fx.Step)
	if !ok {
		broken("effect %d undoes step %d, which was never committed", fx.N, fx.Step)
	}
	return s
}

func (r *reduction) undone(fx effect, s step, proven bool) {
	r.Effects = r.Effects.drop(fx.N)
	r.emit(protocol.EffectDone{ID: r.effectID(fx), Tool: fx.Tool, Proven: proven})
	s.Status = protocol.StepCompensated
	r.Saga.Steps = r.Saga.Steps.put(s)
	r.emit(protocol.SagaCompensated{Step: int(s.N), Name: s.Name, Tool: s.Tool, Effect: r.effectID(fx)})
}

func (r *reduction) notUndone(fx effect, s step, reason string) {
	r.Effects = r.Effects.drop(fx.N)
	r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: reason})
	r.leave(s, reason)
}

// leave gives a step up to a person.
func (r *reduction) leave(s step, reason string) {
	s.Status = protocol.StepCompensationFailed
	r.Saga.Steps = r.Saga.Steps.put(s)
	r.emit(protocol.SagaCompensationFailed{Step: int(s.N), Name: s.Name, Tool: s.Tool, Reason: reason})
}

// rolledBack ends a run whose compensations are through. A step that is left,
// and an effect nobody has ruled on, make it a partial one.
func (r *reduction) rolledBack() {
	left := !r.Effects.empty()
	for s := range r.Saga.Steps.all {
		left = left || s.Status == protocol.StepCompensationFailed
	}
	why := *r.Saga.Cause
	r.Saga.Cause = nil
	if left {
		r.fire(protocol.CompensationFailed, guards{Left: true})
		why.Reason = protocol.ReasonRollbackPartial
	} else {
		r.fire(protocol.CompensationDone, guards{})
	}
	r.end(why.Outcome, why.Reason, why.Detail)
}

// hasCommitted tells whether a step is in place that could be undone.
func (s *state) hasCommitted() bool {
	for st := range s.Saga.Steps.all {
		if st.Status == protocol.StepCommitted {
			return true
		}
	}
	return false
}
