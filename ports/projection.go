package ports

import (
	"context"

	"github.com/tipstaff/tipstaff/protocol"
)

// ProjectionV1 keeps a fold of the record for queries. It is never the truth: a
// failure of it never stops a run, and it can be built anew.
type ProjectionV1 interface {
	// Apply folds entries of one run in, in order. Entries it has seen are
	// passed over.
	Apply(ctx context.Context, run protocol.RunID, entries []protocol.Entry) error
	// Seen is the next seq it wants of a run.
	Seen(ctx context.Context, run protocol.RunID) (uint64, error)
}
