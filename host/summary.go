package host

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/tipstaff/tipstaff/kernel/driver"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// Summary is one run in one document (CONTRACT section 1). It is a fold of the
// record.
type Summary struct {
	RunID    protocol.RunID    `json:"run_id"`
	Status   protocol.Status   `json:"status"`
	Outcome  protocol.Outcome  `json:"outcome,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Detail   string            `json:"detail,omitempty"`
	FSMState protocol.FSMState `json:"fsm_state"`
	Goal     string            `json:"goal,omitempty"`
	Answer   string            `json:"answer"`
	Turns    int               `json:"turns"`
	Usage    protocol.Usage    `json:"usage"`
	// CostUSD is null: nothing here has a price yet.
	CostUSD  *string       `json:"cost_usd"`
	Effects  []EffectLine  `json:"effects"`
	Saga     []SagaLine    `json:"saga"`
	Waiting  []Waiting     `json:"approvals,omitempty"`
	Created  int64         `json:"created_at"`
	Finished *int64        `json:"finished_at"`
	Head     HeadLine      `json:"head"`
	ExitCode int           `json:"exit_code"`
	Error    *ErrorMessage `json:"error,omitempty"`
}

// EffectLine is one effect of a summary.
type EffectLine struct {
	ID         protocol.EffectID   `json:"id"`
	Tool       string              `json:"tool"`
	Capability protocol.Capability `json:"capability"`
	Terminal   protocol.Terminal   `json:"terminal,omitempty"`
	Proven     bool                `json:"proven,omitempty"`
	Resolved   protocol.Terminal   `json:"resolved,omitempty"`
	Reason     string              `json:"reason,omitempty"`
}

// SagaLine is one committed step of a summary.
type SagaLine struct {
	Step   string              `json:"step"`
	Tool   string              `json:"tool"`
	Status protocol.SagaStatus `json:"status"`
	Reason string              `json:"reason,omitempty"`
}

// HeadLine is where a chain ends.
type HeadLine struct {
	Seq  uint64          `json:"seq"`
	Hash protocol.Digest `json:"hash"`
}

// Waiting is a call that waits for a person.
type Waiting struct {
	ID           protocol.ApprovalID `json:"id"`
	Run          protocol.RunID      `json:"run"`
	Tool         string              `json:"tool"`
	Class        protocol.Capability `json:"class"`
	Args         string              `json:"args"`
	Preview      string              `json:"preview"`
	Compensation string              `json:"compensation,omitempty"`
	ExpiresAt    int64               `json:"expires_at"`
}

// ErrorMessage is an error in a document.
type ErrorMessage struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ErrNoRun says that there is no such run.
var ErrNoRun = errors.New("there is no such run (see: tipstaff runs)")

// Begin is how a run began.
func (h *Host) Begin(ctx context.Context, id protocol.RunID) (protocol.Begin, error) {
	raw, err := h.store.Get(ctx, protocol.EntryKey(id, 0))
	if errors.Is(err, ports.ErrNotFound) {
		return protocol.Begin{}, fmt.Errorf("%s: %w", id, ErrNoRun)
	}
	if err != nil {
		return protocol.Begin{}, err
	}
	entry, err := record.ParseLine(raw)
	if err != nil {
		return protocol.Begin{}, &record.Damage{Run: id, What: err.Error()}
	}
	command, _, err := record.CommandOf(entry)
	begin, ok := command.(protocol.Begin)
	if err != nil || !ok {
		return protocol.Begin{}, &record.Damage{Run: id, What: "it is not the beginning of a run"}
	}
	return begin, nil
}

// Lines are a run's stored lines from one seq on.
func (h *Host) Lines(ctx context.Context, id protocol.RunID, from uint64) iter.Seq2[[]byte, error] {
	return driver.Lines(ctx, h.store, id, from)
}

// Head is where a run's chain ends; ErrNoRun when there is no such run.
func (h *Host) Head(ctx context.Context, id protocol.RunID) (protocol.Head, error) {
	head, err := driver.StoredHead(ctx, h.store, id)
	if errors.Is(err, ports.ErrNotFound) {
		return head, fmt.Errorf("%s: %w", id, ErrNoRun)
	}
	return head, err
}

// Runs lists all runs, oldest first.
func (h *Host) Runs(ctx context.Context) ([]protocol.RunID, error) {
	var out []protocol.RunID
	for item, err := range h.store.Scan(ctx, protocol.Key{Space: protocol.SpaceHead}) {
		if err != nil {
			return nil, err
		}
		out = append(out, protocol.RunID(item.Key.Name))
	}
	return out, nil
}

// Summarize folds a run's record into one document.
func (h *Host) Summarize(ctx context.Context, id protocol.RunID) (Summary, error) {
	f := fold{ctx: ctx, h: h, out: Summary{RunID: id, Status: protocol.StatusRunning, FSMState: protocol.Idle, Effects: []EffectLine{}, Saga: []SagaLine{}}}
	if _, err := h.Head(ctx, id); err != nil {
		return f.out, err
	}
	chain := record.NewChain(id)
	for pair, err := range record.Pairs(h.Lines(ctx, id, 0)) {
		if err != nil {
			return f.out, err
		}
		entry, err := chain.Next(pair.Line, pair.Following)
		if err != nil {
			return f.out, err
		}
		if err := f.entry(entry); err != nil {
			return f.out, err
		}
	}
	f.out.Head = HeadLine{Seq: chain.Head().Next - 1, Hash: chain.Head().Hash}
	f.close()
	return f.out, nil
}

// fold is a summary being made.
type fold struct {
	ctx   context.Context
	h     *Host
	out   Summary
	ended *protocol.RunEnded
}

func (f *fold) entry(e protocol.Entry) error {
	if protocol.IsCommandKind(e.Kind) {
		return f.command(e)
	}
	event, err := protocol.DecodeEvent(e.Kind, e.Body)
	if err != nil {
		return &record.Damage{Run: e.Run, Seq: e.Seq, What: err.Error()}
	}
	return f.event(e, event)
}

func (f *fold) command(e protocol.Entry) error {
	switch e.Kind {
	case protocol.KindBegin:
		c, _, err := record.CommandOf(e)
		if err != nil {
			return &record.Damage{Run: e.Run, Seq: e.Seq, What: err.Error()}
		}
		begin := c.(protocol.Begin)
		f.out.Created, f.out.Goal = e.At, begin.Task.Input.Text
		if begin.Plan != "" {
			f.out.Goal = "plan " + begin.Plan
		}
	case protocol.KindReconcile:
		if f.ended != nil && f.ended.Outcome == protocol.Drained { // what is over for good stays so
			f.ended, f.out.Finished = nil, nil
		}
	case protocol.KindSettled:
		c, _, err := record.CommandOf(e)
		if err != nil {
			return &record.Damage{Run: e.Run, Seq: e.Seq, What: err.Error()}
		}
		if turn := c.(protocol.Settled).Turn; turn != nil && turn.Usage != nil {
			f.out.Usage.Input += turn.Usage.Input
			f.out.Usage.Output += turn.Usage.Output
		}
	}
	return nil
}

func (f *fold) event(e protocol.Entry, event protocol.Event) error {
	switch event := event.(type) {
	case protocol.FSMMoved:
		f.out.FSMState = event.To
		if event.On == protocol.RollbackRequested {
			f.ended, f.out.Finished = nil, nil
		}
	case protocol.TurnStarted:
		f.out.Turns = event.Turn
	case protocol.EffectIntent:
		f.out.Effects = append(f.out.Effects, EffectLine{ID: event.ID, Tool: event.Tool, Capability: event.Capability})
	case protocol.ToolDone:
		f.effect(event.EffectID, func(l *EffectLine) { l.Terminal, l.Proven = protocol.TerminalToolDone, event.Proven })
	case protocol.EffectDone:
		f.effect(event.ID, func(l *EffectLine) { l.Terminal, l.Proven = protocol.TerminalDone, event.Proven })
	case protocol.EffectFailed:
		f.effect(event.ID, func(l *EffectLine) { l.Terminal, l.Reason = protocol.TerminalFailed, event.Reason })
	case protocol.EffectUnknown:
		f.effect(event.ID, func(l *EffectLine) { l.Terminal, l.Reason = protocol.TerminalUnknown, event.Reason })
	case protocol.EffectResolved:
		f.effect(event.ID, func(l *EffectLine) { l.Resolved = event.As })
	case protocol.ApprovalRequested:
		f.out.Waiting = append(f.out.Waiting, Waiting{
			ID: event.ID, Run: e.Run, Tool: event.Tool, Class: event.Class, Args: event.Args.Text,
			Preview: event.Preview.Text, Compensation: event.Compensation, ExpiresAt: event.ExpiresAt,
		})
	case protocol.ApprovalDecided:
		for i, w := range f.out.Waiting {
			if w.ID == event.ID {
				f.out.Waiting = append(f.out.Waiting[:i:i], f.out.Waiting[i+1:]...)
				break
			}
		}
	case protocol.SagaCommitted:
		f.out.Saga = append(f.out.Saga, SagaLine{Step: event.Name, Tool: event.Tool, Status: protocol.StepCommitted})
	case protocol.SagaCompensated:
		f.out.Saga[event.Step-1].Status = protocol.StepCompensated
	case protocol.SagaCompensationFailed:
		f.out.Saga[event.Step-1].Status, f.out.Saga[event.Step-1].Reason = protocol.StepCompensationFailed, event.Reason
	case protocol.RunEnded:
		f.ended, f.out.Finished = &event, &e.At
		return f.answer(event)
	}
	return nil
}

func (f *fold) answer(e protocol.RunEnded) error {
	f.out.Answer = ""
	if e.Answer == nil {
		return nil
	}
	var err error
	f.out.Answer, err = f.h.content(f.ctx, textRef(*e.Answer))
	return err
}

func (f *fold) effect(id protocol.EffectID, change func(*EffectLine)) {
	for i := range f.out.Effects {
		if f.out.Effects[i].ID == id {
			change(&f.out.Effects[i])
			return
		}
	}
}

// close says where the run is now, and with which exit code.
func (f *fold) close() {
	s := &f.out
	if f.ended != nil {
		s.Status, s.Outcome, s.Reason, s.Detail = f.ended.Status, f.ended.Outcome, f.ended.Reason, f.ended.Detail
		s.ExitCode = protocol.ExitCode(f.ended.Outcome, f.ended.FSM)
		if s.ExitCode != 0 {
			s.Error = &ErrorMessage{Code: s.Reason, Message: firstOf(s.Detail, s.Reason, string(s.Outcome))}
		}
		return
	}
	for _, e := range s.Effects {
		if e.Terminal == protocol.TerminalUnknown && e.Resolved == "" && e.Capability > protocol.ReadOnly {
			s.Status, s.ExitCode = protocol.StatusAwaitingRuling, protocol.ExitWaiting
		}
	}
	if len(s.Waiting) > 0 && s.Status == protocol.StatusRunning {
		s.Status, s.ExitCode = protocol.StatusAwaitingApproval, protocol.ExitWaiting
	}
}

// textRef is a text that may stand outside its entry.
type textRef protocol.Text

func (t textRef) whole(ctx context.Context, store ports.RecordV1) (string, error) {
	if t.Digest == "" {
		return t.Text, nil
	}
	b, err := store.Get(ctx, protocol.ContentKey(t.Digest))
	if errors.Is(err, ports.ErrNotFound) {
		return t.Text + "\n[the rest has been erased]", nil
	}
	if err == nil && record.DigestOf(b) != t.Digest {
		err = errors.New("a piece of content is not what was stored")
	}
	return string(b), err
}
