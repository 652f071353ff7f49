package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ToolUse is a call as its proposer wrote it: an untrusted id, a name, an input.
type ToolUse struct {
	// ID is the proposer's correlation id, at most MaxCallIDBytes bytes. It is
	// never the identity of an effect (S2-058).
	ID string `json:"id"`
	// Name is the tool, as canonical name.
	Name string `json:"name"`
	// Input is the canonical arguments, at most MaxArgumentsBytes bytes; of
	// long ones the place where they are kept.
	Input json.RawMessage `json:"input"`
}

// ToolIntent is the contract from a module to the kernel: somebody would like
// this call. It is never authority (S2-130, S2-144).
type ToolIntent struct {
	// ProposedBy is the slot that proposes.
	ProposedBy SlotID `json:"proposed_by"`
	// Call is the call.
	Call ToolUse `json:"call"`
	// Purity says whether it may change anything.
	Purity Purity `json:"purity"`
	// Admitted is what it may do: nothing, until the kernel rules.
	Admitted CapabilitySet `json:"admitted"`
	// ArgumentTrust is the label of the arguments.
	ArgumentTrust Trust `json:"argument_trust"`
}

// Validate holds an intent to its bounds. An intent that arrives with authority
// is refused.
func (t ToolIntent) Validate() error {
	if err := t.ProposedBy.Validate(); err != nil {
		return err
	}
	if err := ValidateToolName(t.Call.Name); err != nil {
		return err
	}
	switch {
	case len(t.Call.ID) > MaxCallIDBytes:
		return fmt.Errorf("a call id has at most %d bytes", MaxCallIDBytes)
	case len(t.Call.Input) > MaxArgumentsBytes:
		return fmt.Errorf("arguments have at most %d bytes", MaxArgumentsBytes)
	case t.Purity != Pure && t.Purity != Effecting:
		return fmt.Errorf("purity %q is not pure or effecting", clip(string(t.Purity)))
	case !t.Admitted.Empty():
		return errors.New("an intent cannot bring its own authority")
	}
	return nil
}

// EffectProposal is the contract between gate and broker: what was admitted,
// exactly (S2-132, S2-145).
type EffectProposal struct {
	// ID is the effect.
	ID EffectID `json:"id"`
	// ToolUseID is the proposer's correlation id.
	ToolUseID string `json:"tool_use_id"`
	// Tool is the tool, or a class label such as "provider:script".
	Tool string `json:"tool"`
	// Admitted holds exactly one class.
	Admitted CapabilitySet `json:"admitted"`
	// Arguments are the projection that may be written down.
	Arguments json.RawMessage `json:"arguments"`
	// Workspace is the label of the place it works in.
	Workspace string `json:"workspace"`
}

// Validate holds a proposal to its bounds.
func (p EffectProposal) Validate() error {
	if _, _, err := p.ID.Split(); err != nil {
		return err
	}
	switch {
	case p.ToolUseID == "" || len(p.ToolUseID) > MaxCallIDBytes:
		return fmt.Errorf("a proposal names its call in 1 to %d bytes", MaxCallIDBytes)
	case p.Tool == "" || len(p.Tool) > MaxToolNameBytes*2:
		return errors.New("a proposal names its tool")
	case len(p.Admitted.Classes()) != 1:
		return errors.New("a proposal is admitted for exactly one class")
	case len(p.Arguments) > MaxArgumentsBytes:
		return fmt.Errorf("arguments have at most %d bytes", MaxArgumentsBytes)
	case p.Workspace == "" || len(p.Workspace) > MaxWorkspaceBytes:
		return fmt.Errorf("a proposal names its workspace in 1 to %d bytes", MaxWorkspaceBytes)
	}
	return nil
}

// Intent is what is written down before the effect (S2-057).
func (p EffectProposal) Intent() EffectIntent {
	return EffectIntent{
		ID: p.ID, ToolUseID: p.ToolUseID, Tool: p.Tool, Capability: p.Admitted.Classes()[0],
		Arguments: p.Arguments, Workspace: p.Workspace,
	}
}

// EffectIntent says that an effect is about to happen. Exactly six fields
// (S2-057); no trust context (S2-060) and no secret (S2-061). Durable before
// the executor is entered (S2-053).
type EffectIntent struct {
	// ID is the effect's durable identity.
	ID EffectID `json:"id"`
	// ToolUseID is untrusted correlation metadata.
	ToolUseID string `json:"tool_use_id"`
	// Tool is the tool's name, or a class label for other effects.
	Tool string `json:"tool"`
	// Capability is the class it was admitted for.
	Capability Capability `json:"capability"`
	// Arguments are an audit projection, not a permission handle.
	Arguments json.RawMessage `json:"arguments"`
	// Workspace is the label of the place it works in.
	Workspace string `json:"workspace"`
}

