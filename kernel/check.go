package kernel

import (
	"fmt"

	"github.com/tipstaff/tipstaff/protocol"
)

// Check says which invariant a state breaks; empty when it is sound. Tests call
// it after every Reduce, the driver when it takes a run up.
func (s State) Check() string {
	st := &s.s
	if st.Phase == phaseNone {
		return ""
	}
	for _, check := range []func(*state) string{checkEffects, checkCalls, checkApprovals, checkSaga, checkEnd, checkLoop} {
		if broken := check(st); broken != "" {
			return broken
		}
	}
	return ""
}

func checkEffects(s *state) string {
	for fx := range s.Effects.all {
		if fx.N > s.NextFx {
			return fmt.Sprintf("effect %d was never minted", fx.N)
		}
		row, open := s.Calls.find(fx.Call)
		switch {
		case fx.Unknown || fx.Kind == protocol.EffectProvider || s.Phase == phaseFinished:
		case fx.Kind == protocol.EffectCompensate && s.Saga.FSM != protocol.Compensating:
			return fmt.Sprintf("effect %d compensates while %s", fx.N, s.Saga.FSM)
		case fx.Kind != protocol.EffectCompensate && (!open || row.At != callExecuting):
			return fmt.Sprintf("effect %d works for call %d, which is not executing", fx.N, fx.Call)
		}
	}
	return ""
}

func checkCalls(s *state) string {
	for c := range s.Calls.all {
		working := 0
		for fx := range s.Effects.all {
			if fx.Call == c.N && fx.Kind != protocol.EffectCompensate {
				working++
			}
		}
		if (c.At == callExecuting || c.At == callUnknown) != (working == 1) || working > 1 {
			return fmt.Sprintf("call %d is %s with %d effects", c.N, c.At, working)
		}
		winding := s.Saga.FSM == protocol.Compensating || s.Phase == phaseFinished // it was in flight and is cancelled
		if c.At == callExecuting && !permits(s.Saga.FSM, c.Class) && !winding {
			return fmt.Sprintf("call %d is executing while %s", c.N, s.Saga.FSM)
		}
	}
	return ""
}

func checkApprovals(s *state) string {
	asking := 0
	for c := range s.Calls.all {
		if c.At == callAsking {
			asking++
		}
	}
	for a := range s.Approvals.all {
		c, ok := s.Calls.find(a.Call)
		if !ok || c.At != callAsking || c.ArgsDigest != a.Args || c.Class != a.Class {
			return fmt.Sprintf("approval %d is open for a call that does not ask", a.N)
		}
		asking--
	}
	if asking != 0 {
		return "a call asks without an open approval"
	}
	return ""
}

func checkSaga(s *state) string {
	if (s.Saga.FSM == protocol.Compensating) != (s.Saga.Cause != nil) {
		return "a cause without compensations, or the other way round"
	}
	undoing := false
	for st := range s.Saga.Steps.backward {
		if st.Status == protocol.StepCommitted {
			undoing = true
		} else if undoing {
			return fmt.Sprintf("step %d was undone before the ones after it", st.N)
		}
	}
	return ""
}

func checkEnd(s *state) string {
	over := s.Phase == phaseFinished || s.Phase == phaseDrained
	switch {
	case over != (s.End != nil):
		return "an end without its phase, or the other way round"
	case s.Phase == phaseFinished && !s.Calls.empty():
		for c := range s.Calls.all {
			if c.At != callExecuting && c.At != callUnknown {
				return fmt.Sprintf("call %d is %s in a run that is over", c.N, c.At)
			}
		}
	}
	return ""
}

func checkLoop(s *state) string {
	if len(s.Loop.Last) > loopWindow {
		return "the loop guard remembers too much"
	}
	return ""
}
