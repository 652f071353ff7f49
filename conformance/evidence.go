package conformance

// Matrix is what the claim of conformance rests on: nine components, five
// invariants, eight prohibitions, and for each the tests and checks that show it.
// Nothing else is claimed with it, least of all the maturity of the product
// (S2-158).
//
// To edit: a row is green when all its Checks find nothing and all its Evidence
// passes. A test that is not there makes its row red. What is not built yet says
// so with Open and the issue it waits for; such a row is printed as open and never
// counts as green.
func Matrix() []Row {
	rows := append(componentRows(), invariantRows()...)
	for _, c := range Prohibitions() {
		rows = append(rows, Row{
			ID: c.ID, Says: "the kernel " + c.Says, Requirements: c.Requirement,
			Checks: []string{c.ID}, Evidence: tests("conformance", "TestPlantedViolations/"+c.ID),
		})
	}
	return rows
}

func componentRows() []Row {
	return []Row{
		{
			ID: "K1", Says: "identity and trust: a triple a run is bound to, labels that only sink", Requirements: "S2-024 to S2-033",
			Evidence: join(
				tests("protocol", "TestTrustIsALattice", "TestOperatorText"),
				tests("kernel", "TestGoverning"),
				transcripts("tool_call", "injection_egress_refused", "egress_attribute", "steer"),
			),
		},
		{
			ID: "K2", Says: "capability admission: deny by default, a pure gate no model can move", Requirements: "S2-034 to S2-051",
			Evidence: join(
				tests("protocol", "TestCapabilitySetAlgebra"),
				tests("kernel", "TestGateTable", "TestAdmissionNeverLoosens"),
				transcripts("denied", "approval", "approval_denied", "plan_mode", "trust_mutating"),
			),
		},
		{
			ID: "K3", Says: "effect broker: one intent before, exactly one terminal after, never twice", Requirements: "S2-052 to S2-069",
			Evidence: join(
				tests("protocol", "TestEffectIntentHasSixFields"),
				tests("kernel", "TestRandomWalks"),
				tests("kernel/driver", "TestNoEffectBeforeItsIntent", "TestPanickingTool", "TestDeadline"),
				tests("host/tipstaff", "TestUnknownPayment"),
				transcripts("crash_unknown", "probe_proves"),
			),
		},
		{
			ID: "K4", Says: "reducer: one pure function of state and command", Requirements: "S2-070 to S2-077",
			Checks: []string{
				"types", "import", "map", "goroutine", "channel", "clock", "random", "float", "variable", "error", "panic", "recover", "unsafe", "directive",
			},
			Evidence: join(
				tests("conformance", "TestPlantedViolations", "TestPlantedImports"),
				tests("kernel", "TestTranscripts", "TestTableAgainstSlice"),
			),
		},
		{
			ID: "K5", Says: "record, checkpoint, replay: a chain that shows every change, resume", Requirements: "S2-078 to S2-086",
			Open: "forks and continued runs (S2-084, S2-086)",
			Evidence: join(
				tests("record", "TestSecretsCorpus", "TestChain"),
				tests("record/pebblestore", "TestRecordV1OnDisk", "TestCrashImages", "TestFailedWriteOrSync"),
				tests("kernel/driver", "TestOpenRefusesDamage"),
				tests("host/tipstaff", "TestChainByHand", "TestKilledAnywhere"),
			),
		},
		{
			ID: "K6", Says: "budgets, deadlines, cancellation: five hard axes, six outcomes", Requirements: "S2-087 to S2-099",
			Open: "reservation before a request, and children's budgets (S2-090)",
			Evidence: join(
				tests("protocol", "TestBudget", "TestStatusAndExit"),
				tests("kernel/driver", "TestTimeIsUp"),
				tests("host/tipstaff", "TestEndings", "TestSignals"),
				transcripts("budget_exhausted", "budget_tokens_unreported", "budget_unpriced", "budget_wall", "interrupt", "drain"),
			),
		},
		{
			ID: "K7", Says: "version registry: one wire version, the bundle pinned, unknown tags dropped", Requirements: "S2-100 to S2-105",
			Evidence: join(
				tests("protocol", "TestVersionComesFirst", "TestUnknownOperationsDropTheirPayload", "TestUnknownEntriesDropTheirBody"),
				transcripts("other_version"),
			),
		},
		{
			ID: "K8", Says: "kill and rollback: a switch, and a pointer only a person moves", Requirements: "S2-106 to S2-112",
			Open:     "the kill switch and the bundle registry",
			Evidence: transcripts("rollback_requested", "rollback_partial", "saga_compensates"),
		},
		{
			ID: "K9", Says: "driver: bounded queues, ports only, readings as fields of commands", Requirements: "S2-113 to S2-119",
			Checks:   []string{"types", "N3", "N5", "N7"},
			Evidence: tests("kernel/driver", "TestQueueHandsBack", "TestAttachedClientHoldsTheRun", "TestSideBySide", "TestOneSyncAStep"),
		},
	}
}

