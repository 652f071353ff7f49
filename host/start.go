package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/pkg/errors"

	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/kernel/driver"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// Driven is a run with what it needs while it is driven.
type Driven struct {
	*driver.Run
	tools *toolset
}

// Close stops driving and lets go of the tools.
func (d *Driven) Close() error {
	d.Run.Close()
	return d.tools.Close()
}

// Start starts a run: every command, file and client ends here (one way to start
// a run). What is wrong with the request is a *UsageError, and nothing has
// happened.
func (h *Host) Start(ctx context.Context, op protocol.StartRun, attach int) (*Driven, error) {
	tools, err := h.bindTools(h.workspace())
	if err != nil {
		return nil, err
	}
	run, err := h.start(ctx, op, tools, attach)
	if err != nil {
		return nil, errors.WithStack(joinClose(err, tools))
	}
	return &Driven{run, tools}, nil
}

func joinClose(err error, tools *toolset) error {
	if closing := tools.Close(); closing != nil {
		return errors.Wrap(err, closing.Error())
	}
	return err
}

func (h *Host) workspace() string {
	if h.config.Workspace == "" {
		return "."
	}
	return h.config.Workspace
}

func (h *Host) start(ctx context.Context, op protocol.StartRun, tools *toolset, attach int) (*driver.Run, error) {
	begin, provider, err := h.begin(ctx, op, tools)
	if err != nil {
		return nil, err
	}
	run, err := driver.Start(ctx, h.bindParts(tools, provider), begin, attach)
	if errors.Is(err, ports.ErrHeadMoved) {
		return nil, Usage("a run %s exists already: choose another id", begin.Run)
	}
	return run, err
}

// begin makes a run's first command out of what was asked and what is in force.
func (h *Host) begin(ctx context.Context, op protocol.StartRun, tools *toolset) (protocol.Begin, ports.ProviderV1, error) {
	pinned := bundle()
	transitions, err := LoadFSM(h.config.FSM)
	if err != nil {
		return protocol.Begin{}, nil, err
	}
	begin := protocol.Begin{
		Tenant: protocol.DefaultTenant, Run: op.Run, Bundle: record.DigestOf(protocol.MustMarshal(pinned)), BundleID: pinned.ID,
		Kernel: kernel.Version, Wire: protocol.ProtocolVersion,
		FSM: record.DigestOf(protocol.MustMarshal(transitions)), Sandbox: record.DigestOf([]byte("none")),
		Task: protocol.TaskEnvelope{
			ProtocolVersion: protocol.ProtocolVersion, Input: protocol.Inline(op.Task.Input), Trust: protocol.Trusted,
			Acceptance: op.Task.Acceptance, Budget: h.config.budget(), Ceiling: pinned.Ceiling,
		},
		Mode: firstOf(op.Mode, protocol.Mode(h.config.Mode), protocol.ModeDefault), Rules: pinned.Rules,
		Ceiling: pinned.Ceiling, Endorse: pinned.Endorse, Session: op.Session, Workspace: tools.workspace, Transitions: transitions,
	}
	if begin.Task.Acceptance == nil {
		begin.Task.Acceptance = []protocol.AcceptanceCheck{}
	}
	if op.Task.Budget != nil {
		begin.Task.Budget = *op.Task.Budget
	}
	if op.Task.Ceiling != nil {
		begin.Task.Ceiling = *op.Task.Ceiling
	}
	if begin.Run == "" {
		begin.Run = NewRunID()
	}
	for _, c := range tools.contracts() {
		begin.Tools = append(begin.Tools, c.Brief())
	}
	if begin.Rules, err = rules(pinned.Rules, op, h.config, tools); err != nil {
		return begin, nil, err
	}
	provider, err := h.propose(ctx, &begin, op, tools)
	if err != nil {
		return begin, nil, err
	}
	if err := begin.Task.Validate(); err != nil {
		return begin, nil, usage(err)
	}
	for _, err := range []error{begin.Run.Validate(), begin.Mode.Validate(), begin.OnFailure.Validate()} {
		if err != nil {
			return begin, nil, usage(err)
		}
	}
	return begin, provider, nil
}

// NewRunID mints a run id; ids of later runs sort after those of earlier ones.
func NewRunID() protocol.RunID { return protocol.RunID(uuid.Must(uuid.NewV7()).String()) }

