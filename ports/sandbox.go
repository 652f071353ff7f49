package ports

import "context"

// SandboxV1 is a cell that runs code without letting it out.
type SandboxV1 interface {
	// Holds says what the cell can guarantee here; a policy that asks for more
	// must not be run.
	Holds() Isolation
	// Run starts argv in the cell and waits. When it returns, no process of
	// the cell is left.
	Run(ctx context.Context, cell Cell) (CellResult, error)
}

// Isolation is what a cell guarantees.
type Isolation struct {
	// Files, Network and Processes say that those outside are out of reach.
	Files, Network, Processes bool
}

// Cell is one program to run.
type Cell struct {
	// Argv is the program and its arguments, Dir its working folder.
	Argv []string
	Dir  string
	// Env is its whole environment, "NAME=value".
	Env []string
	// Writable lists the folders it may change.
	Writable []string
	// MaxOutputBytes bounds what is kept of its output.
	MaxOutputBytes int
}

// CellResult is how the program ended.
type CellResult struct {
	// Exit is the exit code; Signalled says that it was killed instead.
	Exit      int
	Signalled bool
	// Output is standard output and error as they came, cut at the bound.
	Output []byte
}
