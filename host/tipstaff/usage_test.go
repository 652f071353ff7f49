package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tipstaff/tipstaff/host"
)

// TestBadInput: every file and flag a user gives is checked whole before anything
// happens. The message names the place and the fault, and no run was begun.
func TestBadInput(t *testing.T) {
	const ok = `{"turns":[{"text":"x"}]}`
	files := map[string]string{
		"ok.json": ok, "empty.json": `{"turns":[]}`, "cut.json": `{"turns":[`, "unknown.json": `{"turns":[{"txt":"x"}]}`,
		"case.json": `{"turns":[{"Text":"x"}]}`, "twice.json": `{"turns":[{"text":"x","text":"y"}]}`, "kind.json": `{"turns":[{"error":{"kind":"bad luck"}}]}`,
		"nosteps.json": `{"steps":[]}`, "tool.json": `{"steps":[{"id":"a","tool":"rocket"}]}`,
		"ids.json":     `{"steps":[{"id":"a","tool":"noop"},{"id":"a","tool":"noop"}]}`,
		"noid.json":    `{"steps":[{"tool":"noop"}]}`,
		"args.json":    `{"steps":[{"id":"a","tool":"noop"},{"id":"b","tool":"fs.write","args":{"path":1}}]}`,
		"more.json":    `{"steps":[{"id":"a","tool":"noop","args":{"wait":true}}]}`,
		"check.json":   `{"steps":[{"id":"a","tool":"fs.write","args":{"path":"x","content":"y"},"validate":{"contains":"y"}}]}`,
		"nothing.json": `{"steps":[{"id":"a","tool":"noop","validate":{}}]}`,
		"regexp.json":  `{"steps":[{"id":"a","tool":"noop","validate":{"matches":"("}}]}`,
		"retries.json": `{"steps":[{"id":"a","tool":"noop","retries":11}]}`,
		"policy.json":  `{"on_failure":"hope","steps":[{"id":"a","tool":"noop"}]}`,
		"fsm.toml":     "[[transition]]\nfrom = \"Idle\"\non = \"Wish\"\nto = \"Done\"\n",
		"fsm2.toml":    "[[transition]]\nfrom = \"Compensating\"\non = \"ToolFailed\"\nto = \"Done\"\n",
		"bad.toml":     "mode = \"default\"\ncolour = \"red\"\n",
		"mode.toml":    "mode = \"careless\"\n",
		"syntax.toml":  "mode = \n",
	}
	for name, c := range map[string]struct {
		args []string
		says []string
	}{
		"no goal":              {[]string{"run"}, []string{"GOAL"}},
		"two goals":            {[]string{"run", "a", "b"}, []string{"GOAL"}},
		"no model":             {[]string{"run", "a"}, []string{"--script"}},
		"unknown provider":     {[]string{"run", "a", "--model", "oracle/delphi"}, []string{"provider is one of script"}},
		"unknown command":      {[]string{"fly"}, []string{"fly"}},
		"unknown flag":         {[]string{"run", "a", "--fast"}, []string{"--fast"}},
		"no script":            {[]string{"run", "a", "--script", "nowhere.json"}, []string{"nowhere.json"}},
		"empty script":         {[]string{"run", "a", "--script", "empty.json"}, []string{"empty.json", "turns"}},
		"cut script":           {[]string{"run", "a", "--script", "cut.json"}, []string{"cut.json", "too early"}},
		"unknown member":       {[]string{"run", "a", "--script", "unknown.json"}, []string{"unknown.json", `"txt"`, "turns[0]"}},
		"member in wrong case": {[]string{"run", "a", "--script", "case.json"}, []string{"case.json", `"Text"`}},
		"member twice":         {[]string{"run", "a", "--script", "twice.json"}, []string{"twice.json", `"text" stands twice`}},
		"unknown error kind":   {[]string{"run", "a", "--script", "kind.json"}, []string{"kind.json", "bad luck"}},
		"plan and goal":        {[]string{"run", "a", "--plan", "tool.json"}, []string{"not both"}},
		"dry run of a goal":    {[]string{"run", "a", "--dry-run"}, []string{"--plan"}},
		"no plan":              {[]string{"run", "--plan", "nowhere.json"}, []string{"nowhere.json"}},
		"plan without steps":   {[]string{"run", "--plan", "nosteps.json"}, []string{"no steps"}},
		"unknown tool":         {[]string{"run", "--plan", "tool.json"}, []string{"step 1 (a)", "rocket"}},
		"ids twice":            {[]string{"run", "--plan", "ids.json"}, []string{"steps 1 and 2", `"a"`}},
		"no id":                {[]string{"run", "--plan", "noid.json"}, []string{"step 1 has no id"}},
		"bad arguments":        {[]string{"run", "--plan", "args.json"}, []string{"step 2 (b)", "path"}},
		"unknown argument":     {[]string{"run", "--plan", "more.json"}, []string{"step 1 (a)", "wait"}},
		"a write that checks":  {[]string{"run", "--plan", "check.json"}, []string{"step 1 (a)", "read-only"}},
		"a check of nothing":   {[]string{"run", "--plan", "nothing.json"}, []string{"step 1 (a)", "contains, equals, matches or json"}},
		"bad expression":       {[]string{"run", "--plan", "regexp.json"}, []string{"step 1 (a)", "matches"}},
		"too many retries":     {[]string{"run", "--plan", "retries.json"}, []string{"steps[0].retries is at most 10"}},
		"bad failure policy":   {[]string{"run", "--plan", "policy.json"}, []string{"on_failure is one of report, compensate"}},
		"bad mode":             {[]string{"run", "a", "--script", "ok.json", "--mode", "careless"}, []string{"mode is one of default, acceptEdits, plan, yolo"}},
		"bad wall":             {[]string{"run", "a", "--script", "ok.json", "--max-wall", "soon"}, []string{"--max-wall"}},
		"bad usd":              {[]string{"run", "a", "--script", "ok.json", "--max-usd", "-1"}, []string{"--max-usd"}},
		"bad id":               {[]string{"run", "a", "--script", "ok.json", "--id", "7"}, []string{"UUID"}},
		"allow nothing":        {[]string{"run", "a", "--script", "ok.json", "--allow", "rocket"}, []string{"rocket"}},
		"no workspace":         {[]string{"run", "a", "--script", "ok.json", "--workspace", "nowhere"}, []string{"nowhere"}},
		"unknown event":        {[]string{"run", "a", "--script", "ok.json", "--fsm", "fsm.toml"}, []string{"fsm.toml", "transition 1", "Wish"}},
		"out of compensating":  {[]string{"run", "a", "--script", "ok.json", "--fsm", "fsm2.toml"}, []string{"fsm2.toml", "Compensating"}},
		"unknown key":          {[]string{"run", "a", "--script", "ok.json", "--config", "bad.toml"}, []string{"bad.toml:2:1", "colour"}},
		"bad value":            {[]string{"run", "a", "--script", "ok.json", "--config", "mode.toml"}, []string{"mode is one of"}},
		"bad TOML":             {[]string{"run", "a", "--script", "ok.json", "--config", "syntax.toml"}, []string{"syntax.toml:1"}},
		"show nothing":         {[]string{"show", "00000000-0000-7000-8000-000000000000"}, []string{"no such run"}},
		"show a word":          {[]string{"show", "it"}, []string{"UUID"}},
		"resume nothing":       {[]string{"resume", "00000000-0000-7000-8000-000000000000"}, []string{"no such run"}},
		"approve a word":       {[]string{"approve", "it"}, []string{"approval id"}},
		"resolve a word":       {[]string{"effects", "resolve", "it", "--as", "done"}, []string{"effect id"}},
		"verify nothing":       {[]string{"verify", "--file", "nowhere.jsonl"}, []string{"nowhere.jsonl"}},
		"export as poem":       {[]string{"export", "00000000-0000-7000-8000-000000000000", "--format", "poem"}, []string{"poem"}},
		"call with words":      {[]string{"tools", "call", "calculator", "one plus one"}, []string{"JSON object"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			for file, text := range files {
				b.write(file, text, 0o644)
			}
			code, out, errOut := b.run(c.args...)
			if code != 2 || out != "" {
				t.Errorf("exit %d, printed %q", code, out)
			}
			for _, part := range c.says {
				if !strings.Contains(errOut, part) {
					t.Errorf("the message does not say %q: %s", part, errOut)
				}
			}
			var doc struct {
				ExitCode int `json:"exit_code"`
				Error    host.ErrorMessage
			}
			b.must(2, &doc, c.args...)
			if doc.ExitCode != 2 || doc.Error.Message == "" || doc.Error.Code == "" {
				t.Errorf("%+v", doc)
			}
			var all struct{ Runs []host.Summary }
			b.must(0, &all, "runs")
			if len(all.Runs) != 0 {
				t.Errorf("a run was begun: %+v", all.Runs)
			}
			b.asBefore()
		})
	}
}

