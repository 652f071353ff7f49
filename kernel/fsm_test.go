package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tipstaff/tipstaff/protocol"
)

// allGuards lists every combination of what the edges look at.
func allGuards() []guards {
	var out []guards
	for bits := range 1 << 5 {
		out = append(out, guards{bits&1 > 0, bits&2 > 0, bits&4 > 0, bits&8 > 0, bits&16 > 0})
	}
	return out
}

// TestGuardrailTable holds every state × event × guard to the specification,
// written down here a second time (S1-069 to S1-078).
func TestGuardrailTable(t *testing.T) {
	want := func(s protocol.FSMState, e protocol.FSMEvent, g guards) protocol.FSMState {
		switch fmt.Sprint(s, " ", e) {
		case "Idle StartSaga":
			return protocol.Planning
		case "Planning PlanReady":
			if g.Planned {
				return protocol.Acting
			}
		case "Acting ToolSucceeded":
			if g.Validate {
				return protocol.Validating
			}
			return protocol.Acting
		case "Acting ToolFailed", "Validating ValidationFailed":
			return protocol.Compensating
		case "Validating ValidationPassed":
			if g.More {
				return protocol.Acting
			}
			return protocol.FSMDone
		case "Compensating CompensationDone":
			if !g.Left {
				return protocol.FailedRolledBack
			}
		case "Compensating CompensationFailed":
			if g.Left {
				return protocol.FailedRollbackPartial
			}
		case "Planning RollbackRequested", "Acting RollbackRequested", "Validating RollbackRequested", "Done RollbackRequested":
			if g.Operator {
				return protocol.Compensating
			}
		}
		return "" // denied
	}
	for _, s := range protocol.FSMStates() {
		for _, e := range protocol.FSMEvents() {
			for _, g := range allGuards() {
				to, ok := transition(nil, s, e, g)
				if w := want(s, e, g); ok != (w != "") || ok && to != w {
					t.Errorf("%s on %s with %+v gives %q %v, want %q", s, e, g, to, ok, w)
				}
			}
		}
	}
}

// TestGuardrailRandomEvents fires 1,000 random events: no panic, and only
// transitions of the table are applied (S1-097).
func TestGuardrailRandomEvents(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	table := Guardrail(nil)
	legal := map[string]bool{}
	for _, e := range table {
		legal[fmt.Sprint(e.From, e.On, e.To)] = true
	}
	r := &reduction{}
	begin := testBegin(protocol.ProposerPlan)
	r.Genesis, r.Phase, r.Saga.FSM = &begin, phaseCalls, protocol.Idle
	all := allGuards()
	for i := range 1000 {
		before := r.Saga.FSM
		on := protocol.FSMEvents()[rng.IntN(len(protocol.FSMEvents()))]
		r.Phase, r.End = phaseCalls, nil
		r.actions = nil
		r.fire(on, all[rng.IntN(len(all))])
		for _, a := range r.actions {
			if moved, ok := a.(protocol.Emit).Event.(protocol.FSMMoved); ok && !legal[fmt.Sprint(moved.From, moved.On, moved.To)] {
				t.Fatalf("seed %d, event %d: %v", seed, i, moved)
			}
			if _, ended := a.(protocol.Emit).Event.(protocol.RunEnded); ended {
				break
			}
		}
		if r.Saga.FSM != before && !legal[fmt.Sprint(before, on, r.Saga.FSM)] {
			t.Fatalf("seed %d, event %d: %s on %s became %s", seed, i, before, on, r.Saga.FSM)
		}
		if r.Saga.FSM.Terminal() {
			r.Saga.FSM = protocol.Idle
		}
	}
}

// TestGuardrailAdded: fsm.toml adds an edge, and cannot change one.
func TestGuardrailAdded(t *testing.T) {
	added := []protocol.Transition{
		{From: protocol.Validating, On: protocol.ToolFailed, To: protocol.Compensating},
		{From: protocol.Idle, On: protocol.StartSaga, To: protocol.FSMDone},
		{From: protocol.Planning, On: protocol.PlanReady, To: protocol.Acting},
	}
	if to, ok := transition(added, protocol.Planning, protocol.PlanReady, guards{}); ok {
		t.Errorf("an added edge opened a guard: %s", to)
	}
	if n := len(Guardrail(added)); n != len(Guardrail(nil))+3 {
		t.Errorf("the table shows %d edges", n)
	}
	if to, ok := transition(added, protocol.Validating, protocol.ToolFailed, guards{}); !ok || to != protocol.Compensating {
		t.Errorf("the added edge is not there: %s %v", to, ok)
	}
	if to, _ := transition(added, protocol.Idle, protocol.StartSaga, guards{}); to != protocol.Planning {
		t.Errorf("an added edge went before the normative one: %s", to)
	}
}

// TestPermits: what may be carried out in which state (S1-062 to S1-067).
func TestPermits(t *testing.T) {
	for _, s := range protocol.FSMStates() {
		for _, c := range protocol.Capabilities() {
			want := s == protocol.Acting || c == protocol.ReadOnly && (s == protocol.Planning || s == protocol.Validating)
			if permits(s, c) != want {
				t.Errorf("%s while %s: %v", c, s, !want)
			}
		}
	}
}
