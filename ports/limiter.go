package ports

import (
	"context"
	"time"
)

// LimiterV1 limits how often something may happen.
type LimiterV1 interface {
	// Allow takes one of limit in a window for key; when there is none left,
	// retry says after how long to ask again.
	Allow(ctx context.Context, key string, limit int, window time.Duration) (ok bool, retry time.Duration, err error)
}
