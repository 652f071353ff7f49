package protocol

import "fmt"

// FSMState is a state of the guardrail (S1-061).
type FSMState string

// The eight states.
const (
	Idle                  FSMState = "Idle"
	Planning              FSMState = "Planning"
	Acting                FSMState = "Acting"
	Validating            FSMState = "Validating"
	Compensating          FSMState = "Compensating"
	FSMDone               FSMState = "Done"
	FailedRolledBack      FSMState = "FailedRolledBack"
	FailedRollbackPartial FSMState = "FailedRollbackPartial"
)

// FSMStates lists the eight, in the order of the specification.
func FSMStates() []FSMState {
	return []FSMState{Idle, Planning, Acting, Validating, Compensating, FSMDone, FailedRolledBack, FailedRollbackPartial}
}

// RolledBack tells whether the state is one of the two failed ends.
func (s FSMState) RolledBack() bool { return s == FailedRolledBack || s == FailedRollbackPartial }

// Terminal tells whether the saga is over (S1-067).
func (s FSMState) Terminal() bool { return s == FSMDone || s.RolledBack() }

// FSMEvent is what moves the guardrail (S1-068), and RollbackRequested, which
// only an operator's operation can cause.
type FSMEvent string

// The nine events.
const (
	StartSaga          FSMEvent = "StartSaga"
	PlanReady          FSMEvent = "PlanReady"
	ToolSucceeded      FSMEvent = "ToolSucceeded"
	ToolFailed         FSMEvent = "ToolFailed"
	ValidationPassed   FSMEvent = "ValidationPassed"
	ValidationFailed   FSMEvent = "ValidationFailed"
	CompensationDone   FSMEvent = "CompensationDone"
	CompensationFailed FSMEvent = "CompensationFailed"
	RollbackRequested  FSMEvent = "RollbackRequested"
)

// FSMEvents lists the nine.
func FSMEvents() []FSMEvent {
	return []FSMEvent{
		StartSaga, PlanReady, ToolSucceeded, ToolFailed, ValidationPassed, ValidationFailed,
		CompensationDone, CompensationFailed, RollbackRequested,
	}
}

// Transition is one more edge of the guardrail, from fsm.toml (S1-082).
type Transition struct {
	// From, On and To are state, event and state.
	From FSMState `json:"from" toml:"from" validate:"required"`
	On   FSMEvent `json:"on" toml:"on" validate:"required"`
	To   FSMState `json:"to" toml:"to" validate:"required"`
}

// Validate refuses words nobody knows, an edge out of a failed end, an edge out
// of Compensating that skips the compensations, and an operator's event.
func (t Transition) Validate() error {
	known := func(s FSMState) bool {
		for _, v := range FSMStates() {
			if v == s {
				return true
			}
		}
		return false
	}
	edge := fmt.Sprintf("transition %s -%s-> %s", clip(string(t.From)), clip(string(t.On)), clip(string(t.To)))
	switch {
	case !known(t.From) || !known(t.To):
		return fmt.Errorf("%s: no such state", edge)
	case t.From.RolledBack() || t.From == Compensating:
		return fmt.Errorf("%s: nothing may be added after %s", edge, t.From)
	case t.To.RolledBack():
		return fmt.Errorf("%s: %s is reached through the compensations only", edge, t.To)
	case t.On == RollbackRequested || t.On == CompensationDone || t.On == CompensationFailed:
		return fmt.Errorf("%s: %s is not for configuration", edge, t.On)
	}
	for _, e := range FSMEvents() {
		if e == t.On {
			return nil
		}
	}
	return fmt.Errorf("%s: no such event", edge)
}

// SagaStatus is where one committed step stands.
type SagaStatus string

// The statuses of a step (S1-057): an intent without a terminal is its BEGIN.
const (
	StepCommitted          SagaStatus = "committed"
	StepCompensated        SagaStatus = "compensated"
	StepCompensationFailed SagaStatus = "compensation_failed"
)

// OnFailure is what a run does when a step of it fails for good.
type OnFailure string

// The two policies.
const (
	// Report lets the model read the error and go on.
	Report OnFailure = "report"
	// Compensate undoes what was committed and ends the run.
	Compensate OnFailure = "compensate"
)

// Validate refuses any other word.
func (o OnFailure) Validate() error {
	if o != Report && o != Compensate {
		return fmt.Errorf("on_failure %q is not report or compensate", clip(string(o)))
	}
	return nil
}
