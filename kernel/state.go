package kernel

import (
	"fmt"

	"github.com/tipstaff/tipstaff/protocol"
)

// Version is the reducer's number. It is pinned in a run's first entry; a
// record is reduced by the version that wrote it, or not at all.
const Version = 1

// State is everything that can still matter to a run. It is a value: Reduce
// makes a new one and leaves the old as it was. The zero State is a run that
// has not begun.
type State struct{ s state }

// state's fields are exported for its encoding only. Each names the file that
// writes it.
type state struct {
	Genesis   *protocol.Begin // begin.go
	Commands  uint64          // reduce.go
	Phase     phase           // boundary.go
	Label     label           // context.go
	Request   uint64          // context.go
	Turns     turns           // turn.go
	Calls     table[call]     // prepare.go
	NextCall  uint64          // prepare.go
	Loop      loop            // budget.go
	Approvals table[approval] // approval.go
	NextAsk   uint64          // approval.go
	Effects   table[effect]   // effect.go
	NextFx    uint64          // effect.go
	Cursor    cursor          // plan.go
	Spent     spent           // budget.go
	Saga      saga            // saga.go
	Control   control         // control.go
	End       *protocol.RunEnded
}

// phase is where a run is. The words are those of its transcripts.
type phase string

const (
	phaseNone         phase = ""
	phaseAdmitting    phase = "admitting"
	phaseContext      phase = "awaiting_context"
	phaseProvider     phase = "awaiting_provider"
	phaseCalls        phase = "calls"
	phaseVerify       phase = "awaiting_verification"
	phaseApproval     phase = "awaiting_approval"
	phaseRuling       phase = "awaiting_ruling"
	phaseCompensating phase = "compensating"
	phaseDrained      phase = "drained"
	phaseFinished     phase = "finished"
)

// working tells whether time in this phase is spent by the run itself.
func (p phase) working() bool {
	switch p {
	case phaseContext, phaseProvider, phaseCalls, phaseVerify, phaseCompensating:
		return true
	}
	return false
}

// Snapshot is the state's one encoding, for checkpoints (S2-079).
func (s State) Snapshot() []byte { return protocol.MustMarshal(s.s) }

// Restore reads what Snapshot wrote. ok is false for any other bytes.
func Restore(snapshot []byte) (s State, ok bool) {
	ok = protocol.Unmarshal(snapshot, &s.s) == nil
	return s, ok
}

// broken stops the process: an invariant of the kernel does not hold, and no
// state after it can be trusted.
func broken(format string, args ...any) {
	panic("kernel: broken invariant: " + fmt.Sprintf(format, args...))
}
