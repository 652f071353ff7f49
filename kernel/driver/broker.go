package driver

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// errCancelled says that an effect was stopped on request.
var errCancelled = errors.New("it was cancelled")

// errDeadline is the cause of a context whose effect has taken too long.
var errDeadline = errors.New("it took longer than it may")

// outcome is what carrying an effect out came to.
type outcome struct{ settled protocol.Settled }

// perform carries an effect out: deadline, slot, panic, output bound, and exactly
// one terminal. It is entered only after the intent is durable.
func (r *Run) perform(p protocol.Perform) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	r.cancels[p.Effect] = func() { cancel(context.Canceled) }
	do := r.executor(p)
	r.work(func(context.Context) reply {
		defer cancel(nil)
		if !r.admit(ctx, p) {
			return reply{command: failed(p, errors.New("stopped before it was begun")).settled, effect: p.Effect}
		}
		defer func() { <-r.parts.Slots }()
		began := r.parts.Clock.Now()
		stop := r.parts.Clock.AfterFunc(time.Duration(p.DeadlineMillis)*time.Millisecond, func() { cancel(errDeadline) })
		defer stop()
		out := r.attempt(ctx, p, do)
		out.settled.Effect = p.Effect
		out.settled.LatencyMillis = r.parts.Clock.Now().Sub(began).Milliseconds()
		return reply{command: out.settled, effect: p.Effect}
	})
}

// admit waits for the effect's delay and for a slot.
func (r *Run) admit(ctx context.Context, p protocol.Perform) bool {
	if p.DelayMillis > 0 {
		due := make(chan struct{})
		stop := r.parts.Clock.AfterFunc(time.Duration(p.DelayMillis)*time.Millisecond, func() { close(due) })
		defer stop()
		select {
		case <-due:
		case <-ctx.Done():
			return false
		}
	}
	select {
	case r.parts.Slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// attempt runs the executor. One that does not end when it is told to is given
// up after a grace time, and its effect judged by what can be known.
func (r *Run) attempt(ctx context.Context, p protocol.Perform, do func(context.Context) outcome) outcome {
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- uncertain(p, fmt.Errorf("it broke down: %v", v))
			}
		}()
		done <- do(ctx)
	}()
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	given := make(chan struct{})
	stop := r.parts.Clock.AfterFunc(graceMillis*time.Millisecond, func() { close(given) })
	defer stop()
	select {
	case out := <-done:
		return out
	case <-given:
		return uncertain(p, fmt.Errorf("%w and did not stop", context.Cause(ctx)))
	}
}

// failed says that nothing happened.
func failed(p protocol.Perform, err error) outcome {
	return outcome{settled: protocol.Settled{Effect: p.Effect, How: protocol.HowFailed, Reason: err.Error()}}
}

// uncertain says that nobody can tell; of what only reads, that it failed.
func uncertain(p protocol.Perform, err error) outcome {
	out := failed(p, err)
	if p.Class > protocol.ReadOnly {
		out.settled.How = protocol.HowUncertain
	}
	return out
}

// judge turns an executor's error into an outcome. A time-out, a cancel or an
// error whose meaning is not known leaves an effecting call uncertain.
func judge(ctx context.Context, p protocol.Perform, err error) outcome {
	var fault *ports.Fault
	if !errors.As(err, &fault) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if errors.Is(err, context.Canceled) {
			err = errCancelled
		}
		return uncertain(p, err)
	}
	out := failed(p, fault)
	out.settled.Retriable, out.settled.DelayMillis = fault.Retriable, fault.DelayMillis
	out.settled.Refusal = fault.Kind == ports.FaultRefused
	if fault.Kind == ports.FaultUncertain {
		out = uncertain(p, fault)
	}
	return out
}

// executor picks who carries an effect out. It looks at the run's memory now, so
// that what runs beside the run's goroutine touches nothing of it.
func (r *Run) executor(p protocol.Perform) func(context.Context) outcome {
	switch p.Kind {
	case protocol.EffectProvider:
		request := ports.Request{Messages: r.memory.shown, Turn: r.state.View().Turns}
		for _, brief := range r.state.Begin().Tools {
			if tool, ok := r.parts.Tools(brief.Name); ok {
				request.Tools = append(request.Tools, tool.Contract())
			}
		}
		return func(ctx context.Context) outcome { return r.askProvider(ctx, p, request) }
	case protocol.EffectVerify:
		text := r.memory.results[p.Call]
		return func(ctx context.Context) outcome { return r.verify(ctx, p, text) }
	}
	call := ports.Call{Effect: p.Effect, Key: p.Key, Args: r.memory.args[p.Call].raw, Undoing: p.Kind == protocol.EffectCompensate}
	undo := r.undoContent(p.Undo)
	return func(ctx context.Context) outcome { return r.callTool(ctx, p, call, undo) }
}

