// Package tool makes a tool out of a typed Go function:
//
//	tool.New("calculator", "Evaluate an arithmetic expression.", tool.ReadOnly,
//		func(ctx context.Context, in Args) (tool.Result, error) { … })
//
// Name, description and JSON Schema come from the call and from the fields and
// tags of Args: `json` names a member, `jsonschema` describes it, omitempty makes
// it optional. The proposer's arguments are checked against the schema before
// the function sees them.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// The classes, for short.
const (
	ReadOnly             = protocol.ReadOnly
	ReversibleLocal      = protocol.ReversibleLocal
	CodeExecuting        = protocol.CodeExecuting
	TrustMutating        = protocol.TrustMutating
	IrreversibleExternal = protocol.IrreversibleExternal
)

// Result is what a tool answers.
type Result = ports.Result

// DefaultTimeout is how long a call may take when its contract says nothing.
const DefaultTimeout = 30 * time.Second

// Option changes a contract.
type Option func(*protocol.ToolContract)

// Timeout sets how long a call may take; at least a millisecond.
func Timeout(d time.Duration) Option {
	return func(c *protocol.ToolContract) { c.TimeoutMillis = d.Milliseconds() }
}

// Top sets the highest class a call can have, when that is above the floor.
func Top(class protocol.Capability) Option {
	return func(c *protocol.ToolContract) { c.Top = class }
}

// Results sets the label of the tool's results by their source: Workspace for
// the operator's own files and databases, Untrusted (the default) for the rest.
func Results(t protocol.Trust) Option {
	return func(c *protocol.ToolContract) { c.ResultTrust = t }
}

// Schema checks and reads the arguments of one tool.
type Schema[In any] struct{ resolved *jsonschema.Resolved }

// Describe makes a tool's contract and its schema from the type of its
// arguments. It panics when the type has no schema: that is a mistake of the
// program, not of its input.
func Describe[In any](name, description string, floor protocol.Capability, opts ...Option) (protocol.ToolContract, Schema[In]) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic("tool " + name + ": its arguments have no schema: " + err.Error())
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic("tool " + name + ": its schema does not resolve: " + err.Error())
	}
	raw, err := protocol.Marshal(s)
	if err == nil {
		raw, err = protocol.Canonical(raw)
	}
	if err != nil {
		panic("tool " + name + ": its schema does not encode: " + err.Error())
	}
	c := protocol.ToolContract{
		Name: name, Description: description, Version: "1.0.0", Schema: raw,
		Floor: floor, Top: floor, TimeoutMillis: DefaultTimeout.Milliseconds(),
	}
	for _, o := range opts {
		o(&c)
	}
	if err := c.Validate(); err != nil {
		panic(err.Error())
	}
	return c, Schema[In]{resolved}
}

// Read checks arguments and gives them typed and in canonical form. The error is
// a *ports.Fault for the proposer.
func (s Schema[In]) Read(raw []byte) (in In, canonical []byte, err error) {
	canonical, err = protocol.Canonical(raw)
	if err != nil {
		return in, nil, ports.Invalid("arguments: " + err.Error())
	}
	var loose any
	if err := json.Unmarshal(canonical, &loose); err != nil {
		return in, nil, ports.Invalid("arguments: " + err.Error())
	}
	if err := s.resolved.Validate(loose); err != nil {
		return in, nil, ports.Invalid(fmt.Sprintf("arguments do not fit the schema: %v", err))
	}
	if err := protocol.Decode(canonical, &in); err != nil {
		return in, nil, ports.Invalid("arguments: " + err.Error())
	}
	return in, canonical, nil
}

// New makes a tool whose calls all have the class of its floor and nothing to
// undo.
func New[In any](name, description string, class protocol.Capability, run func(context.Context, In) (Result, error), opts ...Option) ports.ToolV1 {
	contract, schema := Describe[In](name, description, class, opts...)
	return &function[In]{contract, schema, run}
}

type function[In any] struct {
	contract protocol.ToolContract
	schema   Schema[In]
	run      func(context.Context, In) (Result, error)
}

// Contract is what holds for all calls.
func (f *function[In]) Contract() protocol.ToolContract { return f.contract }

// Prepare checks the arguments.
func (f *function[In]) Prepare(_ context.Context, args []byte) (ports.Preparation, error) {
	_, canonical, err := f.schema.Read(args)
	if err != nil {
		return ports.Preparation{}, err
	}
	return ports.Preparation{
		Args: canonical, Class: f.contract.Floor, ResultTrust: f.contract.ResultTrust,
		Preview: f.contract.Name + " " + string(canonical),
	}, nil
}

// Execute calls the function.
func (f *function[In]) Execute(ctx context.Context, call ports.Call) (ports.Result, error) {
	in, _, err := f.schema.Read(call.Args)
	if err != nil {
		return ports.Result{}, err
	}
	return f.run(ctx, in)
}
