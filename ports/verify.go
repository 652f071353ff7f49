package ports

import (
	"context"

	"github.com/tipstaff/tipstaff/protocol"
)

// VerifyV1 judges a result.
type VerifyV1 interface {
	// Verify tells whether text passes the check; when it does not, why is one
	// line for a person. An error means that it could not be judged, which is
	// not a pass.
	Verify(ctx context.Context, check protocol.Check, text string) (passed bool, why string, err error)
}
