package protocol

import "fmt"

// Event is what the kernel reports. Every event is an entry of the record and
// what a client of the run sees (S2-016).
type Event interface {
	// EventKind is the kind of its entry.
	EventKind() string
	isEvent()
}

// PolicyPinned says by what the run is ruled; always the second entry.
type PolicyPinned struct {
	Bundle   Digest `json:"bundle"`
	BundleID string `json:"bundle_id"`
	Wire     int    `json:"wire"`
	Kernel   int    `json:"kernel"`
}

// FSMMoved says that the guardrail changed its state.
type FSMMoved struct {
	From FSMState `json:"from"`
	On   FSMEvent `json:"on"`
	To   FSMState `json:"to"`
}

// TurnStarted says that a model is about to be asked.
type TurnStarted struct {
	// Turn counts from 1.
	Turn int `json:"turn"`
	// Trust is the label of everything this turn is shown.
	Trust Trust `json:"trust"`
}

// AdmissionDecided is the ruling on one call (S2-016).
type AdmissionDecided struct {
	// Call is its number, CallID its proposer's id, Tool the tool.
	Call   uint64 `json:"call"`
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// Class is what this call is.
	Class Capability `json:"class"`
	// Verdict is the ruling; Reason says which stage made it and why.
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	// Rule is the rule that decided, if one did.
	Rule string `json:"rule,omitempty"`
	// Trust is the label of what the deciding turn was shown; Origin says
	// where that label came from.
	Trust  Trust  `json:"trust"`
	Origin string `json:"origin"`
	// Egress says that data may leave, and Sink where to.
	Egress bool   `json:"egress,omitempty"`
	Sink   string `json:"sink,omitempty"`
	// Mode is the mode in force and ArgsDigest what was ruled on.
	Mode       Mode   `json:"mode"`
	ArgsDigest Digest `json:"args_digest"`
}

// ApprovalRequested says that a call waits for a person.
type ApprovalRequested struct {
	ID   ApprovalID `json:"id"`
	Call uint64     `json:"call"`
	Tool string     `json:"tool"`
	// Class and ArgsDigest are what the answer is bound to, with the run and
	// its policy.
	Class      Capability `json:"class"`
	ArgsDigest Digest     `json:"args_digest"`
	// Args, Preview and Compensation show what will happen and how it would be
	// undone.
	Args         Text   `json:"args"`
	Preview      Text   `json:"preview"`
	Compensation string `json:"compensation,omitempty"`
	// ExpiresAt is when an answer comes too late, Unix milliseconds.
	ExpiresAt int64 `json:"expires_at"`
}

