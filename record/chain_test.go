package record

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/tipstaff/tipstaff/protocol"
)

const chainRun protocol.RunID = "00000000-0000-7000-8000-000000000001"

// written is a chain of some commands, as a writer makes it.
func written(t *testing.T, door *Door, commands ...protocol.Command) ([][]byte, protocol.Head) {
	t.Helper()
	w := NewWriter(chainRun, protocol.EmptyHead())
	for i, c := range commands {
		w.Step(door.Scrub(protocol.Stamped(c, int64(i))), []protocol.Action{
			protocol.Emit{Event: protocol.Notice{Code: fmt.Sprint("n", i)}}, protocol.Park{Status: protocol.StatusAwaitingRuling},
		})
	}
	b := w.Batch(true)
	return b.Lines, b.Head
}

func door() *Door { return NewDoor(NewRedactor([]byte("k"), "aknownsecretvalue")) }

func lines(all [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, l := range all {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// TestChain: a chain verifies, its commands come back as they went in, and every
// change of it is found, at the place where it is.
func TestChain(t *testing.T) {
	commands := []protocol.Command{
		protocol.Begin{Run: chainRun, Tenant: "local"},
		protocol.Tick{},
		protocol.Reconcile{By: "resume"},
		protocol.Fault{Reason: "x", Detail: "y"},
		protocol.Tick{},
	}
	all, head := written(t, door(), commands...)
	c, err := Verify(chainRun, lines(all))
	if err != nil || c.Head() != head || c.Expect(head) != nil {
		t.Fatalf("%v, %+v", err, c.Head())
	}
	n := 0
	for _, l := range all {
		e, err := ParseLine(l)
		if err != nil {
			t.Fatal(err)
		}
		if !protocol.IsCommandKind(e.Kind) {
			continue
		}
		back, digest, err := CommandOf(e)
		if err != nil || len(digest) != 64 || string(protocol.MustMarshal(back)) != string(protocol.MustMarshal(commands[n])) || back.Stamp() != int64(n) {
			t.Errorf("%s came back as %#v, %v", e.Kind, back, err)
		}
		n++
	}
	if n != len(commands) {
		t.Errorf("%d commands", n)
	}
	found := func(what string, changed [][]byte, seq uint64) {
		t.Helper()
		c, err := Verify(chainRun, lines(changed))
		if err == nil {
			err = c.Expect(head)
		}
		var damage *Damage
		if !errors.As(err, &damage) || damage.Seq != seq {
			t.Errorf("%s at %d: %v", what, seq, err)
		}
	}
	for i := range all {
		dropped := slices.Delete(slices.Clone(all), i, i+1)
		found("dropped", dropped, uint64(i))
		found("doubled", slices.Insert(slices.Clone(all), i, all[i]), uint64(i))
		for at := range all[i] {
			changed := slices.Clone(all)
			changed[i] = bytes.Clone(all[i])
			changed[i][at] ^= 4
			switch {
			case i < len(all)-2:
				found(fmt.Sprintf("bit in byte %d", at), changed, uint64(i))
				continue
			case i == len(all)-2: // nothing after the last line tells which of the two it was
				if _, err := Verify(chainRun, lines(changed)); err == nil {
					t.Errorf("the line before the last may change at byte %d", at)
				}
				continue
			}
			if c, err := Verify(chainRun, lines(changed)); err == nil && c.Expect(head) == nil {
				t.Errorf("the last line may change at byte %d", at)
			}
		}
	}
}

// TestLinesAreCanonical: spaces, another order and escapes are refused.
func TestLinesAreCanonical(t *testing.T) {
	all, _ := written(t, door(), protocol.Begin{Run: chainRun})
	good := string(all[0])
	for _, bad := range []string{
		strings.Replace(good, `"seq":0`, `"seq": 0`, 1),
		strings.Replace(good, `{"v":1,"run"`, `{"run"`, 1),
		strings.Replace(good, `"v":1`, `"v":2`, 1),
		strings.Replace(good, `run.started`, `run\u002estarted`, 1),
		good + " ", good + "{}", "", "null", "[]",
	} {
		if _, err := ParseLine([]byte(bad)); err == nil {
			t.Errorf("taken: %s", bad)
		}
	}
}

// TestNothingGoesAroundTheDoor: a secret in any text of any command is in no line
// and no content of the batch; long text is aside, by digest.
func TestNothingGoesAroundTheDoor(t *testing.T) {
	const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	secret := "x " + token + " aknown\nsecretvalue"
	text := protocol.Inline(secret + strings.Repeat(" long", 2000))
	args := protocol.Inline(string(protocol.MustMarshal(map[string]string{"password": "hunter2!", "s": secret})))
	commands := []protocol.Command{
		protocol.Begin{Run: chainRun, Task: protocol.TaskEnvelope{Input: text}, Steps: []protocol.Step{{Args: args, Check: &protocol.Check{Contains: secret, Equals: &secret}}}},
		protocol.Propose{Call: protocol.ProposedCall{ID: secret, Name: secret, Args: args}, IdempotencyKey: secret},
		protocol.Say{Text: protocol.OperatorText{Text: text}},
		protocol.Decide{Reason: secret, By: secret},
		protocol.Resolve{Note: secret, By: secret},
		protocol.Granted{Fault: secret},
		protocol.Prepared{Refused: secret, Args: args, Preview: text, Compensation: secret, Sink: secret, Workspace: secret},
		protocol.Settled{Reason: secret, Result: &protocol.ToolResult{Text: text, Effects: []string{secret}}, Turn: &protocol.ModelTurn{Text: text, Calls: []protocol.ProposedCall{{ID: secret, Name: secret, Args: args}}}},
		protocol.Probed{Evidence: secret},
		protocol.Fault{Detail: secret},
	}
	d := door()
	w := NewWriter(chainRun, protocol.EmptyHead())
	for _, c := range commands {
		before := string(protocol.MustMarshal(c))
		w.Step(d.Scrub(c), nil)
		if string(protocol.MustMarshal(c)) != before {
			t.Errorf("%s was changed by scrubbing it", c.CommandKind())
		}
	}
	b := w.Batch(true)
	var everything []string
	for _, l := range b.Lines {
		everything = append(everything, string(l))
	}
	for _, c := range b.Contents {
		everything = append(everything, string(c.Bytes))
		if DigestOf(c.Bytes) != c.Digest {
			t.Error("content under another digest")
		}
	}
	for _, s := range everything {
		for _, bad := range []string{token, "hunter2", `aknown\nsecretvalue`, "aknown\nsecretvalue"} {
			if strings.Contains(s, bad) {
				t.Errorf("%q is written: %.200s", bad, s)
			}
		}
	}
	if len(b.Contents) == 0 {
		t.Error("no long text was put aside")
	}
	if _, err := Verify(chainRun, lines(b.Lines)); err != nil {
		t.Error(err)
	}
}

func BenchmarkStep(b *testing.B) {
	d := door()
	c := protocol.Settled{Effect: protocol.NewEffectID(chainRun, 1), How: protocol.HowDone, Result: &protocol.ToolResult{Text: protocol.Inline(strings.Repeat("an ordinary answer ", 40))}}
	b.ReportAllocs()
	for b.Loop() {
		w := NewWriter(chainRun, protocol.EmptyHead())
		w.Step(d.Scrub(c), nil)
	}
}
