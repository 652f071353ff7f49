package protocol

import "encoding/json"

// Plan is a plan file: steps somebody wrote down beforehand (CONTRACT section
// 3).
type Plan struct {
	// Name is for people; at most MaxNameBytes bytes.
	Name string `json:"name" validate:"max=128"`
	// OnFailure is compensate when left out.
	OnFailure OnFailure `json:"on_failure,omitempty" validate:"omitempty,oneof=report compensate"`
	// Steps are carried out in order, 1 to MaxPlanSteps.
	Steps []PlanStep `json:"steps" validate:"min=1,max=256,unique=ID,dive"`
}

// PlanStep is one call of a plan.
type PlanStep struct {
	// ID is unique in the plan, 1 to MaxNameBytes bytes.
	ID string `json:"id" validate:"required,max=128"`
	// Tool is the canonical name or an alias of it.
	Tool string `json:"tool" validate:"required,max=128"`
	// Args are the arguments; an object.
	Args json.RawMessage `json:"args,omitempty"`
	// Validate makes the step a check of its own result.
	Validate *Check `json:"validate,omitempty"`
	// TimeoutMillis bounds the call; 0 means the tool's own.
	TimeoutMillis int64 `json:"timeout_ms,omitempty" validate:"min=0,max=3600000"`
	// Retries bounds how often a proven failure is tried again.
	Retries int `json:"retries,omitempty" validate:"min=0,max=10"`
	// IdempotencyKey names the step's outcome for its tenant.
	IdempotencyKey string `json:"idempotency_key,omitempty" validate:"max=256"`
}

// Check is what a validating step looks for in its result; all that is given
// must hold.
type Check struct {
	// Contains is a part of the text.
	Contains string `json:"contains,omitempty"`
	// Equals is the whole text.
	Equals *string `json:"equals,omitempty"`
	// Matches is an RE2 expression that matches somewhere in the text.
	Matches string `json:"matches,omitempty"`
	// JSON looks at one place of a JSON text.
	JSON *JSONCheck `json:"json,omitempty"`
}

// JSONCheck compares the value at a JSON Pointer.
type JSONCheck struct {
	// Pointer is an RFC 6901 pointer; empty means the whole document.
	Pointer string `json:"pointer"`
	// Equals is the value that must stand there.
	Equals json.RawMessage `json:"equals" validate:"required"`
}

// Step is a plan's step as the record keeps it.
type Step struct {
	// ID and Tool are the step's.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Args is the projection of its canonical arguments.
	Args Text `json:"args"`
	// Check is what it validates, if anything.
	Check *Check `json:"check,omitempty"`
	// TimeoutMillis, Retries and IdempotencyKey are the step's.
	TimeoutMillis  int64  `json:"timeout_ms,omitempty"`
	Retries        int    `json:"retries,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}