// ApprovalDecided says how a request ended.
type ApprovalDecided struct {
	ID ApprovalID `json:"id"`
	// Decision is approved, denied, expired or revoked.
	Decision string `json:"decision"`
	By       string `json:"by,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// CallRefused is a call's result when it was not carried out; the proposer
// reads it.
type CallRefused struct {
	Call   uint64 `json:"call"`
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// Code is invalid, unknown_tool, denied, expired or transition_denied.
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// CallReused is a call's result when the same call was carried out before under
// the caller's idempotency key: nothing is carried out again.
type CallReused struct {
	Call   uint64 `json:"call"`
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// Effect is the effect that was carried out then, Result its answer and
	// Trust the answer's label.
	Effect EffectID `json:"effect"`
	Result Text     `json:"result"`
	Trust  Trust    `json:"trust"`
}

// EffectResolved is a person's ruling on an unknown effect.
type EffectResolved struct {
	ID   EffectID `json:"id"`
	As   Terminal `json:"as"`
	By   string   `json:"by"`
	Note string   `json:"note,omitempty"`
}

// SagaCommitted says that a step took effect and how it would be undone.
type SagaCommitted struct {
	// Step counts from 1 in the order of commitment; Name is the plan's step
	// or the proposer's call id.
	Step   int      `json:"step"`
	Name   string   `json:"name"`
	Tool   string   `json:"tool"`
	Effect EffectID `json:"effect"`
	// Undo is the content that undoes it; empty when nothing can.
	Undo         Digest `json:"undo,omitempty"`
	Compensation string `json:"compensation,omitempty"`
}

// SagaCompensated says that a step was undone.
type SagaCompensated struct {
	Step   int      `json:"step"`
	Name   string   `json:"name"`
	Tool   string   `json:"tool"`
	Effect EffectID `json:"effect"`
}

// SagaCompensationFailed says that a step could not be undone, and why.
type SagaCompensationFailed struct {
	Step   int    `json:"step"`
	Name   string `json:"name"`
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
}

// BudgetWasExhausted says which axis was used up, and how far.
type BudgetWasExhausted struct {
	Axis  string `json:"axis"`
	Limit int64  `json:"limit"`
	Spent int64  `json:"spent"`
}

// CheckpointTaken says that the state was stored.
type CheckpointTaken struct {
	// Commands is how many commands the state has seen.
	Commands uint64 `json:"commands"`
}

// Notice is a closed remark: a code, no free text.
type Notice struct {
	Code string `json:"code"`
}

// Notices.
const (
	// NoticeUnknownCommand: an entry of an unknown kind was passed over.
	NoticeUnknownCommand = "unknown_command"
	// NoticeStepsLeft: the run ended and committed steps were left in place.
	NoticeStepsLeft = "committed_steps_left"
	// NoticeRedone: an effect proven not to have happened is tried once more.
	NoticeRedone = "effect_redone"
	// NoticeProviderAskedAgain: a provider request is asked as a new effect.
	NoticeProviderAskedAgain = "provider_asked_again"
	// NoticeLateResult: a result came for an effect that had ended already.
	NoticeLateResult = "late_result"
)

// RunEnded is a run's end. A rollback that a person asks for later ends it once
// more.
type RunEnded struct {
	Outcome Outcome  `json:"outcome"`
	Reason  string   `json:"reason,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Status  Status   `json:"status"`
	FSM     FSMState `json:"fsm"`
	// Answer is the last text of a model, for a run that is done.
	Answer *Text `json:"answer,omitempty"`
	// Turns and Usage are what was spent.
	Turns int   `json:"turns"`
	Usage Usage `json:"usage"`
}

// UnknownEvent stands for an event entry nobody here knows. It keeps nothing.
type UnknownEvent struct{}

// Kinds of event entries.
const (
	KindPolicyPinned           = "policy.pinned"
	KindFSMMoved               = "fsm.moved"
	KindTurnStarted            = "turn.started"
	KindAdmissionDecided       = "admission.decided"
	KindApprovalRequested      = "approval.requested"
	KindApprovalDecided        = "approval.decided"
	KindEffectIntent           = "effect.intent"
	KindToolDone               = "effect.tool_done"
	KindEffectDone             = "effect.done"
	KindEffectFailed           = "effect.failed"
	KindEffectUnknown          = "effect.unknown"
	KindEffectResolved         = "effect.resolved"
	KindCallRefused            = "call.refused"
	KindCallReused             = "call.reused"
	KindSagaCommitted          = "saga.committed"
	KindSagaCompensated        = "saga.compensated"
	KindSagaCompensationFailed = "saga.compensation_failed"
	KindBudgetExhausted        = "budget.exhausted"
	KindCheckpointTaken        = "checkpoint.taken"
	KindNotice                 = "notice"
	KindRunEnded               = "run.ended"
)

