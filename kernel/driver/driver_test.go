package driver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
	"github.com/tipstaff/tipstaff/tool"
)

// TestNoEffectBeforeItsIntent: an append that fails at every position in turn.
// Every effect that happens has its intent on disk, and after the failure nothing
// happens any more (S2-053, S2-065).
func TestNoEffectBeforeItsIntent(t *testing.T) {
	for at := 0; ; at++ {
		var mu sync.Mutex
		var happened []string
		w := newWorld(t)
		store := &failing{RecordV1: w.store, left: at}
		note := func(name string, fx int, result error) func(context.Context) (tool.Result, error) {
			return func(context.Context) (tool.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				happened = append(happened, name)
				if err := has(w.store, fx); err != nil {
					t.Errorf("failing at %d: %s: %v", at, name, err)
				}
				if store.left < 0 {
					t.Errorf("failing at %d: %s happened after the disk was gone", at, name)
				}
				return tool.Result{Text: "ok"}, result
			}
		}
		w.tools["a"] = thing("a", protocol.ReversibleLocal, note("a", 1, nil))
		w.tools["b"] = thing("b", protocol.ReversibleLocal, note("b", 2, nil))
		w.tools["c"] = thing("c", protocol.ReadOnly, note("c", 3, ports.Failed("no")))
		w.parts.Record = store
		r, err := Start(context.Background(), w.parts, w.begin(step("1", "a"), step("2", "b"), step("3", "c")), 0)
		if err == nil {
			_, err = r.Wait(context.Background())
			r.Close()
		}
		if err == nil {
			if want := []string{"a", "b", "c"}; !slices.Equal(happened, want) || at < 4 {
				t.Fatalf("with %d appends %v happened", at, happened)
			}
			return // it was not reached: the run is over
		}
		if !errors.Is(err, ports.ErrPoisoned) {
			t.Fatalf("failing at %d: %v", at, err)
		}
	}
}

// TestOneSyncAStep: the terminal of one step travels with the intent of the next.
func TestOneSyncAStep(t *testing.T) {
	w := newWorld(t, thing("a", protocol.ReversibleLocal, ok))
	var steps []protocol.Step
	const n = 20
	for i := range n {
		steps = append(steps, step(fmt.Sprint(i), "a"))
	}
	before := w.store.Syncs()
	r := w.start(w.begin(steps...), 0)
	w.wait(r)
	const around = 2 // the beginning and the end
	if got := w.store.Syncs() - before; got > n+around {
		t.Errorf("%d steps took %d syncs", n, got)
	}
	w.replays()
}

func ok(context.Context) (tool.Result, error) { return tool.Result{Text: "ok"}, nil }

// TestSideBySide: read-only calls of one turn run at the same time, others one
// after the other.
func TestSideBySide(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meet := func(context.Context) (tool.Result, error) {
		both.Done()
		both.Wait()
		return tool.Result{Text: "met"}, nil
	}
	var mu sync.Mutex
	alone := func(context.Context) (tool.Result, error) {
		if !mu.TryLock() {
			return tool.Result{}, errors.New("somebody else is at work")
		}
		defer mu.Unlock()
		return tool.Result{Text: "alone"}, nil
	}
	w := newWorld(t, thing("read", protocol.ReadOnly, meet), thing("write", protocol.ReversibleLocal, alone))
	w.parts.Provider = turns{
		{Calls: []ports.ToolCall{{ID: "1", Name: "read"}, {ID: "2", Name: "read"}}},
		{Calls: []ports.ToolCall{{ID: "3", Name: "write"}, {ID: "4", Name: "write"}}},
		{Text: "done"},
	}
	s := w.wait(w.start(w.begin(), 0))
	if s.View.End.Outcome != protocol.Done {
		t.Errorf("%+v", s.View.End)
	}
	for _, m := range w.results() {
		if m != "met" && m != "alone" {
			t.Errorf("a call came to %q", m)
		}
	}
}

// results are the texts of all tool results, in order.
func (w *world) results() []string {
	var out []string
	for line, err := range Lines(context.Background(), w.store, testRun, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		e, _ := record.ParseLine(line)
		if event, err := protocol.DecodeEvent(e.Kind, e.Body); err == nil {
			if done, ok := event.(protocol.ToolDone); ok {
				out = append(out, done.Result.Text)
			}
		}
	}
	return out
}

// TestPanickingTool: a tool that breaks down is an outcome like any other: of one
// that only reads a failure, of one that changes something an uncertainty.
func TestPanickingTool(t *testing.T) {
	boom := func(context.Context) (tool.Result, error) { panic("boom") }
	w := newWorld(t, thing("read", protocol.ReadOnly, boom))
	s := w.wait(w.start(w.begin(step("1", "read")), 0))
	if s.View.FSM != protocol.FailedRolledBack || !strings.Contains(s.View.End.Detail, "boom") {
		t.Errorf("%s, %+v", s.View.FSM, s.View.End)
	}
	w = newWorld(t, thing("write", protocol.ReversibleLocal, boom))
	s = w.wait(w.start(w.begin(step("1", "write")), 0)) // its probe says that it is there
	if s.View.FSM != protocol.FSMDone || !slices.Contains(w.kinds(), protocol.KindProbed) {
		t.Errorf("%s, %v", s.View.FSM, w.kinds())
	}
}

