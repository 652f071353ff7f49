package kernel

import (
	"github.com/tipstaff/tipstaff/protocol"
)

// approvalTTLMillis is how long a request waits for its answer: seven days.
const approvalTTLMillis = 7 * 24 * 60 * 60 * 1000

// unanswered is why a call is refused whose request nobody answered in time.
const unanswered = "nobody answered in time"

// approval is one request for a person's answer that has not been used. It is
// bound to the run it stands in and that run's policy, to one call, the digest
// of its arguments and its class.
type approval struct {
	N       uint64
	Call    uint64
	Args    protocol.Digest
	Class   protocol.Capability
	Expires int64
}

func (a approval) key() uint64 { return a.N }

// ask puts a call before a person.
func (r *reduction) ask(c call) {
	r.NextAsk++
	a := approval{N: r.NextAsk, Call: c.N, Args: c.ArgsDigest, Class: c.Class, Expires: r.at + approvalTTLMillis}
	r.Approvals = r.Approvals.put(a)
	c.At = callAsking
	r.Calls = r.Calls.put(c)
	r.emit(protocol.ApprovalRequested{
		ID: r.approvalID(a), Call: c.N, Tool: c.Tool, Class: c.Class, ArgsDigest: c.ArgsDigest,
		Args: c.Args, Preview: c.Preview, Compensation: c.Compensation, ExpiresAt: a.Expires,
	})
}

func (s *state) approvalID(a approval) protocol.ApprovalID {
	return protocol.NewApprovalID(s.Genesis.Run, a.N)
}

// decideApproval takes a person's answer: the first one counts, later ones are
// told so. The call moves on when a driver takes the run up again, so that an
// answer can be given by a process that could not carry the call out.
func (r *reduction) decideApproval(c protocol.Decide) {
	run, n, err := c.Approval.Split()
	a, open := r.Approvals.find(n)
	if err != nil || run != r.Genesis.Run || !open {
		r.reject(c.Submission, protocol.CodeConflict, "this approval is not open: it was answered, has expired or never was")
		return
	}
	row, ok := r.Calls.find(a.Call)
	if !ok || row.At != callAsking || row.ArgsDigest != a.Args || row.Class != a.Class {
		broken("an approval is open for a call that does not ask")
	}
	r.Approvals = r.Approvals.drop(n)
	decision := "denied"
	row.At, row.Why = callDenied, "a person said no"
	if c.Reason != "" {
		row.Why += ": " + c.Reason
	}
	switch {
	case r.at >= a.Expires:
		decision, row.Why = "expired", unanswered
	case c.Approve:
		decision = "approved"
		row.At = callApproved
	}
	r.Calls = r.Calls.put(row)
	r.emit(protocol.ApprovalDecided{ID: c.Approval, Decision: decision, By: c.By, Reason: c.Reason})
	if decision == "expired" {
		r.reject(c.Submission, protocol.CodeConflict, "this approval has expired")
		return
	}
	r.accept(c.Submission)
}

// expire ends the requests whose time is over.
func (r *reduction) expire() {
	for a := range r.Approvals.all {
		if r.at < a.Expires {
			continue
		}
		r.Approvals = r.Approvals.drop(a.N)
		r.emit(protocol.ApprovalDecided{ID: r.approvalID(a), Decision: "expired"})
		if row, ok := r.Calls.find(a.Call); ok {
			row.At, row.Why = callDenied, unanswered
			r.Calls = r.Calls.put(row)
		}
	}
}

// revoke takes a call's open request back.
func (r *reduction) revoke(c call, why string) {
	for a := range r.Approvals.all {
		if a.Call == c.N {
			r.Approvals = r.Approvals.drop(a.N)
			r.emit(protocol.ApprovalDecided{ID: r.approvalID(a), Decision: "revoked", Reason: why})
		}
	}
}
