package ports

import (
	"context"

	"github.com/tipstaff/tipstaff/protocol"
)

// ToolV1 is one tool. It is safe for concurrent use.
type ToolV1 interface {
	// Contract is what holds for all calls. It never changes.
	Contract() protocol.ToolContract
	// Prepare says what one call is, without changing anything: it checks and
	// normalises the arguments, classifies this call and collects what will
	// undo it. A *Fault of kind invalid is shown to the proposer.
	Prepare(ctx context.Context, args []byte) (Preparation, error)
	// Execute carries a prepared call out, at most once an idempotency key: a
	// second call with the same key finds the first one's work and reports it.
	// It obeys ctx. After an error of an effecting call that is no *Fault the
	// effect counts as uncertain.
	Execute(ctx context.Context, call Call) (Result, error)
}

// ProberV1 is a tool that can find out whether a call happened.
type ProberV1 interface {
	// Probe looks, without changing anything. With call.Undoing set the
	// question is whether the compensation happened. The evidence is one line
	// for a person.
	Probe(ctx context.Context, call Call) (finding protocol.Finding, evidence string, err error)
}

// CompensatorV1 is a tool that can undo its calls.
type CompensatorV1 interface {
	// Compensate undoes the call that call.Undo was collected for. It refuses,
	// with a *Fault of kind failed, to overwrite what somebody changed since;
	// undoing twice is undoing once (S1-046).
	Compensate(ctx context.Context, call Call) (Result, error)
}

// Preparation is what Prepare found out about one call.
type Preparation struct {
	// Args is the canonical form of the normalised arguments.
	Args []byte
	// Class is the class of this call, within the contract's floor and top.
	Class protocol.Capability
	// Egress says that data may leave, and Sink where to.
	Egress bool
	Sink   string
	// Undo is the content that undoes the call; nil when nothing can.
	Undo []byte
	// Compensation says in words exactly what undoing will do.
	Compensation string
	// ResultTrust is the label of the result, at most the contract's.
	ResultTrust protocol.Trust
	// Preview shows a person what will happen, a diff for writes.
	Preview string
}

// Call is one prepared and admitted call.
type Call struct {
	// Effect is its durable identity.
	Effect protocol.EffectID
	// Key is the idempotency key, the same for every try.
	Key string
	// Args is what Prepare normalised.
	Args []byte
	// Undo is what Prepare collected.
	Undo []byte
	// Undoing says that Undo is being carried out, or probed for.
	Undoing bool
}

// Result is what a tool answers.
type Result struct {
	// Text is for the model.
	Text string
	// Effects says in plain words what changed (S1-039).
	Effects []string
}
