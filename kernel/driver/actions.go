package driver

import (
	"context"
	"fmt"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// do carries an action out. What takes time is done beside the run's goroutine.
func (r *Run) do(a protocol.Action) {
	switch a := a.(type) {
	case protocol.Emit, protocol.Checkpoint, protocol.Park, protocol.Finish:
		// written, stored or visible in the state already
	case protocol.Reply:
		r.say(a)
	case protocol.SelectContext:
		r.selectContext(a)
	case protocol.Prepare:
		r.prepare(a)
	case protocol.Perform:
		r.perform(a)
	case protocol.Probe:
		r.probe(a)
	case protocol.Cancel:
		if cancel, ok := r.cancels[a.Effect]; ok {
			cancel()
		}
	default:
		panic("driver: nobody does " + a.ActionKind())
	}
}

// selectContext asks the strategy what to show and the port to show it. The
// direction is never reversed (S2-119).
func (r *Run) selectContext(a protocol.SelectContext) {
	begin := r.state.Begin()
	messages := append([]ports.Message(nil), r.memory.messages...)
	r.work(func(ctx context.Context) reply {
		request := protocol.ContextRequest{RequestID: a.Request, Slot: protocol.SlotContext}
		d := ports.Narrowed(r.parts.ContextStrategy, ports.Observation{
			Slot: protocol.SlotContext, Ceiling: begin.Task.Ceiling, Payload: protocol.MustMarshal(request),
		})
		fault := func(err error) reply {
			return reply{command: protocol.Granted{Request: request, Fault: err.Error()}}
		}
		if err := protocol.Decode(d.Payload, &request); err != nil {
			return fault(fmt.Errorf("the context strategy: %w", err))
		}
		request.RequestID = a.Request
		shown, grant, err := r.parts.Context.Materialise(ctx, request, messages)
		if err != nil {
			return fault(err)
		}
		return reply{command: protocol.Granted{Request: request, Grant: grant}, shown: shown}
	})
}

// prepare asks a tool's contract what a call is.
func (r *Run) prepare(a protocol.Prepare) {
	given, known := r.memory.args[a.Call]
	tool, ok := r.parts.Tools(a.Intent.Call.Name)
	look := r.claims(a)
	r.work(func(ctx context.Context) reply {
		refused := func(why string) reply {
			return reply{command: protocol.Prepared{Call: a.Call, Refused: why}}
		}
		switch {
		case !ok:
			return refused("the tool is not here any more")
		case !known:
			return refused("the arguments are not here any more")
		case given.redacted:
			return refused("the arguments held a secret, which was not written down: after a restart the call cannot be carried out. Propose it again")
		}
		p, err := prepareGuarded(ctx, tool, given.raw)
		if err != nil {
			return refused(err.Error())
		}
		_, probes := tool.(ports.ProberV1)
		answer := reply{prepared: &p, claim: a.Key, command: protocol.Prepared{
			Call: a.Call, Class: p.Class, Egress: p.Egress, Sink: p.Sink, Args: protocol.Inline(string(p.Args)),
			Compensation: p.Compensation, Probeable: probes && p.Class > protocol.ReadOnly,
			ResultTrust: p.ResultTrust, Preview: protocol.Inline(p.Preview),
		}}
		if a.Key == "" {
			return answer
		}
		return look(ctx, answer, refused)
	})
}

// prepareGuarded turns a tool's panic into an error.
func prepareGuarded(ctx context.Context, tool ports.ToolV1, raw []byte) (p ports.Preparation, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the tool broke down while preparing: %v", v)
		}
	}()
	return tool.Prepare(ctx, raw)
}
