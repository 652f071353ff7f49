package ports

import "github.com/tipstaff/tipstaff/protocol"

// DiagnosticsV1 takes closed remarks about the harness itself: a code and a run,
// never content (S2-017).
type DiagnosticsV1 interface {
	// Note takes one remark. It does not block and cannot fail.
	Note(run protocol.RunID, code string)
}
