package protocol

import (
	"errors"
	"fmt"
)

// TaskEnvelope is the contract from client to kernel: what is wanted, within
// what bounds (S2-142). It carries no identity.
type TaskEnvelope struct {
	// TaskID is the client's own number for the task.
	TaskID uint64 `json:"task_id"`
	// ProtocolVersion is 1.
	ProtocolVersion int `json:"protocol_version"`
	// Input is what was typed; at most MaxInputBytes bytes.
	Input Text `json:"input"`
	// Trust is the label of Input: trusted for what an operator typed.
	Trust Trust `json:"trust"`
	// Acceptance lists checks; empty means unspecified, never passed.
	Acceptance []AcceptanceCheck `json:"acceptance"`
	// Budget bounds the run.
	Budget Budget `json:"budget"`
	// Ceiling is the most the run may do; never empty.
	Ceiling CapabilitySet `json:"ceiling"`
}

// AcceptanceCheck names one thing that must hold at the end.
type AcceptanceCheck struct {
	// ID is unique in the task, 1 to MaxNameBytes bytes.
	ID string `json:"id"`
	// Quantifier is must_pass, must_flip_to_pass or must_stay_passing.
	Quantifier string `json:"quantifier"`
}

// Validate holds an envelope to its bounds.
func (t TaskEnvelope) Validate() error {
	if t.ProtocolVersion != ProtocolVersion {
		return &VersionError{Expected: ProtocolVersion, Actual: t.ProtocolVersion}
	}
	if t.Input.Bytes > MaxInputBytes {
		return fmt.Errorf("input has %d bytes, at most %d are allowed", t.Input.Bytes, MaxInputBytes)
	}
	if err := t.Input.Validate(); err != nil {
		return err
	}
	if t.Trust > Trusted {
		return errors.New("the input has a label nobody knows")
	}
	if t.Ceiling.Empty() {
		return errors.New("an empty ceiling allows nothing: name at least one capability")
	}
	if len(t.Acceptance) > MaxAcceptance {
		return fmt.Errorf("at most %d acceptance checks", MaxAcceptance)
	}
	seen := map[string]bool{}
	for _, a := range t.Acceptance {
		switch {
		case a.ID == "" || len(a.ID) > MaxNameBytes:
			return fmt.Errorf("an acceptance check has an id of 1 to %d bytes", MaxNameBytes)
		case seen[a.ID]:
			return fmt.Errorf("acceptance check %q stands twice", a.ID)
		}
		switch a.Quantifier {
		case "must_pass", "must_flip_to_pass", "must_stay_passing":
		default:
			return fmt.Errorf("acceptance check %q: quantifier %q is not must_pass, must_flip_to_pass or must_stay_passing", a.ID, clip(a.Quantifier))
		}
		seen[a.ID] = true
	}
	return t.Budget.Validate()
}

// ContextRequest is the contract from a module to the kernel: what a turn
// should be shown. It names kinds of sources, never a file or a handle
// (S2-143).
type ContextRequest struct {
	// RequestID answers to the kernel's SelectContext.
	RequestID uint64 `json:"request_id"`
	// Slot says who asks.
	Slot SlotID `json:"slot"`
	// Selectors are the kinds of sources, at most MaxSelectors.
	Selectors []Selector `json:"selectors"`
	// MaxBytes bounds the answer, at most MaxGrantBytes.
	MaxBytes uint32 `json:"max_bytes"`
	// TrustCeiling is the highest label a segment of the answer may have.
	TrustCeiling Trust `json:"trust_ceiling"`
}

// Selector names one kind of source.
type Selector struct {
	// Kind is repo_outline, instructions, memory_keys, transcript or
	// environment_facts.
	Kind string `json:"kind"`
	// Root and Depth belong to repo_outline.
	Root  string `json:"root,omitempty"`
	Depth int    `json:"depth,omitempty"`
	// Scope belongs to instructions: user, project or directory.
	Scope string `json:"scope,omitempty"`
	// Keys belong to memory_keys.
	Keys []string `json:"keys,omitempty"`
	// LastTurns belongs to transcript; 0 means all.
	LastTurns int `json:"last_n_turns,omitempty"`
}

