package ports

import "time"

// ClockV1 is the time, for everything that is not allowed to look at it itself.
type ClockV1 interface {
	// Now is the present.
	Now() time.Time
	// AfterFunc calls f in its own goroutine once d has passed; stop prevents
	// it and reports whether it did.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}
