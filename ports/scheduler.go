package ports

import "github.com/tipstaff/tipstaff/protocol"

// SchedulerV1 says which of the effects that may run side by side goes first.
type SchedulerV1 interface {
	// Order gives the effects in the order they should start; the same set in,
	// the same order out, nothing added and nothing dropped.
	Order(effects []protocol.EffectID) []protocol.EffectID
}
