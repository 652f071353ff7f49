package ports

import (
	"context"
	"errors"
	"iter"

	"github.com/tipstaff/tipstaff/protocol"
)

// Errors of a record store.
var (
	// ErrNotFound says that nothing is kept under a key.
	ErrNotFound = errors.New("not found")
	// ErrHeadMoved says that a batch was chained onto a head that is not the
	// run's: somebody else appended.
	ErrHeadMoved = errors.New("the run's head has moved: somebody else writes to it")
	// ErrClaimed says that an idempotency key is taken by something else.
	ErrClaimed = errors.New("the idempotency key is taken")
	// ErrPoisoned says that a write or sync failed before and the store takes
	// nothing more until it is opened again.
	ErrPoisoned = errors.New("the record could not be written before; nothing more is accepted until it is opened again")
)

// RecordV1 keeps the record. It is safe for concurrent use.
type RecordV1 interface {
	// Append adds a batch, all or nothing, when the run's head is
	// batch.Expect. When it returns nil for a batch with Sync, the batch and
	// everything appended to the run before are durable. After a failed write
	// or sync it returns ErrPoisoned, for good.
	Append(ctx context.Context, batch protocol.Batch) error
	// Get gives one value; ErrNotFound when there is none. What it gives may
	// not be durable yet unless it came from a synced batch.
	Get(ctx context.Context, key protocol.Key) ([]byte, error)
	// Scan gives the values from key on, in order, within the key's space and,
	// for entries and checkpoints, its run. An empty Name scans a whole space.
	Scan(ctx context.Context, from protocol.Key) iter.Seq2[protocol.Item, error]
}
