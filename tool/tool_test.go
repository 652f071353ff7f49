package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/tool"
)

type greeting struct {
	Name   string   `json:"name" jsonschema:"whom to greet"`
	Times  int64    `json:"times,omitempty" jsonschema:"how often"`
	Titles []string `json:"titles,omitempty"`
}

func greet() ports.ToolV1 {
	return tool.New("greet", "Greet somebody.", tool.ReadOnly, func(_ context.Context, in greeting) (tool.Result, error) {
		return tool.Result{Text: strings.Repeat("hello "+in.Name+" ", int(max(1, in.Times)))}, nil
	}, tool.Results(protocol.Workspace), tool.Timeout(3*time.Second))
}

func TestToolV1(t *testing.T) {
	c := conformance.ToolCase{
		Good: []string{`{"name":"Ada"}`, `{"titles":["Dr"],"times":2,"name":"Ada"}`},
		Bad:  []string{`{}`, `{"name":1}`, `{"Name":"Ada"}`, `{"name":"Ada","times":1.5}`, `{"name":"Ada","titles":"Dr"}`, `{"name":null}`},
	}
	conformance.ToolV1(t, c, func(*testing.T) ports.ToolV1 { return greet() })
}

// TestSchema: names, descriptions and what is optional come from the type.
func TestSchema(t *testing.T) {
	c := greet().Contract()
	var s struct {
		Type       string
		Required   []string
		Properties map[string]struct{ Description string }
		Additional any `json:"additionalProperties"`
	}
	if err := json.Unmarshal(c.Schema, &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "object" || len(s.Required) != 1 || s.Required[0] != "name" || s.Properties["name"].Description != "whom to greet" || s.Additional == nil {
		t.Errorf("%s", c.Schema)
	}
	if c.TimeoutMillis != 3000 || c.Purity() != protocol.Pure || c.ResultTrust != protocol.Workspace {
		t.Errorf("%+v", c)
	}
}

// TestFaultIsForTheModel: the error names the place and no type of Go.
func TestFaultIsForTheModel(t *testing.T) {
	_, err := greet().Prepare(context.Background(), []byte(`{"name":1}`))
	var fault *ports.Fault
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "name") || strings.Contains(fault.Message, "greeting") {
		t.Errorf("%v", err)
	}
}
