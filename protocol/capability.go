package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Capability is what a call can do to the world, by class (S2-035). The order
// of the constants is the order of harm; authority is never a point on it but a
// set, see CapabilitySet.
type Capability uint8

// The five classes.
const (
	// ReadOnly changes nothing.
	ReadOnly Capability = iota
	// ReversibleLocal changes something here that is kept and can be restored.
	ReversibleLocal
	// CodeExecuting runs code somebody proposed.
	CodeExecuting
	// TrustMutating changes what is later trusted: .git, CI, instruction files.
	TrustMutating
	// IrreversibleExternal cannot be taken back: push, publish, pay, send.
	IrreversibleExternal
)

// Capabilities lists the classes in order.
func Capabilities() []Capability {
	return []Capability{ReadOnly, ReversibleLocal, CodeExecuting, TrustMutating, IrreversibleExternal}
}

// RunsUnattended is true for the two lowest classes only (S2-038, S2-040).
func (c Capability) RunsUnattended() bool { return c == ReadOnly || c == ReversibleLocal }

// IsEgress is true for the class that leaves the machine for good (S2-045).
func (c Capability) IsEgress() bool { return c == IrreversibleExternal }

// String is the class's word on the wire.
func (c Capability) String() string {
	switch c {
	case ReadOnly:
		return "read_only"
	case ReversibleLocal:
		return "reversible_local"
	case CodeExecuting:
		return "code_executing"
	case TrustMutating:
		return "trust_mutating"
	case IrreversibleExternal:
		return "irreversible_external"
	}
	return "invalid"
}

// MarshalText writes the class's word.
func (c Capability) MarshalText() ([]byte, error) {
	if c > IrreversibleExternal {
		return nil, fmt.Errorf("capability %d does not exist", uint8(c))
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads the class's word; anything else is an error.
func (c *Capability) UnmarshalText(b []byte) error {
	for _, v := range Capabilities() {
		if v.String() == string(b) {
			*c = v
			return nil
		}
	}
	return fmt.Errorf("capability %q is not one of read_only, reversible_local, code_executing, trust_mutating, irreversible_external", clip(string(b)))
}

// CapabilitySet is authority. It only narrows: there is intersection and no
// union (S2-019, S2-037). The zero value admits nothing.
type CapabilitySet struct{ bits uint8 }

// SetOf is the set of exactly these classes.
func SetOf(classes ...Capability) CapabilitySet {
	var s CapabilitySet
	for _, c := range classes {
		if c <= IrreversibleExternal {
			s.bits |= 1 << c
		}
	}
	return s
}

// Intersect keeps what both sets admit.
func (s CapabilitySet) Intersect(t CapabilitySet) CapabilitySet {
	return CapabilitySet{s.bits & t.bits}
}

// Contains tells whether the set admits a class.
func (s CapabilitySet) Contains(c Capability) bool {
	return c <= IrreversibleExternal && s.bits&(1<<c) != 0
}

// SubsetOf tells whether t admits everything s admits.
func (s CapabilitySet) SubsetOf(t CapabilitySet) bool { return s.bits&^t.bits == 0 }

// Empty tells whether the set admits nothing.
func (s CapabilitySet) Empty() bool { return s.bits == 0 }

// Classes lists the admitted classes in order.
func (s CapabilitySet) Classes() []Capability {
	var out []Capability
	for _, c := range Capabilities() {
		if s.Contains(c) {
			out = append(out, c)
		}
	}
	return out
}

// MarshalJSON writes the sorted array of words.
func (s CapabilitySet) MarshalJSON() ([]byte, error) {
	classes := s.Classes()
	if classes == nil {
		classes = []Capability{}
	}
	return Marshal(classes)
}

// UnmarshalJSON reads an array of words, each at most once.
func (s *CapabilitySet) UnmarshalJSON(b []byte) error {
	var words []*Capability // a null is no class, not the first one
	if err := json.Unmarshal(b, &words); err != nil {
		return err
	}
	classes := make([]Capability, 0, len(words))
	for _, w := range words {
		if w == nil {
			return fmt.Errorf("a null is no capability")
		}
		classes = append(classes, *w)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(classes)))
	if len(sorted) != len(classes) {
		return fmt.Errorf("a capability stands twice in the set")
	}
	*s = SetOf(classes...)
	return nil
}

// Purity says whether a call may change anything at all.
type Purity string

// The two purities.
const (
	// Pure calls cannot change anything.
	Pure Purity = "pure"
	// Effecting calls can.
	Effecting Purity = "effecting"
)
