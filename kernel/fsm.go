package kernel

import (
	"slices"
	"strings"

	"github.com/tipstaff/tipstaff/protocol"
)

// Edge is one transition of the guardrail.
type Edge struct {
	// From, On and To are state, event and state.
	From protocol.FSMState
	On   protocol.FSMEvent
	To   protocol.FSMState
	// Guard says in words when the edge is open; empty when always.
	Guard string
	open  func(guards) bool
}

// guards is what the edges look at.
type guards struct {
	// Planned: there is a plan, and it is not empty.
	Planned bool
	// Validate: the next thing is a validation, or the run is at its end.
	Validate bool
	// More: there are steps left.
	More bool
	// Left: something committed could not be undone.
	Left bool
	// Operator: a person asked.
	Operator bool
}

// normative is the table of the specification (S1-069 to S1-077), and the one
// transition that is added to it: an operator's request to roll back.
func normative() [14]Edge {
	return [...]Edge{
		{protocol.Idle, protocol.StartSaga, protocol.Planning, "", always},
		{protocol.Planning, protocol.PlanReady, protocol.Acting, "the plan is not empty", func(g guards) bool { return g.Planned }},
		{protocol.Acting, protocol.ToolSucceeded, protocol.Acting, "nothing is validated next", func(g guards) bool { return !g.Validate }},
		{protocol.Acting, protocol.ToolSucceeded, protocol.Validating, "a validation is next, or the end", func(g guards) bool { return g.Validate }},
		{protocol.Acting, protocol.ToolFailed, protocol.Compensating, "", always},
		{protocol.Validating, protocol.ValidationPassed, protocol.Acting, "steps are left", func(g guards) bool { return g.More }},
		{protocol.Validating, protocol.ValidationPassed, protocol.FSMDone, "every step is committed", func(g guards) bool { return !g.More }},
		{protocol.Validating, protocol.ValidationFailed, protocol.Compensating, "", always},
		{protocol.Compensating, protocol.CompensationDone, protocol.FailedRolledBack, "everything committed was undone", func(g guards) bool { return !g.Left }},
		{protocol.Compensating, protocol.CompensationFailed, protocol.FailedRollbackPartial, "something could not be undone", func(g guards) bool { return g.Left }},
		{protocol.Planning, protocol.RollbackRequested, protocol.Compensating, "an operator asked", byOperator},
		{protocol.Acting, protocol.RollbackRequested, protocol.Compensating, "an operator asked", byOperator},
		{protocol.Validating, protocol.RollbackRequested, protocol.Compensating, "an operator asked", byOperator},
		{protocol.FSMDone, protocol.RollbackRequested, protocol.Compensating, "an operator asked", byOperator},
	}
}

func always(guards) bool { return true }

func byOperator(g guards) bool { return g.Operator }

// Guardrail is the normative table with what a run's fsm.toml adds. Everything
// that is not in it is denied (S1-078).
func Guardrail(added []protocol.Transition) []Edge {
	base := normative()
	table := slices.Clone(base[:])
	for _, t := range added {
		table = append(table, Edge{t.From, t.On, t.To, "fsm.toml", always})
	}
	return table
}

// transition finds the first open edge; ok is false when there is none. Where the
// normative table speaks of a state and an event, it has the last word: an added
// edge cannot open a guard.
func transition(added []protocol.Transition, from protocol.FSMState, on protocol.FSMEvent, g guards) (to protocol.FSMState, ok bool) {
	base, guarded := normative(), false
	for i := range base {
		if e := &base[i]; e.From == from && e.On == on {
			if e.open(g) {
				return e.To, true
			}
			guarded = true
		}
	}
	if guarded {
		return from, false
	}
	for _, t := range added {
		if t.From == from && t.On == on {
			return t.To, true
		}
	}
	return from, false
}

// permits tells whether a call of a class may be carried out in a state
// (S1-062 to S1-067, S1-079, S1-080).
func permits(s protocol.FSMState, class protocol.Capability) bool {
	switch s {
	case protocol.Planning, protocol.Validating:
		return class == protocol.ReadOnly
	case protocol.Acting:
		return true
	}
	return false
}

// Permits says in words what may be carried out in a state.
func Permits(s protocol.FSMState) string {
	switch {
	case permits(s, protocol.IrreversibleExternal):
		return "every admitted tool"
	case permits(s, protocol.ReadOnly):
		return "read-only tools"
	case s == protocol.Compensating:
		return "compensations only"
	}
	return "nothing"
}

// Diagram is a table as a Mermaid state diagram.
func Diagram(table []Edge) string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n  [*] --> Idle\n")
	for _, e := range table {
		b.WriteString("  " + string(e.From) + " --> " + string(e.To) + ": " + string(e.On))
		if e.Guard != "" {
			b.WriteString(" [" + e.Guard + "]")
		}
		b.WriteString("\n")
	}
	for _, s := range protocol.FSMStates() {
		if s.Terminal() {
			b.WriteString("  " + string(s) + " --> [*]\n")
		}
	}
	return b.String()
}

// fire moves the guardrail. What its table does not have ends the run.
func (r *reduction) fire(on protocol.FSMEvent, g guards) {
	from := r.Saga.FSM
	to, ok := transition(r.Genesis.Transitions, from, on, g)
	if !ok {
		r.end(protocol.HarnessError, protocol.ReasonTransitionDenied, "the guardrail has no way from "+string(from)+" on "+string(on))
		return
	}
	r.Saga.FSM = to
	r.emit(protocol.FSMMoved{From: from, On: on, To: to})
}
