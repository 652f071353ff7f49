package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/protocol"
)

// asProgram makes the test binary behave as the program: so the tests start real
// processes, and kill them, without building anything else.
const asProgram = "TIPSTAFF_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "1" {
		os.Exit(execute(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// box is a home and a workspace of one test.
type box struct {
	t         *testing.T
	dir, home string
}

func newBox(t *testing.T) *box {
	t.Helper()
	dir := t.TempDir()
	b := &box{t: t, dir: dir, home: filepath.Join(dir, "home")}
	b.write("w/app.conf", "old\n", 0o640)
	return b
}

func (b *box) path(name string) string { return filepath.Join(b.dir, name) }

func (b *box) write(name, text string, mode os.FileMode) {
	b.t.Helper()
	path := b.path(name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode))
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// command makes a process of the program, in the test's folder.
func (b *box) command(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	c := exec.CommandContext(ctx, self, append([]string{"--home", b.home}, args...)...)
	c.Dir = b.dir
	c.Env = append(os.Environ(), asProgram+"=1", "TIPSTAFF_SHOWCASE=true", "FILE_TOOL_BASE_DIR="+b.path("w"))
	return c
}

// run runs a command to its end.
func (b *box) run(args ...string) (code int, out, errOut string) {
	b.t.Helper()
	c := b.command(context.Background(), args...)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		b.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// must runs a command that has to end with a code, and reads its document.
func (b *box) must(code int, into any, args ...string) {
	b.t.Helper()
	got, out, errOut := b.run(append(args, "--json")...)
	if got != code {
		b.t.Fatalf("%v ended with %d, want %d\n%s%s", args, got, code, out, errOut)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		b.t.Fatalf("%v printed no document: %v\n%s", args, err, out)
	}
}

func (b *box) summary(code int, args ...string) host.Summary {
	b.t.Helper()
	var s host.Summary
	b.must(code, &s, args...)
	if s.ExitCode != code && args[0] != "rollback" {
		b.t.Errorf("%v: the document says exit code %d, the process %d", args, s.ExitCode, code)
	}
	return s
}

// shown is what show says of a run; it says so with exit code 0, whatever became
// of the run.
func (b *box) shown(id protocol.RunID) host.Summary {
	b.t.Helper()
	var s host.Summary
	b.must(0, &s, "show", string(id))
	return s
}

// sound checks everything that must hold of every record a test made: chain,
// replay, one intent and at most one terminal an effect.
func (b *box) sound() {
	b.t.Helper()
	var all struct{ Runs []host.Summary }
	b.must(0, &all, "runs")
	b.must(0, nil, "verify")
	for _, s := range all.Runs {
		var same struct{ Same bool }
		b.must(0, &same, "replay", string(s.RunID))
		if !same.Same {
			b.t.Errorf("run %s replays differently", s.RunID)
		}
		b.oneOfEach(string(s.RunID))
	}
}

func (b *box) oneOfEach(run string) {
	b.t.Helper()
	code, lines, errOut := b.run("log", run, "--json")
	if code != 0 {
		b.t.Fatal(errOut)
	}
	intents, terminals := map[string]int{}, map[string]int{}
	for line := range strings.Lines(lines) {
		var e struct {
			Kind string
			Body struct {
				ID       string
				EffectID string `json:"effect_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			b.t.Fatal(err)
		}
		switch e.Kind {
		case "effect.intent":
			intents[e.Body.ID]++
		case "effect.tool_done", "effect.done", "effect.failed", "effect.unknown":
			terminals[e.Body.ID+e.Body.EffectID]++
		}
	}
	for id, n := range intents {
		if n != 1 || terminals[id] > 1 {
			b.t.Errorf("effect %s has %d intents and %d terminals", id, n, terminals[id])
		}
	}
}
