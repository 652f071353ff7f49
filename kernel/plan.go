package kernel

import (
	"github.com/tipstaff/tipstaff/protocol"
)

// cursor is where a plan is.
type cursor struct {
	// Next is the step that comes next, from 0.
	Next int
}

// nextStep opens the plan's next step as a call. A plan is typed by an operator:
// its calls carry the task's label and no other.
func (r *reduction) nextStep() {
	i := r.Cursor.Next
	if i >= len(r.Genesis.Steps) {
		r.complete()
		return
	}
	step := r.Genesis.Steps[i]
	if step.Check != nil && r.Saga.FSM == protocol.Acting {
		r.fire(protocol.ToolSucceeded, guards{Validate: true})
		if r.Phase == phaseFinished {
			return
		}
	}
	r.Cursor.Next++
	r.Phase = phaseCalls
	r.open(call{
		ID: step.ID, Tool: protocol.CanonicalName(step.Tool), Args: step.Args, By: protocol.SlotPlanner,
		Label: label{Trust: r.Genesis.Task.Trust, Origin: "the plan"},
		Key:   step.IdempotencyKey, Timeout: step.TimeoutMillis, Retries: step.Retries, Step: i + 1,
	})
	r.then(r.progress)
}

// stepClosed moves the guardrail on after a step has its result.
func (r *reduction) stepClosed(c call, result string, ok bool) {
	if r.Phase == phaseFinished || r.Phase == phaseCompensating {
		return
	}
	step := r.Genesis.Steps[c.Step-1]
	more := r.Cursor.Next < len(r.Genesis.Steps)
	switch {
	case !ok && r.outOfTime():
		r.then(r.boundary) // the step failed because the run's time is up
	case !ok && r.Genesis.OnFailure == protocol.Report:
		r.then(func() {
			r.finish(protocol.Stuck, protocol.ReasonStepFailed, "step "+step.ID+" ("+step.Tool+"): "+result)
		})
	case !ok && r.Saga.FSM == protocol.Validating:
		r.then(func() { r.fail(protocol.ValidationFailed, "step "+step.ID+" ("+step.Tool+"): "+result) })
	case !ok:
		r.then(func() { r.fail(protocol.ToolFailed, "step "+step.ID+" ("+step.Tool+"): "+result) })
	case step.Check != nil:
		r.fire(protocol.ValidationPassed, guards{More: more})
	case more && r.Genesis.Steps[r.Cursor.Next].Check == nil:
		r.fire(protocol.ToolSucceeded, guards{})
	}
}
