package protocol

// Action is what the kernel orders of the driver. The driver does them in
// order, after the batch they came with is durable where they need it to be.
type Action interface {
	// ActionKind is a word for transcripts and digests.
	ActionKind() string
	isAction()
}

// EffectKind is what an effect is carried out by.
type EffectKind string

// The kinds of effects so far. Only a tool's settles as ToolDone.
const (
	EffectTool       EffectKind = "tool"
	EffectProvider   EffectKind = "provider"
	EffectVerify     EffectKind = "verify"
	EffectCompensate EffectKind = "compensate"
)

// The actions.
type (
	// Emit reports an event.
	Emit struct {
		Event Event `json:"event"`
	}
	// SelectContext asks the context port what the next turn is shown.
	SelectContext struct {
		Request uint64 `json:"request"`
	}
	// Prepare asks a tool's contract what one call is.
	Prepare struct {
		Call   uint64     `json:"call"`
		Intent ToolIntent `json:"intent"`
		// Key is the caller's idempotency key, if there is one.
		Key string `json:"key,omitempty"`
	}
	// Perform carries an effect out. It stands in the same step that emits the
	// effect's intent, and nowhere else.
	Perform struct {
		// Effect is the effect; Kind says who carries it out.
		Effect EffectID   `json:"effect"`
		Kind   EffectKind `json:"kind"`
		// Call is the call a tool, a verifier or a compensation works for.
		Call uint64 `json:"call"`
		// Class is what it was admitted for.
		Class Capability `json:"class"`
		// Tool is the tool's name, or the route's.
		Tool string `json:"tool"`
		// Key is the idempotency key, the same for every try of one call.
		Key string `json:"key"`
		// DeadlineMillis is how long it may take, DelayMillis how long to wait
		// before.
		DeadlineMillis int64 `json:"deadline_ms"`
		DelayMillis    int64 `json:"delay_ms,omitempty"`
		// Undo is the content that undoes the call.
		Undo Digest `json:"undo,omitempty"`
		// Check is what a verifier checks.
		Check *Check `json:"check,omitempty"`
	}
	// Probe asks a tool, without changing anything, whether an effect happened.
	Probe struct {
		Effect EffectID   `json:"effect"`
		Kind   EffectKind `json:"kind"`
		Call   uint64     `json:"call"`
		Tool   string     `json:"tool"`
		Key    string     `json:"key"`
		Undo   Digest     `json:"undo,omitempty"`
	}
	// Cancel asks the broker to stop an effect; it settles all the same.
	Cancel struct {
		Effect EffectID `json:"effect"`
	}
	// Checkpoint stores the state, synchronously.
	Checkpoint struct{}
	// Reply answers a submission; an empty Code accepts it.
	Reply struct {
		Submission string `json:"submission"`
		Code       string `json:"code,omitempty"`
		Message    string `json:"message,omitempty"`
	}
	// Park says that nothing more happens until a person speaks.
	Park struct {
		Status Status `json:"status"`
	}
	// Finish says that the run is over.
	Finish struct {
		Outcome Outcome `json:"outcome"`
		Reason  string  `json:"reason,omitempty"`
	}
)

// ActionKind gives each action's word.
func (Emit) ActionKind() string          { return "emit" }
func (SelectContext) ActionKind() string { return "select_context" } // ActionKind is the action's word.
func (Prepare) ActionKind() string       { return "prepare" }        // ActionKind is the action's word.
func (Perform) ActionKind() string       { return "perform" }        // ActionKind is the action's word.
func (Probe) ActionKind() string         { return "probe" }          // ActionKind is the action's word.
func (Cancel) ActionKind() string        { return "cancel" }         // ActionKind is the action's word.
func (Checkpoint) ActionKind() string    { return "checkpoint" }     // ActionKind is the action's word.
func (Reply) ActionKind() string         { return "reply" }          // ActionKind is the action's word.
func (Park) ActionKind() string          { return "park" }           // ActionKind is the action's word.
func (Finish) ActionKind() string        { return "finish" }         // ActionKind is the action's word.

func (Emit) isAction()          {}
func (SelectContext) isAction() {}
func (Prepare) isAction()       {}
func (Perform) isAction()       {}
func (Probe) isAction()         {}
func (Cancel) isAction()        {}
func (Checkpoint) isAction()    {}
func (Reply) isAction()         {}
func (Park) isAction()          {}
func (Finish) isAction()        {}
