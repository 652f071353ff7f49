package kernel

import (
	"cmp"
	"slices"

	"github.com/tipstaff/tipstaff/protocol"
)

// begin starts a run: everything it is ruled by is pinned here and never
// changes (S2-024, S2-100).
func (r *reduction) begin(c protocol.Begin) {
	if r.Phase != phaseNone {
		r.violation("run.started in a run that has begun")
		return
	}
	r.Genesis = &c
	r.Phase = phaseAdmitting
	r.Saga.FSM = protocol.Idle
	r.Spent.Last = c.Millis
	r.Label = label{Trust: c.Task.Trust, Origin: "the task"}
	r.emit(protocol.PolicyPinned{Bundle: c.Bundle, BundleID: c.BundleID, Wire: c.Wire, Kernel: c.Kernel})
	if why := unfit(c); why != "" {
		r.violation("%s", why)
		return
	}
	r.fire(protocol.StartSaga, guards{})
	switch c.Proposer {
	case protocol.ProposerPlan:
		r.fire(protocol.PlanReady, guards{Planned: len(c.Steps) > 0})
		r.then(r.boundary)
	case protocol.ProposerModel:
		r.then(r.boundary)
	}
}

// unfit says why a run with this beginning must not start; empty when it may.
// The host has checked all of it with better words; the kernel does not rely on
// that.
func unfit(c protocol.Begin) string {
	switch {
	case c.Kernel != Version:
		return "the run was begun for another kernel version"
	case c.Wire != protocol.ProtocolVersion:
		return "the run was begun for another wire version"
	case c.Run.Validate() != nil || c.Tenant.Validate() != nil || c.Bundle.Validate() != nil:
		return "the identity triple is not whole"
	case c.Mode.Validate() != nil || c.OnFailure.Validate() != nil:
		return "mode or failure policy is no word of ours"
	case c.Workspace == "" || len(c.Workspace) > protocol.MaxWorkspaceBytes:
		return "the workspace has no label"
	case len(c.Tools) > protocol.MaxTools || len(c.Rules) > protocol.MaxRules ||
		len(c.Steps) > protocol.MaxPlanSteps || len(c.Transitions) > protocol.MaxTransitions:
		return "more tools, rules, steps or transitions than a run may have"
	case !slices.IsSortedFunc(c.Tools, func(a, b protocol.ToolBrief) int { return cmp.Compare(a.Name, b.Name) }):
		return "the tool set is not sorted"
	case c.Proposer == protocol.ProposerPlan && len(c.Steps) == 0:
		return "a plan without steps"
	case c.Proposer == protocol.ProposerModel && c.Route == "":
		return "a run for a model without a route"
	case c.Proposer != protocol.ProposerModel && c.Proposer != protocol.ProposerPlan && c.Proposer != protocol.ProposerClient:
		return "nobody proposes"
	}
	if err := c.Task.Validate(); err != nil {
		return err.Error()
	}
	for _, rule := range c.Rules {
		if err := rule.Validate(); err != nil {
			return err.Error()
		}
	}
	for _, edge := range c.Transitions {
		if err := edge.Validate(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// brief finds a tool in the run's tool set.
func (s *state) brief(name string) (protocol.ToolBrief, bool) {
	i, ok := slices.BinarySearchFunc(s.Genesis.Tools, name, func(t protocol.ToolBrief, n string) int { return cmp.Compare(t.Name, n) })
	if !ok {
		return protocol.ToolBrief{}, false
	}
	return s.Genesis.Tools[i], true
}
