// Package script plays a model from a file, so that everything can be tried
// without a key. It never makes an answer up: a turn whose expectation fails, or
// a turn past the end, is an error.
package script

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// maxFileBytes bounds a script file.
const maxFileBytes = 8 << 20

// Script is a scripted model (CONTRACT section 2). It has no memory of its own:
// which turn it plays follows from the request.
type Script struct{ turns []turn }

type file struct {
	Turns []turn `json:"turns"`
}

type turn struct {
	Expect    *expect         `json:"expect,omitempty"`
	Text      string          `json:"text,omitempty"`
	ToolCalls []toolCall      `json:"tool_calls,omitempty"`
	Usage     *protocol.Usage `json:"usage,omitempty"`
	Error     *fault          `json:"error,omitempty"`
	DelayMS   int64           `json:"delay_ms,omitempty"`
	Stop      string          `json:"stop,omitempty"`
}

type expect struct {
	LastToolResultContains string `json:"last_tool_result_contains,omitempty"`
	LastMessageContains    string `json:"last_message_contains,omitempty"`
}

type toolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

type fault struct {
	Kind        string `json:"kind"`
	RetryAfterS int64  `json:"retry_after_s,omitempty"`
}

// Load reads and checks a script file, whole.
func Load(path string) (*Script, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if len(raw) > maxFileBytes {
		return nil, fmt.Errorf("script %s: it has more than %d bytes", path, maxFileBytes)
	}
	s, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return s, nil
}

// Parse reads and checks a script.
func Parse(raw []byte) (*Script, error) {
	var f file
	if err := protocol.Decode(raw, &f); err != nil {
		return nil, err
	}
	if len(f.Turns) == 0 {
		return nil, fmt.Errorf("turns: a script has at least one turn")
	}
	for i, t := range f.Turns {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("turns[%d]: %w", i, err)
		}
	}
	return &Script{f.Turns}, nil
}

func (t turn) check() error {
	if t.Error != nil {
		switch t.Error.Kind {
		case "rate_limited", "timeout", "server", "invalid_request", "refusal":
		default:
			return fmt.Errorf("error.kind: %q is not rate_limited, timeout, server, invalid_request or refusal", t.Error.Kind)
		}
		if t.Text != "" || len(t.ToolCalls) > 0 {
			return fmt.Errorf("error: a turn that fails says nothing else")
		}
	}
	switch t.Stop {
	case "", protocol.StopEndTurn, protocol.StopToolUse, protocol.StopMaxTokens, protocol.StopRefusal:
	default:
		return fmt.Errorf("stop: %q is not end_turn, tool_use, max_tokens or refusal", t.Stop)
	}
	for i, c := range t.ToolCalls {
		if c.ID == "" || c.Name == "" {
			return fmt.Errorf("tool_calls[%d]: a call has an id and a name", i)
		}
	}
	return nil
}

// Describe names the route.
func (s *Script) Describe() ports.Route { return ports.Route{Name: "script/file"} }

// Complete plays the turn that follows from the request: as many turns as the
// model has taken before are over.
func (s *Script) Complete(ctx context.Context, r ports.Request) (ports.Turn, error) {
	n := r.Turn - 1
	if n < 0 || n >= len(s.turns) {
		return ports.Turn{}, ports.Failed(fmt.Sprintf("the script ends after %d turns, and the run asks for turn %d", len(s.turns), r.Turn))
	}
	t := s.turns[n]
	if err := wait(ctx, t.DelayMS); err != nil {
		return ports.Turn{}, err
	}
	if t.Error != nil {
		return ports.Turn{}, t.Error.fault()
	}
	if err := t.Expect.met(r.Messages); err != nil {
		return ports.Turn{}, ports.Failed(fmt.Sprintf("turns[%d].expect: %v", n, err))
	}
	results := toolResults(r.Messages)
	out := ports.Turn{Usage: t.Usage, Stop: t.Stop}
	var err error
	if out.Text, err = fill(t.Text, results); err != nil {
		return ports.Turn{}, ports.Failed(fmt.Sprintf("turns[%d].text: %v", n, err))
	}
	for i, c := range t.ToolCalls {
		args, err := fillArguments(c.Arguments, results)
		if err != nil {
			return ports.Turn{}, ports.Failed(fmt.Sprintf("turns[%d].tool_calls[%d]: %v", n, i, err))
		}
		out.Calls = append(out.Calls, ports.ToolCall{ID: c.ID, Name: c.Name, Args: args})
	}
	if out.Stop == "" {
		out.Stop = protocol.StopEndTurn
		if len(out.Calls) > 0 {
			out.Stop = protocol.StopToolUse
		}
	}
	return out, nil
}

func wait(ctx context.Context, ms int64) error {
	if ms <= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f fault) fault() *ports.Fault {
	switch f.Kind {
	case "refusal":
		return &ports.Fault{Kind: ports.FaultRefused, Message: "the scripted provider refuses"}
	case "invalid_request":
		return &ports.Fault{Kind: ports.FaultInvalid, Message: "the scripted provider calls the request invalid"}
	}
	return &ports.Fault{
		Kind: ports.FaultUnavailable, Message: "the scripted provider is not available: " + f.Kind,
		Retriable: true, DelayMillis: f.RetryAfterS * 1000,
	}
}

func (e *expect) met(messages []ports.Message) error {
	if e == nil {
		return nil
	}
	last, lastTool := "", ""
	for _, m := range messages {
		last = m.Text
		if m.Role == ports.RoleTool {
			lastTool = m.Text
		}
	}
	if !strings.Contains(lastTool, e.LastToolResultContains) {
		return fmt.Errorf("the last tool result does not contain %q but is %q", e.LastToolResultContains, excerpt(lastTool))
	}
	if !strings.Contains(last, e.LastMessageContains) {
		return fmt.Errorf("the last message does not contain %q but is %q", e.LastMessageContains, excerpt(last))
	}
	return nil
}

func excerpt(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// toolResults finds the text of each call's result; of two calls with one id the
// later counts.
func toolResults(messages []ports.Message) map[string]string {
	out := map[string]string{}
	for _, m := range messages {
		if m.Role == ports.RoleTool {
			out[m.CallID] = m.Text
		}
	}
	return out
}

// placeholder is {{tool.ID}}: the text of that call's result.
func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{\{tool\.([^{}]+)\}\}`) }

func fill(s string, results map[string]string) (string, error) {
	if !strings.Contains(s, "{{tool.") {
		return s, nil
	}
	var missing string
	out := placeholder().ReplaceAllStringFunc(s, func(m string) string {
		id := m[len("{{tool.") : len(m)-2]
		v, ok := results[id]
		if !ok {
			missing = id
		}
		return v
	})
	if missing != "" {
		return "", fmt.Errorf("{{tool.%s}}: no call of that id has a result yet", missing)
	}
	return out, nil
}

// fillArguments replaces placeholders inside the strings of a document.
func fillArguments(raw json.RawMessage, results map[string]string) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("{}"), nil
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	v, err := fillValue(v, results)
	if err != nil {
		return nil, err
	}
	return protocol.Marshal(v)
}

func fillValue(v any, results map[string]string) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return fill(v, results)
	case []any:
		for i := range v {
			if v[i], err = fillValue(v[i], results); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = fillValue(v[k], results); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
