package protocol

// Bounds of everything that varies in length. Sizes are bytes unless a name
// says otherwise.
const (
	// MaxInputBytes bounds the text of a task, a user message or a steer.
	MaxInputBytes = 1 << 20
	// MaxArgumentsBytes bounds the canonical arguments of one call.
	MaxArgumentsBytes = 1 << 20
	// MaxInlineBytes is the longest text an entry carries itself; longer text
	// stands outside the entry, by digest.
	MaxInlineBytes = 4 << 10
	// MaxContentBytes bounds one piece of content kept outside the entries.
	MaxContentBytes = 16 << 20
	// MaxLineBytes bounds one line of the record.
	MaxLineBytes = 8 << 20
	// MaxJSONDepth bounds the nesting of any JSON that comes from outside.
	MaxJSONDepth = 64

	// MaxCallsPerTurn bounds the tool calls of one model turn.
	MaxCallsPerTurn = 128
	// MaxCallIDBytes bounds a call id chosen by a model or a client.
	MaxCallIDBytes = 512
	// MaxToolNameBytes bounds a tool's canonical name.
	MaxToolNameBytes = 128
	// MaxTools bounds the tools one run may see.
	MaxTools = 256
	// MaxReasonBytes bounds a reason, a note or an evidence line.
	MaxReasonBytes = 1 << 10
	// MaxWorkspaceBytes bounds the label of a workspace.
	MaxWorkspaceBytes = 4096
	// MaxKeyBytes bounds an idempotency key or a submission id.
	MaxKeyBytes = 256
	// MaxNameBytes bounds a tenant, a session, a plan's or a step's name.
	MaxNameBytes = 128

	// MaxPlanSteps bounds the steps of a plan.
	MaxPlanSteps = 256
	// MaxRetries bounds the retries of one step.
	MaxRetries = 10
	// MaxTimeoutMillis bounds the time one call may ask for, in milliseconds.
	MaxTimeoutMillis = 60 * 60 * 1000
	// MaxRules bounds the admission rules of a run.
	MaxRules = 256
	// MaxTransitions bounds the transitions fsm.toml may add.
	MaxTransitions = 64
	// MaxPolicies bounds the policies of a bundle, one a slot.
	MaxPolicies = 128

	// MaxAcceptance bounds the acceptance checks of a task.
	MaxAcceptance = 256
	// MaxSelectors bounds the selectors of a context request.
	MaxSelectors = 32
	// MaxSegments bounds the segments of a context grant.
	MaxSegments = 64
	// MaxGrantBytes bounds the text of a context grant.
	MaxGrantBytes = 131072
	// MaxSelectorRootBytes bounds the root of an outline selector.
	MaxSelectorRootBytes = 4096
	// MaxMemoryKeys bounds the keys one memory selector names.
	MaxMemoryKeys = 64
	// MaxLocatorBytes bounds an artifact's locator.
	MaxLocatorBytes = 4096
	// MaxArtifactParents bounds the parents an artifact names.
	MaxArtifactParents = 64
	// MaxUnknownTagBytes bounds an unknown tag where one is kept (evidence only).
	MaxUnknownTagBytes = 128
)
