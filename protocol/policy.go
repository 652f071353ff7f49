package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mode is how much a run may do without asking.
type Mode string

// The four modes, as the command line spells them.
const (
	// ModeDefault asks before anything that changes something.
	ModeDefault Mode = "default"
	// ModeAcceptEdits lets reversible local changes through.
	ModeAcceptEdits Mode = "acceptEdits"
	// ModePlan is read-only, whatever the rules say (S2-043).
	ModePlan Mode = "plan"
	// ModeYolo also lets code run, in a cell without egress.
	ModeYolo Mode = "yolo"
)

// Modes lists the four.
func Modes() []Mode { return []Mode{ModeDefault, ModeAcceptEdits, ModePlan, ModeYolo} }

// Validate refuses any other word.
func (m Mode) Validate() error {
	for _, v := range Modes() {
		if v == m {
			return nil
		}
	}
	return fmt.Errorf("mode %q is not one of default, acceptEdits, plan, yolo", clip(string(m)))
}

// Verdict is what admission says of a call.
type Verdict string

// The three verdicts, loosest first.
const (
	// Auto: carry it out.
	Auto Verdict = "auto"
	// Ask: a person decides.
	Ask Verdict = "ask"
	// Deny: not at all.
	Deny Verdict = "deny"
)

// Stricter is the stricter of two verdicts.
// A word nobody knows is a deny.
func (v Verdict) Stricter(w Verdict) Verdict {
	switch {
	case v == Auto && w == Auto:
		return Auto
	case (v == Auto || v == Ask) && (w == Auto || w == Ask):
		return Ask
	}
	return Deny
}

// RuleScope is what a rule speaks of.
type RuleScope string

// The two scopes.
const (
	// ScopeTool rules speak of one tool by its exact name.
	ScopeTool RuleScope = "tool"
	// ScopeClass rules speak of every call of one class.
	ScopeClass RuleScope = "class"
)

// Rule is one line of a run's policy. The strictest of all that match wins.
type Rule struct {
	// Scope says whether Tool or Class is meant.
	Scope RuleScope `json:"scope"`
	// Tool is an exact canonical tool name, for ScopeTool.
	Tool string `json:"tool,omitempty"`
	// Class is the class, for ScopeClass.
	Class *Capability `json:"class,omitempty"`
	// Verdict is what the rule wants.
	Verdict Verdict `json:"verdict"`
	// Origin is the layer the rule came from: managed, flags, project or user.
	Origin string `json:"origin"`
}

// String is the rule as a reason repeats it: "allow fs.write (flags)".
func (r Rule) String() string {
	what := r.Tool
	if r.Scope == ScopeClass && r.Class != nil {
		what = "class " + r.Class.String()
	}
	word := map[Verdict]string{Auto: "allow", Ask: "ask", Deny: "deny"}[r.Verdict]
	return word + " " + what + " (" + r.Origin + ")"
}

// Validate checks a rule's form. A class rule may not allow the two classes that
// always need a person (S2-041).
func (r Rule) Validate() error {
	switch {
	case r.Verdict != Auto && r.Verdict != Ask && r.Verdict != Deny:
		return fmt.Errorf("rule verdict %q is not auto, ask or deny", clip(string(r.Verdict)))
	case !slices.Contains([]string{"managed", "flags", "project", "user"}, r.Origin):
		return fmt.Errorf("rule origin %q is not managed, flags, project or user", clip(r.Origin))
	case r.Scope == ScopeTool && r.Class != nil, r.Scope == ScopeClass && r.Tool != "":
		return errors.New("a rule speaks of a tool or of a class, not of both")
	case r.Scope == ScopeTool:
		return ValidateToolName(r.Tool)
	case r.Class != nil && *r.Class > IrreversibleExternal:
		return errors.New("a rule speaks of a class nobody knows")
	case r.Scope != ScopeClass:
		return fmt.Errorf("rule scope %q is not tool or class", clip(string(r.Scope)))
	case r.Class == nil:
		return errors.New("a class rule needs its class")
	case r.Verdict == Auto && *r.Class >= TrustMutating:
		return fmt.Errorf("no class rule may allow %s: name the tool", *r.Class)
	}
	return nil
}

// ValidateToolName checks a canonical tool name: 1 to MaxToolNameBytes bytes,
// lowercase words joined by dots, as in "fs.write".
func ValidateToolName(name string) error {
	if len(name) == 0 || len(name) > MaxToolNameBytes {
		return fmt.Errorf("a tool name has 1 to %d bytes", MaxToolNameBytes)
	}
	for _, word := range strings.Split(name, ".") {
		if word == "" {
			return fmt.Errorf("tool name %q has an empty part", clip(name))
		}
		for i := range len(word) {
			if !isWordByte(word[i]) {
				return fmt.Errorf("tool name %q: only a-z, 0-9, _, - and dots may stand in it", clip(name))
			}
		}
	}
	return nil
}

// SlotID names a place where a strategy sits: "<domain>/<role>" (S2-150).
type SlotID string

// The nine core slots (S2-149).
const (
	SlotRouter        SlotID = "core/router"        // which agent or plan takes a task
	SlotPlanner       SlotID = "core/planner"       // what to do next
	SlotContext       SlotID = "core/context"       // what a turn is shown
	SlotMemory        SlotID = "core/memory"        // what is remembered
	SlotScheduler     SlotID = "core/scheduler"     // what runs when
	SlotToolPolicy    SlotID = "core/tool_policy"   // which tool, which arguments
	SlotVerifier      SlotID = "core/verifier"      // whether a result is right
	SlotModelRouter   SlotID = "core/model_router"  // which model
	SlotCollaboration SlotID = "core/collaboration" // who else takes part
)

