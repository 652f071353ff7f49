package ports

import (
	"context"
	"time"

	"github.com/tipstaff/tipstaff/protocol"
)

// QueueV1 holds runs that wait for a host.
type QueueV1 interface {
	// Push adds a run once; pushing it again changes nothing.
	Push(ctx context.Context, run protocol.RunID) error
	// Pull waits for a run and hides it from others for a while.
	Pull(ctx context.Context, hide time.Duration) (run protocol.RunID, receipt string, err error)
	// Done takes a pulled run off the queue.
	Done(ctx context.Context, receipt string) error
}
