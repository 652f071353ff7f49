package ports

import (
	"context"
	"time"

	"github.com/tipstaff/tipstaff/protocol"
)

// SessionV1 keeps short-term conversations.
type SessionV1 interface {
	// Load gives a session's messages, oldest first; none when it is unknown
	// or has expired.
	Load(ctx context.Context, tenant protocol.TenantID, session string) ([]Message, error)
	// Save replaces them and starts their time to live anew.
	Save(ctx context.Context, tenant protocol.TenantID, session string, messages []Message, ttl time.Duration) error
}