// TestSameIDTwice: a run id is taken once.
func TestSameIDTwice(t *testing.T) {
	b := newBox(t)
	b.write("s.json", `{"turns":[{"text":"x"}]}`, 0o644)
	id := string(host.NewRunID())
	b.summary(0, "run", "a", "--script", "s.json", "--id", id)
	if code, _, errOut := b.run("run", "a", "--script", "s.json", "--id", id); code != 2 || !strings.Contains(errOut, "exists already") {
		t.Errorf("%d, %s", code, errOut)
	}
	b.sound()
}

// TestLockedHome: a second process is told who has the home, and disturbs nothing.
func TestLockedHome(t *testing.T) {
	b := newBox(t)
	b.write("p.json", `{"steps":[{"id":"a","tool":"noop","args":{"delay_ms":3000}}]}`, 0o644)
	c := b.command(context.Background(), "run", "--plan", "p.json")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b.until(func() bool { _, err := os.Stat(filepath.Join(b.home, "holder")); return err == nil })
	code, _, errOut := b.run("runs")
	if code != 2 || !strings.Contains(errOut, "in use by process") {
		t.Errorf("%d, %s", code, errOut)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	b.sound()
}

// TestDamagedHome: a home that cannot be what it was is refused, with words that
// say what to do, and nothing in it is changed.
func TestDamagedHome(t *testing.T) {
	b := newBox(t)
	b.write("home/redaction.key", "short", 0o600)
	if code, _, errOut := b.run("runs"); code != 2 || !strings.Contains(errOut, "redaction.key is damaged") {
		t.Errorf("%d, %s", code, errOut)
	}
	b = newBox(t)
	b.write("home", "a file", 0o600)
	if code, _, errOut := b.run("runs"); code != 2 || !strings.Contains(errOut, "home cannot be made") {
		t.Errorf("%d, %s", code, errOut)
	}
	b = newBox(t)
	b.write("home/record/notes.txt", "somebody's folder", 0o600)
	if code, _, errOut := b.run("runs"); code != 2 || errOut == "" {
		t.Errorf("%d, %s", code, errOut)
	}
	if b.read("home/record/notes.txt") != "somebody's folder" {
		t.Error("it was changed")
	}
}

// TestCommandsForPeople: what people read goes where it belongs, and names what
// they look for.
func TestCommandsForPeople(t *testing.T) {
	b := newBox(t)
	b.write("p.json", plan, 0o644)
	s := b.summary(1, "run", "--plan", "p.json")
	id := string(s.RunID)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"runs"}, []string{id, "FailedRolledBack"}},
		{[]string{"show", id}, []string{"fs.write", "compensated", "tool_done"}},
		{[]string{"log", id}, []string{"run.started", "saga.compensated"}},
		{[]string{"log", id, "--kind", "run.ended"}, []string{"rolled_back"}},
		{[]string{"replay", id}, []string{"byte for byte"}},
		{[]string{"replay", id, "--state"}, []string{"finished, FailedRolledBack"}},
		{[]string{"replay", id, "--state", "--to", "9"}, []string{"Acting", "committed"}},
		{[]string{"verify"}, []string{id, "sound"}},
		{[]string{"export", id, "--format", "mermaid"}, []string{"sequenceDiagram", "K->>W: fs.write"}},
		{[]string{"effects", id}, []string{"compensate:fs.write"}},
		{[]string{"fsm", "--show"}, []string{"Planning", "RollbackRequested", "everything else is denied"}},
		{[]string{"fsm", "--show", "--format", "mermaid"}, []string{"stateDiagram-v2"}},
		{[]string{"fsm", "--show", "--json"}, []string{`"transitions"`}},
		{[]string{"tools"}, []string{"sql_readonly", "fs.read", "read_file", "noop", "calculator", "fs.write"}},
		{[]string{"tools", "fs__write"}, []string{"reversible_local to trust_mutating", "properties"}},
		{[]string{"tools", "call", "calculator", `{"expression":"6*7"}`}, []string{"42"}},
		{[]string{"run", "--plan", "p.json", "--dry-run"}, []string{"reversible_local\tauto", "read_only\tauto"}},
		{[]string{"doctor"}, []string{"home", "ok"}},
		{[]string{"version"}, []string{"tipstaff", "protocol 1", "reducer 1"}},
		{[]string{"approvals"}, nil},
		{[]string{"--help"}, []string{"rollback", "replay"}},
	} {
		code, out, errOut := b.run(c.args...)
		if code != 0 {
			t.Errorf("%v: exit %d, %s", c.args, code, errOut)
		}
		for _, part := range c.says {
			if !strings.Contains(out, part) {
				t.Errorf("%v does not say %q: %s", c.args, part, out)
			}
		}
	}
	if code, _, errOut := b.run("tools", "call", "calculator", `{"expression":"1/0"}`); code != 1 || !strings.Contains(errOut, "divides by zero") {
		t.Errorf("%d, %s", code, errOut)
	}
	b.asBefore()
	b.sound()
}

// TestDoctorWithoutAModel: only what runs need keeps the doctor from saying yes.
func TestDoctorWithoutAModel(t *testing.T) {
	b := newBox(t)
	t.Setenv("LLM_PROVIDER", "script")
	t.Setenv("LLM_MODEL", b.path("nowhere.json"))
	if code, out, _ := b.run("doctor"); code != 2 || !strings.Contains(out, "nowhere.json") {
		t.Errorf("%d, %s", code, out)
	}
}

// TestTimeoutOfAStep: a step that takes longer than it may fails, and is undone
// with the rest.
func TestTimeoutOfAStep(t *testing.T) {
	b := newBox(t)
	b.write("p.json", `{"steps":[
		{"id":"w","tool":"fs.write","args":{"path":"app.conf","content":"new"}},
		{"id":"n","tool":"noop","args":{"delay_ms":60000},"timeout_ms":50}]}`, 0o644)
	began := time.Now()
	s := b.summary(1, "run", "--plan", "p.json")
	if !strings.Contains(s.Detail, "longer than it may") || time.Since(began) > 30*time.Second {
		t.Errorf("%s", s.Detail)
	}
	b.asBefore()
	b.sound()
}
