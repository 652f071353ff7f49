package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Op is what a client asks of a host. Its arms are the operations of CONTRACT
// section 5; the host answers each with exactly one [Answer].
type Op interface {
	// OpType is the word on the wire.
	OpType() string
	isOp()
}

// The operations. Each has the word of its type field.
type (
	// StartRun starts a run: the one way there is.
	StartRun struct {
		// Task is what is wanted, in what bounds.
		Task Task `json:"task"`
		// Plan is what to do, when somebody planned it beforehand.
		Plan *Plan `json:"plan,omitempty"`
		// Mode, Session and OnFailure are words of their types; empty means
		// the default.
		Mode      Mode      `json:"mode,omitempty"`
		Session   string    `json:"session,omitempty"`
		OnFailure OnFailure `json:"on_failure,omitempty"`
		// Run is a run id the client chose, if it did.
		Run RunID `json:"run,omitempty"`
		// Interactive says that the client plans for itself and will submit
		// intents.
		Interactive bool `json:"interactive,omitempty"`
		// Allow and Deny are exact-tool rules of this run.
		Allow []string `json:"allow,omitempty"`
		Deny  []string `json:"deny,omitempty"`
	}
	// SubmitIntent proposes one call: a client that plans for itself.
	SubmitIntent struct {
		Run            RunID           `json:"run"`
		Tool           string          `json:"tool"`
		Args           json.RawMessage `json:"args"`
		IdempotencyKey string          `json:"idempotency_key,omitempty"`
	}
	// UserInput adds what an operator typed to a run that waits for it.
	UserInput struct {
		Run  RunID  `json:"run"`
		Text string `json:"text"`
	}
	// Steer adds what an operator typed to a run that is at work.
	Steer struct {
		Run  RunID  `json:"run"`
		Text string `json:"text"`
	}
	// ApprovalResponse answers an approval request, once.
	ApprovalResponse struct {
		ID      ApprovalID `json:"id"`
		Approve bool       `json:"approve"`
		Reason  string     `json:"reason,omitempty"`
		By      string     `json:"by,omitempty"`
	}
	// ResolveEffect is a person's ruling on an unknown effect.
	ResolveEffect struct {
		Effect EffectID `json:"effect"`
		As     Terminal `json:"as"`
		Note   string   `json:"note,omitempty"`
		By     string   `json:"by,omitempty"`
	}
	// Interrupt stops a run at the next safe point.
	Interrupt struct {
		Run RunID  `json:"run"`
		By  string `json:"by,omitempty"`
	}
	// Drain lets a run finish what is open, checkpoint and leave.
	Drain struct {
		Run RunID  `json:"run"`
		By  string `json:"by,omitempty"`
	}
	// Rollback undoes what a run committed.
	Rollback struct {
		Run RunID  `json:"run"`
		By  string `json:"by,omitempty"`
	}
	// CloseRun ends an interactive run.
	CloseRun struct {
		Run RunID `json:"run"`
	}
	// UnknownOp stands for an operation nobody here knows. Nothing of it is
	// kept (S2-101).
	UnknownOp struct{}
)

// Task is what a client says of a task; the host makes the TaskEnvelope of it.
type Task struct {
	// Input is what was typed.
	Input string `json:"input"`
	// Acceptance lists checks.
	Acceptance []AcceptanceCheck `json:"acceptance,omitempty"`
	// Budget bounds the run; left out means the defaults.
	Budget *Budget `json:"budget,omitempty"`
	// Ceiling is the most the run may do; left out means everything the policy
	// allows.
	Ceiling *CapabilitySet `json:"ceiling,omitempty"`
}

// OpType gives the word on the wire of each operation.
func (StartRun) OpType() string         { return "start_run" }
func (SubmitIntent) OpType() string     { return "submit_intent" }     // OpType is the wire word.
func (UserInput) OpType() string        { return "user_input" }        // OpType is the wire word.
func (Steer) OpType() string            { return "steer" }             // OpType is the wire word.
func (ApprovalResponse) OpType() string { return "approval_response" } // OpType is the wire word.
func (ResolveEffect) OpType() string    { return "resolve_effect" }    // OpType is the wire word.
func (Interrupt) OpType() string        { return "interrupt" }         // OpType is the wire word.
func (Drain) OpType() string            { return "drain" }             // OpType is the wire word.
func (Rollback) OpType() string         { return "rollback" }          // OpType is the wire word.
func (CloseRun) OpType() string         { return "close_run" }         // OpType is the wire word.
func (UnknownOp) OpType() string        { return "unknown" }           // OpType is the wire word.

func (StartRun) isOp()         {}
func (SubmitIntent) isOp()     {}
func (UserInput) isOp()        {}
func (Steer) isOp()            {}
func (ApprovalResponse) isOp() {}
func (ResolveEffect) isOp()    {}
func (Interrupt) isOp()        {}
func (Drain) isOp()            {}
func (Rollback) isOp()         {}
func (CloseRun) isOp()         {}
func (UnknownOp) isOp()        {}

