package protocol

import (
	"slices"
	"strings"
	"testing"
)

func TestFSMWords(t *testing.T) {
	states := []FSMState{"Idle", "Planning", "Acting", "Validating", "Compensating", "Done", "FailedRolledBack", "FailedRollbackPartial"}
	if !slices.Equal(FSMStates(), states) {
		t.Errorf("states %v", FSMStates())
	}
	events := []FSMEvent{
		"StartSaga", "PlanReady", "ToolSucceeded", "ToolFailed", "ValidationPassed", "ValidationFailed", "CompensationDone", "CompensationFailed",
		"RollbackRequested",
	}
	if !slices.Equal(FSMEvents(), events) {
		t.Errorf("events %v", FSMEvents())
	}
	for _, s := range append(states, "", "Elsewhere", "done") {
		if got, want := s.RolledBack(), strings.HasPrefix(string(s), "Failed"); got != want {
			t.Errorf("%s is rolled back: %t", s, got)
		}
		if got, want := s.Terminal(), strings.HasPrefix(string(s), "Failed") || s == "Done"; got != want {
			t.Errorf("%s is terminal: %t", s, got)
		}
	}
}

// TestTransitionValidate goes through every edge there could be. Configuration
// may add ways between the open states; it may not lead out of a failed end or
// the compensations, and it may not play the operator.
func TestTransitionValidate(t *testing.T) {
	from := []FSMState{"Idle", "Planning", "Acting", "Validating", "Done"}
	on := []FSMEvent{"StartSaga", "PlanReady", "ToolSucceeded", "ToolFailed", "ValidationPassed", "ValidationFailed"}
	to := []FSMState{"Idle", "Planning", "Acting", "Validating", "Compensating", "Done"}
	taken := 0
	for _, f := range append(FSMStates(), "", "Elsewhere", "acting") {
		for _, e := range append(FSMEvents(), "", "Anything", "toolFailed") {
			for _, s := range append(FSMStates(), "", "Elsewhere", "acting") {
				if s.RolledBack() {
					continue // below
				}
				edge := Transition{From: f, On: e, To: s}
				ok := slices.Contains(from, f) && slices.Contains(on, e) && slices.Contains(to, s)
				judged(t, string(f)+" -"+string(e)+"-> "+string(s), edge.Validate(), ok)
				if ok {
					taken++
				}
			}
		}
	}
	if taken != len(from)*len(on)*len(to) {
		t.Errorf("%d edges are allowed", taken)
	}
}

// TestTransitionCannotClaimARollback: the two failed ends say what the
// compensations came to (S1-075, S1-076), so no other edge may lead to them: a
// run would be called rolled back and nothing would have been undone.
func TestTransitionCannotClaimARollback(t *testing.T) {
	for _, f := range FSMStates() {
		for _, e := range FSMEvents() {
			for _, s := range []FSMState{FailedRolledBack, FailedRollbackPartial} {
				judged(t, string(f)+" -"+string(e)+"-> "+string(s), Transition{From: f, On: e, To: s}.Validate(), false)
			}
		}
	}
}

func TestOnFailure(t *testing.T) {
	for word, ok := range map[OnFailure]bool{"report": true, "compensate": true, "": false, "Report": false, "compensate ": false, "retry": false} {
		judged(t, string(word), word.Validate(), ok)
	}
}
