package host

import (
	"context"

	"github.com/pkg/errors"

	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// Tools lists the tools of the configured workspace.
func (h *Host) Tools() ([]protocol.ToolContract, error) {
	t, err := h.bindTools(h.workspace())
	if err != nil {
		return nil, err
	}
	return t.contracts(), t.Close()
}

// DryStep is how a step of a plan would be ruled, as the world is now.
type DryStep struct {
	Step    string              `json:"step"`
	Tool    string              `json:"tool"`
	Class   protocol.Capability `json:"class"`
	Verdict protocol.Verdict    `json:"verdict"`
	// Note is what it would do, or why it cannot be told yet.
	Note string `json:"note"`
}

// DryRun checks a plan and says how each step would be ruled. Nothing is
// recorded and nothing carried out.
func (h *Host) DryRun(ctx context.Context, op protocol.StartRun) ([]DryStep, error) {
	tools, err := h.bindTools(h.workspace())
	if err != nil {
		return nil, err
	}
	defer tools.Close()
	begin, _, err := h.begin(ctx, op, tools)
	if err != nil {
		return nil, err
	}
	var out []DryStep
	for _, s := range begin.Steps {
		tool, _ := tools.find(s.Tool)
		d := DryStep{Step: s.ID, Tool: s.Tool, Class: tool.Contract().Floor}
		p, err := tool.Prepare(ctx, []byte(s.Args.Text))
		if err != nil {
			d.Note = "it cannot be told yet: " + err.Error()
		} else {
			d.Class, d.Note = p.Class, p.Preview
		}
		d.Verdict = kernel.Foresee(begin, s, d.Class, p.Undo != nil)
		out = append(out, d)
	}
	return out, nil
}

// CallResult is what the last call of a run came to.
type CallResult struct {
	OK   bool
	Text string
}

// LastResult finds what the last call of a run came to.
func (h *Host) LastResult(ctx context.Context, id protocol.RunID) (CallResult, error) {
	var out CallResult
	for line, err := range h.Lines(ctx, id, 0) {
		if err != nil {
			return out, err
		}
		e, err := record.ParseLine(line)
		if err != nil {
			return out, &record.Damage{Run: id, What: err.Error()}
		}
		event, err := protocol.DecodeEvent(e.Kind, e.Body)
		if err != nil {
			continue // a command
		}
		switch event := event.(type) {
		case protocol.ToolDone:
			text, err := h.content(ctx, textRef(event.Result))
			if err != nil {
				return out, err
			}
			out = CallResult{true, text}
		case protocol.CallReused:
			text, err := h.content(ctx, textRef(event.Result))
			if err != nil {
				return out, err
			}
			out = CallResult{true, text}
		case protocol.EffectFailed:
			out = CallResult{false, event.Reason}
		case protocol.EffectUnknown:
			out = CallResult{false, event.Reason}
		case protocol.CallRefused:
			out = CallResult{false, event.Code + ": " + event.Reason}
		}
	}
	return out, nil
}

// Check is one line of the doctor.
type Check struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Optional bool   `json:"optional,omitempty"`
	Words    string `json:"words"`
}

// Doctor says what works here. Only when every check that is not optional is
// right would runs work.
func Doctor(ctx context.Context, c Config) []Check {
	var out []Check
	add := func(name string, optional bool, err error, words string) {
		check := Check{Name: name, OK: err == nil, Optional: optional, Words: words}
		if err != nil {
			check.Words = err.Error()
		}
		out = append(out, check)
	}
	h, err := Open(c)
	add("home", false, err, c.Home)
	if err != nil {
		return out
	}
	defer h.Close()
	_, err = h.Runs(ctx)
	add("record", false, err, "Pebble, format 1, every batch synced")
	t, err := h.bindTools(h.workspace())
	add("tools", false, err, "bound")
	if err == nil {
		_ = t.Close()
	}
	_, err = LoadFSM(c.FSM)
	add("guardrail", false, err, "as built in"+map[bool]string{true: " and " + c.FSM, false: ""}[c.FSM != ""])
	route, err := h.route()
	var provider ports.ProviderV1
	if err == nil {
		provider, err = bindProvider(route)
	}
	if err == nil {
		route = provider.Describe().Name
	}
	add("model", c.Model == "" && c.Provider == "", err, route)
	add("isolation", true, errors.New("none here: tools that run code are not built in yet"), "")
	return out
}
