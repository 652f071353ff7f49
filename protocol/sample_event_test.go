package protocol

import "encoding/json"

func eventSamples() []sample {
	return []sample{
		{"policy.pinned", PolicyPinned{Bundle: digestOf("1"), BundleID: "builtin@v1", Wire: ProtocolVersion, Kernel: 1}},
		{"fsm.moved", FSMMoved{From: Acting, On: ToolFailed, To: Compensating}},
		{"turn.started", TurnStarted{Turn: 3, Trust: Workspace}},
		{"admission.decided full", AdmissionDecided{
			Call: 4, CallID: "c1", Tool: "http.post", Class: IrreversibleExternal, Verdict: Ask, Reason: "gate: a rule",
			Rule: "ask http.post (managed)", Trust: Trusted, Origin: "goal", Egress: true, Sink: "example.org",
			Mode: ModeYolo, ArgsDigest: digestOf("a"),
		}},
		{"admission.decided least", AdmissionDecided{
			Call: 4, CallID: "c1", Tool: "fs.read", Class: ReadOnly, Verdict: Auto, Reason: "gate: read_only",
			Trust: Untrusted, Origin: "fx6", Mode: ModeDefault, ArgsDigest: digestOf("a"),
		}},
		{"approval.requested full", ApprovalRequested{
			ID: sampleAsked, Call: 4, Tool: "fs.write", Class: ReversibleLocal, ArgsDigest: digestOf("a"), Args: cut(),
			Preview: Inline("- old\n+ new"), Compensation: "restores app.conf", ExpiresAt: sampleAt + 3600000,
		}},
		{"approval.requested least", ApprovalRequested{
			ID: sampleAsked, Call: 4, Tool: "shell", Class: CodeExecuting, ArgsDigest: digestOf("a"),
			Args: Inline("{}"), Preview: Inline(""), ExpiresAt: sampleAt,
		}},
		{"approval.decided full", ApprovalDecided{ID: sampleAsked, Decision: "denied", By: "ada", Reason: "not on a Friday"}},
		{"approval.decided least", ApprovalDecided{ID: sampleAsked, Decision: "expired"}},
		{"call.refused", CallRefused{Call: 4, CallID: "c1", Tool: "fs.wirte", Code: "unknown_tool", Reason: "no tool has this name"}},
		{"call.reused", CallReused{Call: 5, CallID: "c2", Tool: "fs.write", Effect: NewEffectID(sampleRun, 3), Result: Inline("wrote app.conf"), Trust: Workspace}},
		{"saga.committed full", SagaCommitted{
			Step: 1, Name: "w", Tool: "fs.write", Effect: sampleEffect, Undo: digestOf("b"), Compensation: "restores app.conf",
		}},
		{"saga.committed least", SagaCommitted{Step: 1, Name: "w", Tool: "http.post", Effect: sampleEffect}},
		{"saga.compensated", SagaCompensated{Step: 1, Name: "w", Tool: "fs.write", Effect: sampleEffect}},
		{"saga.compensation_failed", SagaCompensationFailed{Step: 1, Name: "w", Tool: "fs.write", Reason: "app.conf was changed since"}},
		{"budget.exhausted", BudgetWasExhausted{Axis: ReasonMaxTokens, Limit: 50000, Spent: 50120}},
		{"checkpoint.taken", CheckpointTaken{Commands: 41}},
		{"notice", Notice{Code: NoticeStepsLeft}},
		{"run.ended full", RunEnded{
			Outcome: Stuck, Reason: ReasonRepeatedCall, Detail: "sql_readonly three times", Status: StatusFailed, FSM: Acting,
			Answer: new(Inline("The answer is 1200.")), Turns: 5, Usage: Usage{Input: 1200, Output: 300},
		}},
		{"run.ended least", RunEnded{Outcome: Done, Status: StatusSucceeded, FSM: FSMDone}},
		{"event.unknown", UnknownEvent{}},
	}
}

