// Package noop is the tool that does nothing: for plans and tests that need a
// step which takes a while or fails.
package noop

import (
	"context"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/tool"
)

// Args are noop's arguments.
type Args struct {
	Fail    bool  `json:"fail,omitempty" jsonschema:"fail instead of succeeding"`
	DelayMS int64 `json:"delay_ms,omitempty" jsonschema:"wait that many milliseconds first"`
}

// New makes the tool.
func New() ports.ToolV1 {
	return tool.New("noop", "Do nothing; on request after a while, on request without success.", tool.ReadOnly, run,
		tool.Results(protocol.Workspace), tool.Timeout(10*time.Minute))
}

func run(ctx context.Context, in Args) (tool.Result, error) {
	if in.DelayMS > 0 {
		timer := time.NewTimer(time.Duration(in.DelayMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return tool.Result{}, context.Cause(ctx)
		}
	}
	if in.Fail {
		return tool.Result{}, ports.Failed("it was asked to fail")
	}
	return tool.Result{Text: "ok"}, nil
}
