package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/tipstaff/tipstaff/protocol"
)

const script = `{"turns":[
 {"text":"I will look.","tool_calls":[{"id":"c1","name":"sql_readonly","arguments":{"query":"select sum(price) from things"}}],"usage":{"input_tokens":120,"output_tokens":30}},
 {"tool_calls":[{"id":"c2","name":"calculator","arguments":{"expression":"{{tool.c1}} * 1.5"}}],"usage":{"input_tokens":1,"output_tokens":2}},
 {"expect":{"last_tool_result_contains":"63"},"text":"It is {{tool.c2}}.","usage":{"input_tokens":1,"output_tokens":2}}]}`

const plan = `{"name":"rotate","steps":[
 {"id":"w","tool":"fs.write","args":{"path":"app.conf","content":"new\n"}},
 {"id":"m","tool":"fs.write","args":{"path":"made/deep/file","content":"x"}},
 {"id":"v","tool":"fs.read","args":{"path":"app.conf"},"validate":{"contains":"new"}},
 {"id":"n","tool":"noop","args":{"fail":true}}]}`

// TestGoalOnTheCallersDatabase: a script, the caller's own file, the right answer.
func TestGoalOnTheCallersDatabase(t *testing.T) {
	b := newBox(t)
	db, err := sql.Open("sqlite", b.path("mine.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("create table things(price int); insert into things values (40), (2)")
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DATABASE_READONLY_URL", "sqlite:"+b.path("mine.db"))
	b.write("s.json", script, 0o644)
	s := b.summary(0, "run", "How much?", "--script", "s.json")
	if s.Answer != "It is 63." || s.Turns != 3 || s.Usage != (protocol.Usage{Input: 122, Output: 34}) || s.FSMState != protocol.FSMDone {
		t.Errorf("%+v", s)
	}
	shown := b.summary(0, "show", string(s.RunID))
	done := []string{}
	for _, e := range shown.Effects {
		if e.Terminal == protocol.TerminalToolDone {
			done = append(done, e.Tool)
		}
	}
	if !slices.Equal(done, []string{"sql_readonly", "calculator"}) {
		t.Errorf("tool_done: %v", done)
	}
	again := b.summary(0, "resume", string(s.RunID))
	if again.Head != s.Head || again.Answer != s.Answer {
		t.Errorf("resuming what is over changed it: %+v", again)
	}
	code, out, _ := b.run("run", "How much?", "--script", "s.json")
	if code != 0 || out != "It is 63.\n" {
		t.Errorf("%d, %q", code, out)
	}
	b.sound()
}

// TestPlanRollsBack: write, validate, fail restores bytes, mode and folders.
func TestPlanRollsBack(t *testing.T) {
	b := newBox(t)
	b.write("p.json", plan, 0o644)
	s := b.summary(1, "run", "--plan", "p.json")
	if s.FSMState != protocol.FailedRolledBack || s.Status != protocol.StatusFailed || len(s.Saga) != 2 {
		t.Errorf("%+v", s)
	}
	b.asBefore()
	b.sound()
}

// asBefore checks that the workspace is as newBox made it.
func (b *box) asBefore() {
	b.t.Helper()
	info, err := os.Stat(b.path("w/app.conf"))
	if err != nil || info.Mode().Perm() != 0o640 || b.read("w/app.conf") != "old\n" {
		b.t.Errorf("app.conf is %q, %v, %v", b.read("w/app.conf"), info.Mode(), err)
	}
	entries, err := os.ReadDir(b.path("w"))
	if err != nil || len(entries) != 1 {
		b.t.Errorf("the workspace has %v, %v", entries, err)
	}
}

// TestRollbackKeepsLaterChanges: what somebody else wrote since is not
// overwritten, and the run says what is left.
func TestRollbackKeepsLaterChanges(t *testing.T) {
	b := newBox(t)
	b.write("p.json", `{"steps":[
		{"id":"a","tool":"fs.write","args":{"path":"app.conf","content":"new\n"}},
		{"id":"b","tool":"fs.write","args":{"path":"other","content":"x"}}]}`, 0o644)
	s := b.summary(0, "run", "--plan", "p.json")
	b.write("w/app.conf", "somebody else's\n", 0o640)
	after := b.summary(1, "rollback", string(s.RunID))
	if after.FSMState != protocol.FailedRollbackPartial || b.read("w/app.conf") != "somebody else's\n" {
		t.Errorf("%s, %q", after.FSMState, b.read("w/app.conf"))
	}
	if _, err := os.Stat(b.path("w/other")); err == nil {
		t.Error("the other step was not undone")
	}
	b.must(2, nil, "rollback", string(s.RunID))
	b.sound()
}

// TestApprovalFlow: a write in the default mode waits; yes carries it out once,
// a second answer is told so; no is read by the model.
func TestApprovalFlow(t *testing.T) {
	b := newBox(t)
	b.write("s.json", `{"turns":[
		{"tool_calls":[{"id":"w","name":"fs__write","arguments":{"path":"app.conf","content":"new\n"}}]},
		{"text":"{{tool.w}}"}]}`, 0o644)
	s := b.summary(5, "run", "Write it.", "--script", "s.json")
	if s.Status != protocol.StatusAwaitingApproval || len(s.Waiting) != 1 || !strings.Contains(s.Waiting[0].Preview, "+ new") || b.read("w/app.conf") != "old\n" {
		t.Fatalf("%+v", s)
	}
	var list struct{ Approvals []struct{ ID string } }
	b.must(0, &list, "approvals")
	if len(list.Approvals) != 1 {
		t.Fatalf("%+v", list)
	}
	b.must(0, nil, "approve", list.Approvals[0].ID)
	b.must(2, nil, "deny", list.Approvals[0].ID)
	s = b.summary(0, "resume", string(s.RunID))
	if s.Answer != "wrote app.conf (4 bytes)" || b.read("w/app.conf") != "new\n" {
		t.Errorf("%q, %q", s.Answer, b.read("w/app.conf"))
	}
	s = b.summary(5, "run", "Write it.", "--script", "s.json")
	b.must(0, nil, "deny", string(s.Waiting[0].ID), "--reason", "not on Fridays")
	if s = b.summary(0, "resume", string(s.RunID)); !strings.Contains(s.Answer, "not on Fridays") {
		t.Errorf("%q", s.Answer)
	}
	b.sound()
}

// TestApprovedWriteOfAChangedFile: what was approved is not what would happen, so
// it does not.
func TestApprovedWriteOfAChangedFile(t *testing.T) {
	b := newBox(t)
	b.write("s.json", `{"turns":[
		{"tool_calls":[{"id":"w","name":"fs.write","arguments":{"path":"app.conf","content":"new\n"}}]},
		{"text":"{{tool.w}}"}]}`, 0o644)
	s := b.summary(5, "run", "Write it.", "--script", "s.json")
	b.must(0, nil, "approve", string(s.Waiting[0].ID))
	b.write("w/app.conf", "changed meanwhile\n", 0o640)
	s = b.summary(0, "resume", string(s.RunID))
	if !strings.Contains(s.Answer, "somebody changed the file") || b.read("w/app.conf") != "changed meanwhile\n" {
		t.Errorf("%q, %q", s.Answer, b.read("w/app.conf"))
	}
	b.sound()
}

// TestModes: a mode lets edits through, plan mode nothing.
func TestModes(t *testing.T) {
	b := newBox(t)
	b.write("s.json", `{"turns":[
		{"tool_calls":[{"id":"w","name":"fs.write","arguments":{"path":"app.conf","content":"new\n"}},
		               {"id":"g","name":"fs.write","arguments":{"path":".GIT/config","content":"x"}}]},
		{"text":"{{tool.w}} / {{tool.g}}"}]}`, 0o644)
	s := b.summary(0, "run", "Write it.", "--script", "s.json", "--mode", "plan")
	if strings.Count(s.Answer, "plan mode is read-only") != 2 || b.read("w/app.conf") != "old\n" {
		t.Errorf("%q", s.Answer)
	}
	s = b.summary(5, "run", "Write it.", "--script", "s.json", "--mode", "yolo")
	if b.read("w/app.conf") != "new\n" || len(s.Waiting) != 1 || s.Waiting[0].Class != protocol.TrustMutating {
		t.Errorf("%+v", s.Waiting)
	}
	b.sound()
}

// TestEndings: each way a scripted run can end badly has its exit code.
func TestEndings(t *testing.T) {
	calls := func(n int) string {
		return strings.Repeat(`{"tool_calls":[{"id":"c","name":"calculator","arguments":{"expression":"1+1"}}]},`, n)
	}
	for name, c := range map[string]struct {
		script string
		args   []string
		code   int
		reason string
	}{
		"past the end":   {`{"turns":[` + strings.TrimSuffix(calls(1), ",") + `]}`, nil, 2, protocol.ReasonProviderFailed},
		"expect fails":   {`{"turns":[{"expect":{"last_message_contains":"nothing of the kind"},"text":"x"}]}`, nil, 2, protocol.ReasonProviderFailed},
		"refused":        {`{"turns":[{"error":{"kind":"refusal"}}]}`, nil, 4, protocol.ReasonProviderRefusal},
		"invalid":        {`{"turns":[{"error":{"kind":"invalid_request"}}]}`, nil, 2, protocol.ReasonProviderFailed},
		"repeated":       {`{"turns":[` + calls(4) + `{"text":"x"}]}`, nil, 4, protocol.ReasonRepeatedCall},
		"turns":          {`{"turns":[` + calls(2) + `{"text":"x"}]}`, []string{"--max-turns", "1"}, 3, protocol.ReasonMaxTurns},
		"tokens":         {`{"turns":[{"tool_calls":[{"id":"c","name":"noop"}],"usage":{"input_tokens":90,"output_tokens":20}},{"text":"x"}]}`, []string{"--max-tokens", "100"}, 3, protocol.ReasonMaxTokens},
		"no usage":       {`{"turns":[` + calls(1) + `{"text":"x"}]}`, []string{"--max-tokens", "100"}, 3, protocol.ReasonNoUsage},
		"no price":       {`{"turns":[{"text":"x"}]}`, []string{"--max-usd", "1.50"}, 3, protocol.ReasonUnpricedUSD},
		"tool errors":    {`{"turns":[{"tool_calls":[{"id":"a","name":"calculator","arguments":{"expression":"1/0"}},{"id":"b","name":"nothing"}]},{"text":"x"}]}`, []string{"--max-tool-errors", "2"}, 3, protocol.ReasonToolErrors},
		"cut":            {`{"turns":[{"text":"x","stop":"max_tokens"}]}`, nil, 4, protocol.ReasonTurnCut},
		"time":           {`{"turns":[{"tool_calls":[{"id":"a","name":"noop","arguments":{"delay_ms":60000}}]},{"text":"x"}]}`, []string{"--max-wall", "1s"}, 3, protocol.ReasonMaxWall},
		"compensated":    {`{"turns":[{"tool_calls":[{"id":"a","name":"fs.write","arguments":{"path":"x","content":"y"}}]},{"tool_calls":[{"id":"b","name":"noop","arguments":{"fail":true}}]},{"text":"x"}]}`, []string{"--mode", "acceptEdits", "--on-failure", "compensate"}, 1, protocol.ReasonRolledBack},
		"turn malformed": {`{"turns":[{"tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"id":"c","name":"noop"},`, 129), ",") + `]}]}`, nil, 2, protocol.ReasonUndecodableTurn},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.write("s.json", c.script, 0o644)
			s := b.summary(c.code, append([]string{"run", "Go.", "--script", "s.json"}, c.args...)...)
			if s.Reason != c.reason {
				t.Errorf("%s %s, want %s", s.Outcome, s.Reason, c.reason)
			}
			b.asBefore()
			b.sound()
		})
	}
}

