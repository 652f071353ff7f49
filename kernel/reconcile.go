package kernel

import "github.com/tipstaff/tipstaff/protocol"

// reconcile takes a run up again: after a crash, a drain, or a wait for a
// person. What was in flight before is in flight no more: it is probed where
// that is possible, known to be harmless, or unknown. Nothing uncertain is ever
// replayed (S2-014, S2-085).
func (r *reduction) reconcile(protocol.Reconcile) {
	if r.Phase == phaseFinished {
		return
	}
	if r.Phase == phaseDrained {
		r.Control.Drain = false
		r.End = nil
	}
	r.expire()
	for fx := range r.Effects.all {
		r.reconcileEffect(fx)
	}
	for c := range r.Calls.all {
		if c.At == callPreparing {
			c.At = callProposed
			r.Calls = r.Calls.put(c)
		}
	}
	switch r.Phase {
	case phaseCompensating:
		r.then(r.compensateNext)
	case phaseContext:
		r.then(r.boundary)
	case phaseCalls, phaseVerify, phaseApproval, phaseRuling, phaseDrained:
		r.Phase = phaseCalls
		r.then(r.progress)
	case phaseAdmitting:
		r.then(r.boundary)
	}
}

func (r *reduction) reconcileEffect(fx effect) {
	const lost = "the process ended before its outcome was written down"
	if fx.Unknown {
		return
	}
	switch fx.Kind {
	case protocol.EffectProvider:
		r.Effects = r.Effects.drop(fx.N)
		r.emit(protocol.EffectUnknown{ID: r.effectID(fx), Tool: fx.Tool, Reason: lost})
		r.emit(protocol.Notice{Code: protocol.NoticeProviderAskedAgain})
		r.then(r.selectContext) // what the turn was shown is gone with the process
	case protocol.EffectVerify:
		row, _ := r.Calls.find(fx.Call)
		r.Effects = r.Effects.drop(fx.N)
		r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: lost})
		r.again(row) // the result to judge is gone with the process; the step is read-only
	case protocol.EffectCompensate:
		s := r.stepOf(fx)
		r.uncertain(fx, r.probeOf(s), lost)
		if !s.Probeable {
			r.leave(s, lost)
		}
	case protocol.EffectTool:
		row, _ := r.Calls.find(fx.Call)
		if fx.Class == protocol.ReadOnly {
			r.Effects = r.Effects.drop(fx.N)
			r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: lost})
			r.again(row)
			return
		}
		r.uncertain(fx, row.probe(), lost)
	}
}

// again carries a call that changes nothing out once more, unless the run is
// winding up.
func (r *reduction) again(c call) {
	if r.windingUp() {
		r.closeCall(c, "failed: the process ended", false)
		return
	}
	r.launchCall(c)
}