func firstOf[T ~string](words ...T) T {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// rules puts the layers together: the bundle's, the request's, the
// configuration's. A name that no tool has is a mistake.
func rules(pinned []protocol.Rule, op protocol.StartRun, c Config, tools *toolset) ([]protocol.Rule, error) {
	out := append([]protocol.Rule{}, pinned...)
	add := func(names []string, v protocol.Verdict, origin string) error {
		for _, name := range names {
			if _, ok := tools.find(name); !ok {
				return Usage("%s %s: there is no tool of that name (see: tipstaff tools)", v, name)
			}
			out = append(out, protocol.Rule{Scope: protocol.ScopeTool, Tool: name, Verdict: v, Origin: origin})
		}
		return nil
	}
	for _, layer := range []struct {
		names   []string
		verdict protocol.Verdict
		origin  string
	}{
		{op.Allow, protocol.Auto, "flags"},
		{op.Deny, protocol.Deny, "flags"},
		{c.Allow, protocol.Auto, "user"},
		{c.Deny, protocol.Deny, "user"},
	} {
		if err := add(layer.names, layer.verdict, layer.origin); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// propose settles where the run's calls come from.
func (h *Host) propose(ctx context.Context, begin *protocol.Begin, op protocol.StartRun, tools *toolset) (ports.ProviderV1, error) {
	policy := firstOf(op.OnFailure, protocol.OnFailure(h.config.OnFailure))
	switch {
	case op.Plan != nil:
		steps, err := CheckPlan(ctx, *op.Plan, tools.find)
		if err != nil {
			return nil, err
		}
		begin.Proposer, begin.Plan, begin.Steps = protocol.ProposerPlan, op.Plan.Name, steps
		begin.OnFailure = firstOf(op.OnFailure, op.Plan.OnFailure, protocol.OnFailure(h.config.OnFailure), protocol.Compensate)
		if begin.Plan == "" {
			begin.Plan = "unnamed"
		}
		return nil, nil
	case op.Interactive:
		begin.Proposer, begin.OnFailure = protocol.ProposerClient, firstOf(policy, protocol.Report)
		return nil, nil
	case strings.TrimSpace(op.Task.Input) == "":
		return nil, Usage("there is no goal: tipstaff run \"GOAL\"")
	}
	route, err := h.route()
	if err != nil {
		return nil, err
	}
	provider, err := bindProvider(route)
	if err != nil {
		return nil, err
	}
	begin.Proposer, begin.OnFailure = protocol.ProposerModel, firstOf(policy, protocol.Report)
	begin.Route, begin.Priced = route, provider.Describe().Priced
	return provider, nil
}

// maxRouteBytes bounds a route: it is part of the name of an effect.
const maxRouteBytes = 200

// route names the configured model.
func (h *Host) route() (string, error) {
	switch {
	case h.config.Provider == "" && h.config.Model == "":
		return "", Usage("there is no model: give --script FILE, or set LLM_PROVIDER and LLM_MODEL")
	case h.config.Model == "":
		return "", Usage("LLM_PROVIDER is %s, but LLM_MODEL is not set", h.config.Provider)
	}
	model := h.config.Model
	if abs, err := filepath.Abs(model); err == nil {
		model = abs
	}
	route := firstOf(h.config.Provider, "script") + "/" + model
	if len(route) > maxRouteBytes {
		return "", Usage("the model's name is longer than %d bytes: %s", maxRouteBytes, route)
	}
	return route, nil
}

// Take opens a run that is not over, to drive it on.
func (h *Host) Take(ctx context.Context, id protocol.RunID, attach int) (*Driven, error) {
	begin, err := h.Begin(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(begin.Workspace); err != nil {
		return nil, errors.Errorf("the workspace of run %s, %s, is not there any more", id, begin.Workspace)
	}
	tools, err := h.bindTools(begin.Workspace)
	if err != nil {
		return nil, err
	}
	var provider ports.ProviderV1
	if begin.Proposer == protocol.ProposerModel {
		route := begin.Route
		if h.config.Model != "" {
			if route, err = h.route(); err != nil {
				return nil, joinClose(err, tools)
			}
		}
		if provider, err = bindProvider(route); err != nil {
			return nil, joinClose(err, tools)
		}
	}
	run, err := driver.Open(ctx, h.bindParts(tools, provider), id, attach)
	if err != nil {
		return nil, joinClose(err, tools)
	}
	return &Driven{run, tools}, nil
}

// CheckPlan checks a plan whole, before its first step: every fault names its
// step. It gives the steps as they are recorded.
func CheckPlan(ctx context.Context, p protocol.Plan, find func(string) (ports.ToolV1, bool)) ([]protocol.Step, error) {
	if len(p.Steps) == 0 {
		return nil, Usage("plan: it has no steps")
	}
	if err := checker().Struct(p); err != nil {
		return nil, usage(errors.Wrap(planFault(p, err), "plan"))
	}
	var steps []protocol.Step
	for i, s := range p.Steps {
		step, err := checkStep(ctx, s, find)
		if err != nil {
			return nil, usage(errors.Wrapf(err, "plan: step %d (%s)", i+1, record.Clean(s.ID)))
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// planFault says where in a plan a tag is not satisfied.
func planFault(p protocol.Plan, err error) error {
	seen := map[string]int{}
	for i, s := range p.Steps {
		if s.ID == "" {
			return fmt.Errorf("step %d has no id", i+1)
		}
		if first, twice := seen[s.ID]; twice {
			return fmt.Errorf("steps %d and %d have the same id %q", first+1, i+1, s.ID)
		}
		seen[s.ID] = i
	}
	return plainValidation(err)
}

func checkStep(ctx context.Context, s protocol.PlanStep, find func(string) (ports.ToolV1, bool)) (protocol.Step, error) {
	name := protocol.CanonicalName(s.Tool)
	tool, ok := find(name)
	if !ok {
		return protocol.Step{}, errors.Errorf("there is no tool called %q (see: tipstaff tools)", s.Tool)
	}
	raw := []byte(s.Args)
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	args, err := protocol.Canonical(raw)
	if err != nil {
		return protocol.Step{}, errors.Wrap(err, "args")
	}
	if len(args) > protocol.MaxArgumentsBytes {
		return protocol.Step{}, errors.Errorf("args: they have more than %d bytes", protocol.MaxArgumentsBytes)
	}
	if err := fits(ctx, tool, args); err != nil {
		return protocol.Step{}, err
	}
	if s.Validate != nil {
		if tool.Contract().Top != protocol.ReadOnly {
			return protocol.Step{}, errors.Errorf("validate: only a read-only tool can validate, not %s", name)
		}
		if err := checkCheck(*s.Validate); err != nil {
			return protocol.Step{}, errors.Wrap(err, "validate")
		}
	}
	return protocol.Step{
		ID: s.ID, Tool: name, Args: protocol.Inline(string(args)), Check: s.Validate,
		TimeoutMillis: s.TimeoutMillis, Retries: s.Retries, IdempotencyKey: s.IdempotencyKey,
	}, nil
}

// fits asks the tool whether the arguments are of its form. What depends on the
// world, such as a file that an earlier step makes, is not held against a plan.
func fits(ctx context.Context, tool ports.ToolV1, args []byte) error {
	_, err := tool.Prepare(ctx, args)
	var fault *ports.Fault
	if errors.As(err, &fault) && fault.Kind == ports.FaultInvalid {
		return err
	}
	return nil
}

func checkCheck(c protocol.Check) error {
	if c.Contains == "" && c.Equals == nil && c.Matches == "" && c.JSON == nil {
		return errors.New("it asks for nothing: give contains, equals, matches or json")
	}
	if c.Matches != "" {
		if _, err := regexp.Compile(c.Matches); err != nil {
			return errors.Errorf("matches: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	if c.JSON != nil && c.JSON.Pointer != "" && c.JSON.Pointer[0] != '/' {
		return errors.New("json.pointer: a pointer begins with a slash")
	}
	return nil
}

// LoadPlan reads a plan file.
func LoadPlan(path string) (protocol.Plan, error) {
	var p protocol.Plan
	raw, err := os.ReadFile(path)
	if err != nil {
		return p, usage(errors.Wrap(err, "plan"))
	}
	if err := protocol.Decode(raw, &p); err != nil {
		return p, usage(errors.Wrapf(err, "plan %s", path))
	}
	return p, nil
}
