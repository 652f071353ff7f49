package conformance

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// ProviderV1 is what ports.ProviderV1 means. request is one that is answered.
func ProviderV1(t *testing.T, request ports.Request, open func(t *testing.T) ports.ProviderV1) {
	t.Run("its route is named, and does not change", func(t *testing.T) {
		p := open(t)
		first, second := p.Describe(), p.Describe()
		if !strings.Contains(first.Name, "/") || first != second {
			t.Errorf("the route is %q", first.Name)
		}
	})
	t.Run("an answer says why it ended, and its calls can be read", func(t *testing.T) {
		turn, err := open(t).Complete(context.Background(), request)
		must(t, err)
		switch turn.Stop {
		case protocol.StopEndTurn, protocol.StopToolUse, protocol.StopMaxTokens, protocol.StopRefusal:
		default:
			t.Errorf("it stopped with %q", turn.Stop)
		}
		for _, c := range turn.Calls {
			if _, err := protocol.Canonical(c.Args); err != nil || c.Name == "" {
				t.Errorf("a call of %q with %s, %v", c.Name, c.Args, err)
			}
		}
	})
	t.Run("a request that was given up is not answered", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := open(t).Complete(ctx, request); err != nil {
			var fault *ports.Fault
			if !errors.As(err, &fault) && !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
	})
}

// ContextV1 is what ports.ContextV1 means.
func ContextV1(t *testing.T, port ports.ContextV1) {
	long := strings.Repeat("x", 1000)
	talk := []ports.Message{
		{Role: ports.RoleSystem, Text: "guidance", Source: "instructions", Trust: protocol.Trusted},
		{Role: ports.RoleUser, Text: "the goal", Source: "goal", Trust: protocol.Trusted},
	}
	for i := range 300 {
		trust := protocol.Trust(i % 3)
		talk = append(talk,
			ports.Message{Role: ports.RoleAssistant, Text: "turn", Source: "transcript", Trust: trust, Calls: []ports.ToolCall{{ID: "c", Name: "t", Args: []byte("{}")}}},
			ports.Message{Role: ports.RoleTool, Text: long, CallID: "c", Source: "transcript", Trust: trust},
		)
	}
	for _, most := range []uint32{0, 10, 20, 2000, protocol.MaxGrantBytes} {
		request := protocol.ContextRequest{RequestID: 7, Slot: protocol.SlotContext, MaxBytes: most, TrustCeiling: protocol.Trusted, Selectors: []protocol.Selector{{Kind: "transcript"}}}
		shown, grant, err := port.Materialise(context.Background(), request, talk)
		must(t, err)
		must(t, grant.Validate(request))
		least := protocol.Trusted
		for i, m := range shown {
			least = least.Meet(m.Trust)
			if m.Role == ports.RoleTool && (i == 0 || len(shown[i-1].Calls) == 0 && shown[i-1].Role != ports.RoleTool) {
				t.Errorf("with %d bytes: a result is shown without the turn that asked for it", most)
			}
		}
		if governing, ok := grant.Governing(); ok != (len(shown) > 0) || ok && governing != least {
			t.Errorf("with %d bytes: the label is %s, what is shown is %s", most, governing, least)
		}
	}
}

// VerifyV1 is what ports.VerifyV1 means.
func VerifyV1(t *testing.T, port ports.VerifyV1) {
	whole := "{\"a\":[1,{\"b/c\":\"x\"}]}"
	for name, c := range map[string]struct {
		check  protocol.Check
		passes bool
	}{
		"contains":           {protocol.Check{Contains: `"a"`}, true},
		"does not contain":   {protocol.Check{Contains: "z"}, false},
		"equals":             {protocol.Check{Equals: &whole}, true},
		"matches":            {protocol.Check{Matches: `^\{.*\}$`}, true},
		"does not match":     {protocol.Check{Matches: `^a`}, false},
		"at a pointer":       {protocol.Check{JSON: &protocol.JSONCheck{Pointer: "/a/1/b~1c", Equals: []byte(`"x"`)}}, true},
		"another value":      {protocol.Check{JSON: &protocol.JSONCheck{Pointer: "/a/0", Equals: []byte(`2`)}}, false},
		"nothing there":      {protocol.Check{JSON: &protocol.JSONCheck{Pointer: "/b", Equals: []byte(`2`)}}, false},
		"the whole document": {protocol.Check{JSON: &protocol.JSONCheck{Equals: []byte(` {"a": [1, {"b/c": "x"}]} `)}}, true},
		"all must hold":      {protocol.Check{Contains: `"a"`, Matches: "^z"}, false},
	} {
		passed, why, err := port.Verify(context.Background(), c.check, whole)
		if err != nil || passed != c.passes || !passed && why == "" {
			t.Errorf("%s: %v, %q, %v", name, passed, why, err)
		}
	}
	if passed, _, err := port.Verify(context.Background(), protocol.Check{Matches: "("}, ""); err == nil && passed {
		t.Error("what cannot be judged has passed")
	}
}

// StrategyV1 is what ports.StrategyV1 means.
func StrategyV1(t *testing.T, s ports.StrategyV1) {
	must(t, s.Slot().Validate())
	o := ports.Observation{Slot: s.Slot(), Ceiling: protocol.SetOf(protocol.ReadOnly), Payload: []byte(`{}`)}
	first, second := s.Decide(o), s.Decide(o)
	if !bytes.Equal(first.Payload, second.Payload) || first.Admitted != second.Admitted {
		t.Errorf("%s decides differently the second time", s.Slot())
	}
	if _, err := protocol.Canonical(first.Payload); err != nil {
		t.Errorf("%s decides %q: %v", s.Slot(), first.Payload, err)
	}
	if !ports.Narrowed(s, o).Admitted.SubsetOf(o.Ceiling) {
		t.Errorf("%s takes more than its ceiling", s.Slot())
	}
}
