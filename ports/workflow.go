package ports

import (
	"context"

	"github.com/tipstaff/tipstaff/protocol"
)

// WorkflowV1 starts work that is a run of its own.
type WorkflowV1 interface {
	// Start begins a child run within what the parent has left and names it.
	// The same key names the same child.
	Start(ctx context.Context, key string, task protocol.TaskEnvelope) (protocol.RunID, error)
	// Await waits for its end.
	Await(ctx context.Context, run protocol.RunID) (protocol.RunEnded, error)
}
