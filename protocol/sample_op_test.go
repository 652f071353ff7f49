package protocol

import (
	"encoding/json"
	"strings"
)

// What the samples are made of.
const (
	sampleRun    RunID      = "5d0a3c1e-7f42-4b8e-9a61-0c2d4e6f8a10"
	sampleEffect EffectID   = sampleRunText + ".fx7"
	sampleAsked  ApprovalID = sampleRunText + ".ap3"
	sampleAt     int64      = 1764500000123

	sampleRunText = "5d0a3c1e-7f42-4b8e-9a61-0c2d4e6f8a10"
)

// sampleArgs are canonical arguments: what a raw member carries.
func sampleArgs() json.RawMessage {
	return json.RawMessage(`{"content":"new","path":"app.conf"}`)
}

// digestOf is a well-formed digest of one repeated digit.
func digestOf(digit string) Digest { return Digest(strings.Repeat(digit, 64)) }

// cut is the projection of a long, redacted text.
func cut() Text {
	return Text{Text: "the beginning", Bytes: 90000, Digest: digestOf("7"), Redacted: true}
}

func opSamples() []sample {
	two := SetOf(ReadOnly, ReversibleLocal)
	budget := Budget{MaxTurns: 8, MaxUSD: new(int64(250000)), MaxWallSecs: 120, MaxConsecutiveToolErrors: 2, MaxTokens: new(int64(50000))}
	plan := planSample()
	return []sample{
		{"start_run full", StartRun{
			Task: Task{
				Input:      "Fix the <total> & say so.",
				Acceptance: []AcceptanceCheck{{ID: "tests", Quantifier: "must_pass"}},
				Budget:     &budget, Ceiling: &two,
			},
			Plan: &plan, Mode: ModeAcceptEdits, Session: "desk", OnFailure: Compensate, Run: sampleRun,
			Interactive: true, Allow: []string{"fs.write"}, Deny: []string{"shell", "http.post"},
		}},
		{"start_run least", StartRun{Task: Task{Input: "What is 6 times 7?"}}},
		{"submit_intent full", SubmitIntent{Run: sampleRun, Tool: "fs.write", Args: sampleArgs(), IdempotencyKey: "order-7"}},
		{"submit_intent least", SubmitIntent{Run: sampleRun, Tool: "clock", Args: json.RawMessage(`{}`)}},
		{"user_input", UserInput{Run: sampleRun, Text: "and the second table?"}},
		{"steer", Steer{Run: sampleRun, Text: "leave the tests alone"}},
		{"approval_response full", ApprovalResponse{ID: sampleAsked, Approve: true, Reason: "looked at it", By: "ada"}},
		{"approval_response least", ApprovalResponse{ID: sampleAsked}},
		{"resolve_effect full", ResolveEffect{Effect: sampleEffect, As: TerminalDone, Note: "the mail is in the outbox", By: "ada"}},
		{"resolve_effect least", ResolveEffect{Effect: sampleEffect, As: TerminalFailed}},
		{"interrupt full", Interrupt{Run: sampleRun, By: "ada"}},
		{"interrupt least", Interrupt{Run: sampleRun}},
		{"drain full", Drain{Run: sampleRun, By: "ada"}},
		{"drain least", Drain{Run: sampleRun}},
		{"rollback full", Rollback{Run: sampleRun, By: "ada"}},
		{"rollback least", Rollback{Run: sampleRun}},
		{"close_run", CloseRun{Run: sampleRun}},
		{"unknown", UnknownOp{}},
	}
}

func planSample() Plan {
	return Plan{
		Name: "rotate-config", OnFailure: Compensate,
		Steps: []PlanStep{stepSample(), {ID: "v", Tool: "fs.read", Validate: new(checkSample())}},
	}
}

func stepSample() PlanStep {
	return PlanStep{
		ID: "w", Tool: "fs.write", Args: sampleArgs(), Validate: new(Check{Contains: "new"}),
		TimeoutMillis: 2000, Retries: 2, IdempotencyKey: "rotate-1",
	}
}

func checkSample() Check {
	return Check{
		Contains: "new", Equals: new("new\n"), Matches: "^n.w$",
		JSON: &JSONCheck{Pointer: "/rows/0", Equals: json.RawMessage(`[1.50,"x"]`)},
	}
}
