package driver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// Run is a run being driven.
type Run struct {
	parts  *Parts
	id     protocol.RunID
	ctx    context.Context
	cancel context.CancelFunc

	// Only the run's goroutine touches these.
	state    kernel.State
	writer   *record.Writer
	memory   *memory
	inFlight int
	cancels  map[protocol.EffectID]context.CancelFunc
	asked    chan protocol.Reply // who waits for a word on the command in hand
	armed    bool
	unsent   [][]byte // durable, and not yet given to the attached client

	queue    chan submission
	replies  chan reply
	attached chan protocol.Entry
	workers  sync.WaitGroup
	gone     chan struct{}

	mu     sync.Mutex
	status Status
	turned chan struct{}
}

// Status is where a run is, as far as can be told from outside.
type Status struct {
	// View shows the state, Head the end of the chain.
	View kernel.View
	Head protocol.Head
	// Quiet says that nothing is in flight and nothing waits.
	Quiet bool
	// Err says why the run is not driven any more.
	Err error
}

type submission struct {
	command protocol.Command
	answer  chan protocol.Reply
}

// reply is what a port answered: a command, and what must be remembered or kept
// with it but is not written into an entry.
type reply struct {
	command  protocol.Command
	effect   protocol.EffectID
	tick     bool
	prepared *ports.Preparation
	claim    string // the caller's idempotency key, to be taken with the entry
	shown    []ports.Message
}

// Start begins a run: the one way there is. It returns once the run's first
// entries are durable. A run id that is taken gives ports.ErrHeadMoved.
func Start(ctx context.Context, parts *Parts, begin protocol.Begin, attach int) (*Run, error) {
	r := newRun(ctx, parts, begin.Run, protocol.EmptyHead(), attach)
	if err := r.step(reply{command: begin}); err != nil {
		r.cancel()
		r.workers.Wait()
		return nil, err
	}
	go r.loop()
	return r, nil
}

func newRun(ctx context.Context, parts *Parts, id protocol.RunID, head protocol.Head, attach int) *Run {
	ctx, cancel := context.WithCancel(ctx)
	r := &Run{
		parts: parts, id: id, ctx: ctx, cancel: cancel,
		writer: record.NewWriter(id, head), memory: newMemory(parts.Guidance),
		cancels: map[protocol.EffectID]context.CancelFunc{},
		queue:   make(chan submission, QueueSize), replies: make(chan reply, replyPlaces),
		gone: make(chan struct{}), turned: make(chan struct{}),
	}
	if attach > 0 {
		r.attached = make(chan protocol.Entry, attach)
	}
	return r
}

// ID is the run's id.
func (r *Run) ID() protocol.RunID { return r.id }

// Events is the attached client's channel: every entry once it is durable, in
// order. It is closed when the run's driver stops. The run waits for its reader.
func (r *Run) Events() <-chan protocol.Entry { return r.attached }

// Submit asks the kernel something and waits for its reply. A queue that is full
// hands the command back at once with ErrQueueFull (S2-116).
func (r *Run) Submit(ctx context.Context, c protocol.Command) (protocol.Reply, error) {
	s := submission{command: c, answer: make(chan protocol.Reply, 1)}
	select {
	case <-r.gone:
		return protocol.Reply{}, ErrGone
	case r.queue <- s:
	default:
		return protocol.Reply{}, ErrQueueFull
	}
	select {
	case answer := <-s.answer:
		return answer, nil
	case <-ctx.Done():
		return protocol.Reply{}, ctx.Err()
	case <-r.gone:
		select {
		case answer := <-s.answer:
			return answer, nil
		default:
			return protocol.Reply{}, ErrGone
		}
	}
}

// Resume takes the run up: what an earlier driver left in flight is probed, and
// the run goes on.
func (r *Run) Resume(ctx context.Context, by string) error {
	_, err := r.Submit(ctx, protocol.Reconcile{By: by})
	return err
}

// Wait waits until nothing is in flight: the run is over, drained, waits for a
// person or for its client.
func (r *Run) Wait(ctx context.Context) (Status, error) {
	for {
		status, turned := r.look()
		if status.Quiet || status.Err != nil {
			return status, status.Err
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return status, ctx.Err()
		}
	}
}

// Status looks at the run without waiting.
func (r *Run) Status() Status {
	s, _ := r.look()
	return s
}

func (r *Run) look() (Status, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status, r.turned
}

// Close stops driving. What is in flight is cancelled and what it comes to is not
// recorded: the next driver reconciles it.
func (r *Run) Close() {
	r.cancel()
	<-r.gone
}

// loop is the run's goroutine. Answers of ports go before submissions.
func (r *Run) loop() {
	defer r.leave()
	r.publish(nil)
	for {
		if len(r.unsent) > 0 {
			err := r.deliver()
			r.publish(err)
			if err != nil {
				return
			}
		}
		select {
		case answer := <-r.replies:
			if r.fold(answer) != nil {
				return
			}
			continue
		default:
		}
		select {
		case <-r.ctx.Done():
			r.publish(ErrGone)
			return
		case answer := <-r.replies:
			if r.fold(answer) != nil {
				return
			}
		case s := <-r.queue:
			r.asked = s.answer
			err := r.step(reply{command: s.command})
			if err == nil {
				r.say(protocol.Reply{}) // the kernel had no word for it: it is done
			}
			r.publish(err)
			if err != nil {
				return
			}
		}
	}
}

// say answers whoever waits for a word on the command in hand.
func (r *Run) say(word protocol.Reply) {
	if r.asked != nil {
		r.asked <- word
		r.asked = nil
	}
}

