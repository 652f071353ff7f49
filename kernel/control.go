package kernel

import (
	"fmt"

	"github.com/tipstaff/tipstaff/protocol"
)

// control is what an operator or the clock has asked of the run. All of it is
// latched: asked once, asked for good. Drain outranks interrupt.
type control struct {
	Interrupt bool
	Drain     bool
	Close     bool
	TimeUp    bool
}

// stopping tells whether nothing new is to be started.
func (c control) stopping() bool { return c.Interrupt || c.Drain || c.TimeUp }

// windingUp tells whether nothing more may be begun: the run is over, is being
// undone, or was told to stop.
func (s *state) windingUp() bool {
	return s.Phase == phaseFinished || s.Phase == phaseCompensating || s.Control.stopping()
}

// control takes an operator's signal.
func (r *reduction) control(c protocol.Control) {
	if c.Signal == protocol.SignalRollback {
		r.rollback(c)
		return
	}
	if r.Phase == phaseFinished || r.Phase == phaseDrained {
		r.reject(c.Submission, protocol.CodeConflict, "the run is over")
		return
	}
	switch c.Signal {
	case protocol.SignalInterrupt:
		r.Control.Interrupt = true
		r.cancelAll()
	case protocol.SignalDrain:
		r.Control.Drain = true
	case protocol.SignalClose:
		if r.Genesis.Proposer != protocol.ProposerClient {
			r.reject(c.Submission, protocol.CodeConflict, "only a run whose client plans for itself is closed")
			return
		}
		r.Control.Close = true
	default:
		r.reject(c.Submission, protocol.CodeUnsupported, "no such signal")
		return
	}
	r.accept(c.Submission)
	switch r.Phase {
	case phaseAdmitting:
		r.then(r.boundary)
	case phaseCalls, phaseApproval, phaseRuling:
		r.then(r.progress)
	}
}

// cancelAll asks the broker to stop what can be stopped. Compensations are not:
// what is being undone is undone to its end.
func (r *reduction) cancelAll() {
	for fx := range r.Effects.all {
		if fx.Kind != protocol.EffectCompensate && !fx.Probing && !fx.Unknown {
			r.act(protocol.Cancel{Effect: r.effectID(fx)})
		}
	}
}

// rollback undoes what the run committed, because an operator asked: also of a
// run that is done or waits.
func (r *reduction) rollback(c protocol.Control) {
	for fx := range r.Effects.all {
		if !fx.Unknown {
			r.reject(c.Submission, protocol.CodeConflict, "the run is at work: interrupt it first")
			return
		}
	}
	if _, ok := transition(r.Genesis.Transitions, r.Saga.FSM, protocol.RollbackRequested, guards{Operator: true}); !ok {
		r.reject(c.Submission, protocol.CodeTransitionDenied, "a run that is "+string(r.Saga.FSM)+" cannot be rolled back")
		return
	}
	r.accept(c.Submission)
	r.compensate(protocol.RollbackRequested, guards{Operator: true}, cause{protocol.Stuck, protocol.ReasonRolledBack, "an operator asked (" + c.By + ")"})
}

// fault ends a run because a part of the harness failed.
func (r *reduction) fault(c protocol.Fault) {
	if r.Phase == phaseFinished {
		return
	}
	r.finish(protocol.HarnessError, c.Reason, c.Detail)
}

// violation ends a run whose driver said something it must not say here.
func (r *reduction) violation(format string, args ...any) {
	if r.Phase == phaseFinished {
		return // finished is absorbing
	}
	r.end(protocol.HarnessError, protocol.ReasonProtocolViolation, fmt.Sprintf(format, args...))
}

func (r *reduction) accept(submission string) {
	r.act(protocol.Reply{Submission: submission})
}

func (r *reduction) reject(submission, code, message string) {
	r.act(protocol.Reply{Submission: submission, Code: code, Message: message})
}
