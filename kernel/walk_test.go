package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tipstaff/tipstaff/protocol"
)

// TestRandomWalks plays many runs against a random world: any answer to what is
// ordered, signals, crashes and lies. After every step the invariants hold; no
// effect has two intents or two terminals; compensations run in reverse; a run
// whose world answers comes to rest.
func TestRandomWalks(t *testing.T) {
	seed := rand.Uint64()
	for i := range 400 {
		walk(t, seed, uint64(i), false)
	}
	for i := range 200 {
		walk(t, seed, uint64(i)+1_000_000, true)
	}
}

// walker is the world of one run.
type walker struct {
	t     *testing.T
	rng   *rand.Rand
	name  string
	state State
	at    int64
	owed  []protocol.Command // answers the world may give
	// intents and terminals count what was reported of each effect.
	intents, terminals map[protocol.EffectID]int
}

func walk(t *testing.T, seed, n uint64, lies bool) {
	w := &walker{
		t: t, rng: rand.New(rand.NewPCG(seed, n)), name: fmt.Sprintf("seed %d, walk %d", seed, n),
		intents: map[protocol.EffectID]int{}, terminals: map[protocol.EffectID]int{},
	}
	w.step(w.begin())
	for range 400 {
		view := w.state.View()
		if view.Finished() && w.rng.IntN(3) == 0 {
			return
		}
		w.step(w.next(view, lies))
	}
	// From here on the world only answers, and people agree.
	for range 2000 {
		view := w.state.View()
		switch {
		case view.Finished():
			return
		case len(w.owed) > 0:
			w.step(w.take())
		case len(view.Approvals) > 0:
			w.step(protocol.Decide{Approval: view.Approvals[0], Approve: true})
		case len(view.Unknown) > 0 && view.Parked():
			w.step(protocol.Resolve{Effect: view.Unknown[0], As: protocol.TerminalDone})
		case view.Admitting():
			w.step(protocol.Control{Signal: protocol.SignalClose})
		default:
			w.step(protocol.Reconcile{})
		}
	}
	t.Fatalf("%s: the run does not come to rest\n%s", w.name, w.state.Describe())
}

func (w *walker) begin() protocol.Begin {
	proposers := []protocol.Proposer{protocol.ProposerModel, protocol.ProposerPlan, protocol.ProposerClient}
	b := testBegin(proposers[w.rng.IntN(3)])
	b.Mode = protocol.Modes()[w.rng.IntN(4)]
	b.OnFailure = []protocol.OnFailure{protocol.Report, protocol.Compensate}[w.rng.IntN(2)]
	b.Endorse = w.rng.IntN(4) == 0
	b.Task.Budget.MaxTurns = 1 + w.rng.IntN(8)
	if b.Proposer == protocol.ProposerPlan {
		for i := range 1 + w.rng.IntN(6) {
			s := protocol.Step{ID: fmt.Sprint("s", i), Tool: w.tool(), Args: protocol.Inline("{}"), Retries: w.rng.IntN(2)}
			if s.Tool == "fs.read" && w.rng.IntN(2) == 0 {
				s.Check = &protocol.Check{Contains: "x"}
			}
			b.Steps = append(b.Steps, s)
		}
	}
	return b
}

func (w *walker) tool() string {
	return []string{"calc", "fs.read", "fs.write", "fs.write", "fs.write", "send", "shell", "web"}[w.rng.IntN(8)]
}