// CoreSlots lists the nine.
func CoreSlots() []SlotID {
	return []SlotID{
		SlotRouter, SlotPlanner, SlotContext, SlotMemory, SlotScheduler,
		SlotToolPolicy, SlotVerifier, SlotModelRouter, SlotCollaboration,
	}
}

// Validate holds a slot to its grammar: 1 to MaxNameBytes bytes, exactly one
// slash, both halves of [a-z0-9_-] and not empty. Uppercase is refused, not
// folded.
func (s SlotID) Validate() error {
	domain, role, ok := strings.Cut(string(s), "/")
	if !ok || domain == "" || role == "" || len(s) > MaxNameBytes {
		return fmt.Errorf("slot %q is not of the form domain/role", clip(string(s)))
	}
	for _, half := range []string{domain, role} {
		for i := range len(half) {
			if !isWordByte(half[i]) {
				return fmt.Errorf("slot %q: only a-z, 0-9, _ and - may stand in it", clip(string(s)))
			}
		}
	}
	return nil
}

// PolicyRef pins one strategy in one slot by digest.
type PolicyRef struct {
	// Slot is where it sits.
	Slot SlotID `json:"slot"`
	// PolicyID names the policy; at most MaxNameBytes bytes.
	PolicyID string `json:"policy_id"`
	// Version is the policy's own version word; at most MaxNameBytes bytes.
	Version string `json:"version"`
	// Digest is the SHA-256 of its manifest.
	Digest Digest `json:"digest"`
}

// PolicyManifest describes a policy well enough to diff, merge, restrict,
// retire and transfer it (S2-148).
type PolicyManifest struct {
	// SchemaVersion is the manifest's own version, now 1.
	SchemaVersion int `json:"schema_version"`
	// Slot, PolicyID and Version name it.
	Slot     SlotID `json:"slot"`
	PolicyID string `json:"policy_id"`
	Version  string `json:"version"`
	// Kind is what it is made of: builtin, rules or prompt.
	Kind string `json:"kind"`
	// Parameters is the digest of its parameters' canonical bytes.
	Parameters Digest `json:"parameters"`
	// Required is the authority the policy needs to be useful; never a grant.
	Required CapabilitySet `json:"required"`
	// Parent is the digest of the manifest it was made from, if any.
	Parent Digest `json:"parent,omitempty"`
	// Method says how it came to be: hand_authored, search, …
	Method string `json:"method"`
}

// Validate checks a manifest's bounds.
func (m PolicyManifest) Validate() error {
	if m.SchemaVersion != 1 {
		return fmt.Errorf("policy manifest schema %d is not 1", m.SchemaVersion)
	}
	if err := m.Slot.Validate(); err != nil {
		return err
	}
	if m.PolicyID == "" || len(m.PolicyID) > MaxNameBytes || m.Version == "" || len(m.Version) > MaxNameBytes {
		return fmt.Errorf("a policy has an id and a version of 1 to %d bytes", MaxNameBytes)
	}
	switch m.Kind {
	case "builtin", "rules", "prompt":
	default:
		return fmt.Errorf("policy kind %q is not builtin, rules or prompt", clip(m.Kind))
	}
	if m.Method == "" || len(m.Method) > MaxNameBytes {
		return fmt.Errorf("a policy's method has 1 to %d bytes", MaxNameBytes)
	}
	if m.Parent != "" {
		if err := m.Parent.Validate(); err != nil {
			return err
		}
	}
	return m.Parameters.Validate()
}

// PolicyBundle is what a run is ruled by. It is immutable and named by the
// SHA-256 of its encoding.
type PolicyBundle struct {
	// ID is the bundle's name, "builtin@v1"; at most MaxNameBytes bytes.
	ID string `json:"id"`
	// Policies holds at most one policy a slot, sorted by slot.
	Policies []PolicyRef `json:"policies"`
	// Ceiling is the most any run under the bundle may do.
	Ceiling CapabilitySet `json:"ceiling"`
	// Endorse lets an operator approve one exact call below the trust floor.
	Endorse bool `json:"endorse"`
	// Rules stand before those of flags, project and user.
	Rules []Rule `json:"rules"`
	// RollbackTo is the bundle a preauthorised rollback returns to, if any.
	RollbackTo Digest `json:"rollback_to,omitempty"`
}

// Validate checks a bundle's bounds, and that no slot stands twice.
func (b PolicyBundle) Validate() error {
	if b.ID == "" || len(b.ID) > MaxNameBytes {
		return fmt.Errorf("a bundle id has 1 to %d bytes", MaxNameBytes)
	}
	if len(b.Policies) > MaxPolicies || len(b.Rules) > MaxRules {
		return fmt.Errorf("a bundle has at most %d policies and %d rules", MaxPolicies, MaxRules)
	}
	for i, p := range b.Policies {
		if err := p.Slot.Validate(); err != nil {
			return err
		}
		if i > 0 && b.Policies[i-1].Slot >= p.Slot {
			return fmt.Errorf("policies are sorted by slot, each slot once (%s)", p.Slot)
		}
		if p.PolicyID == "" || len(p.PolicyID) > MaxNameBytes || p.Version == "" || len(p.Version) > MaxNameBytes {
			return fmt.Errorf("the policy in %s has an id and a version of 1 to %d bytes", p.Slot, MaxNameBytes)
		}
		if err := p.Digest.Validate(); err != nil {
			return err
		}
	}
	if b.RollbackTo != "" {
		if err := b.RollbackTo.Validate(); err != nil {
			return err
		}
	}
	for _, r := range b.Rules {
		if err := r.Validate(); err != nil {
			return err
		}
	}
	return nil
}