// TestDeadline: a tool that does not stop when its time is up is given up, and the
// driver goes on.
func TestDeadline(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	deaf := func(context.Context) (tool.Result, error) { close(entered); <-release; return tool.Result{}, nil }
	w := newWorld(t, thing("deaf", protocol.ReadOnly, deaf))
	w.clock.set = make(chan struct{}, 16)
	r := w.start(w.begin(step("1", "deaf")), 0)
	<-entered
	w.clock.advance(tool.DefaultTimeout)
	for done := false; !done; { // the grace time is set once the deadline has passed
		select {
		case <-w.clock.set:
			w.clock.advance(graceMillis * time.Millisecond)
		case <-r.replied():
			done = true
		}
	}
	s := w.wait(r)
	close(release)
	if s.View.FSM != protocol.FailedRolledBack || !strings.Contains(s.View.End.Detail, "longer than it may") {
		t.Errorf("%s, %+v", s.View.FSM, s.View.End)
	}
}

// replied is closed once the run has come to rest.
func (r *Run) replied() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = r.Wait(context.Background())
	}()
	return done
}

// TestTimeIsUp: the run's own time is up while a tool is at work.
func TestTimeIsUp(t *testing.T) {
	entered := make(chan struct{})
	slow := func(ctx context.Context) (tool.Result, error) {
		close(entered)
		<-ctx.Done()
		return tool.Result{}, context.Cause(ctx)
	}
	w := newWorld(t, thing("slow", protocol.ReadOnly, slow))
	b := w.begin(step("1", "slow"))
	b.Task.Budget.MaxWallSecs, b.OnFailure = 2, protocol.Report
	b.Steps[0].TimeoutMillis = 60_000
	r := w.start(b, 0)
	<-entered
	w.clock.advance(3 * time.Second)
	if s := w.wait(r); s.View.End.Reason != protocol.ReasonMaxWall {
		t.Errorf("%+v", s.View.End)
	}
	w.replays()
}

// TestAttachedClientHoldsTheRun: nothing is dropped for a slow reader, the run
// waits; what it reads is the record (S2-117).
func TestAttachedClientHoldsTheRun(t *testing.T) {
	w := newWorld(t, thing("a", protocol.ReversibleLocal, ok))
	r := w.start(w.begin(step("1", "a"), step("2", "a"), step("3", "a")), 1)
	var got []string
	for e := range r.Events() {
		if r.Status().Quiet && e.Kind != protocol.KindRunEnded {
			t.Errorf("the run did not wait at entry %d", e.Seq)
		}
		got = append(got, e.Kind)
		if e.Kind == protocol.KindRunEnded {
			break
		}
	}
	w.wait(r)
	if want := w.kinds(); !slices.Equal(got, want) {
		t.Errorf("read %v, recorded %v", got, want)
	}
}

// TestQueueHandsBack: a submission that does not fit comes back at once (S2-116).
func TestQueueHandsBack(t *testing.T) {
	w := newWorld(t)
	r := newRun(context.Background(), w.parts, testRun, protocol.EmptyHead(), 0) // nobody drives it
	for range QueueSize {
		r.queue <- submission{}
	}
	if _, err := r.Submit(context.Background(), protocol.Tick{}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("%v", err)
	}
	r.cancel()
	close(r.gone)
	if _, err := r.Submit(context.Background(), protocol.Tick{}); !errors.Is(err, ErrGone) && !errors.Is(err, ErrQueueFull) {
		t.Errorf("%v", err)
	}
}

// TestLongAndSecretText: a long result stands outside its entry, by digest; a
// secret stands nowhere; a call whose arguments held one cannot be carried out
// after a restart.
func TestLongAndSecretText(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	w := newWorld(t, thing("long", protocol.ReadOnly, func(context.Context) (tool.Result, error) {
		return tool.Result{Text: long + secret}, nil
	}))
	w.parts.Provider = turns{{Calls: []ports.ToolCall{{ID: "1", Name: "long"}}}, {Text: "the key is " + secret}}
	s := w.wait(w.start(w.begin(), 0))
	if s.View.End.Outcome != protocol.Done {
		t.Fatalf("%+v", s.View.End)
	}
	for line, err := range Lines(context.Background(), w.store, testRun, 0) {
		if err != nil || strings.Contains(string(line), secret) || len(line) > 3*protocol.MaxInlineBytes {
			t.Errorf("a line of %d bytes, %v: %.200s", len(line), err, line)
		}
	}
	found := false
	for item, err := range w.store.Scan(context.Background(), protocol.Key{Space: protocol.SpaceContent}) {
		if err != nil || strings.Contains(string(item.Value), secret) {
			t.Errorf("content with a secret, %v", err)
		}
		found = found || strings.HasPrefix(string(item.Value), long)
	}
	if !found {
		t.Error("the long result is kept nowhere")
	}
	w.replays()
}

// TestOpenRefusesDamage: a run whose record is not what it was is not taken up
// (S2-083).
func TestOpenRefusesDamage(t *testing.T) {
	w := newWorld(t, thing("a", protocol.ReversibleLocal, ok))
	w.wait(w.start(w.begin(step("1", "a")), 0))
	broken := &flipped{RecordV1: w.store}
	w.parts.Record = broken
	for broken.seq = range uint64(len(w.kinds())) {
		r, err := Open(context.Background(), w.parts, testRun, 0)
		var damage *record.Damage
		if !errors.As(err, &damage) {
			t.Errorf("entry %d was changed, and the run opened: %v", broken.seq, err)
			r.Close()
		}
	}
}

// flipped is a store that gives one entry with one bit changed.
type flipped struct {
	ports.RecordV1
	seq uint64
}

func (f *flipped) Scan(ctx context.Context, from protocol.Key) iter.Seq2[protocol.Item, error] {
	return func(yield func(protocol.Item, error) bool) {
		for item, err := range f.RecordV1.Scan(ctx, from) {
			if item.Key.Space == protocol.SpaceEntry && item.Key.Seq == f.seq {
				item.Value[len(item.Value)-4] ^= 1
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