// undoContent finds what undoes a call: in memory, or in the record.
func (r *Run) undoContent(d protocol.Digest) func(context.Context) ([]byte, error) {
	if d == "" {
		return func(context.Context) ([]byte, error) { return nil, nil }
	}
	if b, ok := r.memory.undo[d]; ok {
		return func(context.Context) ([]byte, error) { return b, nil }
	}
	return func(ctx context.Context) ([]byte, error) {
		b, err := r.parts.Record.Get(ctx, protocol.ContentKey(d))
		if err != nil {
			return nil, fmt.Errorf("what undoes the call cannot be read: %w", err)
		}
		if record.DigestOf(b) != d {
			return nil, errors.New("what undoes the call is not what was stored")
		}
		return b, nil
	}
}

func (r *Run) callTool(ctx context.Context, p protocol.Perform, call ports.Call, undo func(context.Context) ([]byte, error)) outcome {
	tool, ok := r.parts.Tools(p.Tool)
	if !ok {
		return failed(p, errors.New("the tool is not here any more"))
	}
	var err error
	if call.Undo, err = undo(ctx); err != nil {
		return failed(p, err)
	}
	var result ports.Result
	if call.Undoing {
		c, ok := tool.(ports.CompensatorV1)
		if !ok {
			return failed(p, errors.New("the tool cannot undo its calls"))
		}
		result, err = c.Compensate(ctx, call)
	} else {
		result, err = tool.Execute(ctx, call)
	}
	if err != nil {
		return judge(ctx, p, err)
	}
	text := bounded(result.Text)
	return outcome{settled: protocol.Settled{
		How:    protocol.HowDone,
		Result: &protocol.ToolResult{Text: protocol.Inline(text), Effects: result.Effects},
	}}
}

// bounded holds a result to its bound, on a rune border, and says that it did.
func bounded(s string) string {
	if len(s) <= MaxOutputBytes {
		return s
	}
	cut := MaxOutputBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "\n[cut here: the result was longer]"
}

func (r *Run) askProvider(ctx context.Context, p protocol.Perform, request ports.Request) outcome {
	turn, err := r.parts.Provider.Complete(ctx, request)
	if err != nil {
		return judge(ctx, p, err)
	}
	t := protocol.ModelTurn{Text: protocol.Inline(bounded(turn.Text)), Usage: turn.Usage, Stop: turn.Stop}
	for _, c := range turn.Calls {
		raw, err := protocol.Canonical(c.Args)
		if err != nil || len(raw) == 0 || raw[0] != '{' || len(raw) > protocol.MaxArgumentsBytes {
			raw = protocol.MustMarshal(map[string]string{"unreadable": string(c.Args[:min(len(c.Args), 256)])})
		}
		t.Calls = append(t.Calls, protocol.ProposedCall{ID: c.ID, Name: c.Name, Args: protocol.Inline(string(raw))})
	}
	return outcome{settled: protocol.Settled{How: protocol.HowDone, Turn: &t}}
}

func (r *Run) verify(ctx context.Context, p protocol.Perform, text string) outcome {
	if p.Check == nil {
		return failed(p, errors.New("there is nothing to check"))
	}
	passed, why, err := r.parts.Verify.Verify(ctx, *p.Check, text)
	if err != nil {
		return failed(p, err)
	}
	return outcome{settled: protocol.Settled{How: protocol.HowDone, Passed: &passed, Reason: why}}
}

// probe asks a tool whether an effect happened. A probe that fails has found
// nothing.
func (r *Run) probe(p protocol.Probe) {
	call := ports.Call{Effect: p.Effect, Key: p.Key, Args: r.memory.args[p.Call].raw, Undoing: p.Kind == protocol.EffectCompensate}
	undo := r.undoContent(p.Undo)
	r.work(func(ctx context.Context) reply {
		found := protocol.Probed{Effect: p.Effect, Finding: protocol.FoundUnknown, Evidence: "the tool cannot find out"}
		tool, ok := r.parts.Tools(p.Tool)
		prober, can := tool.(ports.ProberV1)
		if !ok || !can {
			return reply{command: found}
		}
		b, err := undo(ctx)
		if err == nil {
			call.Undo = b
			found.Finding, found.Evidence, err = prober.Probe(ctx, call)
		}
		if err != nil {
			found.Finding, found.Evidence = protocol.FoundUnknown, err.Error()
		}
		return reply{command: found}
	})
}
