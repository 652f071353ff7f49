package strategies

import (
	"slices"
	"testing"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/protocol"
)

func TestStrategyV1(t *testing.T) {
	var slots []protocol.SlotID
	for _, s := range Core() {
		conformance.StrategyV1(t, s)
		slots = append(slots, s.Slot())
	}
	if !slices.Equal(slots, protocol.CoreSlots()) {
		t.Errorf("the slots are %v", slots)
	}
}

func TestContextV1(t *testing.T) { conformance.ContextV1(t, Transcript{}) }

func TestVerifyV1(t *testing.T) { conformance.VerifyV1(t, Checks{}) }

func TestBundleIsOne(t *testing.T) {
	b := Bundle(func(b []byte) protocol.Digest { return protocol.ZeroDigest[:64] })
	if err := b.Validate(); err != nil || len(b.Policies) != 9 {
		t.Errorf("%d policies, %v", len(b.Policies), err)
	}
}
