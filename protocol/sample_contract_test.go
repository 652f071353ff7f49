package protocol

// contractSamples are the five contracts, with what answers a context request.
func contractSamples() []sample {
	return []sample{
		{"task_envelope full", taskSample()},
		{"task_envelope least", taskLeast()},
		{"context_request", requestSample()},
		{"context_request least", ContextRequest{RequestID: 1, Slot: SlotContext, Selectors: []Selector{}}},
		{"context_grant", grantSample()},
		{"context_grant least", ContextGrant{RequestID: 1, Segments: []Segment{}}},
		{"tool_intent", proposedSample()},
		{"tool_intent client", ToolIntent{ProposedBy: SlotToolPolicy, Call: ToolUse{Name: "clock", Input: []byte("{}")}, Purity: Pure, Admitted: SetOf(), ArgumentTrust: Untrusted}},
		{"tool_intent admitted", ToolIntent{
			ProposedBy: SlotToolPolicy, Call: ToolUse{ID: "c1", Name: "fs.write", Input: sampleArgs()},
			Purity: Effecting, Admitted: SetOf(ReversibleLocal), ArgumentTrust: Trusted,
		}},
		{"effect_proposal", EffectProposal{
			ID: sampleEffect, ToolUseID: "c1", Tool: "fs.write", Admitted: SetOf(ReversibleLocal),
			Arguments: sampleArgs(), Workspace: "/srv/w",
		}},
		{"artifact_ref full", artifactSample()},
		{"artifact_ref least", ArtifactRef{
			Hash: digestOf("d"), Schema: "file_diff", Producer: "run", Permissions: SetOf(ReadOnly),
			Provenance: Provenance{RunID: sampleRun, ParentHashes: []Digest{}},
		}},
	}
}

func taskSample() TaskEnvelope {
	return TaskEnvelope{
		TaskID: 9, ProtocolVersion: ProtocolVersion, Input: Inline("Fix the <total> & say so."), Trust: Trusted,
		Acceptance: []AcceptanceCheck{{ID: "tests", Quantifier: "must_pass"}, {ID: "lint", Quantifier: "must_stay_passing"}},
		Budget: Budget{
			MaxTurns: 8, MaxUSD: new(int64(250000)), MaxWallSecs: 120, MaxConsecutiveToolErrors: 2, MaxTokens: new(int64(50000)),
		},
		Ceiling: SetOf(CodeExecuting, ReadOnly, ReversibleLocal),
	}
}

func taskLeast() TaskEnvelope {
	return TaskEnvelope{
		ProtocolVersion: ProtocolVersion, Input: Inline("hello"), Acceptance: []AcceptanceCheck{},
		Budget: DefaultBudget(), Ceiling: SetOf(ReadOnly),
	}
}

func requestSample() ContextRequest {
	return ContextRequest{
		RequestID: 3, Slot: SlotContext, MaxBytes: 65536, TrustCeiling: Trusted,
		Selectors: []Selector{
			{Kind: "repo_outline", Root: "src", Depth: 2},
			{Kind: "instructions", Scope: "project"},
			{Kind: "memory_keys", Keys: []string{"style", "owner"}},
			{Kind: "transcript", LastTurns: 4},
			{Kind: "environment_facts"},
		},
	}
}

func grantSample() ContextGrant {
	return ContextGrant{
		RequestID: 3, Bytes: 4000,
		Segments: []Segment{
			{Source: "goal", Trust: Trusted, Bytes: 25},
			{Source: "transcript", Trust: Workspace, Bytes: 3000},
		},
	}
}

func proposedSample() ToolIntent {
	return ToolIntent{
		ProposedBy: SlotPlanner, Call: ToolUse{ID: "c1", Name: "fs.write", Input: sampleArgs()},
		Purity: Effecting, ArgumentTrust: Workspace,
	}
}

func artifactSample() ArtifactRef {
	return ArtifactRef{
		Hash: digestOf("d"), Schema: "file_diff", Producer: "tool:fs.write",
		Provenance:  Provenance{RunID: sampleRun, ParentHashes: []Digest{digestOf("8"), digestOf("9")}, EffectID: sampleEffect},
		Permissions: SetOf(ReadOnly, ReversibleLocal), Locator: "b/dddd",
	}
}

