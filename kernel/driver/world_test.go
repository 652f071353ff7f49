package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
	"github.com/tipstaff/tipstaff/record/pebblestore"
	"github.com/tipstaff/tipstaff/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testRun protocol.RunID = "00000000-0000-7000-8000-000000000001"

// world is what a driver moves through in these tests: the real store in memory,
// tools that tell what they do, a clock that is moved by hand.
type world struct {
	t     *testing.T
	store *pebblestore.Store
	parts *Parts
	clock *clock
	tools map[string]ports.ToolV1
}

func newWorld(t *testing.T, tools ...ports.ToolV1) *world {
	t.Helper()
	store, err := pebblestore.Open("home", pebblestore.Mem())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &world{t: t, store: store, clock: &clock{now: time.UnixMilli(1_800_000_000_000)}, tools: map[string]ports.ToolV1{}}
	for _, tl := range tools {
		w.tools[tl.Contract().Name] = tl
	}
	w.parts = &Parts{
		Record: store, Door: record.NewDoor(record.NewRedactor([]byte("k"))), Clock: w.clock,
		Tools:   func(name string) (ports.ToolV1, bool) { tl, ok := w.tools[name]; return tl, ok },
		Context: wholeConversation{}, ContextStrategy: wholeConversation{}, Verify: wholeConversation{},
		Slots: make(chan struct{}, 8),
	}
	return w
}

// begin is a plan's beginning, or a model's when there are no steps.
func (w *world) begin(steps ...protocol.Step) protocol.Begin {
	all := protocol.SetOf(protocol.Capabilities()...)
	b := protocol.Begin{
		Tenant: protocol.DefaultTenant, Run: testRun, Bundle: record.DigestOf(nil), BundleID: "test", Kernel: kernel.Version, Wire: 1,
		FSM: record.DigestOf(nil), Sandbox: record.DigestOf(nil), Proposer: protocol.ProposerPlan, Plan: "test", Steps: steps,
		Task: protocol.TaskEnvelope{
			ProtocolVersion: 1, Input: protocol.Inline("do it"), Trust: protocol.Trusted, Acceptance: []protocol.AcceptanceCheck{},
			Budget: protocol.DefaultBudget(), Ceiling: all,
		},
		Mode: protocol.ModeYolo, Rules: []protocol.Rule{}, Ceiling: all, OnFailure: protocol.Compensate, Workspace: "/w",
	}
	if len(steps) == 0 {
		b.Proposer, b.Route, b.Plan, b.OnFailure = protocol.ProposerModel, "test/model", "", protocol.Report
	}
	for _, name := range slices.Sorted(maps.Keys(w.tools)) {
		b.Tools = append(b.Tools, w.tools[name].Contract().Brief())
	}
	return b
}

func step(id, name string) protocol.Step {
	return protocol.Step{ID: id, Tool: name, Args: protocol.Inline("{}")}
}

// start starts a run that is closed with the test.
func (w *world) start(b protocol.Begin, attach int) *Run {
	w.t.Helper()
	r, err := Start(context.Background(), w.parts, b, attach)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.Close)
	return r
}

func (w *world) wait(r *Run) Status {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s, err := r.Wait(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// kinds are the kinds of a run's stored entries.
func (w *world) kinds() []string {
	w.t.Helper()
	var out []string
	for line, err := range Lines(context.Background(), w.store, testRun, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		e, err := record.ParseLine(line)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, e.Kind)
	}
	return out
}

// replays checks that the stored record replays.
func (w *world) replays() Replayed {
	w.t.Helper()
	out, err := Replay(testRun, Lines(context.Background(), w.store, testRun, 0))
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// clock is moved by hand.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer
	set    chan struct{} // receives when a timer was set, when somebody listens
}

type timer struct {
	at time.Time
	f  func()
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	tm := &timer{c.now.Add(d), f}
	c.timers = append(c.timers, tm)
	if c.set != nil {
		select {
		case c.set <- struct{}{}:
		default:
		}
	}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, other := range c.timers {
			if other == tm {
				c.timers = append(c.timers[:i], c.timers[i+1:]...)
				return true
			}
		}
		return false
	}
}

