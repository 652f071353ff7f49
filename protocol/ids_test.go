package protocol

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// judged holds one verdict of a Validate to what it should be.
func judged(t *testing.T, name string, err error, ok bool) {
	t.Helper()
	if ok && err != nil {
		t.Errorf("%s: refused: %v", name, err)
	}
	if !ok && err == nil {
		t.Errorf("%s: taken", name)
	}
}

func TestRunID(t *testing.T) {
	for id, ok := range map[string]bool{
		sampleRunText:                            true,
		"00000000-0000-0000-0000-000000000000":   true,
		"ffffffff-ffff-ffff-ffff-ffffffffffff":   true,
		"":                                       false,
		strings.ToUpper(sampleRunText):           false,
		sampleRunText + "0":                      false,
		sampleRunText[:35]:                       false,
		" " + sampleRunText[1:]:                  false,
		sampleRunText[:35] + "\n":                false,
		sampleRunText[:35] + "g":                 false,
		strings.Repeat("0", 36):                  false,
		strings.Repeat("-", 36):                  false,
		"5d0a3c1e07f42-4b8e-9a61-0c2d4e6f8a10":   false,
		"5d0a3c1-e7f42-4b8e-9a61-0c2d4e6f8a10":   false,
		"5d0a3c1e-7f42-4b8e-9a61-0c2d4e6f8-10":   false,
		"{" + sampleRunText + "}":                false,
		"../../../../../../../../etc/passwd00":   false,
		"5d0a3c1e-7f42-4b8e-9a61-0c2d4e6f8aé":    false,
		"5d0a3c1e-7f42-4b8e-9a61-0c2d4e6f8a\x00": false,
	} {
		judged(t, id, RunID(id).Validate(), ok)
	}
}

func TestTenantID(t *testing.T) {
	for id, ok := range map[string]bool{
		string(DefaultTenant): true, "a": true, "0": true, "az09_-": true, strings.Repeat("a", MaxNameBytes): true,
		"": false, strings.Repeat("a", MaxNameBytes+1): false, "A": false, "a b": false, "a/b": false, "a`": false, "a{": false, "@": false, "Z": false, "[": false, "a.b": false, "a:b": false, "é": false, "a\x00": false, "a\n": false,
	} {
		judged(t, id, TenantID(id).Validate(), ok)
	}
}

func TestDigest(t *testing.T) {
	hex := "0123456789abcdef"
	for d, ok := range map[string]bool{
		string(ZeroDigest): true, strings.Repeat(hex, 4): true, strings.Repeat("f", 64): true,
		"": false, strings.Repeat("0", 63): false, strings.Repeat("0", 65): false, strings.Repeat("F", 64): false,
		strings.Repeat("0", 63) + "g": false, strings.Repeat("0", 63) + " ": false, "sha256:" + strings.Repeat("0", 57): false, strings.Repeat("é", 32): false,
	} {
		judged(t, d, Digest(d).Validate(), ok)
	}
	if ZeroDigest != Digest(strings.Repeat("0", 64)) {
		t.Error("the first entry's prev is 64 zeros")
	}
}

// TestMinting: an id tells its run and number, and nothing else is an id.
func TestMinting(t *testing.T) {
	if got := NewEffectID(sampleRun, 7); got != sampleEffect {
		t.Errorf("got %s", got)
	}
	if got := NewApprovalID(sampleRun, 3); got != sampleAsked {
		t.Errorf("got %s", got)
	}
	run := rapid.Map(rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), func(s string) RunID { return RunID(s) })
	rapid.Check(t, func(t *rapid.T) {
		id, n := run.Draw(t, "run"), rapid.Uint64().Draw(t, "n")
		if r, m, err := NewEffectID(id, n).Split(); err != nil || r != id || m != n {
			t.Errorf("effect %d of %s: %s, %d, %v", n, id, r, m, err)
		}
		if r, m, err := NewApprovalID(id, n).Split(); err != nil || r != id || m != n {
			t.Errorf("approval %d of %s: %s, %d, %v", n, id, r, m, err)
		}
		other, k := run.Draw(t, "other run"), rapid.Uint64().Draw(t, "k")
		if (id != other || n != k) && NewEffectID(id, n) == NewEffectID(other, k) {
			t.Errorf("effects %d of %s and %d of %s have one id", n, id, k, other)
		}
	})
}

func TestSplitRefuses(t *testing.T) {
	for _, tail := range []string{
		"", ".", ".fx", ".fx ", ".fx-1", ".fx+1", ".fx01", ".fx1 ", ".fx 1", ".fx0x1", ".fx1_0", ".fx1.0", ".fx1.fx2", ".FX1", ".fx18446744073709551616",
		".fx٣", ".ap1", "fx1", "..fx1", ".fx1\n",
	} {
		if run, n, err := EffectID(sampleRunText + tail).Split(); err == nil || run != "" || n != 0 {
			t.Errorf("%q: got %s, %d, %v", tail, run, n, err)
		}
	}
	for _, id := range []string{"", ".ap1", "run.ap1", strings.ToUpper(sampleRunText) + ".ap1", sampleRunText + ".fx1", sampleRunText + ".ap", sampleRunText + ".ap007"} {
		if run, n, err := ApprovalID(id).Split(); err == nil || run != "" || n != 0 {
			t.Errorf("%q: got %s, %d, %v", id, run, n, err)
		}
	}
}

// TestSplitMintsAgain: what Split takes is exactly what minting makes.
func TestSplitMintsAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := sampleRunText + rapid.StringMatching(`\.(fx|ap|f)?[0-9+ _x]{0,4}`).Draw(t, "tail")
		if run, n, err := EffectID(id).Split(); err == nil && NewEffectID(run, n) != EffectID(id) {
			t.Errorf("%q is taken and minted as %q", id, NewEffectID(run, n))
		}
		if run, n, err := ApprovalID(id).Split(); err == nil && NewApprovalID(run, n) != ApprovalID(id) {
			t.Errorf("%q is taken and minted as %q", id, NewApprovalID(run, n))
		}
	})
}

// TestRecordKeys: two things of the record never share a key.
func TestRecordKeys(t *testing.T) {
	seen := map[Key]string{}
	for name, key := range map[string]Key{
		"entry 0":      EntryKey(sampleRun, 0),
		"entry 1":      EntryKey(sampleRun, 1),
		"head":         HeadKey(sampleRun),
		"checkpoint 0": CheckpointKey(sampleRun, 0),
		"checkpoint 1": CheckpointKey(sampleRun, 1),
		"content":      ContentKey(ZeroDigest),
		"claim":        ClaimKey("a", "b"),
		"other tenant": ClaimKey("b", "b"),
		"other key":    ClaimKey("a", "c"),
		"slash in it":  ClaimKey("a", "b/b"),
	} {
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s share %+v", name, other, key)
		}
		seen[key] = name
	}
	if EmptyHead() != (Head{Next: 0, Hash: ZeroDigest}) {
		t.Errorf("the empty head is %+v", EmptyHead())
	}
}