func policySamples() []sample {
	class := TrustMutating
	ref := PolicyRef{Slot: SlotRouter, PolicyID: "single", Version: "1", Digest: digestOf("4")}
	return []sample{
		{"policy_bundle full", PolicyBundle{
			ID: "builtin@v1", Policies: []PolicyRef{ref}, Ceiling: SetOf(Capabilities()...), Endorse: true,
			Rules: []Rule{{Scope: ScopeTool, Tool: "shell", Verdict: Deny, Origin: "managed"}}, RollbackTo: digestOf("5"),
		}},
		{"policy_bundle least", PolicyBundle{ID: "empty", Policies: []PolicyRef{}, Rules: []Rule{}}},
		{"policy_ref", ref},
		{"policy_manifest full", PolicyManifest{
			SchemaVersion: 1, Slot: "db/query_planner", PolicyID: "cost", Version: "2", Kind: "rules", Parameters: digestOf("6"),
			Required: SetOf(ReadOnly), Parent: digestOf("5"), Method: "search",
		}},
		{"policy_manifest least", PolicyManifest{
			SchemaVersion: 1, Slot: SlotMemory, PolicyID: "none", Version: "1", Kind: "builtin", Parameters: digestOf("6"), Method: "hand_authored",
		}},
		{"rule tool", Rule{Scope: ScopeTool, Tool: "fs.write", Verdict: Auto, Origin: "flags"}},
		{"rule class", Rule{Scope: ScopeClass, Class: &class, Verdict: Deny, Origin: "project"}},
		{"transition", Transition{From: Acting, On: ValidationPassed, To: FSMDone}},
		{"tool_contract", ToolContract{
			Name: "fs.write", Description: "Write a file.", Version: "1.0.0", Schema: []byte(`{"type":"object"}`),
			Floor: ReversibleLocal, Top: IrreversibleExternal, ResultTrust: Workspace, TimeoutMillis: 30000,
		}},
		{"tool_brief", briefSample()},
	}
}

// partSamples are what the contracts, commands and plans are made of.
func partSamples() []sample {
	return []sample{
		{"budget default", DefaultBudget()},
		{"budget full", Budget{MaxTurns: 1, MaxUSD: new(int64(0)), MaxWallSecs: 1, MaxConsecutiveToolErrors: 1, MaxTokens: new(int64(1))}},
		{"usage", Usage{Input: 120, Output: 30}},
		{"text whole", Inline("tab\t, \"quotes\", <b>&amp;</b>, ünïcödé, 🜁")},
		{"text cut", cut()},
		{"operator_text", OperatorText{Inline("go on")}},
		{"acceptance_check", AcceptanceCheck{ID: "tests", Quantifier: "must_flip_to_pass"}},
		{"selector", Selector{Kind: "repo_outline", Root: "src", Depth: 2}},
		{"selector instructions", Selector{Kind: "instructions", Scope: "user"}},
		{"selector memory_keys", Selector{Kind: "memory_keys", Keys: []string{"style"}}},
		{"selector transcript", Selector{Kind: "transcript", LastTurns: 4}},
		{"segment", Segment{Source: "memory", Trust: Workspace, Bytes: 12}},
		{"tool_use", ToolUse{ID: "c1", Name: "fs.write", Input: sampleArgs()}},
		{"provenance full", artifactSample().Provenance},
		{"provenance least", Provenance{RunID: sampleRun, ParentHashes: []Digest{}}},
		{"task full", opSamples()[0].value.(StartRun).Task},
		{"task least", Task{Input: "hello"}},
		{"plan full", planSample()},
		{"plan least", Plan{Name: "one", Steps: []PlanStep{{ID: "a", Tool: "noop"}}}},
		{"plan_step full", stepSample()},
		{"plan_step least", PlanStep{ID: "a", Tool: "noop"}},
		{"check full", checkSample()},
		{"check least", Check{}},
		{"json_check", *checkSample().JSON},
		{"step full", recordedStep()},
		{"step least", Step{ID: "a", Tool: "noop", Args: Inline("{}")}},
		{"proposed_call", callSample()},
		{"model_turn", turnSample()},
		{"model_turn silent about its cost", ModelTurn{Text: Inline("42"), Stop: StopEndTurn}},
		{"tool_result full", ToolResult{Text: Inline("ok"), Digest: digestOf("c"), Effects: []string{"wrote app.conf"}}},
		{"tool_result least", ToolResult{Text: Inline(""), Digest: digestOf("c")}},
		{"prior", Prior{Effect: NewEffectID(sampleRun, 3), Result: Inline("wrote app.conf"), Digest: digestOf("c")}},
	}
}

// valueSamples are the closed vocabularies as they stand in a document.
func valueSamples() []sample {
	return []sample{
		{"trust", []Trust{Untrusted, Workspace, Trusted}},
		{"capability", Capabilities()},
		{"capability_set empty", SetOf()},
		{"capability_set two", SetOf(IrreversibleExternal, ReadOnly)},
		{"capability_set all", SetOf(Capabilities()...)},
		{"purity", []Purity{Pure, Effecting}},
		{"verdict", []Verdict{Auto, Ask, Deny}},
		{"mode", Modes()},
		{"outcome", Outcomes()},
		{"fsm_state", FSMStates()},
		{"fsm_event", FSMEvents()},
		{"core slots", CoreSlots()},
		{"on_failure", []OnFailure{Report, Compensate}},
		{"terminal", []Terminal{TerminalToolDone, TerminalDone, TerminalFailed, TerminalUnknown}},
		{"saga_status", []SagaStatus{StepCommitted, StepCompensated, StepCompensationFailed}},
		{"effect_id", NewEffectID(sampleRun, 7)},
		{"approval_id", NewApprovalID(sampleRun, 3)},
		{"zero_digest", ZeroDigest},
	}
}
