package kernel

import (
	"strconv"

	"github.com/tipstaff/tipstaff/protocol"
)

// call is one proposed call that has no result yet.
type call struct {
	N  uint64
	ID string
	// Tool is canonical, By the slot that proposes, Label what the deciding
	// turn was shown when it proposed.
	Tool  string
	By    protocol.SlotID
	Label label
	// Args is the projection, as proposed and then as normalised.
	Args protocol.Text
	// At is where it stands.
	At callStatus
	// What its preparation said; empty before.
	Class        protocol.Capability
	Egress       bool
	Sink         string
	ArgsDigest   protocol.Digest
	Workspace    string
	Undo         protocol.Digest
	Compensation string
	Probeable    bool
	ResultTrust  protocol.Trust
	Preview      protocol.Text
	// Key is the idempotency key, Timeout a deadline in milliseconds of its
	// own, Retries what is left of them, Redone how often it was tried again
	// after a probe.
	// Claimed says that the key is the caller's, Prior what came of it before.
	Key     string
	Claimed bool
	Prior   *protocol.Prior
	Timeout int64
	Retries int
	Redone  int
	// Why is what a person gave as reason for a no.
	Why string
	// Step is the plan's step it stands for, from 1; 0 for none.
	Step int
}

func (c call) key() uint64 { return c.N }

// callStatus is where a call stands.
type callStatus string

const (
	callProposed  callStatus = "proposed"
	callPreparing callStatus = "preparing"
	callAsking    callStatus = "asking"
	callApproved  callStatus = "approved"
	callDenied    callStatus = "denied"
	callExecuting callStatus = "executing"
	callUnknown   callStatus = "unknown"
	callRuledDone callStatus = "ruled_done"
	callRuledFail callStatus = "ruled_failed"
)

// busy tells whether the driver still owes an answer about the call.
func (s callStatus) busy() bool { return s == callPreparing || s == callExecuting }

// open adds a call. Its number is the run's own; the proposer's id is only
// carried along (S2-058).
func (r *reduction) open(c call) {
	r.NextCall++
	c.N = r.NextCall
	if c.ID == "" {
		c.ID = "call-" + strconv.FormatUint(c.N, 10)
	}
	c.Claimed = c.Key != ""
	if !c.Claimed {
		c.Key = string(r.Genesis.Run) + ".call" + strconv.FormatUint(c.N, 10)
	}
	c.At = callProposed
	r.Calls = r.Calls.put(c)
}

// progress moves the open calls on. Calls of one turn run side by side only
// when all their tools are read-only; otherwise in order, one whole after the
// other, so that each is prepared on the world the one before left behind.
func (r *reduction) progress() {
	switch r.Phase {
	case phaseFinished:
		return
	case phaseCompensating:
		r.then(r.compensateNext)
		return
	}
	if r.Control.Drain {
		r.settleDown()
		return
	}
	if r.Control.stopping() {
		r.abandon("stopped before it was carried out")
	}
	sideBySide := r.allReadOnly()
	waiting := false
	for c := range r.Calls.all {
		switch {
		case c.At == callApproved:
			r.admitted(c)
		case c.At == callDenied:
			r.refuse(c, "denied", c.Why)
			continue
		case c.At == callRuledDone, c.At == callRuledFail:
			r.ruled(c)
			continue
		case c.At == callProposed:
			r.prepare(c)
		case c.At == callAsking, c.At == callUnknown:
			waiting = true
		}
		if _, open := r.Calls.find(c.N); open && !sideBySide {
			break
		}
	}
	if r.Phase == phaseFinished || r.Phase == phaseCompensating {
		return
	}
	for c := range r.Calls.all {
		if c.At.busy() {
			return
		}
	}
	switch {
	case r.Calls.empty():
		r.then(r.boundary)
	case waiting:
		r.then(r.park)
	default:
		r.then(r.progress)
	}
}

// settleDown lets what is in flight finish and starts nothing more: a drain
// leaves the other calls as they are, for whoever takes the run up.
func (r *reduction) settleDown() {
	for c := range r.Calls.all {
		if c.At.busy() {
			return
		}
	}
	r.then(r.boundary)
}

func (r *reduction) allReadOnly() bool {
	for c := range r.Calls.all {
		if brief, ok := r.brief(c.Tool); ok && brief.Top != protocol.ReadOnly {
			return false
		}
	}
	return true
}

