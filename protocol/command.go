package protocol

import (
	"fmt"
)

// Command is what the driver tells the kernel: something happened. Every
// command is an entry of the record, and carries all that was random or read
// from the world when it happened (S2-075, S2-118).
type Command interface {
	// CommandKind is the kind of its entry.
	CommandKind() string
	// Stamp is when it happened, Unix milliseconds.
	Stamp() int64
	isCommand()
}

// At is a command's stamp. It stands in the entry's envelope, not in the body.
type At struct {
	// Millis is Unix milliseconds.
	Millis int64 `json:"-"`
}

// Stamp is when it happened, Unix milliseconds.
func (a At) Stamp() int64 { return a.Millis }

// Proposer says where a run's calls come from. All of them walk the same path.
type Proposer string

// The three proposers.
const (
	ProposerModel  Proposer = "model"
	ProposerPlan   Proposer = "plan"
	ProposerClient Proposer = "client"
)

// Begin is a run's first command and first entry, "run.started". It pins
// everything the run is ruled by.
type Begin struct {
	At
	// Tenant, Run and Bundle are the identity triple (S2-024).
	Tenant TenantID `json:"tenant"`
	Run    RunID    `json:"run"`
	Bundle Digest   `json:"bundle"`
	// BundleID is the bundle's name, for people.
	BundleID string `json:"bundle_id"`
	// Kernel and Wire are the versions the run is reduced and spoken with
	// (S2-100).
	Kernel int `json:"kernel"`
	Wire   int `json:"wire"`
	// FSM and Sandbox are the digests of those settings.
	FSM     Digest `json:"fsm"`
	Sandbox Digest `json:"sandbox"`
	// Task is what is wanted, in what bounds.
	Task TaskEnvelope `json:"task"`
	// Proposer is where calls come from; Route labels the model, if one is
	// asked, and Priced says whether its price is known.
	Proposer Proposer `json:"proposer"`
	Route    string   `json:"route,omitempty"`
	Priced   bool     `json:"priced,omitempty"`
	// Mode, Rules, Ceiling and Endorse are the policy in force.
	Mode    Mode          `json:"mode"`
	Rules   []Rule        `json:"rules"`
	Ceiling CapabilitySet `json:"ceiling"`
	Endorse bool          `json:"endorse"`
	// OnFailure says what to do when a step fails for good.
	OnFailure OnFailure `json:"on_failure"`
	// Session is the conversation the run belongs to, if any.
	Session string `json:"session,omitempty"`
	// Workspace is the label of the place the run works in.
	Workspace string `json:"workspace"`
	// Tools is the run's tool set, sorted by name.
	Tools []ToolBrief `json:"tools"`
	// Plan names the plan and Steps are its steps, for ProposerPlan.
	Plan  string `json:"plan,omitempty"`
	Steps []Step `json:"steps,omitempty"`
	// Transitions are the edges fsm.toml adds.
	Transitions []Transition `json:"transitions,omitempty"`
}

// ProposedCall is one call as its proposer wrote it.
type ProposedCall struct {
	// ID is the proposer's correlation id.
	ID string `json:"id"`
	// Name is the tool.
	Name string `json:"name"`
	// Args is the projection of the canonical arguments.
	Args Text `json:"args"`
}

