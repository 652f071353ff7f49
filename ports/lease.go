package ports

import (
	"context"
	"time"

	"github.com/tipstaff/tipstaff/protocol"
)

// LeaseV1 gives one host at a time the right to drive a run.
type LeaseV1 interface {
	// Claim takes a free or expired lease and gives its fencing token, greater
	// than any given for the run before.
	Claim(ctx context.Context, run protocol.RunID, holder string, ttl time.Duration) (token uint64, err error)
	// Renew keeps it; an error means that it is lost.
	Renew(ctx context.Context, run protocol.RunID, token uint64, ttl time.Duration) error
	// Release gives it up.
	Release(ctx context.Context, run protocol.RunID, token uint64) error
}