// Validate holds a request to its bounds.
func (r ContextRequest) Validate() error {
	if err := r.Slot.Validate(); err != nil {
		return err
	}
	if len(r.Selectors) > MaxSelectors {
		return fmt.Errorf("at most %d selectors", MaxSelectors)
	}
	if r.MaxBytes > MaxGrantBytes {
		return fmt.Errorf("max_bytes is at most %d", MaxGrantBytes)
	}
	for _, s := range r.Selectors {
		if err := s.validate(); err != nil {
			return err
		}
	}
	return nil
}

func (s Selector) validate() error {
	foreign := s
	foreign.Kind = ""
	switch s.Kind {
	case "repo_outline":
		foreign.Root, foreign.Depth = "", 0
	case "instructions":
		foreign.Scope = ""
	case "memory_keys":
		foreign.Keys = nil
	case "transcript":
		foreign.LastTurns = 0
	}
	if foreign.Root != "" || foreign.Depth != 0 || foreign.Scope != "" || foreign.Keys != nil || foreign.LastTurns != 0 {
		return fmt.Errorf("a %s selector has members of another kind", clip(s.Kind))
	}
	if s.Depth < 0 || s.LastTurns < 0 {
		return errors.New("a selector's numbers are not negative")
	}
	switch s.Kind {
	case "repo_outline":
		if s.Root == "" || len(s.Root) > MaxSelectorRootBytes {
			return fmt.Errorf("repo_outline needs a root of 1 to %d bytes", MaxSelectorRootBytes)
		}
	case "instructions":
		if s.Scope != "user" && s.Scope != "project" && s.Scope != "directory" {
			return fmt.Errorf("instructions scope %q is not user, project or directory", clip(s.Scope))
		}
	case "memory_keys":
		if len(s.Keys) == 0 || len(s.Keys) > MaxMemoryKeys {
			return fmt.Errorf("memory_keys names 1 to %d keys", MaxMemoryKeys)
		}
		for _, k := range s.Keys {
			if k == "" || len(k) > MaxKeyBytes {
				return fmt.Errorf("a memory key has 1 to %d bytes", MaxKeyBytes)
			}
		}
	case "transcript", "environment_facts":
	default:
		return fmt.Errorf("no selector is called %q", clip(s.Kind))
	}
	return nil
}

// ContextGrant answers a ContextRequest with what a turn is shown.
type ContextGrant struct {
	// RequestID is the request's.
	RequestID uint64 `json:"request_id"`
	// Segments are in the order they are shown, at most MaxSegments.
	Segments []Segment `json:"segments"`
	// Bytes is the size of all of it; never less than the segments' sum.
	Bytes uint32 `json:"bytes"`
}

// Segment is one labelled piece of what a turn is shown. The words themselves
// are in the run's memory; the record keeps label, source and size.
type Segment struct {
	// Source is goal, instructions, memory, environment, repo_outline or
	// transcript.
	Source string `json:"source"`
	// Trust is the label.
	Trust Trust `json:"trust"`
	// Bytes is the length.
	Bytes uint32 `json:"bytes"`
}

// Validate holds a grant to the request it answers.
func (g ContextGrant) Validate(r ContextRequest) error {
	if g.RequestID != r.RequestID {
		return fmt.Errorf("grant %d does not answer request %d", g.RequestID, r.RequestID)
	}
	if len(g.Segments) > MaxSegments {
		return fmt.Errorf("at most %d segments", MaxSegments)
	}
	var sum uint64
	for _, s := range g.Segments {
		if s.Trust > r.TrustCeiling {
			return fmt.Errorf("a %s segment stands above the ceiling %s", s.Trust, r.TrustCeiling)
		}
		switch s.Source {
		case "goal", "instructions", "memory", "environment", "repo_outline", "transcript":
		default:
			return fmt.Errorf("no segment source is called %q", clip(s.Source))
		}
		sum += uint64(s.Bytes)
	}
	if uint64(g.Bytes) < sum || g.Bytes > r.MaxBytes {
		return fmt.Errorf("a grant of %d bytes with %d in its segments, %d requested", g.Bytes, sum, r.MaxBytes)
	}
	return nil
}

// Governing is the label of everything in the grant; ok is false when it shows
// nothing (S2-029).
func (g ContextGrant) Governing() (t Trust, ok bool) {
	labels := make([]Trust, 0, len(g.Segments))
	for _, s := range g.Segments {
		labels = append(labels, s.Trust)
	}
	return Governing(labels...)
}
