package kernel

import (
	"github.com/tipstaff/tipstaff/protocol"
)

// spent is what a run has used of its budget.
type spent struct {
	// Turns counts model turns, Errors tool errors in a row.
	Turns  int
	Errors int
	// Active is the time at work so far and Last when that was brought up to
	// date, both Unix milliseconds.
	Active int64
	Last   int64
	// Usage is what the provider reported; NoUsage says that it once did not.
	Usage   protocol.Usage
	NoUsage bool
}

// elapse adds the time since the last command, when the run was at work.
func (r *reduction) elapse() {
	if r.Phase.working() && r.at > r.Spent.Last {
		r.Spent.Active += r.at - r.Spent.Last
	}
	r.Spent.Last = max(r.Spent.Last, r.at)
}

// wallLeft is what an effect may take of the run's time. Compensations are
// detached from it: a run that is out of time can still be undone.
func (s *state) wallLeft(kind protocol.EffectKind) int64 {
	if kind == protocol.EffectCompensate {
		return compensateTimeoutMillis
	}
	return s.Genesis.Task.Budget.MaxWallSecs*1000 - s.Spent.Active
}

// charge adds what a turn cost. What was not reported is not zero (S2-089).
func (r *reduction) charge(u *protocol.Usage) {
	if u == nil {
		r.Spent.NoUsage = true
		return
	}
	r.Spent.Usage.Input += max(0, u.Input)
	r.Spent.Usage.Output += max(0, u.Output)
}

// exhausted judges the budget in a fixed order. ask says that another model turn
// would follow.
func exhausted(b protocol.Budget, s spent, priced, ask bool) (axis string, limit, used int64) {
	switch {
	case s.Active >= b.MaxWallSecs*1000:
		return protocol.ReasonMaxWall, b.MaxWallSecs, s.Active / 1000
	case s.Errors >= b.MaxConsecutiveToolErrors:
		return protocol.ReasonToolErrors, int64(b.MaxConsecutiveToolErrors), int64(s.Errors)
	case b.MaxTokens != nil && s.NoUsage:
		return protocol.ReasonNoUsage, *b.MaxTokens, s.Usage.Input + s.Usage.Output
	case b.MaxTokens != nil && s.Usage.Input+s.Usage.Output >= *b.MaxTokens:
		return protocol.ReasonMaxTokens, *b.MaxTokens, s.Usage.Input + s.Usage.Output
	case ask && b.MaxUSD != nil && *b.MaxUSD == 0:
		return protocol.ReasonMaxUSD, 0, 0
	case ask && b.MaxUSD != nil && !priced:
		return protocol.ReasonUnpricedUSD, *b.MaxUSD, 0
	case ask && s.Turns >= b.MaxTurns:
		return protocol.ReasonMaxTurns, int64(b.MaxTurns), int64(s.Turns)
	}
	return "", 0, 0
}

// outOfTime tells whether the run's time is used up.
func (s *state) outOfTime() bool {
	return s.Spent.Active >= s.Genesis.Task.Budget.MaxWallSecs*1000
}

// tick notices that time is up while something is in flight.
func (r *reduction) tick() {
	r.expire()
	if r.Phase.working() && r.Phase != phaseCompensating && r.outOfTime() && !r.Control.TimeUp {
		r.Control.TimeUp = true
		r.cancelAll()
		if r.Phase == phaseCalls {
			r.then(r.progress)
		}
	}
}

// loopWindow is how many results the loop guard looks back on.
const loopWindow = 6

// signature tells one call with its result from another.
type signature struct{ Tool, Args, Result string }

// loop is the last results, oldest first.
type loop struct{ Last []signature }

// countResult notes a call's result for the loop guard and the error count.
func (r *reduction) countResult(sig signature, ok bool) {
	if ok {
		r.Spent.Errors = 0
	} else {
		r.Spent.Errors++
	}
	from := max(0, len(r.Loop.Last)+1-loopWindow)
	last := make([]signature, 0, loopWindow)
	r.Loop.Last = append(append(last, r.Loop.Last[from:]...), sig)
}

// repeating tells whether the same call with the same result stands three times
// in a row, or two of them alternate three times (S3-050).
func repeating(last []signature) bool {
	n := len(last)
	if n >= 3 && last[n-1] == last[n-2] && last[n-2] == last[n-3] {
		return true
	}
	if n < loopWindow {
		return false
	}
	w := last[n-loopWindow:]
	return w[0] == w[2] && w[2] == w[4] && w[1] == w[3] && w[3] == w[5]
}
