package noop

import (
	"testing"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
)

func TestToolV1(t *testing.T) {
	c := conformance.ToolCase{Good: []string{`{}`, `{"delay_ms":1}`}, Bad: []string{`{"fail":"yes"}`}}
	conformance.ToolV1(t, c, func(*testing.T) ports.ToolV1 { return New() })
}
