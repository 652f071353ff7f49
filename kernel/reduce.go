package kernel

import "github.com/tipstaff/tipstaff/protocol"

// maxConsequences bounds what one command can set off. A step sets off a
// handful; only a rollback of steps that nothing can undo is a long row of
// them, one a step.
const maxConsequences = 1 << 17

// Reduce applies one command to a state. It gives the state after it and what
// the driver must do, in order. s stays valid.
//
// It cannot fail: a command that its phase does not allow ends the run as
// harness_error/protocol_violation, and a broken invariant panics.
func Reduce(s State, c protocol.Command) (State, []protocol.Action) {
	r := &reduction{state: s.s, at: c.Stamp()}
	r.Commands++
	r.elapse()
	r.command(c)
	for i := 0; i < len(r.queue); i++ {
		if i == maxConsequences {
			broken("a %s has more than %d consequences", c.CommandKind(), maxConsequences)
		}
		r.queue[i]()
	}
	return State{r.state}, r.actions
}

// reduction is one Reduce at work.
type reduction struct {
	state
	at      int64
	actions []protocol.Action
	queue   []func()
}

// then queues a consequence. It runs after what is queued already, so that a
// family never calls into another.
func (r *reduction) then(f func()) { r.queue = append(r.queue, f) }

func (r *reduction) act(a protocol.Action) { r.actions = append(r.actions, a) }

func (r *reduction) emit(e protocol.Event) { r.act(protocol.Emit{Event: e}) }

// command hands a command to its family. Before a run has begun only Begin is
// legal; after its end only what an operator may still say is heard.
func (r *reduction) command(c protocol.Command) {
	if begin, ok := c.(protocol.Begin); ok {
		r.begin(begin)
		return
	}
	if r.Phase == phaseNone {
		r.violation("%s before the run has begun", c.CommandKind())
		return
	}
	switch c := c.(type) {
	case protocol.Propose:
		r.propose(c)
	case protocol.Say:
		r.say(c)
	case protocol.Decide:
		r.decideApproval(c)
	case protocol.Resolve:
		r.resolve(c)
	case protocol.Control:
		r.control(c)
	case protocol.Granted:
		r.granted(c)
	case protocol.Prepared:
		r.prepared(c)
	case protocol.Settled:
		r.settled(c)
	case protocol.Probed:
		r.probed(c)
	case protocol.Tick:
		r.tick()
	case protocol.Reconcile:
		r.reconcile(c)
	case protocol.Fault:
		r.fault(c)
	case protocol.UnknownCommand:
		r.emit(protocol.Notice{Code: protocol.NoticeUnknownCommand})
	default:
		broken("no family takes %s", c.CommandKind())
	}
}
