package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ToolContract is what a tool promises about all its calls. Admission rules on
// it and on what Prepare says of the one call.
type ToolContract struct {
	// Name is the canonical name, "fs.write".
	Name string `json:"name"`
	// Description tells a model what the tool does.
	Description string `json:"description"`
	// Version is the tool's own version, "1.0.0" (S1-044).
	Version string `json:"version"`
	// Schema is the JSON Schema of its arguments.
	Schema json.RawMessage `json:"schema"`
	// Floor is the least class any call has.
	Floor Capability `json:"floor"`
	// Top is the highest class a call can have. A preparation outside
	// Floor..Top breaks the contract and is refused.
	Top Capability `json:"top"`
	// ResultTrust is the highest label a result can have, by its source.
	ResultTrust Trust `json:"result_trust"`
	// TimeoutMillis is how long a call may take when nobody says otherwise.
	TimeoutMillis int64 `json:"timeout_ms"`
}

// Purity follows from the highest class (S1-080).
func (t ToolContract) Purity() Purity {
	if t.Top == ReadOnly {
		return Pure
	}
	return Effecting
}

// Brief is what the record keeps of a contract.
func (t ToolContract) Brief() ToolBrief {
	return ToolBrief{Name: t.Name, Version: t.Version, Floor: t.Floor, Top: t.Top, ResultTrust: t.ResultTrust, TimeoutMillis: t.TimeoutMillis}
}

// Validate checks a contract at registration. A pure tool with an egress class
// is refused, and so is a floor above the top.
func (t ToolContract) Validate() error {
	if err := ValidateToolName(t.Name); err != nil {
		return err
	}
	switch {
	case t.Description == "":
		return fmt.Errorf("tool %s has no description", t.Name)
	case t.Floor > t.Top || t.Top > IrreversibleExternal:
		return fmt.Errorf("tool %s: its least class %s is above its highest %s", t.Name, t.Floor, t.Top)
	case t.ResultTrust > Workspace:
		return fmt.Errorf("tool %s: no result is trusted, only what an operator types", t.Name)
	case t.TimeoutMillis < 1 || t.TimeoutMillis > MaxTimeoutMillis:
		return fmt.Errorf("tool %s: a timeout is 1 to %d ms", t.Name, MaxTimeoutMillis)
	}
	return nil
}

// ToolBrief is a tool as a run sees it, pinned at its start.
type ToolBrief struct {
	// Name and Version name the tool.
	Name    string `json:"name"`
	Version string `json:"version"`
	// Floor and Top bound the class of its calls.
	Floor Capability `json:"floor"`
	Top   Capability `json:"top"`
	// ResultTrust is the highest label a result can have.
	ResultTrust Trust `json:"result_trust"`
	// TimeoutMillis is the default deadline of a call.
	TimeoutMillis int64 `json:"timeout_ms"`
}

// WireName is the provider-safe spelling of a canonical name: providers refuse
// dots, so "fs.write" is spoken of as "fs__write". A name in which that could be
// read in two ways has no wire name.
func WireName(name string) (string, error) {
	if strings.Contains(name, "__") || strings.Contains(name, "_.") || strings.Contains(name, "._") {
		return "", fmt.Errorf("tool name %q: two underscores in a row stand for the dot, so none may stand beside another or a dot", clip(name))
	}
	return strings.ReplaceAll(name, ".", "__"), nil
}

// CanonicalName undoes WireName. A canonical name is its own canonical name, so
// a proposer may use either.
func CanonicalName(wire string) string { return strings.ReplaceAll(wire, "__", ".") }
