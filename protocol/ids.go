package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ProtocolVersion is the one wire version (S2-100). Anything else is refused
// before its operation is unwrapped (S2-103, S2-104).
const ProtocolVersion = 1

// VersionError refuses an envelope of another wire version.
type VersionError struct {
	// Expected is ProtocolVersion, Actual what the client sent.
	Expected, Actual int
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("protocol version %d is not spoken here, only %d", e.Actual, e.Expected)
}

// RunID names one run: a lowercase UUID, minted by the host (S1-032, S2-024).
type RunID string

// TenantID names whose run it is; 1 to MaxNameBytes bytes of [a-z0-9_-].
type TenantID string

// DefaultTenant is the tenant of a single-user home.
const DefaultTenant TenantID = "local"

// EffectID is the durable identity of one effect, "<run>.fx<n>", minted by the
// kernel (S2-053). It tells which run to look in.
type EffectID string

// ApprovalID names one request for a person's answer, "<run>.ap<n>".
type ApprovalID string

// Digest is the SHA-256 of some bytes: 64 lowercase hex digits.
type Digest string

// ZeroDigest is the prev of a chain's first entry.
const ZeroDigest Digest = "0000000000000000000000000000000000000000000000000000000000000000"

// Validate checks the form of a run id: 8-4-4-4-12 lowercase hex.
func (id RunID) Validate() error {
	s := string(id)
	if len(s) != 36 {
		return fmt.Errorf("run id %q is not a UUID", clip(s))
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || (!dash && !isHex(s[i])) {
			return fmt.Errorf("run id %q is not a lowercase UUID", clip(s))
		}
	}
	return nil
}

// Validate checks the bounds of a tenant id.
func (id TenantID) Validate() error {
	if len(id) == 0 || len(id) > MaxNameBytes {
		return fmt.Errorf("a tenant has 1 to %d bytes", MaxNameBytes)
	}
	for i := range len(id) {
		if !isWordByte(id[i]) {
			return fmt.Errorf("tenant %q: only a-z, 0-9, _ and - may stand in it", clip(string(id)))
		}
	}
	return nil
}

// Validate checks the form of a digest.
func (d Digest) Validate() error {
	if len(d) != 64 {
		return errors.New("a digest has 64 hex digits")
	}
	for i := range len(d) {
		if !isHex(d[i]) {
			return errors.New("a digest has lowercase hex digits only")
		}
	}
	return nil
}

// NewEffectID mints the id of a run's n-th effect.
func NewEffectID(run RunID, n uint64) EffectID {
	return EffectID(string(run) + ".fx" + strconv.FormatUint(n, 10))
}

// NewApprovalID mints the id of a run's n-th approval.
func NewApprovalID(run RunID, n uint64) ApprovalID {
	return ApprovalID(string(run) + ".ap" + strconv.FormatUint(n, 10))
}

// Split tells which run an effect belongs to and its number there.
func (id EffectID) Split() (RunID, uint64, error) { return splitID(string(id), ".fx", "effect") }

// Split tells which run an approval belongs to and its number there.
func (id ApprovalID) Split() (RunID, uint64, error) { return splitID(string(id), ".ap", "approval") }

func splitID(id, sep, what string) (RunID, uint64, error) {
	run, num, ok := strings.Cut(id, sep)
	n, err := strconv.ParseUint(num, 10, 64)
	if !ok || err != nil || RunID(run).Validate() != nil || strconv.FormatUint(n, 10) != num {
		return "", 0, fmt.Errorf("%q is not an %s id (it looks like <run>%s1)", clip(id), what, sep)
	}
	return RunID(run), n, nil
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// clip shortens what an error message repeats of the caller's input.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