// next is whatever happens now.
func (w *walker) next(view View, lies bool) protocol.Command {
	roll := w.rng.IntN(100)
	switch {
	case lies && roll < 4:
		return protocol.Settled{Effect: protocol.NewEffectID(testRun, uint64(w.rng.IntN(6))), How: protocol.HowDone}
	case lies && roll < 6:
		return protocol.Prepared{Call: uint64(w.rng.IntN(6))}
	case lies && roll < 8:
		return protocol.Probed{Effect: protocol.NewEffectID(testRun, uint64(w.rng.IntN(6))), Finding: protocol.FoundDone}
	case roll < 10:
		w.owed = nil // the process died
		return protocol.Reconcile{By: "resume"}
	case roll < 12:
		return protocol.Control{Signal: []protocol.Signal{protocol.SignalInterrupt, protocol.SignalDrain, protocol.SignalRollback, protocol.SignalClose}[w.rng.IntN(4)]}
	case roll == 12 && w.rng.IntN(10) == 0:
		return protocol.Fault{Reason: protocol.ReasonProviderFailed, Detail: "gone"}
	case roll < 14:
		return protocol.Tick{}
	case roll < 16:
		return protocol.Say{Text: protocol.OperatorText{Text: protocol.Inline("and this")}}
	case len(w.owed) > 0:
		return w.take()
	case len(view.Approvals) > 0 && roll < 60:
		return protocol.Decide{Approval: view.Approvals[0], Approve: w.rng.IntN(3) > 0}
	case len(view.Unknown) > 0 && roll < 60:
		return protocol.Resolve{Effect: view.Unknown[0], As: []protocol.Terminal{protocol.TerminalDone, protocol.TerminalFailed}[w.rng.IntN(2)]}
	case view.Admitting():
		return protocol.Propose{Call: protocol.ProposedCall{ID: "c", Name: w.tool(), Args: protocol.Inline("{}")}}
	}
	return protocol.Reconcile{By: "resume"}
}

// take gives one owed answer, in any order.
func (w *walker) take() protocol.Command {
	i := w.rng.IntN(len(w.owed))
	c := w.owed[i]
	w.owed = append(w.owed[:i:i], w.owed[i+1:]...)
	return c
}

func (w *walker) step(c protocol.Command) {
	w.at += int64(w.rng.IntN(50))
	before := w.state.Snapshot()
	after, actions := Reduce(w.state, protocol.Stamped(c, w.at))
	if !bytes.Equal(before, w.state.Snapshot()) {
		w.t.Fatalf("%s: the state before was changed", w.name)
	}
	if broken := after.Check(); broken != "" {
		w.t.Fatalf("%s: after %s: %s\n%s", w.name, c.CommandKind(), broken, after.Describe())
	}
	performs(w.t, actions)
	w.state = after
	for _, a := range actions {
		w.observe(a)
	}
}

// observe counts, and owes the world's answer.
func (w *walker) observe(a protocol.Action) {
	switch a := a.(type) {
	case protocol.Emit:
		w.count(a.Event)
	case protocol.SelectContext:
		w.owed = append(w.owed, protocol.Granted{
			Request: protocol.ContextRequest{RequestID: a.Request, Slot: protocol.SlotContext, MaxBytes: 10, TrustCeiling: protocol.Trusted},
			Grant:   protocol.ContextGrant{RequestID: a.Request, Bytes: 1, Segments: []protocol.Segment{{Source: "goal", Trust: protocol.Trust(w.rng.IntN(3)), Bytes: 1}}},
		})
	case protocol.Prepare:
		w.owed = append(w.owed, w.preparation(a))
	case protocol.Perform:
		w.owed = append(w.owed, w.outcome(a))
	case protocol.Probe:
		w.owed = append(w.owed, protocol.Probed{Effect: a.Effect, Finding: []protocol.Finding{protocol.FoundDone, protocol.FoundNotDone, protocol.FoundUnknown}[w.rng.IntN(3)]})
	}
}

