package kernel

import (
	"strconv"

	"github.com/tipstaff/tipstaff/protocol"
)

// verifyTimeoutMillis is how long a check may take.
const verifyTimeoutMillis = 30 * 1000

// checks tells whether a call is a step that validates its result.
func (s *state) checks(c call) bool { return s.Genesis.Steps[c.Step-1].Check != nil }

// verify has a step's result judged: an effect of a class of its own.
func (r *reduction) verify(c call) {
	r.Phase = phaseVerify
	r.launch(effect{
		Kind: protocol.EffectVerify, Tool: "verify:" + string(protocol.SlotVerifier), Class: protocol.ReadOnly, Call: c.N,
	}, launch{
		useID: c.ID, args: []byte(`{"call":` + strconv.FormatUint(c.N, 10) + `}`), tool: string(protocol.SlotVerifier),
		deadline: verifyTimeoutMillis, check: r.Genesis.Steps[c.Step-1].Check,
	})
}

// verifySettled closes a validating step. A check that could not be judged is
// not a pass.
func (r *reduction) verifySettled(fx effect, c protocol.Settled) {
	row, ok := r.Calls.find(fx.Call)
	if !ok {
		broken("a verdict for call %d, which is closed", fx.Call)
	}
	r.Phase = phaseCalls
	if c.How != protocol.HowDone || c.Passed == nil {
		r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: c.Reason})
		r.closeCall(row, "the check could not be judged: "+c.Reason, false)
	} else {
		r.emit(protocol.EffectDone{ID: r.effectID(fx), Tool: fx.Tool})
		if *c.Passed {
			r.closeCall(row, "passed", true)
		} else {
			r.closeCall(row, "the check did not pass: "+c.Reason, false)
		}
	}
	r.then(r.progress)
}
