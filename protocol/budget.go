package protocol

import "errors"

// Budget is what a run may spend, on five axes (S2-008). An absent optional
// axis promises nothing; a present one is enforced (S2-009).
type Budget struct {
	// MaxTurns bounds model turns; at least 1.
	MaxTurns int `json:"max_turns"`
	// MaxUSD bounds money in micro-dollars; null when there is no bound. Zero
	// is a bound.
	MaxUSD *int64 `json:"max_usd"`
	// MaxWallSecs bounds the time the run is at work, in seconds; at least 1.
	// Time parked before a person does not count.
	MaxWallSecs int64 `json:"max_wall_secs"`
	// MaxConsecutiveToolErrors bounds failures in a row; at least 1.
	MaxConsecutiveToolErrors int `json:"max_consecutive_tool_errors"`
	// MaxTokens bounds input and output tokens together; left out when there
	// is no bound, so that older bytes do not move (S2-010).
	MaxTokens *int64 `json:"max_tokens,omitempty"`
}

// DefaultBudget is 60 turns, 15 minutes, 3 errors in a row, nothing else.
func DefaultBudget() Budget {
	return Budget{MaxTurns: 60, MaxWallSecs: 15 * 60, MaxConsecutiveToolErrors: 3}
}

// Validate checks that the bounded axes are bounds.
func (b Budget) Validate() error {
	switch {
	case b.MaxTurns < 1:
		return errors.New("max_turns is at least 1")
	case b.MaxWallSecs < 1:
		return errors.New("max_wall_secs is at least 1")
	case b.MaxConsecutiveToolErrors < 1:
		return errors.New("max_consecutive_tool_errors is at least 1")
	case b.MaxUSD != nil && *b.MaxUSD < 0:
		return errors.New("max_usd is not negative")
	case b.MaxTokens != nil && *b.MaxTokens < 1:
		return errors.New("max_tokens is at least 1")
	}
	return nil
}

// Usage is what a provider reports of one turn, in tokens.
type Usage struct {
	// Input and Output are token counts, at least 0.
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
}
