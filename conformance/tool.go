package conformance

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// ToolCase is what a tool's suite needs to know of it.
type ToolCase struct {
	// Good are arguments that succeed. Bad are arguments that are wrong whatever
	// the world is like.
	Good []string
	Bad  []string
	// Digest is the state of the world the tool works on, to be compared; nil for
	// tools without one.
	Digest func() string
}

// ToolV1 is what ports.ToolV1 means, with ProberV1 and CompensatorV1 for the
// tools that have them.
func ToolV1(t *testing.T, c ToolCase, open func(t *testing.T) ports.ToolV1) {
	ctx := context.Background()
	world := func() string {
		if c.Digest == nil {
			return ""
		}
		return c.Digest()
	}
	t.Run("its contract is one, and does not change", func(t *testing.T) {
		tool := open(t)
		contract := tool.Contract()
		must(t, contract.Validate())
		if _, err := protocol.WireName(contract.Name); err != nil {
			t.Error(err)
		}
		if canonical, err := protocol.Canonical(contract.Schema); err != nil || !bytes.Equal(canonical, contract.Schema) {
			t.Errorf("the schema is not canonical: %s, %v", contract.Schema, err)
		}
		if !bytes.Equal(protocol.MustMarshal(contract), protocol.MustMarshal(tool.Contract())) {
			t.Error("it changes")
		}
	})
	t.Run("preparing changes nothing, and twice is the same", func(t *testing.T) {
		tool := open(t)
		before := world()
		for _, args := range c.Good {
			p, err := tool.Prepare(ctx, []byte(args))
			must(t, err)
			prepared(t, tool.Contract(), p)
			again, err := tool.Prepare(ctx, p.Args)
			must(t, err)
			if !bytes.Equal(again.Args, p.Args) || again.Class != p.Class {
				t.Errorf("%s is prepared differently the second time", args)
			}
		}
		if world() != before {
			t.Error("preparing changed something")
		}
	})
	t.Run("wrong arguments are refused as such", func(t *testing.T) {
		tool := open(t)
		for _, args := range append(c.Bad, `[]`, `null`, `{`, `{"a":1,"a":2}`, `{"no such member":1}`) {
			_, err := tool.Prepare(ctx, []byte(args))
			var fault *ports.Fault
			if !errors.As(err, &fault) || fault.Kind != ports.FaultInvalid {
				t.Errorf("%s: %v", args, err)
			}
		}
	})
	t.Run("a call is carried out once a key, can be found and undone", func(t *testing.T) {
		for _, args := range c.Good {
			carryOut(t, open(t), args, world)
		}
	})
}

// prepared holds a preparation to the tool's contract.
func prepared(t *testing.T, c protocol.ToolContract, p ports.Preparation) {
	t.Helper()
	if canonical, err := protocol.Canonical(p.Args); err != nil || !bytes.Equal(canonical, p.Args) {
		t.Errorf("arguments are not canonical: %s, %v", p.Args, err)
	}
	if p.Class < c.Floor || p.Class > c.Top || p.ResultTrust > c.ResultTrust {
		t.Errorf("class %s and label %s are not within the contract", p.Class, p.ResultTrust)
	}
	if p.Class == protocol.ReadOnly && p.Undo != nil {
		t.Error("what changes nothing has something to undo")
	}
	if (p.Undo == nil) != (p.Compensation == "") {
		t.Error("what undoes a call is not said in words, or the other way round")
	}
}

func carryOut(t *testing.T, tool ports.ToolV1, args string, world func() string) {
	t.Helper()
	ctx := context.Background()
	before := world()
	p, err := tool.Prepare(ctx, []byte(args))
	must(t, err)
	call := ports.Call{Effect: protocol.NewEffectID(NewRun(1).ID(), 1), Key: "key", Args: p.Args, Undo: p.Undo}
	first, err := tool.Execute(ctx, call)
	must(t, err)
	after := world()
	second, err := tool.Execute(ctx, call)
	if err != nil || second.Text != first.Text || world() != after {
		t.Errorf("%s: the second time it says %q, %v", args, second.Text, err)
	}
	if p.Class == protocol.ReadOnly {
		if after != before {
			t.Error("a read-only call changed something")
		}
		return
	}
	prober, probes := tool.(ports.ProberV1)
	if probes {
		if found, _, err := prober.Probe(ctx, call); err != nil || found != protocol.FoundDone {
			t.Errorf("%s: the probe finds %s, %v", args, found, err)
		}
	}
	undoes, can := tool.(ports.CompensatorV1)
	if !can || p.Undo == nil {
		return
	}
	call.Undoing = true
	for range 2 {
		_, err := undoes.Compensate(ctx, call)
		must(t, err)
		if world() != before {
			t.Errorf("%s is not undone", args)
		}
	}
	if probes {
		if found, _, err := prober.Probe(ctx, call); err != nil || found != protocol.FoundDone {
			t.Errorf("%s: the probe of the undoing finds %s, %v", args, found, err)
		}
	}
}
