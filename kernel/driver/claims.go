package driver

import (
	"context"
	"errors"

	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// claim is what an idempotency key stands for: one call with its arguments, by
// digest. It is taken in the same batch as the call's preparation, so before its
// intent.
type claim struct {
	Run  protocol.RunID  `json:"run"`
	Call uint64          `json:"call"`
	Tool string          `json:"tool"`
	Args protocol.Digest `json:"args"`
}

// take binds a key to the call that was just prepared.
func (r *Run) take(key string, c protocol.Command) {
	p, ok := c.(protocol.Prepared)
	if !ok || p.Refused != "" || p.Prior != nil {
		return
	}
	r.writer.Claim(protocol.Claim{Tenant: r.state.Begin().Tenant, Key: key, Value: protocol.MustMarshal(r.claimOf(p))})
}

func (r *Run) claimOf(p protocol.Prepared) claim {
	return claim{Run: r.id, Call: p.Call, Tool: r.memory.tools[p.Call], Args: p.ArgsDigest}
}

// claims makes what looks a caller's key up, beside the run's goroutine. A key is
// a tenant's, once: the same call gets the recorded outcome, another is refused.
func (r *Run) claims(a protocol.Prepare) func(context.Context, reply, func(string) reply) reply {
	if a.Key == "" {
		return nil
	}
	tenant, mine := r.state.Begin().Tenant, make(map[uint64]protocol.ToolDone, len(r.memory.done))
	for call, done := range r.memory.done {
		mine[call] = done
	}
	r.memory.tools[a.Call] = a.Intent.Call.Name
	return func(ctx context.Context, answer reply, refused func(string) reply) reply {
		raw, err := r.parts.Record.Get(ctx, protocol.ClaimKey(tenant, a.Key))
		if errors.Is(err, ports.ErrNotFound) {
			return answer
		}
		var held claim
		if err == nil {
			err = protocol.Unmarshal(raw, &held)
		}
		if err != nil {
			return refused("the idempotency key cannot be looked up: " + err.Error())
		}
		p := r.parts.Door.Scrub(answer.command).Command().(protocol.Prepared)
		switch {
		case held.Run == r.id && held.Call == a.Call:
			answer.claim = "" // it is ours already
			return answer
		case held.Tool != a.Intent.Call.Name || held.Args != p.ArgsDigest:
			return refused("the idempotency key was used for another call: choose a new one")
		}
		done, ok := mine[held.Call]
		if held.Run != r.id {
			done, ok, err = r.outcome(ctx, held)
		}
		switch {
		case err != nil:
			return refused("what came of the idempotency key cannot be read: " + err.Error())
		case !ok:
			return refused("the call with this idempotency key, in run " + string(held.Run) + ", has not come to a good end")
		}
		given := answer.command.(protocol.Prepared)
		given.Prior = &protocol.Prior{Effect: done.EffectID, Result: done.Result, Digest: digestOf(done.Result)}
		answer.command, answer.claim = given, ""
		return answer
	}
}

func digestOf(t protocol.Text) protocol.Digest {
	if t.Digest != "" {
		return t.Digest
	}
	return record.DigestOf([]byte(t.Text))
}

// outcome finds what a call of another run came to, by its record.
func (r *Run) outcome(ctx context.Context, held claim) (protocol.ToolDone, bool, error) {
	m := newMemory("")
	_, err := replay(held.Run, Lines(ctx, r.parts.Record, held.Run, 0), func(c protocol.Command, before, after kernel.State, actions []protocol.Action) {
		m.fold(c, before, after, actions, reply{})
	})
	done, ok := m.done[held.Call]
	return done, ok, err
}