func (w *walker) preparation(a protocol.Prepare) protocol.Command {
	p := protocol.Prepared{Call: a.Call, Args: protocol.Inline("{}"), ArgsDigest: digestOf(fmt.Sprint(w.rng.IntN(5)))}
	if w.rng.IntN(10) == 0 {
		p.Refused = "wrong"
		return p
	}
	brief, _ := w.state.s.brief(a.Intent.Call.Name)
	p.Class, p.ResultTrust = brief.Floor, brief.ResultTrust
	if brief.Top > brief.Floor && w.rng.IntN(5) == 0 {
		p.Class = brief.Top
	}
	if p.Class > protocol.ReadOnly && w.rng.IntN(5) > 0 {
		p.Undo, p.Probeable = digestOf("undo"), w.rng.IntN(3) > 0
	}
	return p
}

func (w *walker) outcome(a protocol.Perform) protocol.Command {
	c := protocol.Settled{Effect: a.Effect, How: protocol.HowDone, Retriable: w.rng.IntN(2) == 0}
	switch roll := w.rng.IntN(10); {
	case roll == 0:
		c.How, c.Reason = protocol.HowUncertain, "lost"
		return c
	case roll < 3:
		c.How, c.Reason = protocol.HowFailed, "no"
		return c
	}
	switch a.Kind {
	case protocol.EffectProvider:
		turn := protocol.ModelTurn{Stop: protocol.StopEndTurn, Usage: &protocol.Usage{Input: 1, Output: 1}}
		for i := range w.rng.IntN(4) {
			turn.Calls = append(turn.Calls, protocol.ProposedCall{ID: fmt.Sprint("c", i), Name: w.tool(), Args: protocol.Inline("{}")})
		}
		c.Turn = &turn
	case protocol.EffectVerify:
		passed := w.rng.IntN(3) > 0
		c.Passed = &passed
	default:
		c.Result = &protocol.ToolResult{Text: protocol.Inline("ok"), Digest: digestOf(fmt.Sprint(w.rng.IntN(3)))}
	}
	return c
}

func (w *walker) count(e protocol.Event) {
	var ended protocol.EffectID
	switch e := e.(type) {
	case protocol.EffectIntent:
		if w.intents[e.ID]++; w.intents[e.ID] > 1 {
			w.t.Fatalf("%s: a second intent of %s", w.name, e.ID)
		}
		return
	case protocol.ToolDone:
		ended = e.EffectID
	case protocol.EffectDone:
		ended = e.ID
	case protocol.EffectFailed:
		ended = e.ID
	case protocol.EffectUnknown:
		ended = e.ID
	default:
		return
	}
	if w.terminals[ended]++; w.terminals[ended] > 1 || w.intents[ended] != 1 {
		w.t.Fatalf("%s: %s has %d intents and %d terminals", w.name, ended, w.intents[ended], w.terminals[ended])
	}
}

// BenchmarkReduce measures one typical command with so many open rows.
func BenchmarkReduce(b *testing.B) {
	for _, rows := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			state, command := busy(rows)
			b.ReportAllocs()
			for b.Loop() {
				Reduce(state, command)
			}
		})
	}
}

// busy is a run with that many committed steps and a call whose outcome comes.
func busy(rows int) (State, protocol.Command) {
	begin := testBegin(protocol.ProposerPlan)
	for range min(rows+2, protocol.MaxPlanSteps) {
		begin.Steps = append(begin.Steps, protocol.Step{ID: "s", Tool: "fs.write", Args: protocol.Inline("{}")})
	}
	s, _ := Reduce(State{}, begin)
	for i := range rows {
		s.s.Saga.Steps = s.s.Saga.Steps.put(step{N: uint64(i + 1), Name: "s", Tool: "fs.write", Undo: digestOf("undo"), Status: protocol.StepCommitted})
	}
	s, _ = Reduce(s, protocol.Prepared{
		Call: 1, Class: protocol.ReversibleLocal, Args: protocol.Inline("{}"), ArgsDigest: digestOf("a"), Undo: digestOf("undo"), Probeable: true,
	})
	return s, protocol.Settled{Effect: protocol.NewEffectID(testRun, 1), How: protocol.HowDone, Result: &protocol.ToolResult{Text: protocol.Inline("ok"), Digest: digestOf("r")}}
}
