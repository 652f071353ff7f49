package protocol

func commandSamples() []sample {
	at := At{Millis: sampleAt}
	return append([]sample{
		{"run.started full", beginSample()},
		{"run.started least", beginLeast()},
		{"command.propose full", Propose{at, "s1", callSample(), "order-7"}},
		{"command.propose least", Propose{at, "s1", callSample(), ""}},
		{"command.say", Say{at, "s2", OperatorText{Inline("go on")}}},
		{"command.decide full", Decide{at, "s3", sampleAsked, true, "looked at it", "ada"}},
		{"command.decide least", Decide{at, "s3", sampleAsked, false, "", "ada"}},
		{"command.resolve full", Resolve{at, "s4", sampleEffect, TerminalDone, "in the outbox", "ada"}},
		{"command.resolve least", Resolve{at, "s4", sampleEffect, TerminalFailed, "", "ada"}},
		{"command.control interrupt", Control{at, "s5", SignalInterrupt, "ada"}},
		{"command.control drain", Control{at, "s5", SignalDrain, "ada"}},
		{"command.control rollback", Control{at, "s5", SignalRollback, "ada"}},
		{"command.control close", Control{at, "s5", SignalClose, "ada"}},
		{"command.granted full", Granted{at, requestSample(), grantSample(), "memory cannot be read"}},
		{"command.granted least", Granted{at, requestSample(), grantSample(), ""}},
		{"command.prepared full", Prepared{
			At: at, Call: 4, Class: TrustMutating, Egress: true, Sink: "example.org", Args: cut(), ArgsDigest: digestOf("a"),
			Workspace: "/srv/w", Undo: digestOf("b"), Compensation: "restores app.conf", Probeable: true,
			ResultTrust: Workspace, Preview: Inline("- old\n+ new"),
		}},
		{"command.prepared prior", Prepared{
			At: at, Call: 4, Args: Inline("{}"), ArgsDigest: digestOf("a"),
			Prior: &Prior{Effect: NewEffectID(sampleRun, 3), Result: Inline("wrote app.conf"), Digest: digestOf("c")},
		}},
		{"command.prepared refused", Prepared{At: at, Call: 4, Refused: "path: it leaves the workspace"}},
	}, settledSamples(at)...)
}

func settledSamples(at At) []sample {
	turn := turnSample()
	return []sample{
		{"command.settled tool", Settled{
			At: at, Effect: sampleEffect, How: HowDone, LatencyMillis: 12,
			Result: &ToolResult{Text: Inline("ok"), Digest: digestOf("c"), Effects: []string{"wrote app.conf"}},
		}},
		{"command.settled turn", Settled{At: at, Effect: sampleEffect, How: HowDone, Turn: &turn, LatencyMillis: 900}},
		{"command.settled verifier", Settled{At: at, Effect: sampleEffect, How: HowDone, Passed: new(false), LatencyMillis: 3}},
		{"command.settled failed", Settled{
			At: at, Effect: sampleEffect, How: HowFailed, Reason: "429", Retriable: true, DelayMillis: 1000, Refusal: true,
		}},
		{"command.settled uncertain", Settled{At: at, Effect: sampleEffect, How: HowUncertain, Reason: "timed out"}},
		{"command.probed done", Probed{at, sampleEffect, FoundDone, "the file has the new digest"}},
		{"command.probed not done", Probed{at, sampleEffect, FoundNotDone, "the file has the old digest"}},
		{"command.probed unknown", Probed{at, sampleEffect, FoundUnknown, "the file has neither digest"}},
		{"command.tick", Tick{at}},
		{"command.reconcile", Reconcile{at, "resume"}},
		{"command.fault", Fault{at, ReasonRecordUnhealthy, "the disk is full"}},
		{"command.unknown", UnknownCommand{at}},
	}
}

func beginSample() Begin {
	class := CodeExecuting
	return Begin{
		At: At{Millis: sampleAt}, Tenant: DefaultTenant, Run: sampleRun, Bundle: digestOf("1"), BundleID: "builtin@v1",
		Kernel: 1, Wire: ProtocolVersion, FSM: digestOf("2"), Sandbox: digestOf("3"),
		Task: taskSample(), Proposer: ProposerPlan, Route: "script/demo", Priced: true, Mode: ModeDefault,
		Rules: []Rule{
			{Scope: ScopeTool, Tool: "fs.write", Verdict: Auto, Origin: "flags"},
			{Scope: ScopeClass, Class: &class, Verdict: Ask, Origin: "managed"},
		},
		Ceiling: SetOf(Capabilities()...), Endorse: true, OnFailure: Compensate, Session: "desk", Workspace: "/srv/w",
		Tools: []ToolBrief{briefSample()}, Plan: "rotate-config", Steps: []Step{recordedStep()},
		Transitions: []Transition{{From: Acting, On: ValidationPassed, To: FSMDone}},
	}
}

// beginLeast has everything that may be left out left out.
func beginLeast() Begin {
	return Begin{
		At: At{Millis: sampleAt}, Tenant: DefaultTenant, Run: sampleRun, Bundle: digestOf("1"), BundleID: "builtin@v1",
		Kernel: 1, Wire: ProtocolVersion, FSM: digestOf("2"), Sandbox: digestOf("3"),
		Task: taskLeast(), Proposer: ProposerClient, Mode: ModePlan, Rules: []Rule{}, Ceiling: SetOf(ReadOnly),
		OnFailure: Report, Workspace: "/srv/w", Tools: []ToolBrief{},
	}
}

func callSample() ProposedCall {
	return ProposedCall{ID: "c1", Name: "fs.write", Args: Inline(string(sampleArgs()))}
}

func turnSample() ModelTurn {
	return ModelTurn{
		Text: Inline("I will look."), Calls: []ProposedCall{callSample()},
		Usage: &Usage{Input: 120, Output: 30}, Stop: StopToolUse,
	}
}

func briefSample() ToolBrief {
	return ToolBrief{
		Name: "fs.write", Version: "1.0.0", Floor: ReversibleLocal, Top: IrreversibleExternal,
		ResultTrust: Workspace, TimeoutMillis: 30000,
	}
}

func recordedStep() Step {
	return Step{
		ID: "w", Tool: "fs.write", Args: Inline(string(sampleArgs())), Check: new(checkSample()),
		TimeoutMillis: 2000, Retries: 2, IdempotencyKey: "rotate-1",
	}
}
