package protocol

// Outcome is how a run ended: six words, no more (S2-095).
type Outcome string

// The six outcomes.
const (
	// Done: the task was answered or the plan carried out.
	Done Outcome = "done"
	// Drained: it was asked to stop admitting, finished what was open and left.
	Drained Outcome = "drained"
	// BudgetExhausted: an axis of the budget was used up; the reason names it.
	BudgetExhausted Outcome = "budget_exhausted"
	// Interrupted: a person stopped it.
	Interrupted Outcome = "interrupted"
	// Stuck: it could not go on; the reason says why.
	Stuck Outcome = "stuck"
	// HarnessError: the runtime or its parts failed, not the task.
	HarnessError Outcome = "harness_error"
)

// Outcomes lists the six.
func Outcomes() []Outcome {
	return []Outcome{Done, Drained, BudgetExhausted, Interrupted, Stuck, HarnessError}
}

// Reasons an end or a stop can carry beside its outcome.
const (
	ReasonMaxTurns           = "max_turns"            // the turns are used up
	ReasonMaxWall            = "max_wall_secs"        // the time is used up
	ReasonMaxTokens          = "max_tokens"           // the tokens are used up
	ReasonMaxUSD             = "max_usd"              // the money is used up
	ReasonUnpricedUSD        = "unpriced_usd_ceiling" // a money bound without a price
	ReasonNoUsage            = "usage_not_reported"   // a token bound, and no usage came
	ReasonToolErrors         = "max_consecutive_tool_errors"
	ReasonRepeatedCall       = "repeated_call"       // the same call, the same result
	ReasonProviderRefusal    = "provider_refusal"    // the provider would not answer
	ReasonProviderFailed     = "provider_failed"     // the provider could not answer
	ReasonStepFailed         = "step_failed"         // a plan's step failed, nothing was undone
	ReasonRolledBack         = "rolled_back"         // everything committed was undone
	ReasonRollbackPartial    = "rollback_partial"    // something is left to a person
	ReasonProtocolViolation  = "protocol_violation"  // a command that its phase does not allow
	ReasonTransitionDenied   = "transition_denied"   // the guardrail has no such transition
	ReasonTurnCut            = "turn_cut"            // the model's answer was cut off
	ReasonUndecodableTurn    = "undecodable_turn"    // a model turn that cannot be read
	ReasonRecordUnhealthy    = "record_unhealthy"    // the record could not be written
	ReasonContextFailed      = "context_failed"      // the context port could not answer
	ReasonOperatorInterrupt  = "operator_interrupt"  // a person pressed stop
	ReasonOperatorDrain      = "operator_drain"      // a person asked to drain
	ReasonVersionUnsupported = "version_unsupported" // written by another kernel version
)

// Status is one word for lists and APIs.
type Status string

// The status words.
const (
	StatusPending          Status = "pending"
	StatusRunning          Status = "running"
	StatusAwaitingApproval Status = "awaiting_approval"
	StatusAwaitingRuling   Status = "awaiting_ruling"
	StatusSucceeded        Status = "succeeded"
	StatusFailed           Status = "failed"
	StatusRefused          Status = "refused"
	StatusMaxSteps         Status = "max_steps_exceeded"
	StatusTimedOut         Status = "timed_out"
	StatusInterrupted      Status = "interrupted"
	StatusDrained          Status = "drained"
)

// StatusOf folds an outcome, its reason and the guardrail's state into one word.
func StatusOf(o Outcome, reason string, fsm FSMState) Status {
	if fsm.RolledBack() {
		return StatusFailed
	}
	switch o {
	case Done:
		return StatusSucceeded
	case Drained:
		return StatusDrained
	case Interrupted:
		return StatusInterrupted
	case BudgetExhausted:
		switch reason {
		case ReasonMaxTurns:
			return StatusMaxSteps
		case ReasonMaxWall:
			return StatusTimedOut
		}
	case Stuck:
		if reason == ReasonProviderRefusal {
			return StatusRefused
		}
	}
	return StatusFailed
}

// ExitCode is the process's exit code for an end (CONTRACT section 1, S2-096).
func ExitCode(o Outcome, fsm FSMState) int {
	if fsm.RolledBack() {
		return 1
	}
	switch o {
	case Done, Drained:
		return 0
	case BudgetExhausted:
		return 3
	case Stuck:
		return 4
	case Interrupted:
		return 130
	}
	return 2
}

// ExitWaiting is the exit code of a run that waits for a person.
const ExitWaiting = 5