// prepare asks the tool's contract what a call is, or refuses it at once when
// there is no such tool in the run.
func (r *reduction) prepare(c call) {
	brief, ok := r.brief(c.Tool)
	if !ok {
		r.refuse(c, "unknown_tool", "there is no tool called "+c.Tool+" in this run")
		return
	}
	intent := protocol.ToolIntent{
		ProposedBy:    c.By,
		Call:          protocol.ToolUse{ID: c.ID, Name: c.Tool, Input: projection(c.Args)},
		Purity:        purity(brief),
		ArgumentTrust: c.Label.Trust,
	}
	if err := intent.Validate(); err != nil {
		r.refuse(c, "invalid", err.Error())
		return
	}
	c.At = callPreparing
	r.Calls = r.Calls.put(c)
	order := protocol.Prepare{Call: c.N, Intent: intent}
	if c.Claimed {
		order.Key = c.Key
	}
	r.act(order)
}

func purity(t protocol.ToolBrief) protocol.Purity {
	if t.Top == protocol.ReadOnly {
		return protocol.Pure
	}
	return protocol.Effecting
}

// projection is the JSON that stands for arguments in intents: themselves when
// short, else where they are kept.
func projection(t protocol.Text) []byte {
	if t.Digest == "" {
		if t.Text == "" {
			return []byte("{}")
		}
		return []byte(t.Text)
	}
	return protocol.MustMarshal(struct {
		Digest protocol.Digest `json:"digest"`
		Bytes  int             `json:"bytes"`
	}{t.Digest, t.Bytes})
}

// prepared takes in what a call is, and rules on it.
func (r *reduction) prepared(c protocol.Prepared) {
	row, ok := r.Calls.find(c.Call)
	if !ok || row.At != callPreparing {
		if !r.late(c.Call >= 1 && c.Call <= r.NextCall) {
			r.violation("a preparation of call %d, which is not being prepared", c.Call)
		}
		return
	}
	brief, _ := r.brief(row.Tool)
	switch {
	case c.Refused != "":
		r.refuse(row, "invalid", c.Refused)
		r.then(r.progress)
		return
	case c.Class < brief.Floor || c.Class > brief.Top || c.ResultTrust > brief.ResultTrust:
		r.refuse(row, "invalid", "the tool's preparation breaks its own contract")
		r.then(r.progress)
		return
	}
	row.Class, row.Egress, row.Sink = c.Class, c.Egress, c.Sink
	row.Args, row.ArgsDigest = c.Args, c.ArgsDigest
	row.Workspace = c.Workspace
	row.Undo, row.Compensation, row.Probeable = c.Undo, c.Compensation, c.Probeable
	row.ResultTrust, row.Preview = c.ResultTrust, c.Preview
	if row.Claimed {
		row.Prior = c.Prior
	}
	r.admit(row)
	r.then(r.progress)
}

// refuse gives a call its result without carrying it out. The proposer reads
// the reason.
func (r *reduction) refuse(c call, code, reason string) {
	r.emit(protocol.CallRefused{Call: c.N, CallID: c.ID, Tool: c.Tool, Code: code, Reason: reason})
	r.closeCall(c, code+": "+reason, false)
}

// abandon refuses every call that is not in flight.
func (r *reduction) abandon(why string) {
	for c := range r.Calls.all {
		switch c.At {
		case callExecuting, callUnknown:
		case callRuledDone, callRuledFail:
			r.Calls = r.Calls.drop(c.N) // the ruling is its result
		default:
			r.revoke(c, why)
			r.emit(protocol.CallRefused{Call: c.N, CallID: c.ID, Tool: c.Tool, Code: "stopped", Reason: why})
			r.Calls = r.Calls.drop(c.N)
		}
	}
}

// closeCall takes a call that has its result off the table, and notes the
// result for the loop guard and the error count.
func (r *reduction) closeCall(c call, result string, ok bool) {
	r.Calls = r.Calls.drop(c.N)
	r.countResult(signature{Tool: c.Tool, Args: string(c.ArgsDigest) + c.argsWhenUnprepared(), Result: result}, ok)
	if c.Step > 0 {
		r.stepClosed(c, result, ok)
	}
}

func (c call) argsWhenUnprepared() string {
	if c.ArgsDigest != "" {
		return ""
	}
	return c.Args.Text
}