// effectSamples are the life of an effect: what is written before it, and the
// four ways it can end.
func effectSamples() []sample {
	return []sample{
		{"effect.intent", intentSample()},
		{"effect.tool_done full", ToolDone{
			Result: cut(), EffectID: sampleEffect, Trust: Workspace, Effects: []string{"wrote app.conf"}, Proven: true,
		}},
		{"effect.tool_done least", ToolDone{Result: Inline("1200"), EffectID: sampleEffect}},
		{"effect.done full", EffectDone{ID: sampleEffect, Tool: "provider:script", Proven: true}},
		{"effect.done least", EffectDone{ID: sampleEffect, Tool: "compensate:fs.write"}},
		{"effect.failed", EffectFailed{ID: sampleEffect, Tool: "fs.write", Reason: "permission denied"}},
		{"effect.unknown", EffectUnknown{ID: sampleEffect, Tool: "http.post", Reason: "the connection was lost"}},
		{"effect.resolved full", EffectResolved{ID: sampleEffect, As: TerminalDone, By: "ada", Note: "in the outbox"}},
		{"effect.resolved least", EffectResolved{ID: sampleEffect, As: TerminalFailed, By: "ada"}},
	}
}

func intentSample() EffectIntent {
	return EffectIntent{
		ID: sampleEffect, ToolUseID: "c1", Tool: "fs.write", Capability: ReversibleLocal,
		Arguments: sampleArgs(), Workspace: "/srv/w",
	}
}

func actionSamples() []sample {
	return []sample{
		{"emit", Emit{Event: intentSample()}},
		{"select_context", SelectContext{Request: 3}},
		{"prepare", Prepare{Call: 4, Intent: proposedSample()}},
		{"prepare keyed", Prepare{Call: 4, Intent: proposedSample(), Key: "order-17"}},
		{"perform full", Perform{
			Effect: sampleEffect, Kind: EffectVerify, Call: 4, Class: ReversibleLocal, Tool: "fs.write", Key: "order-7",
			DeadlineMillis: 30000, DelayMillis: 1000, Undo: digestOf("b"), Check: new(checkSample()),
		}},
		{"perform least", Perform{Effect: sampleEffect, Kind: EffectTool, Call: 4, Tool: "fs.read", Key: "k", DeadlineMillis: 30000}},
		{"perform provider", Perform{Effect: sampleEffect, Kind: EffectProvider, Tool: "script/demo", Key: "k", DeadlineMillis: 60000}},
		{"perform compensate", Perform{Effect: sampleEffect, Kind: EffectCompensate, Call: 4, Tool: "fs.write", Key: "k", DeadlineMillis: 30000, Undo: digestOf("b")}},
		{"probe full", Probe{Effect: sampleEffect, Kind: EffectTool, Call: 4, Tool: "fs.write", Key: "order-7", Undo: digestOf("b")}},
		{"probe least", Probe{Effect: sampleEffect, Kind: EffectTool, Call: 4, Tool: "http.post", Key: "k"}},
		{"cancel", Cancel{Effect: sampleEffect}},
		{"checkpoint", Checkpoint{}},
		{"reply accepted", Reply{Submission: "s1"}},
		{"reply rejected", Reply{Submission: "s1", Code: CodeConflict, Message: "the approval was answered already"}},
		{"park", Park{Status: StatusAwaitingApproval}},
		{"finish full", Finish{Outcome: HarnessError, Reason: ReasonProtocolViolation}},
		{"finish least", Finish{Outcome: Done}},
	}
}

func recordSamples() []sample {
	return []sample{
		{"entry of an empty body", Entry{Version: ProtocolVersion, Run: sampleRun, Prev: ZeroDigest, At: sampleAt, Kind: KindTick, Body: json.RawMessage(`{}`)}},
		{"entry", Entry{
			Version: ProtocolVersion, Run: sampleRun, Seq: 12, Prev: digestOf("e"), At: sampleAt,
			Kind: KindEffectIntent, Body: MustMarshal(intentSample()),
		}},
		{"head empty", EmptyHead()},
		{"head", Head{Next: 13, Hash: digestOf("f")}},
		{"answer accepted", Answer{ID: "s1", Accepted: true, Run: sampleRun}},
		{"answer rejected", Answer{ID: "s1", Rejected: &Rejection{Code: CodeQueueFull, Message: "the queue is full: send it again later"}}},
		{"rejection", Rejection{Code: CodeUnsupported, Message: "this operation is not known here"}},
	}
}
