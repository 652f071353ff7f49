package kernel

import (
	"fmt"
	"strings"
)

// Describe is a state in a few lines, for transcripts and `replay --state`.
func (s State) Describe() string {
	st := &s.s
	if st.Phase == phaseNone {
		return "not begun\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, shown is %s (%s)\n", st.Phase, st.Saga.FSM, st.Label.Trust, st.Label.Origin)
	fmt.Fprintf(&b, "spent %d turns, %d ms, %d errors in a row, %d+%d tokens\n",
		st.Spent.Turns, st.Spent.Active, st.Spent.Errors, st.Spent.Usage.Input, st.Spent.Usage.Output)
	for c := range st.Calls.all {
		fmt.Fprintf(&b, "call %d %s %s %s\n", c.N, c.ID, c.Tool, c.At)
	}
	for a := range st.Approvals.all {
		fmt.Fprintf(&b, "approval %d of call %d\n", a.N, a.Call)
	}
	for fx := range st.Effects.all {
		at := "in flight"
		if fx.Probing {
			at = "being probed"
		} else if fx.Unknown {
			at = "unknown"
		}
		fmt.Fprintf(&b, "effect %d %s %s\n", fx.N, fx.Tool, at)
	}
	for step := range st.Saga.Steps.all {
		fmt.Fprintf(&b, "step %d %s %s %s\n", step.N, step.Name, step.Tool, step.Status)
	}
	if st.End != nil {
		fmt.Fprintf(&b, "ended %s %s\n", st.End.Outcome, st.End.Reason)
	}
	return b.String()
}