// fold takes a port's answer in.
func (r *Run) fold(answer reply) error {
	if answer.tick {
		r.armed = false
	} else {
		r.inFlight--
	}
	if cancel, ok := r.cancels[answer.effect]; ok {
		cancel()
		delete(r.cancels, answer.effect)
	}
	err := r.step(answer)
	r.publish(err)
	return err
}

// leave waits for the workers, so that no goroutine outlives the run.
func (r *Run) leave() {
	r.cancel()
	r.workers.Wait()
	if r.attached != nil {
		close(r.attached)
	}
	close(r.gone)
}

func (r *Run) publish(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = Status{
		View: r.state.View(), Head: r.writer.Head(), Err: err,
		Quiet: err == nil && r.inFlight == 0 && len(r.queue) == 0 && len(r.unsent) == 0 && !r.writer.Pending(),
	}
	close(r.turned)
	r.turned = make(chan struct{})
}

// step is one turn of the driver's life.
func (r *Run) step(in reply) error {
	command := protocol.Stamped(in.command, r.parts.Clock.Now().UnixMilli())
	if in.prepared != nil {
		command = r.keepUndo(command, in.prepared)
	}
	scrubbed := r.parts.Door.Scrub(command)
	if in.claim != "" {
		r.take(in.claim, scrubbed.Command())
	}
	before := r.state
	after, actions := kernel.Reduce(before, scrubbed.Command())
	r.writer.Step(scrubbed, actions)
	for _, a := range actions {
		if _, ok := a.(protocol.Checkpoint); ok {
			r.writer.Checkpoint(after.Snapshot())
		}
	}
	r.state = after
	r.memory.fold(command, before, after, actions, in)
	_, first := command.(protocol.Begin) // a run that cannot be written is not started
	if first || r.mustFlush(actions) || !r.coming(actions) {
		if err := r.flush(); err != nil {
			return err
		}
	}
	for _, a := range actions {
		r.do(a)
	}
	r.arm()
	return nil
}

// keepUndo makes what undoes a call part of the batch, so that it is durable
// before the call.
func (r *Run) keepUndo(c protocol.Command, p *ports.Preparation) protocol.Command {
	prepared, ok := c.(protocol.Prepared)
	if ok && p.Undo != nil {
		prepared.Undo = r.writer.Keep(p.Undo)
		r.memory.undo[prepared.Undo] = p.Undo
		return prepared
	}
	return c
}

// mustFlush tells whether a step may not wait for the next one's sync: whatever
// can be seen outside, and the success of an effect that no probe could prove
// later.
func (r *Run) mustFlush(actions []protocol.Action) bool {
	for _, a := range actions {
		switch a := a.(type) {
		case protocol.Perform, protocol.Finish, protocol.Park, protocol.Reply, protocol.Checkpoint:
			return true
		case protocol.Emit:
			if done, ok := a.Event.(protocol.SagaCommitted); ok {
				tool, _ := r.parts.Tools(done.Tool)
				if _, probes := tool.(ports.ProberV1); !probes {
					return true
				}
			}
		}
	}
	return false
}

// coming tells whether something is on its way whose step will flush: the port
// answers that the actions ask for, or that are in flight.
func (r *Run) coming(actions []protocol.Action) bool {
	if r.inFlight > 0 {
		return true
	}
	for _, a := range actions {
		switch a.(type) {
		case protocol.SelectContext, protocol.Prepare, protocol.Probe:
			return true
		}
	}
	return false
}

// flush makes everything written so far durable. When it fails nothing that was
// ordered is done, and the run is not driven on.
func (r *Run) flush() error {
	if !r.writer.Pending() {
		return nil
	}
	batch := r.writer.Batch(true)
	// The batch must not be given up half way: it is taken or it is not.
	if err := r.parts.Record.Append(context.WithoutCancel(r.ctx), batch); err != nil {
		return fmt.Errorf("run %s is not driven on: %w", r.id, err)
	}
	r.writer.Stored()
	if r.attached != nil {
		r.unsent = append(r.unsent, batch.Lines...)
	}
	return nil
}

// deliver gives the attached client what has become durable, and waits for it to
// be taken: the run's safe point (S2-117).
func (r *Run) deliver() error {
	for _, line := range r.unsent {
		entry, err := record.ParseLine(line)
		if err != nil {
			return fmt.Errorf("run %s wrote a line it cannot read: %w", r.id, err)
		}
		select {
		case r.attached <- entry:
		case <-r.ctx.Done():
			return nil
		}
	}
	r.unsent = nil
	return nil
}

// arm makes sure that a run at work notices when its time is up.
func (r *Run) arm() {
	view := r.state.View()
	begin := r.state.Begin()
	if r.armed || begin == nil || r.inFlight == 0 || view.Finished() {
		return
	}
	left := max(1, begin.Task.Budget.MaxWallSecs*1000-view.ActiveMillis)
	r.armed = true
	r.beside(func(ctx context.Context) reply {
		done := make(chan struct{})
		stop := r.parts.Clock.AfterFunc(time.Duration(left)*time.Millisecond, func() { close(done) })
		defer stop()
		select {
		case <-done:
		case <-ctx.Done():
		}
		return reply{command: protocol.Tick{}, tick: true}
	})
}

// work has something done that the run waits for.
func (r *Run) work(f func(context.Context) reply) {
	r.inFlight++
	r.beside(f)
}

// beside has something done beside the run's goroutine. Its answer has a
// reserved place: a worker never waits for the run.
func (r *Run) beside(f func(context.Context) reply) {
	r.workers.Go(func() {
		answer := f(r.ctx)
		if r.ctx.Err() == nil {
			r.replies <- answer
		}
	})
}