// Submission is the envelope of an operation.
type Submission struct {
	// ID is the client's own, at most MaxKeyBytes bytes.
	ID string
	// Op is what is asked.
	Op Op
}

// Answer is the envelope of what a host says to a submission.
type Answer struct {
	// ID is the submission's.
	ID string `json:"id"`
	// Accepted and Run belong to an acceptance.
	Accepted bool  `json:"accepted,omitempty"`
	Run      RunID `json:"run,omitempty"`
	// Rejected belongs to a refusal.
	Rejected *Rejection `json:"rejected,omitempty"`
}

// Rejection says why an operation was not taken.
type Rejection struct {
	// Code is one of the Code… constants.
	Code string `json:"code"`
	// Message says what to do next; it never repeats an unknown payload.
	Message string `json:"message"`
}

// Error makes a rejection an error value.
func (r *Rejection) Error() string { return r.Message }

// Codes of a rejection.
const (
	CodeQueueFull        = "queue_full"
	CodeVersionMismatch  = "protocol_version_mismatch"
	CodeUnsupported      = "unsupported_operation"
	CodeInvalid          = "invalid"
	CodeNotFound         = "not_found"
	CodeConflict         = "conflict"
	CodeTransitionDenied = "transition_denied"
	CodeKilled           = "killed"
)

// DecodeSubmission reads one envelope. Another wire version is a *VersionError
// and the operation is not unwrapped; an operation nobody knows becomes
// UnknownOp without its payload.
func DecodeSubmission(line []byte) (Submission, error) {
	malformed := errors.New("a submission is an object with protocol_version, id and op")
	var members map[string]json.RawMessage
	var version int
	if json.Unmarshal(line, &members) != nil || members == nil {
		return Submission{}, malformed
	}
	if raw, given := members["protocol_version"]; given && json.Unmarshal(raw, &version) != nil {
		return Submission{}, malformed
	}
	if version != ProtocolVersion {
		var id string
		if json.Unmarshal(members["id"], &id) != nil || len(id) > MaxKeyBytes {
			id = "" // an id that cannot be read is none
		}
		return Submission{ID: id}, &VersionError{Expected: ProtocolVersion, Actual: version}
	}
	var e struct {
		Version int             `json:"protocol_version"`
		ID      string          `json:"id"`
		Op      json.RawMessage `json:"op"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return Submission{}, malformed
	}
	if len(e.ID) > MaxKeyBytes {
		return Submission{}, fmt.Errorf("a submission id has at most %d bytes", MaxKeyBytes)
	}
	op, err := DecodeOp(e.Op)
	if err != nil {
		return Submission{ID: e.ID}, err // the id is kept: the client has to be answered
	}
	if _, unknown := op.(UnknownOp); !unknown { // of an unknown one nothing is looked at, not even its form
		if err := Decode(line, &e); err != nil {
			return Submission{ID: e.ID}, err
		}
	}
	return Submission{ID: e.ID, Op: op}, nil
}

// DecodeOp reads one operation, told apart by its type member.
func DecodeOp(raw []byte) (Op, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, errors.New("an operation is an object with a type")
	}
	var word string
	if err := json.Unmarshal(members["type"], &word); err != nil || word == "" {
		return nil, errors.New("an operation is an object with a type")
	}
	if !knownOp(word) {
		return UnknownOp{}, nil
	}
	if _, err := Canonical(raw); err != nil {
		return nil, err
	}
	delete(members, "type")
	body, err := Marshal(members)
	if err != nil {
		return nil, errors.New("an operation is an object with a type")
	}
	switch word {
	case "start_run":
		return decodeOp[StartRun](body)
	case "submit_intent":
		return decodeOp[SubmitIntent](body)
	case "user_input":
		return decodeOp[UserInput](body)
	case "steer":
		return decodeOp[Steer](body)
	case "approval_response":
		return decodeOp[ApprovalResponse](body)
	case "resolve_effect":
		return decodeOp[ResolveEffect](body)
	case "interrupt":
		return decodeOp[Interrupt](body)
	case "drain":
		return decodeOp[Drain](body)
	case "rollback":
		return decodeOp[Rollback](body)
	case "close_run":
		return decodeOp[CloseRun](body)
	}
	return UnknownOp{}, nil
}

// knownOp tells whether a word is one of ours.
func knownOp(word string) bool {
	for _, op := range []Op{
		StartRun{}, SubmitIntent{}, UserInput{}, Steer{}, ApprovalResponse{}, ResolveEffect{}, Interrupt{}, Drain{}, Rollback{}, CloseRun{},
	} {
		if op.OpType() == word {
			return true
		}
	}
	return false
}

func decodeOp[T Op](body []byte) (Op, error) {
	var op T
	if err := Decode(body, &op); err != nil {
		return nil, fmt.Errorf("%s: %w", op.OpType(), err)
	}
	return op, nil
}

// EncodeOp writes an operation with its type member first.
func EncodeOp(op Op) []byte {
	body := MustMarshal(op)
	head := `{"type":"` + op.OpType() + `"`
	if string(body) == "{}" {
		return []byte(head + "}")
	}
	return append(append([]byte(head), ','), body[1:]...)
}