// ToolDone is the terminal of a registry tool's call that succeeded (S2-063).
type ToolDone struct {
	// Result is what the tool answered.
	Result Text `json:"result"`
	// EffectID is the effect.
	EffectID EffectID `json:"effect_id"`
	// Trust is the label of the result, by its source.
	Trust Trust `json:"trust"`
	// Effects says in plain words what changed ("wrote app.conf").
	Effects []string `json:"effects,omitempty"`
	// Proven says that the result was found by a probe, not by the call itself.
	Proven bool `json:"proven,omitempty"`
}

// EffectDone is the success of any other effect.
type EffectDone struct {
	// ID is the effect, Tool its label.
	ID   EffectID `json:"id"`
	Tool string   `json:"tool"`
	// Proven says that a probe found it done.
	Proven bool `json:"proven,omitempty"`
}

// EffectFailed says that an effect is known not to have happened, or to have
// failed cleanly.
type EffectFailed struct {
	// ID is the effect, Tool its name or label.
	ID   EffectID `json:"id"`
	Tool string   `json:"tool"`
	// Reason says why, at most MaxReasonBytes bytes.
	Reason string `json:"reason"`
}

// EffectUnknown says that nobody can tell whether the effect happened. It is
// never replayed (S2-014, S2-055).
type EffectUnknown struct {
	// ID is the effect, Tool its name or label.
	ID   EffectID `json:"id"`
	Tool string   `json:"tool"`
	// Reason says why nobody can tell, at most MaxReasonBytes bytes.
	Reason string `json:"reason"`
}

// Terminal is how an effect ended: four words, exclusive and exhaustive
// (S2-062, S2-064).
type Terminal string

// The four terminals.
const (
	TerminalToolDone Terminal = "tool_done"
	TerminalDone     Terminal = "done"
	TerminalFailed   Terminal = "failed"
	TerminalUnknown  Terminal = "unknown"
)

// ArtifactRef is the contract from kernel to module: a thing that was made,
// by digest, with what it may be used for (S2-146).
type ArtifactRef struct {
	// Hash is the SHA-256 of the bytes.
	Hash Digest `json:"hash"`
	// Schema says what the bytes are; an unknown word is kept.
	Schema string `json:"schema"`
	// Producer says who made it; an unknown word is kept.
	Producer string `json:"producer"`
	// Provenance says from what.
	Provenance Provenance `json:"provenance"`
	// Permissions says what it may be used for; never empty.
	Permissions CapabilitySet `json:"permissions"`
	// Locator tells where the bytes are, at most MaxLocatorBytes bytes.
	Locator string `json:"locator"`
}

// Provenance is where an artifact came from.
type Provenance struct {
	// RunID is the run.
	RunID RunID `json:"run_id"`
	// ParentHashes are what it was made from, at most MaxArtifactParents.
	ParentHashes []Digest `json:"parent_hashes"`
	// EffectID is the effect that made it, if one did.
	EffectID EffectID `json:"effect_id,omitempty"`
}

// Validate holds a reference to its bounds.
func (a ArtifactRef) Validate() error {
	if err := a.Hash.Validate(); err != nil {
		return err
	}
	if a.Permissions.Empty() {
		return errors.New("an artifact nobody may use is no artifact")
	}
	if len(a.Locator) > MaxLocatorBytes || len(a.Provenance.ParentHashes) > MaxArtifactParents {
		return fmt.Errorf("a locator has at most %d bytes, a provenance at most %d parents", MaxLocatorBytes, MaxArtifactParents)
	}
	for _, word := range []string{a.Schema, a.Producer} {
		if word == "" || len(word) > MaxUnknownTagBytes {
			return fmt.Errorf("schema and producer have 1 to %d bytes", MaxUnknownTagBytes)
		}
		for i := range len(word) {
			if word[i] < 0x20 || word[i] == 0x7f {
				return errors.New("schema and producer have no control characters")
			}
		}
	}
	if id := a.Provenance.EffectID; id != "" {
		if _, _, err := id.Split(); err != nil {
			return err
		}
	}
	for _, p := range a.Provenance.ParentHashes {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	return a.Provenance.RunID.Validate()
}
