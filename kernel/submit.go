package kernel

import "github.com/tipstaff/tipstaff/protocol"

// propose takes a client's own call. It walks the same path as a model's.
func (r *reduction) propose(c protocol.Propose) {
	switch {
	case r.Genesis.Proposer != protocol.ProposerClient:
		r.reject(c.Submission, protocol.CodeConflict, "this run does not plan through its client")
	case r.Control.stopping() || r.Control.Close || (r.Phase != phaseAdmitting && r.Phase != phaseCalls):
		r.reject(c.Submission, protocol.CodeConflict, "the run takes no more calls: it is "+string(r.Phase))
	case r.Calls.size() >= protocol.MaxCallsPerTurn:
		r.reject(c.Submission, protocol.CodeQueueFull, "too many calls are open: wait for a result")
	default:
		r.accept(c.Submission)
		r.open(call{
			ID: c.Call.ID, Tool: protocol.CanonicalName(c.Call.Name), Args: c.Call.Args, By: protocol.SlotToolPolicy,
			Label: r.Label, Key: c.IdempotencyKey,
		})
		r.Phase = phaseCalls
		r.then(r.progress)
	}
}

// say takes typed text. The next turn is shown it; it is the one thing that is
// Trusted whatever was shown before (S2-032), though it does not lift what was.
func (r *reduction) say(c protocol.Say) {
	if r.Genesis.Proposer != protocol.ProposerModel || r.Phase == phaseFinished || r.Phase == phaseCompensating {
		r.reject(c.Submission, protocol.CodeConflict, "nobody would read it: the run is "+string(r.Phase))
		return
	}
	r.Turns.Said++
	r.Label = r.Label.lower(c.Text.Trust(), "typed text")
	r.accept(c.Submission)
}
