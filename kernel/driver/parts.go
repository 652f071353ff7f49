package driver

import (
	"errors"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// Bounds of a driver.
const (
	// QueueSize is how many submissions wait for one run.
	QueueSize = 64
	// replyPlaces is how many answers of ports can wait: every call of a turn,
	// a tick, and what belongs to the run as a whole.
	replyPlaces = protocol.MaxCallsPerTurn + 16
	// MaxOutputBytes bounds what is kept of one result.
	MaxOutputBytes = 1 << 20
	// graceMillis is how long a cancelled effect may take to end by itself
	// before it is given up.
	graceMillis = 2000
)

// Errors of a driver.
var (
	// ErrQueueFull hands a submission back: the run has too many already.
	ErrQueueFull = errors.New("the run's queue is full: try again")
	// ErrGone says that the run's driver has stopped.
	ErrGone = errors.New("the run is not being driven any more")
)

// Parts is everything a driver moves through. One Parts serves many runs.
type Parts struct {
	// Record keeps the record, Door is the way in.
	Record ports.RecordV1
	Door   *record.Door
	// Clock is the time.
	Clock ports.ClockV1
	// Tools finds a tool by its canonical name.
	Tools func(name string) (ports.ToolV1, bool)
	// Provider answers turns; nil for runs that ask no model.
	Provider ports.ProviderV1
	// Context shows a turn what ContextStrategy asked for.
	Context         ports.ContextV1
	ContextStrategy ports.StrategyV1
	// Verify judges the results of validating steps.
	Verify ports.VerifyV1
	// Slots limits how many effects of all runs are carried out at once; its
	// capacity is the limit.
	Slots chan struct{}
	// Guidance is told to a model before everything else.
	Guidance string
}
