package ports

import "github.com/tipstaff/tipstaff/protocol"

// StrategyV1 is what sits in a slot: pure, no input or output, no error
// (S2-140). It proposes; it cannot grant.
type StrategyV1 interface {
	// Slot is the slot it is made for. A slot is an identity, a strategy a
	// thing that fills it (S2-151).
	Slot() protocol.SlotID
	// Decide answers one observation. The same observation gives the same
	// decision.
	Decide(observation Observation) Decision
}

// Observation is what a strategy may know.
type Observation struct {
	// Slot is the slot that is asked, Ceiling the most it may propose.
	Slot    protocol.SlotID
	Ceiling protocol.CapabilitySet
	// Payload is canonical JSON, of a form each slot documents.
	Payload []byte
}

// Decision is what a strategy proposes.
type Decision struct {
	// Admitted is narrowed to the ceiling by the caller, see Narrowed.
	Admitted protocol.CapabilitySet
	// Payload is canonical JSON, of a form each slot documents.
	Payload []byte
}

// Narrowed asks a strategy and takes no more authority from it than the ceiling
// has.
func Narrowed(s StrategyV1, o Observation) Decision {
	d := s.Decide(o)
	d.Admitted = d.Admitted.Intersect(o.Ceiling)
	return d
}
