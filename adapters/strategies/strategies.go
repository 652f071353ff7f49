// Package strategies fills the nine core slots with the simplest honest default
// each: what it does not decide it says it does not decide.
package strategies

import (
	"cmp"
	"context"
	"slices"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// fixed is a strategy that always decides the same.
type fixed struct {
	slot    protocol.SlotID
	payload []byte
}

// Slot is the slot it is made for.
func (f fixed) Slot() protocol.SlotID { return f.slot }

// Decide gives the decision it was made with and asks for no authority.
func (f fixed) Decide(ports.Observation) ports.Decision { return ports.Decision{Payload: f.payload} }

// Core gives the nine defaults, in the order of protocol.CoreSlots.
func Core() []ports.StrategyV1 {
	whole := protocol.ContextRequest{
		Slot: protocol.SlotContext, Selectors: []protocol.Selector{{Kind: "transcript"}},
		MaxBytes: protocol.MaxGrantBytes, TrustCeiling: protocol.Trusted,
	}
	return []ports.StrategyV1{
		fixed{protocol.SlotRouter, []byte(`{"route":"self"}`)},
		fixed{protocol.SlotPlanner, []byte(`{"plan":"one turn at a time"}`)},
		fixed{protocol.SlotContext, protocol.MustMarshal(whole)},
		fixed{protocol.SlotMemory, []byte(`{"remember":[]}`)},
		fixed{protocol.SlotScheduler, []byte(`{"order":"as proposed"}`)},
		fixed{protocol.SlotToolPolicy, []byte(`{"choose":"model"}`)},
		fixed{protocol.SlotVerifier, []byte(`{"check":"as given"}`)},
		fixed{protocol.SlotModelRouter, []byte(`{"model":"configured"}`)},
		fixed{protocol.SlotCollaboration, []byte(`{"with":[]}`)},
	}
}

// For finds the default of a slot.
func For(slot protocol.SlotID) ports.StrategyV1 {
	for _, s := range Core() {
		if s.Slot() == slot {
			return s
		}
	}
	return fixed{slot: slot, payload: []byte(`{}`)}
}

// Bundle pins the defaults as a policy bundle. digest names bytes.
func Bundle(digest func([]byte) protocol.Digest) protocol.PolicyBundle {
	b := protocol.PolicyBundle{ID: "builtin@v1", Ceiling: protocol.SetOf(protocol.Capabilities()...), Rules: []protocol.Rule{}}
	for _, s := range Core() {
		m := protocol.PolicyManifest{
			SchemaVersion: 1, Slot: s.Slot(), PolicyID: "builtin", Version: "1", Kind: "builtin",
			Parameters: digest(s.Decide(ports.Observation{}).Payload), Method: "hand_authored",
		}
		b.Policies = append(b.Policies, protocol.PolicyRef{Slot: m.Slot, PolicyID: m.PolicyID, Version: m.Version, Digest: digest(protocol.MustMarshal(m))})
	}
	slices.SortFunc(b.Policies, func(x, y protocol.PolicyRef) int { return cmp.Compare(x.Slot, y.Slot) })
	return b
}

// Transcript is the context port of a run that shows its whole conversation.
type Transcript struct{}

// Materialise shows the conversation, as many of the newest messages as fit. The
// goal and the guidance before it are always shown.
func (Transcript) Materialise(_ context.Context, r protocol.ContextRequest, all []ports.Message) ([]ports.Message, protocol.ContextGrant, error) {
	keep := newest(r, all)
	grant := protocol.ContextGrant{RequestID: r.RequestID, Segments: []protocol.Segment{}}
	var shown []ports.Message
	for i, m := range all {
		if !keep[i] {
			continue
		}
		shown = append(shown, m)
		grant.Bytes += size(m)
		grant.Segments = add(grant.Segments, protocol.Segment{Source: m.Source, Trust: m.Trust, Bytes: size(m)})
	}
	return shown, grant, nil
}

// add appends a segment, or lets it grow the last one of the same label and
// source: a long conversation has few segments.
func add(segments []protocol.Segment, s protocol.Segment) []protocol.Segment {
	if n := len(segments); n > 0 && segments[n-1].Source == s.Source && segments[n-1].Trust == s.Trust {
		segments[n-1].Bytes += s.Bytes
		return segments
	}
	if len(segments) == protocol.MaxSegments {
		last := &segments[len(segments)-1]
		last.Bytes, last.Trust = last.Bytes+s.Bytes, last.Trust.Meet(s.Trust)
		return segments
	}
	return append(segments, s)
}

// newest says which messages fit: what leads up to the goal, and then from the
// newest back. A call and its result stay together because their turn is kept or
// dropped as one.
func newest(r protocol.ContextRequest, all []ports.Message) map[int]bool {
	keep, left := map[int]bool{}, r.MaxBytes
	take := func(i int) bool {
		if n := size(all[i]); n <= left {
			left -= n
			keep[i] = true
			return true
		}
		return false
	}
	first := 0
	for first < len(all) && all[first].Source != "transcript" {
		if all[first].Trust <= r.TrustCeiling {
			take(first)
		}
		first++
	}
	for end := len(all); end > first; {
		begin := end - 1
		for begin > first && all[begin].Role == ports.RoleTool {
			begin--
		}
		var turn uint32
		for i := begin; i < end; i++ {
			turn += size(all[i])
		}
		if turn > left {
			break
		}
		for i := begin; i < end; i++ {
			take(i)
		}
		end = begin
	}
	return keep
}

func size(m ports.Message) uint32 {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.ID) + len(c.Name) + len(c.Args)
	}
	return uint32(n)
}
