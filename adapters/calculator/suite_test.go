package calculator

import (
	"testing"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
)

func TestToolV1(t *testing.T) {
	c := conformance.ToolCase{Good: []string{`{"expression":"1+1"}`}, Bad: []string{`{}`, `{"expression":2}`}}
	conformance.ToolV1(t, c, func(*testing.T) ports.ToolV1 { return New() })
}
