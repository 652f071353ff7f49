package kernel

import (
	"strconv"

	"github.com/tipstaff/tipstaff/protocol"
)

// providerTimeoutMillis is how long a model may take for one answer.
const providerTimeoutMillis = 5 * 60 * 1000

// maxProviderTries is how often one turn may be asked for.
const maxProviderTries = 3

// turns is what is known of the model's turns.
type turns struct {
	// Tries counts the requests for the turn that is open.
	Tries int
	// Said counts typed messages that no turn has been shown yet.
	Said int
	// Answer is the last text of the model.
	Answer *protocol.Text
}

// askProvider charges a turn and asks for it: an effect like any other.
func (r *reduction) askProvider() {
	if r.Turns.Tries == 0 {
		r.Spent.Turns++
		r.Turns.Said = 0
		r.emit(protocol.TurnStarted{Turn: r.Spent.Turns, Trust: r.Label.Trust})
	}
	r.Turns.Tries++
	r.Phase = phaseProvider
	r.requestProvider(0)
}

func (r *reduction) requestProvider(delay int64) {
	r.launch(effect{
		Kind: protocol.EffectProvider, Tool: "provider:" + r.Genesis.Route, Class: protocol.ReadOnly,
	}, launch{
		useID: "turn-" + strconv.Itoa(r.Spent.Turns), args: []byte(`{"turn":` + strconv.Itoa(r.Spent.Turns) + `}`),
		tool: r.Genesis.Route, deadline: providerTimeoutMillis, delay: delay,
	})
}

// providerSettled takes a model's answer in. Only a complete turn makes calls; a
// cut, filtered or malformed one makes none.
func (r *reduction) providerSettled(fx effect, c protocol.Settled) {
	if c.How != protocol.HowDone || c.Turn == nil {
		r.providerFailed(fx, c)
		return
	}
	r.emit(protocol.EffectDone{ID: r.effectID(fx), Tool: fx.Tool})
	r.Turns.Tries = 0
	r.charge(c.Turn.Usage)
	answer := c.Turn.Text
	r.Turns.Answer = &answer
	switch {
	case c.Turn.Stop == protocol.StopRefusal:
		r.then(func() { r.finish(protocol.Stuck, protocol.ReasonProviderRefusal, answer.Text) })
	case c.Turn.Stop == protocol.StopMaxTokens:
		r.then(func() {
			r.finish(protocol.Stuck, protocol.ReasonTurnCut, "the model's answer was cut off at its output limit")
		})
	case !c.Turn.Complete() || len(c.Turn.Calls) > protocol.MaxCallsPerTurn:
		r.then(func() {
			r.finish(protocol.HarnessError, protocol.ReasonUndecodableTurn, "the model's turn cannot be read")
		})
	case len(c.Turn.Calls) == 0:
		r.then(r.answered)
	default:
		for _, pc := range c.Turn.Calls {
			r.open(call{ID: pc.ID, Tool: protocol.CanonicalName(pc.Name), Args: pc.Args, By: protocol.SlotToolPolicy, Label: r.Label})
		}
		r.Phase = phaseCalls
		r.then(r.progress)
	}
}

// providerFailed asks again where that can help, as a new effect (S3-042), and
// otherwise ends the run.
func (r *reduction) providerFailed(fx effect, c protocol.Settled) {
	if c.How == protocol.HowUncertain {
		r.emit(protocol.EffectUnknown{ID: r.effectID(fx), Tool: fx.Tool, Reason: c.Reason})
	} else {
		r.emit(protocol.EffectFailed{ID: r.effectID(fx), Tool: fx.Tool, Reason: c.Reason})
	}
	switch {
	case r.Control.stopping():
		r.Turns.Tries = 0
		r.then(r.boundary)
	case c.Refusal:
		r.then(func() { r.finish(protocol.Stuck, protocol.ReasonProviderRefusal, c.Reason) })
	case c.Retriable && r.Turns.Tries < maxProviderTries:
		r.Turns.Tries++
		r.emit(protocol.Notice{Code: protocol.NoticeProviderAskedAgain})
		r.then(func() { r.requestProvider(c.DelayMillis) })
	default:
		r.then(func() { r.finish(protocol.HarnessError, protocol.ReasonProviderFailed, c.Reason) })
	}
}

// answered ends a run whose model had nothing more to call, unless an operator
// has said something it has not been shown.
func (r *reduction) answered() {
	if r.Turns.Said > 0 || r.Control.stopping() {
		r.boundary()
		return
	}
	r.complete()
}