// TestChainByHand recomputes the chain with nothing but SHA-256, and changes an
// export in every way at every line: verify names the line each time.
func TestChainByHand(t *testing.T) {
	b := newBox(t)
	b.write("p.json", plan, 0o644)
	s := b.summary(1, "run", "--plan", "p.json")
	_, out, _ := b.run("export", string(s.RunID), "--format", "jsonl")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	prev := strings.Repeat("0", 64)
	for i, line := range lines {
		var e struct {
			Seq  int
			Prev string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != i || e.Prev != prev {
			t.Fatalf("line %d: %v, %+v", i, err, e)
		}
		sum := sha256.Sum256([]byte(line))
		prev = hex.EncodeToString(sum[:])
	}
	if prev != string(s.Head.Hash) || int(s.Head.Seq) != len(lines)-1 {
		t.Errorf("the head is %+v, the last line %s", s.Head, prev)
	}
	b.tampered(lines)
}

// tampered changes an export and expects verify to name the place.
func (b *box) tampered(lines []string) {
	b.t.Helper()
	check := func(what string, changed []string, seq int) {
		b.t.Helper()
		b.write("x.jsonl", strings.Join(changed, "\n")+"\n", 0o644)
		code, out, _ := b.run("verify", "--file", "x.jsonl")
		if code != 1 || !strings.Contains(out, fmt.Sprintf("entry %d:", seq)) {
			b.t.Errorf("%s %d: exit %d, %s", what, seq, code, out)
		}
	}
	for i := range lines {
		for _, at := range []int{1, len(lines[i]) / 3, len(lines[i]) / 2, len(lines[i]) - 3} {
			flipped := slices.Clone(lines)
			line := []byte(flipped[i])
			line[at] ^= 1
			flipped[i] = string(line)
			check(fmt.Sprintf("flipped at byte %d in", at), flipped, i)
		}
		if i < len(lines)-1 { // a cut at the end is for witnesses to find, unless it cuts a step
			check("dropped", slices.Delete(slices.Clone(lines), i, i+1), i)
		}
		check("doubled", slices.Insert(slices.Clone(lines), i, lines[i]), i)
		if i+1 < len(lines) {
			moved := slices.Clone(lines)
			moved[i], moved[i+1] = moved[i+1], moved[i]
			check("moved", moved, i)
		}
	}
	check("cut in the middle of a step", lines[:len(lines)-1], len(lines)-1)
}

// TestDemo plays the demo; every scene checks itself.
func TestDemo(t *testing.T) {
	b := newBox(t)
	t.Setenv("TMPDIR", b.dir)
	var out struct {
		Scenes []sceneResult
	}
	b.must(0, &out, "demo")
	for _, s := range out.Scenes {
		t.Run(s.Scene, func(t *testing.T) {
			if !s.OK {
				t.Error(s.Result)
			}
		})
	}
	if len(out.Scenes) != len(scenes()) {
		t.Errorf("%d of %d scenes were played", len(out.Scenes), len(scenes()))
	}
}

// TestIdempotencyKey: the same key with the same arguments gives the recorded
// outcome and calls nothing; with others it is refused. It holds across runs,
// processes and kinds of run.
func TestIdempotencyKey(t *testing.T) {
	b := newBox(t)
	pay := func(code int, cents int, key string) (out struct {
		OK     bool
		Result string
	},
	) {
		t.Helper()
		b.must(code, &out, "tools", "call", "demo.pay", fmt.Sprintf(`{"to":"Ada","cents":%d}`, cents), "--allow", "demo.pay", "--idempotency-key", key)
		return out
	}
	first, again := pay(0, 5, "k1"), pay(0, 5, "k1")
	if first != again || first.Result != "paid Ada" {
		t.Errorf("%+v, then %+v", first, again)
	}
	if out := pay(1, 6, "k1"); !strings.Contains(out.Result, "used for another call") {
		t.Errorf("%+v", out)
	}
	b.write("p.json", `{"steps":[{"id":"a","tool":"demo.pay","args":{"to":"Ada","cents":5},"idempotency_key":"k1"}]}`, 0o644)
	s := b.summary(0, "run", "--plan", "p.json", "--allow", "demo.pay")
	if len(s.Effects) != 0 || len(s.Saga) != 0 {
		t.Errorf("%+v", s)
	}
	pay(0, 5, "k2")
	if paid := b.read("w/payments.txt"); strings.Count(paid, "\n") != 2 {
		t.Errorf("paid %q", paid)
	}
	b.sound()
}
