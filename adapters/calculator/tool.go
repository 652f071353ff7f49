package calculator

import (
	"context"
	"errors"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/tool"
)

// Args are the calculator's arguments.
type Args struct {
	Expression string `json:"expression" jsonschema:"an arithmetic expression such as (1200 - 3.5) * 2 ** 10"`
}

// New makes the tool.
func New() ports.ToolV1 {
	return tool.New("calculator", "Evaluate an arithmetic expression exactly: + - * / // % ** parentheses, abs ceil exp floor ln log max min round sqrt sum avg, pi, e.",
		tool.ReadOnly, func(ctx context.Context, in Args) (tool.Result, error) {
			v, err := Evaluate(ctx, in.Expression)
			var bad *Error
			if errors.As(err, &bad) {
				return tool.Result{}, ports.Failed(bad.Error())
			}
			return tool.Result{Text: v}, err
		}, tool.Results(protocol.Workspace), tool.Timeout(5*time.Second))
}
