package script

import (
	"context"
	"errors"
	"testing"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
)

func parsed(t *testing.T, raw string) *Script {
	t.Helper()
	s, err := Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProviderV1(t *testing.T) {
	conformance.ProviderV1(t, ports.Request{Turn: 1}, func(t *testing.T) ports.ProviderV1 {
		return parsed(t, `{"turns":[{"text":"a","tool_calls":[{"id":"c","name":"x","arguments":{"b":[1.50,"c"]}}]}]}`)
	})
}

// TestPlaceholders: a script carries values on, in texts and in arguments, and
// never makes one up.
func TestPlaceholders(t *testing.T) {
	s := parsed(t, `{"turns":[
		{"text":"first"},
		{"expect":{"last_tool_result_contains":"4"},"text":"{{tool.a}}+{{tool.b c}}","tool_calls":[{"id":"d","name":"x","arguments":{"k{{tool.a}}":["{{tool.a}}",{"z":"({{tool.a}})"}],"n":1.50}}]},
		{"text":"{{tool.nothing}}"}]}`)
	talk := []ports.Message{{Role: ports.RoleTool, CallID: "a", Text: "old"}, {Role: ports.RoleTool, CallID: "a", Text: "42"}, {Role: ports.RoleTool, CallID: "b c", Text: `"4`}}
	turn, err := s.Complete(context.Background(), ports.Request{Turn: 2, Messages: talk})
	if err != nil || turn.Text != `42+"4` || string(turn.Calls[0].Args) != `{"k{{tool.a}}":["42",{"z":"(42)"}],"n":1.50}` {
		t.Errorf("%q, %s, %v", turn.Text, turn.Calls[0].Args, err)
	}
	for _, n := range []int{0, 3, 4} {
		_, err := s.Complete(context.Background(), ports.Request{Turn: n, Messages: talk})
		var fault *ports.Fault
		if !errors.As(err, &fault) || fault.Retriable {
			t.Errorf("turn %d: %v", n, err)
		}
	}
	if _, err := s.Complete(context.Background(), ports.Request{Turn: 2}); err == nil {
		t.Error("an expectation that is not met was passed over")
	}
}

// TestErrors: a scripted error is the fault its kind says.
func TestErrors(t *testing.T) {
	for kind, want := range map[string]struct {
		kind  ports.FaultKind
		again bool
	}{
		"rate_limited": {ports.FaultUnavailable, true}, "timeout": {ports.FaultUnavailable, true}, "server": {ports.FaultUnavailable, true},
		"invalid_request": {ports.FaultInvalid, false}, "refusal": {ports.FaultRefused, false},
	} {
		s := parsed(t, `{"turns":[{"error":{"kind":"`+kind+`","retry_after_s":2}}]}`)
		_, err := s.Complete(context.Background(), ports.Request{Turn: 1})
		var fault *ports.Fault
		if !errors.As(err, &fault) || fault.Kind != want.kind || fault.Retriable != want.again || want.again && fault.DelayMillis != 2000 {
			t.Errorf("%s: %+v", kind, fault)
		}
	}
}

// TestParseRefuses names the place of each fault.
func TestParseRefuses(t *testing.T) {
	for _, raw := range []string{
		`{}`, `{"turns":[]}`, `{"turns":[{"tool_calls":[{"id":"","name":"x"}]}]}`, `{"turns":[{"stop":"tired"}]}`,
		`{"turns":[{"error":{"kind":"refusal"},"text":"but"}]}`, `{"turns":[{"usage":{"input":1}}]}`, `[]`,
	} {
		if _, err := Parse([]byte(raw)); err == nil {
			t.Errorf("taken: %s", raw)
		}
	}
}
