package protocol

import (
	"slices"
	"testing"
)

// ends is how the outcomes fold while nothing was rolled back.
var ends = []struct {
	outcome Outcome
	status  Status
	exit    int
	special map[string]Status // by reason
}{
	{Done, StatusSucceeded, 0, nil},
	{Drained, StatusDrained, 0, nil},
	{BudgetExhausted, StatusFailed, 3, map[string]Status{ReasonMaxTurns: StatusMaxSteps, ReasonMaxWall: StatusTimedOut}},
	{Interrupted, StatusInterrupted, 130, nil},
	{Stuck, StatusFailed, 4, map[string]Status{ReasonProviderRefusal: StatusRefused}},
	{HarnessError, StatusFailed, 2, nil},
	{"", StatusFailed, 2, nil},
	{"won", StatusFailed, 2, nil},
	{"Done", StatusFailed, 2, nil},
}

// TestStatusAndExit goes through every outcome, reason and state of the
// guardrail. What was rolled back has failed, whatever else is said of it.
func TestStatusAndExit(t *testing.T) {
	reasons := append(parseSource(t).wordsOf("Reason"), "", "something new")
	states := append(FSMStates(), "", "Elsewhere")
	if len(reasons) < 20 {
		t.Fatalf("only %d reasons found", len(reasons))
	}
	for _, end := range ends {
		for _, state := range states {
			rolledBack := state == FailedRolledBack || state == FailedRollbackPartial
			exit := end.exit
			if rolledBack {
				exit = 1
			}
			if got := ExitCode(end.outcome, state); got != exit {
				t.Errorf("%q in %q exits %d, not %d", end.outcome, state, got, exit)
			}
			for _, reason := range reasons {
				want := end.status
				if special, ok := end.special[reason]; ok {
					want = special
				}
				if rolledBack {
					want = StatusFailed
				}
				if got := StatusOf(end.outcome, reason, state); got != want {
					t.Errorf("%q, %q in %q is %s, not %s", end.outcome, reason, state, got, want)
				}
			}
		}
	}
}

// TestOutcomesAreSix, and each of them has its row above.
func TestOutcomesAreSix(t *testing.T) {
	if want := []Outcome{"done", "drained", "budget_exhausted", "interrupted", "stuck", "harness_error"}; !slices.Equal(Outcomes(), want) {
		t.Errorf("got %v", Outcomes())
	}
	for i, o := range Outcomes() {
		if ends[i].outcome != o {
			t.Errorf("row %d is not %s", i, o)
		}
	}
}

// TestStatusWords holds the words to the contract's list.
func TestStatusWords(t *testing.T) {
	want := []string{
		"awaiting_approval", "awaiting_ruling", "drained", "failed", "interrupted", "max_steps_exceeded", "pending", "refused",
		"running", "succeeded", "timed_out",
	}
	if got := slices.Sorted(slices.Values(parseSource(t).wordsOf("Status"))); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	for _, code := range []int{0, 1, 2, 3, 4, 130} {
		if ExitWaiting == code {
			t.Errorf("waiting exits %d, which already means something else", code)
		}
	}
}
