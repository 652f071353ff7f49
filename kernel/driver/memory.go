package driver

import (
	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// memory is what a run knows and the record does not say in full: the words of
// the conversation and the arguments of calls, as they came. The kernel never
// sees it. After a restart it is folded anew from the record, redacted.
type memory struct {
	messages []ports.Message
	shown    []ports.Message   // what the open turn is shown
	place    map[uint64]int    // where a call's result stands in messages
	args     map[uint64]args   // what a call was proposed with, then normalised to
	results  map[uint64]string // results that a verifier may still ask for
	calls    map[protocol.EffectID]uint64
	done     map[uint64]protocol.ToolDone // what calls came to, for idempotency keys
	undo     map[protocol.Digest][]byte
	plan     []args
	tools    map[uint64]string // of calls with a caller's idempotency key
}

// args are a call's arguments, or the reason there are none.
type args struct {
	raw      []byte
	redacted bool
}

func newMemory(guidance string) *memory {
	m := &memory{
		place: map[uint64]int{}, args: map[uint64]args{}, results: map[uint64]string{},
		calls: map[protocol.EffectID]uint64{}, done: map[uint64]protocol.ToolDone{}, undo: map[protocol.Digest][]byte{},
		tools: map[uint64]string{},
	}
	if guidance != "" {
		m.messages = append(m.messages, ports.Message{Role: ports.RoleSystem, Text: guidance, Source: "instructions", Trust: protocol.Trusted})
	}
	return m
}

// fold takes in one step. c is the command as it came; after a restart, as the
// record has it.
func (m *memory) fold(c protocol.Command, before, after kernel.State, actions []protocol.Action, in reply) {
	switch c := c.(type) {
	case protocol.Begin:
		m.begin(c)
	case protocol.Say:
		m.messages = append(m.messages, ports.Message{Role: ports.RoleUser, Text: c.Text.Text.Text, Source: "transcript", Trust: c.Text.Trust()})
	case protocol.Propose:
		if after.Minted() > before.Minted() {
			m.args[after.Minted()] = argsOf(c.Call.Args)
		}
	case protocol.Granted:
		m.shown = in.shown
	case protocol.Prepared:
		if in.prepared != nil {
			m.args[c.Call] = args{raw: in.prepared.Args}
		} else if c.Refused == "" {
			m.args[c.Call] = argsOf(c.Args)
		}
	case protocol.Settled:
		if c.Turn != nil {
			m.turn(*c.Turn, before, after)
		}
	}
	for n := before.Minted() + 1; n <= after.Minted(); n++ {
		if int(n) <= len(m.plan) {
			m.args[n] = m.plan[n-1]
		}
	}
	for _, a := range actions {
		m.observe(a, c)
	}
}

func argsOf(t protocol.Text) args {
	if t.Text == "" && t.Bytes == 0 {
		return args{raw: []byte("{}")}
	}
	return args{raw: []byte(t.Text), redacted: t.Redacted}
}

func (m *memory) begin(c protocol.Begin) {
	if c.Proposer == protocol.ProposerModel {
		m.messages = append(m.messages, ports.Message{Role: ports.RoleUser, Text: c.Task.Input.Text, Source: "goal", Trust: c.Task.Trust})
	}
	for _, s := range c.Steps {
		m.plan = append(m.plan, argsOf(s.Args))
	}
}

// turn adds a model's turn and a place for the result of each of its calls.
func (m *memory) turn(t protocol.ModelTurn, before, after kernel.State) {
	label := before.View().Trust
	msg := ports.Message{Role: ports.RoleAssistant, Text: t.Text.Text, Source: "transcript", Trust: label}
	for _, c := range t.Calls {
		msg.Calls = append(msg.Calls, ports.ToolCall{ID: c.ID, Name: c.Name, Args: argsOf(c.Args).raw})
	}
	m.messages = append(m.messages, msg)
	if after.Minted() != before.Minted()+uint64(len(t.Calls)) {
		return // the turn made no calls of its own
	}
	for i, c := range t.Calls {
		n := before.Minted() + 1 + uint64(i)
		m.args[n] = argsOf(c.Args)
		m.place[n] = len(m.messages)
		m.messages = append(m.messages, ports.Message{Role: ports.RoleTool, CallID: c.ID, Source: "transcript", Trust: label})
	}
}

// observe notes what an action says of a call.
func (m *memory) observe(a protocol.Action, c protocol.Command) {
	if p, ok := a.(protocol.Perform); ok && p.Kind == protocol.EffectTool {
		m.calls[p.Effect] = p.Call
		return
	}
	emit, ok := a.(protocol.Emit)
	if !ok {
		return
	}
	switch e := emit.Event.(type) {
	case protocol.ToolDone:
		text := e.Result.Text
		if settled, ok := c.(protocol.Settled); ok && settled.Result != nil {
			text = settled.Result.Text.Text
		}
		m.result(m.calls[e.EffectID], text, false, e.Trust)
		m.done[m.calls[e.EffectID]] = e
	case protocol.CallReused:
		text := e.Result.Text
		if p, ok := c.(protocol.Prepared); ok && p.Prior != nil {
			text = p.Prior.Result.Text
		}
		m.result(e.Call, text, false, e.Trust)
	case protocol.EffectFailed:
		if n, ok := m.calls[e.ID]; ok {
			m.result(n, "error: "+e.Reason, true, protocol.Trusted)
		}
	case protocol.CallRefused:
		m.result(e.Call, "refused ("+e.Code+"): "+e.Reason, true, protocol.Trusted)
	case protocol.EffectResolved:
		if n, ok := m.calls[e.ID]; ok {
			m.result(n, "a person ruled this call "+string(e.As)+". "+e.Note, e.As == protocol.TerminalFailed, protocol.Trusted)
		}
	}
}

// result fills a call's place. The label of what it was shown before stays: a
// result never lifts it.
func (m *memory) result(call uint64, text string, failed bool, trust protocol.Trust) {
	m.results[call] = text
	if at, ok := m.place[call]; ok {
		msg := &m.messages[at]
		msg.Text, msg.Failed, msg.Trust = text, failed, msg.Trust.Meet(trust)
	}
}
