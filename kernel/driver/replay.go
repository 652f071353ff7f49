package driver

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// Replayed is what reducing a record again came to.
type Replayed struct {
	// Run is whose record it is.
	Run protocol.RunID
	// State is the state after the last command that was reduced.
	State kernel.State
	// Head is the end of the chain, Commands and Events what was compared.
	Head     protocol.Head
	Commands int
	Events   int
}

// Replay reduces the commands of a record again, without any port, and compares
// every event and every digest of actions byte for byte. The error is a
// *record.Damage that names the entry, or what reading met.
func Replay(run protocol.RunID, lines iter.Seq2[[]byte, error]) (Replayed, error) {
	return replay(run, lines, nil)
}

// replayer is a replay at work.
type replayer struct {
	out      Replayed
	chain    *record.Chain
	expected []protocol.Event
	at       int64 // when the command happened that caused them
	fold     func(c protocol.Command, before, after kernel.State, actions []protocol.Action)
}

func replay(run protocol.RunID, lines iter.Seq2[[]byte, error], fold func(protocol.Command, kernel.State, kernel.State, []protocol.Action)) (Replayed, error) {
	r := &replayer{chain: record.NewChain(run), fold: fold}
	for pair, err := range record.Pairs(lines) {
		if err != nil {
			return r.out, err
		}
		at := r.chain.Head().Next
		entry, err := r.chain.Next(pair.Line, pair.Following)
		if err != nil {
			return r.out, err
		}
		if protocol.IsCommandKind(entry.Kind) {
			err = r.command(entry)
		} else {
			err = r.event(entry)
		}
		if err != nil {
			return r.out, &record.Damage{Run: r.chain.Run(), Seq: at, What: err.Error()}
		}
		r.out.Head, r.out.Run = r.chain.Head(), r.chain.Run()
	}
	if len(r.expected) > 0 {
		return r.out, &record.Damage{Run: r.chain.Run(), Seq: r.chain.Head().Next, What: "the kernel reports a " + r.expected[0].EventKind() + " here that is not in the record"}
	}
	return r.out, nil
}

func (r *replayer) command(entry protocol.Entry) error {
	if len(r.expected) > 0 {
		return fmt.Errorf("the kernel reports a %s here that is not in the record", r.expected[0].EventKind())
	}
	command, digest, err := record.CommandOf(entry)
	if err != nil {
		return err
	}
	if begin, ok := command.(protocol.Begin); ok && begin.Kernel != kernel.Version {
		return fmt.Errorf("it was written for kernel version %d, this is %d", begin.Kernel, kernel.Version)
	}
	r.at = entry.At
	before := r.out.State
	after, actions := kernel.Reduce(before, command)
	if record.DigestActions(actions) != digest {
		return errors.New("the kernel orders something else here than it did")
	}
	for _, a := range actions {
		if emit, ok := a.(protocol.Emit); ok {
			r.expected = append(r.expected, emit.Event)
		}
	}
	if r.fold != nil {
		r.fold(command, before, after, actions)
	}
	r.out.State = after
	r.out.Commands++
	return nil
}

func (r *replayer) event(entry protocol.Entry) error {
	if len(r.expected) == 0 {
		return fmt.Errorf("the record has a %s here that the kernel does not report", entry.Kind)
	}
	want := r.expected[0]
	if entry.At != r.at {
		return errors.New("it has another time than the command that caused it")
	}
	if want.EventKind() != entry.Kind || string(protocol.MustMarshal(want)) != string(entry.Body) {
		return fmt.Errorf("the kernel reports another %s here than the recorded %s", want.EventKind(), entry.Kind)
	}
	r.expected = r.expected[1:]
	r.out.Events++
	return nil
}

// Lines are a run's stored lines from one seq on, in order.
func Lines(ctx context.Context, store ports.RecordV1, run protocol.RunID, from uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for item, err := range store.Scan(ctx, protocol.EntryKey(run, from)) {
			if !yield(item.Value, err) {
				return
			}
		}
	}
}

// StoredHead is the head a store keeps for a run; ports.ErrNotFound when there
// is no such run.
func StoredHead(ctx context.Context, store ports.RecordV1, run protocol.RunID) (protocol.Head, error) {
	var head protocol.Head
	raw, err := store.Get(ctx, protocol.HeadKey(run))
	if err != nil {
		return head, err
	}
	if err := protocol.Unmarshal(raw, &head); err != nil {
		return head, fmt.Errorf("the head of run %s is damaged: %w", run, err)
	}
	return head, nil
}

// Open takes a run up from its record: its chain is verified from the first
// entry and every command reduced again. A mismatch refuses to go on (S2-083).
// The run does nothing until something is submitted, or Resume.
func Open(ctx context.Context, parts *Parts, id protocol.RunID, attach int) (*Run, error) {
	head, err := StoredHead(ctx, parts.Record, id)
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, parts, id, head, attach)
	var contentErr error
	out, err := replay(id, Lines(ctx, parts.Record, id, 0), func(c protocol.Command, before, after kernel.State, actions []protocol.Action) {
		whole, err := r.withContent(ctx, c)
		contentErr = errors.Join(contentErr, err)
		r.memory.fold(whole, before, after, actions, reply{})
	})
	if err = errors.Join(err, contentErr); err != nil {
		r.cancel()
		return nil, err
	}
	if out.Head != head {
		r.cancel()
		return nil, &record.Damage{Run: id, Seq: out.Head.Next, What: "entries are missing at the end, or the stored head is another one"}
	}
	if broken := out.State.Check(); broken != "" {
		r.cancel()
		return nil, fmt.Errorf("run %s is not taken up: %s", id, broken)
	}
	r.state = out.State
	r.publish(nil)
	go r.loop()
	return r, nil
}

// withContent brings back the long texts of a command that the run's memory
// needs. It changes a copy.
func (r *Run) withContent(ctx context.Context, c protocol.Command) (protocol.Command, error) {
	var errs error
	whole := func(t *protocol.Text) {
		if t.Digest == "" {
			return
		}
		b, err := r.parts.Record.Get(ctx, protocol.ContentKey(t.Digest))
		if err == nil && record.DigestOf(b) != t.Digest {
			err = errors.New("it is not what was stored")
		}
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("content %s of run %s cannot be read: %w", t.Digest, r.id, err))
			return
		}
		t.Text = string(b)
	}
	switch v := c.(type) {
	case protocol.Begin:
		whole(&v.Task.Input)
		v.Steps = append([]protocol.Step(nil), v.Steps...)
		for i := range v.Steps {
			whole(&v.Steps[i].Args)
		}
		return v, errs
	case protocol.Say:
		whole(&v.Text.Text)
		return v, errs
	case protocol.Propose:
		whole(&v.Call.Args)
		return v, errs
	case protocol.Prepared:
		whole(&v.Args)
		if v.Prior != nil {
			prior := *v.Prior
			whole(&prior.Result)
			v.Prior = &prior
		}
		return v, errs
	case protocol.Settled:
		if v.Result != nil {
			result := *v.Result
			whole(&result.Text)
			v.Result = &result
		}
		if v.Turn != nil {
			turn := *v.Turn
			whole(&turn.Text)
			turn.Calls = append([]protocol.ProposedCall(nil), turn.Calls...)
			for i := range turn.Calls {
				whole(&turn.Calls[i].Args)
			}
			v.Turn = &turn
		}
		return v, errs
	}
	return c, nil
}