func invariantRows() []Row {
	return []Row{
		{
			ID: "I1", Says: "bounded: every mechanism runs inside a declared bound", Requirements: "S2-007 to S2-011",
			Evidence: join(
				tests("protocol", "TestTaskEnvelope", "TestContextGrant", "TestToolIntent", "TestEffectProposal", "TestArtifactRef"),
				tests("kernel/driver", "TestQueueHandsBack", "TestLongAndSecretText"),
				transcripts("repeated_call_stuck", "budget_exhausted"),
			),
		},
		{
			ID: "I2", Says: "recoverable: what was uncertain is unknown, and never replayed", Requirements: "S2-012 to S2-014",
			Evidence: join(
				transcripts("crash_unknown", "probe_proves", "provider_asked_again"),
				tests("host/tipstaff", "TestKilledAnywhere", "TestKilledBetweenRenameAndTerminal", "TestUnknownPayment"),
			),
		},
		{
			ID: "I3", Says: "reproducible: the same commands give the same bytes", Requirements: "S2-015",
			Checks:   []string{"map", "float", "clock", "random", "variable", "directive"},
			Evidence: join(tests("kernel", "TestTranscripts"), tests("host/tipstaff", "TestPlanRollsBack", "TestDemo")),
		},
		{
			ID: "I4", Says: "observable: every decision is an event with its correlation id", Requirements: "S2-016, S2-017",
			Checks:   []string{"log"},
			Evidence: transcripts("tool_call", "denied", "approval", "budget_exhausted", "protocol_violation"),
		},
		{
			ID: "I5", Says: "security-bounded: denied by default, narrowed only, words are no authority", Requirements: "S2-018 to S2-020",
			Evidence: join(
				tests("protocol", "TestCapabilitySetAlgebra"),
				tests("kernel", "TestAdmissionNeverLoosens"),
				transcripts("injection_egress_refused"),
			),
		},
	}
}

// transcripts names transcript files of the kernel and the subtests that play
// them.
func transcripts(files ...string) []Evidence {
	var out []Evidence
	for _, file := range files {
		out = append(out, transcript("kernel", "TestTranscripts", file)...)
	}
	return out
}

// tests names tests of one folder as evidence. A name may go on with the name of
// a subtest, after a slash.
func tests(pkg string, names ...string) []Evidence {
	var out []Evidence
	for _, name := range names {
		out = append(out, Evidence{Package: pkg, Test: name})
	}
	return out
}

// transcript names a transcript file and the subtest that plays it.
func transcript(pkg, test, file string) []Evidence {
	return []Evidence{{Package: pkg, Test: test + "/" + file, Transcript: pkg + "/testdata/" + file}}
}

func join(lists ...[]Evidence) []Evidence {
	var out []Evidence
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}