// advance moves the clock and fires what is due.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*timer
	rest := c.timers[:0:0]
	for _, tm := range c.timers {
		if tm.at.After(c.now) {
			rest = append(rest, tm)
		} else {
			due = append(due, tm)
		}
	}
	c.timers = rest
	c.mu.Unlock()
	for _, tm := range due {
		go tm.f()
	}
}

// wholeConversation shows everything and passes every check that names "ok".
type wholeConversation struct{}

func (wholeConversation) Slot() protocol.SlotID { return protocol.SlotContext }

func (wholeConversation) Decide(ports.Observation) ports.Decision {
	return ports.Decision{Payload: protocol.MustMarshal(protocol.ContextRequest{
		Slot: protocol.SlotContext, Selectors: []protocol.Selector{{Kind: "transcript"}}, MaxBytes: protocol.MaxGrantBytes, TrustCeiling: protocol.Trusted,
	})}
}

func (wholeConversation) Materialise(_ context.Context, r protocol.ContextRequest, m []ports.Message) ([]ports.Message, protocol.ContextGrant, error) {
	g := protocol.ContextGrant{RequestID: r.RequestID, Segments: []protocol.Segment{}}
	for _, msg := range m {
		g.Segments = append(g.Segments, protocol.Segment{Source: msg.Source, Trust: msg.Trust, Bytes: uint32(len(msg.Text))})
		g.Bytes += uint32(len(msg.Text))
	}
	return m, g, nil
}

func (wholeConversation) Verify(_ context.Context, c protocol.Check, text string) (bool, string, error) {
	return strings.Contains(text, c.Contains), "it is not there", nil
}

// turns is a model that says one thing after the other.
type turns []ports.Turn

func (turns) Describe() ports.Route { return ports.Route{Name: "test/model"} }

func (t turns) Complete(_ context.Context, r ports.Request) (ports.Turn, error) {
	if r.Turn > len(t) {
		return ports.Turn{}, ports.Failed("there are no more turns")
	}
	turn := t[r.Turn-1]
	turn.Usage = &protocol.Usage{Input: 1, Output: 1}
	turn.Stop = protocol.StopEndTurn
	if len(turn.Calls) > 0 {
		turn.Stop = protocol.StopToolUse
	}
	for i := range turn.Calls {
		if turn.Calls[i].Args == nil {
			turn.Calls[i].Args = []byte("{}")
		}
	}
	return turn, nil
}

// thing is a tool that does what its function says and can be undone.
func thing(name string, class protocol.Capability, do func(context.Context) (tool.Result, error)) ports.ToolV1 {
	inner := tool.New(name, "A tool of a test.", class, func(ctx context.Context, _ struct{}) (tool.Result, error) { return do(ctx) }, tool.Results(protocol.Workspace))
	if class == protocol.ReadOnly {
		return inner
	}
	return undoable{inner}
}

type undoable struct{ ports.ToolV1 }

func (u undoable) Prepare(ctx context.Context, args []byte) (ports.Preparation, error) {
	p, err := u.ToolV1.Prepare(ctx, args)
	p.Undo, p.Compensation = []byte("undo"), "take it back"
	return p, err
}

func (undoable) Probe(context.Context, ports.Call) (protocol.Finding, string, error) {
	return protocol.FoundDone, "it is there", nil
}

func (undoable) Compensate(context.Context, ports.Call) (ports.Result, error) {
	return ports.Result{Text: "taken back"}, nil
}

var errDisk = fmt.Errorf("the disk is gone: %w", ports.ErrPoisoned)

// failing is a store that takes so many batches and no more.
type failing struct {
	ports.RecordV1
	mu   sync.Mutex
	left int
}

func (f *failing) Append(ctx context.Context, b protocol.Batch) error {
	f.mu.Lock()
	f.left--
	broken := f.left < 0
	f.mu.Unlock()
	if broken {
		return errDisk
	}
	return f.RecordV1.Append(ctx, b)
}

// has tells whether an effect's intent is durable.
func has(store ports.RecordV1, n int) error {
	for line, err := range Lines(context.Background(), store, testRun, 0) {
		if err != nil {
			return err
		}
		if strings.Contains(string(line), `"kind":"effect.intent"`) && strings.Contains(string(line), fmt.Sprintf(`.fx%d"`, n)) {
			return nil
		}
	}
	return errors.New("its intent is not on disk")
}
