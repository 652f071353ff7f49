package ports

import (
	"context"

	"github.com/tipstaff/tipstaff/protocol"
)

// ContextV1 materialises what a turn is shown: the audited border between what a
// strategy asks for and what a model sees (S2-119).
type ContextV1 interface {
	// Materialise answers a request out of the run's conversation and the
	// sources it has. The grant holds to the request (ContextGrant.Validate),
	// and has one segment a message, in order.
	Materialise(ctx context.Context, request protocol.ContextRequest, conversation []Message) ([]Message, protocol.ContextGrant, error)
}