// EventKind gives the kind of each event's entry.
func (PolicyPinned) EventKind() string           { return KindPolicyPinned }
func (FSMMoved) EventKind() string               { return KindFSMMoved }               // EventKind is the entry's kind.
func (TurnStarted) EventKind() string            { return KindTurnStarted }            // EventKind is the entry's kind.
func (AdmissionDecided) EventKind() string       { return KindAdmissionDecided }       // EventKind is the entry's kind.
func (ApprovalRequested) EventKind() string      { return KindApprovalRequested }      // EventKind is the entry's kind.
func (ApprovalDecided) EventKind() string        { return KindApprovalDecided }        // EventKind is the entry's kind.
func (EffectIntent) EventKind() string           { return KindEffectIntent }           // EventKind is the entry's kind.
func (ToolDone) EventKind() string               { return KindToolDone }               // EventKind is the entry's kind.
func (EffectDone) EventKind() string             { return KindEffectDone }             // EventKind is the entry's kind.
func (EffectFailed) EventKind() string           { return KindEffectFailed }           // EventKind is the entry's kind.
func (EffectUnknown) EventKind() string          { return KindEffectUnknown }          // EventKind is the entry's kind.
func (EffectResolved) EventKind() string         { return KindEffectResolved }         // EventKind is the entry's kind.
func (CallRefused) EventKind() string            { return KindCallRefused }            // EventKind is the entry's kind.
func (CallReused) EventKind() string             { return KindCallReused }             // EventKind is the entry's kind.
func (SagaCommitted) EventKind() string          { return KindSagaCommitted }          // EventKind is the entry's kind.
func (SagaCompensated) EventKind() string        { return KindSagaCompensated }        // EventKind is the entry's kind.
func (SagaCompensationFailed) EventKind() string { return KindSagaCompensationFailed } // EventKind is the entry's kind.
func (BudgetWasExhausted) EventKind() string     { return KindBudgetExhausted }        // EventKind is the entry's kind.
func (CheckpointTaken) EventKind() string        { return KindCheckpointTaken }        // EventKind is the entry's kind.
func (Notice) EventKind() string                 { return KindNotice }                 // EventKind is the entry's kind.
func (RunEnded) EventKind() string               { return KindRunEnded }               // EventKind is the entry's kind.
func (UnknownEvent) EventKind() string           { return "event.unknown" }

func (PolicyPinned) isEvent()           {}
func (FSMMoved) isEvent()               {}
func (TurnStarted) isEvent()            {}
func (AdmissionDecided) isEvent()       {}
func (ApprovalRequested) isEvent()      {}
func (ApprovalDecided) isEvent()        {}
func (EffectIntent) isEvent()           {}
func (ToolDone) isEvent()               {}
func (EffectDone) isEvent()             {}
func (EffectFailed) isEvent()           {}
func (EffectUnknown) isEvent()          {}
func (EffectResolved) isEvent()         {}
func (CallRefused) isEvent()            {}
func (CallReused) isEvent()             {}
func (SagaCommitted) isEvent()          {}
func (SagaCompensated) isEvent()        {}
func (SagaCompensationFailed) isEvent() {}
func (BudgetWasExhausted) isEvent()     {}
func (CheckpointTaken) isEvent()        {}
func (Notice) isEvent()                 {}
func (RunEnded) isEvent()               {}
func (UnknownEvent) isEvent()           {}

// DecodeEvent reads the body of an event's entry. A kind nobody knows gives
// UnknownEvent without its body.
func DecodeEvent(kind string, body []byte) (Event, error) {
	switch kind {
	case KindPolicyPinned:
		return decodeEvent[PolicyPinned](body)
	case KindFSMMoved:
		return decodeEvent[FSMMoved](body)
	case KindTurnStarted:
		return decodeEvent[TurnStarted](body)
	case KindAdmissionDecided:
		return decodeEvent[AdmissionDecided](body)
	case KindApprovalRequested:
		return decodeEvent[ApprovalRequested](body)
	case KindApprovalDecided:
		return decodeEvent[ApprovalDecided](body)
	case KindEffectIntent:
		return decodeEvent[EffectIntent](body)
	case KindToolDone:
		return decodeEvent[ToolDone](body)
	case KindEffectDone:
		return decodeEvent[EffectDone](body)
	case KindEffectFailed:
		return decodeEvent[EffectFailed](body)
	case KindEffectUnknown:
		return decodeEvent[EffectUnknown](body)
	case KindEffectResolved:
		return decodeEvent[EffectResolved](body)
	case KindCallRefused:
		return decodeEvent[CallRefused](body)
	case KindCallReused:
		return decodeEvent[CallReused](body)
	case KindSagaCommitted:
		return decodeEvent[SagaCommitted](body)
	case KindSagaCompensated:
		return decodeEvent[SagaCompensated](body)
	case KindSagaCompensationFailed:
		return decodeEvent[SagaCompensationFailed](body)
	case KindBudgetExhausted:
		return decodeEvent[BudgetWasExhausted](body)
	case KindCheckpointTaken:
		return decodeEvent[CheckpointTaken](body)
	case KindNotice:
		return decodeEvent[Notice](body)
	case KindRunEnded:
		return decodeEvent[RunEnded](body)
	}
	return UnknownEvent{}, nil
}

func decodeEvent[T Event](body []byte) (Event, error) {
	var e T
	if err := Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("%s: %w", e.EventKind(), err)
	}
	return e, nil
}
