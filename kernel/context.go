package kernel

import (
	"strconv"

	"github.com/tipstaff/tipstaff/protocol"
)

// label is what everything shown so far adds up to. It only ever sinks: leaving
// a message out of a later turn does not make the earlier turns forget it.
type label struct {
	// Trust is the meet, Origin says where it last sank.
	Trust  protocol.Trust
	Origin string
}

// lower is the governing label after something more was shown (S2-029).
func (l label) lower(t protocol.Trust, origin string) label {
	if t < l.Trust {
		return label{Trust: t, Origin: origin}
	}
	return l
}

// selectContext asks what the next turn is shown. The kernel does not choose
// (S2-123).
func (r *reduction) selectContext() {
	r.Request++
	r.Phase = phaseContext
	r.act(protocol.SelectContext{Request: r.Request})
}

// granted takes the answer in and, when it holds to its request, asks the model.
func (r *reduction) granted(c protocol.Granted) {
	switch {
	case r.Phase != phaseContext:
		if r.late(c.Request.RequestID <= r.Request) {
			return
		}
		r.violation("a grant while %s", r.Phase)
	case r.Control.stopping():
		r.then(r.boundary)
	case c.Fault != "":
		r.then(func() { r.finish(protocol.HarnessError, protocol.ReasonContextFailed, c.Fault) })
	case c.Request.RequestID != r.Request:
		r.violation("a grant for request %d, %d is open", c.Request.RequestID, r.Request)
	default:
		if err := c.Request.Validate(); err != nil {
			r.violation("the context request: %s", err)
			return
		}
		if err := c.Grant.Validate(c.Request); err != nil {
			r.violation("the context grant: %s", err)
			return
		}
		t, shown := c.Grant.Governing()
		if !shown {
			t = protocol.Untrusted // nothing was shown: nothing follows from it
		}
		r.Label = r.Label.lower(t, "the context of turn "+strconv.Itoa(r.Spent.Turns+1))
		r.then(r.askProvider)
	}
}