// Propose is a client's own call.
type Propose struct {
	At
	// Submission is the client's id of it.
	Submission string `json:"submission"`
	// Call is the call.
	Call ProposedCall `json:"call"`
	// IdempotencyKey names its outcome, if the client gave one.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}

// Say adds typed text to a run: a user message or a steer.
type Say struct {
	At
	Submission string       `json:"submission"`
	Text       OperatorText `json:"text"`
}

// Decide is a person's answer to an approval request.
type Decide struct {
	At
	Submission string     `json:"submission"`
	Approval   ApprovalID `json:"approval"`
	Approve    bool       `json:"approve"`
	Reason     string     `json:"reason,omitempty"`
	By         string     `json:"by"`
}

// Resolve is a person's ruling on an unknown effect.
type Resolve struct {
	At
	Submission string   `json:"submission"`
	Effect     EffectID `json:"effect"`
	// As is done or failed.
	As   Terminal `json:"as"`
	Note string   `json:"note,omitempty"`
	By   string   `json:"by"`
}

// Signal is what an operator can say to a run as a whole.
type Signal string

// The four signals.
const (
	SignalInterrupt Signal = "interrupt"
	SignalDrain     Signal = "drain"
	SignalRollback  Signal = "rollback"
	SignalClose     Signal = "close"
)

// Control is an operator's signal.
type Control struct {
	At
	Submission string `json:"submission"`
	Signal     Signal `json:"signal"`
	By         string `json:"by"`
}

// Granted answers SelectContext: what the next turn is shown. The answer carries
// the request it answers, as the strategy made it.
type Granted struct {
	At
	Request ContextRequest `json:"request"`
	Grant   ContextGrant   `json:"grant"`
	// Fault says why there is no grant.
	Fault string `json:"fault,omitempty"`
}

// Prepared answers Prepare: what this one call is, by its tool's contract.
type Prepared struct {
	At
	// Call is the call's number.
	Call uint64 `json:"call"`
	// Refused says why the call cannot be carried out at all (bad arguments,
	// redacted arguments); the rest is then empty.
	Refused string `json:"refused,omitempty"`
	// Class is the class of this call, within the tool's floor and top.
	Class Capability `json:"class"`
	// Egress says that data may leave, and Sink where to.
	Egress bool   `json:"egress,omitempty"`
	Sink   string `json:"sink,omitempty"`
	// Args is the projection of the normalised arguments and ArgsDigest the
	// digest an approval is bound to.
	Args       Text   `json:"args"`
	ArgsDigest Digest `json:"args_digest"`
	// Workspace is where the call works, when it is not the run's.
	Workspace string `json:"workspace,omitempty"`
	// Undo is the content that undoes the call, durable with this entry, and
	// Compensation says in words exactly what undoing will do.
	Undo         Digest `json:"undo,omitempty"`
	Compensation string `json:"compensation,omitempty"`
	// Probeable says that the tool can find out whether the call happened.
	Probeable bool `json:"probeable,omitempty"`
	// ResultTrust is the label the result will have.
	ResultTrust Trust `json:"result_trust"`
	// Preview shows a person what will happen.
	Preview Text `json:"preview"`
	// Prior is the recorded outcome of the same call under the caller's
	// idempotency key; it is given instead of calling again.
	Prior *Prior `json:"prior,omitempty"`
}

// Prior is what came of a call with the same idempotency key and arguments.
type Prior struct {
	// Effect is the effect that was carried out then.
	Effect EffectID `json:"effect"`
	// Result is what it answered, Digest the answer's.
	Result Text   `json:"result"`
	Digest Digest `json:"digest"`
}

// ModelTurn is one answer of a model, complete.
type ModelTurn struct {
	// Text is what it said.
	Text Text `json:"text"`
	// Calls are what it would like called, in its order.
	Calls []ProposedCall `json:"calls,omitempty"`
	// Usage is what the provider says it cost; null when it says nothing,
	// which is not zero (S2-089).
	Usage *Usage `json:"usage"`
	// Stop is why it ended: end_turn, tool_use, max_tokens, refusal.
	Stop string `json:"stop"`
}

// Complete tells whether the turn may make calls: only a whole one does.
func (t ModelTurn) Complete() bool { return t.Stop == StopEndTurn || t.Stop == StopToolUse }

// Why a model turn ended.
const (
	StopEndTurn   = "end_turn"
	StopToolUse   = "tool_use"
	StopMaxTokens = "max_tokens"
	StopRefusal   = "refusal"
)

// ToolResult is what a tool answered.
type ToolResult struct {
	// Text is the answer, bounded and redacted.
	Text Text `json:"text"`
	// Digest is the SHA-256 of the answer as recorded, to tell answers apart.
	Digest Digest `json:"digest"`
	// Effects says in plain words what changed.
	Effects []string `json:"effects,omitempty"`
}

// How says how carrying out an effect ended, as far as the broker can tell.
type How string

// The three ways.
const (
	// HowDone: it happened.
	HowDone How = "done"
	// HowFailed: it is known not to have happened, or to have failed cleanly.
	HowFailed How = "failed"
	// HowUncertain: nobody can tell yet.
	HowUncertain How = "uncertain"
)

// Settled is what came of a Perform.
type Settled struct {
	At
	// Effect is the effect, How how it ended, Reason why when not done.
	Effect EffectID `json:"effect"`
	How    How      `json:"how"`
	Reason string   `json:"reason,omitempty"`
	// Retriable says that another try may succeed, after DelayMillis.
	Retriable   bool  `json:"retriable,omitempty"`
	DelayMillis int64 `json:"delay_ms,omitempty"`
	// Refusal says that a provider refused, as opposed to failed.
	Refusal bool `json:"refusal,omitempty"`
	// Result belongs to a tool's call.
	Result *ToolResult `json:"result,omitempty"`
	// Turn belongs to a provider's.
	Turn *ModelTurn `json:"turn,omitempty"`
	// Passed belongs to a verifier's.
	Passed *bool `json:"passed,omitempty"`
	// LatencyMillis is how long it took.
	LatencyMillis int64 `json:"latency_ms"`
}

// Finding is what a probe found.
type Finding string

// The three findings.
const (
	FoundDone    Finding = "done"
	FoundNotDone Finding = "not_done"
	FoundUnknown Finding = "unknown"
)

// Probed is what a tool's read-only probe found of an uncertain effect.
type Probed struct {
	At
	Effect   EffectID `json:"effect"`
	Finding  Finding  `json:"finding"`
	Evidence string   `json:"evidence"`
}

// Tick says that time has passed: the run's wall budget may be used up.
type Tick struct {
	At
}

// Reconcile says that a driver has taken the run up (again): after a crash, a
// drain, or a wait for a person. What was in flight before it is in flight no
// more.
type Reconcile struct {
	At
	// By says who took it up: resume, serve, rollback.
	By string `json:"by"`
}

// Fault says that a part of the harness failed in a way that ends the run.
type Fault struct {
	At
	// Reason is one of the Reason… constants, Detail words for a person.
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// UnknownCommand stands for a command entry nobody here knows. It keeps
// nothing.
type UnknownCommand struct{ At }

// Kinds of command entries.
const (
	KindBegin     = "run.started"
	KindPropose   = "command.propose"
	KindSay       = "command.say"
	KindDecide    = "command.decide"
	KindResolve   = "command.resolve"
	KindControl   = "command.control"
	KindGranted   = "command.granted"
	KindPrepared  = "command.prepared"
	KindSettled   = "command.settled"
	KindProbed    = "command.probed"
	KindTick      = "command.tick"
	KindReconcile = "command.reconcile"
	KindFault     = "command.fault"
)

// CommandKind gives the kind of each command's entry.
func (Begin) CommandKind() string          { return KindBegin }
func (Propose) CommandKind() string        { return KindPropose }   // CommandKind is the entry's kind.
func (Say) CommandKind() string            { return KindSay }       // CommandKind is the entry's kind.
func (Decide) CommandKind() string         { return KindDecide }    // CommandKind is the entry's kind.
func (Resolve) CommandKind() string        { return KindResolve }   // CommandKind is the entry's kind.
func (Control) CommandKind() string        { return KindControl }   // CommandKind is the entry's kind.
func (Granted) CommandKind() string        { return KindGranted }   // CommandKind is the entry's kind.
func (Prepared) CommandKind() string       { return KindPrepared }  // CommandKind is the entry's kind.
func (Settled) CommandKind() string        { return KindSettled }   // CommandKind is the entry's kind.
func (Probed) CommandKind() string         { return KindProbed }    // CommandKind is the entry's kind.
func (Tick) CommandKind() string           { return KindTick }      // CommandKind is the entry's kind.
func (Reconcile) CommandKind() string      { return KindReconcile } // CommandKind is the entry's kind.
func (Fault) CommandKind() string          { return KindFault }     // CommandKind is the entry's kind.
func (UnknownCommand) CommandKind() string { return "command.unknown" }

func (Begin) isCommand()          {}
func (Propose) isCommand()        {}
func (Say) isCommand()            {}
func (Decide) isCommand()         {}
func (Resolve) isCommand()        {}
func (Control) isCommand()        {}
func (Granted) isCommand()        {}
func (Prepared) isCommand()       {}
func (Settled) isCommand()        {}
func (Probed) isCommand()         {}
func (Tick) isCommand()           {}
func (Reconcile) isCommand()      {}
func (Fault) isCommand()          {}
func (UnknownCommand) isCommand() {}

// Stamped gives a command with its stamp: the driver reads the clock once, when
// it folds the command in.
func Stamped(c Command, millis int64) Command {
	at := At{Millis: millis}
	switch c := c.(type) {
	case Begin:
		c.At = at
		return c
	case Propose:
		c.At = at
		return c
	case Say:
		c.At = at
		return c
	case Decide:
		c.At = at
		return c
	case Resolve:
		c.At = at
		return c
	case Control:
		c.At = at
		return c
	case Granted:
		c.At = at
		return c
	case Prepared:
		c.At = at
		return c
	case Settled:
		c.At = at
		return c
	case Probed:
		c.At = at
		return c
	case Tick:
		c.At = at
		return c
	case Reconcile:
		c.At = at
		return c
	case Fault:
		c.At = at
		return c
	}
	return UnknownCommand{At: at}
}

// IsCommandKind tells whether an entry of this kind went into the kernel; all
// others came out of it.
func IsCommandKind(kind string) bool {
	return kind == KindBegin || len(kind) > 8 && kind[:8] == "command."
}

// DecodeCommand reads the body of a command's entry. A kind nobody knows gives
// UnknownCommand without its body.
func DecodeCommand(kind string, at int64, body []byte) (Command, error) {
	stamp := At{Millis: at}
	switch kind {
	case KindBegin:
		return decodeCommand(body, func(c *Begin) { c.At = stamp })
	case KindPropose:
		return decodeCommand(body, func(c *Propose) { c.At = stamp })
	case KindSay:
		return decodeCommand(body, func(c *Say) { c.At = stamp })
	case KindDecide:
		return decodeCommand(body, func(c *Decide) { c.At = stamp })
	case KindResolve:
		return decodeCommand(body, func(c *Resolve) { c.At = stamp })
	case KindControl:
		return decodeCommand(body, func(c *Control) { c.At = stamp })
	case KindGranted:
		return decodeCommand(body, func(c *Granted) { c.At = stamp })
	case KindPrepared:
		return decodeCommand(body, func(c *Prepared) { c.At = stamp })
	case KindSettled:
		return decodeCommand(body, func(c *Settled) { c.At = stamp })
	case KindProbed:
		return decodeCommand(body, func(c *Probed) { c.At = stamp })
	case KindTick:
		return decodeCommand(body, func(c *Tick) { c.At = stamp })
	case KindReconcile:
		return decodeCommand(body, func(c *Reconcile) { c.At = stamp })
	case KindFault:
		return decodeCommand(body, func(c *Fault) { c.At = stamp })
	}
	return UnknownCommand{At: stamp}, nil
}

func decodeCommand[T Command](body []byte, stamp func(*T)) (Command, error) {
	var c T
	if err := Unmarshal(body, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", c.CommandKind(), err)
	}
	stamp(&c)
	return c, nil
}
