package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/protocol"
)

// crashPlan writes, makes folders, overwrites its own file, validates and fails.
const crashPlan = `{"name":"crash","steps":[
 {"id":"w","tool":"fs.write","args":{"path":"app.conf","content":"new\n"}},
 {"id":"m","tool":"fs.write","args":{"path":"made/deep/file","content":"x"}},
 {"id":"o","tool":"fs.write","args":{"path":"app.conf","content":"newer\n"}},
 {"id":"v","tool":"fs.read","args":{"path":"app.conf"},"validate":{"contains":"newer"}},
 {"id":"n","tool":"noop","args":{"fail":true}}]}`

// killAfter starts a run and kills it with SIGKILL once it has printed so many
// lines of its record, after a pause. It tells whether the run was still alive.
func (b *box) killAfter(id protocol.RunID, lines int, pause time.Duration, args ...string) (alive bool) {
	b.t.Helper()
	c := b.command(context.Background(), append(args, "--jsonl", "--id", string(id))...)
	out, err := c.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	s := bufio.NewScanner(out)
	s.Buffer(nil, 1<<20)
	seen := 0
	for seen < lines && s.Scan() {
		seen++
	}
	<-time.After(pause)
	_ = c.Process.Kill()
	for s.Scan() { // until the pipe closes
	}
	_ = c.Wait()
	status, ok := c.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// TestKilledAnywhere kills a plan with SIGKILL after each line of its record and
// at random moments around it. Resumed, it ends the same way each time, and no
// effect has happened twice.
func TestKilledAnywhere(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	b := newBox(t)
	b.write("p.json", crashPlan, 0o644)
	whole := b.summary(1, "run", "--plan", "p.json")
	points := int(whole.Head.Seq) + 1
	if points < 30 {
		t.Fatalf("the plan has only %d points", points)
	}
	killed, sample := 0, 1
	if testing.Short() {
		sample = 4
	}
	for n := 0; n < points; n += sample {
		b := newBox(t)
		b.write("p.json", crashPlan, 0o644)
		id := host.NewRunID()
		if b.killAfter(id, n, time.Duration(rng.IntN(1500))*time.Microsecond, "run", "--plan", "p.json") {
			killed++
		}
		b.recover(id, n)
	}
	t.Logf("%d of %d runs were killed alive", killed, points)
}

// recover resumes a run until it is over, and checks its end.
func (b *box) recover(id protocol.RunID, point int) {
	b.t.Helper()
	if code, _, errOut := b.run("show", string(id)); code != 0 {
		if !strings.Contains(errOut, "no such run") {
			b.t.Fatalf("killed at %d: %s", point, errOut)
		}
		b.asBefore() // it was killed before its first entry
		return
	}
	b.run("resume", string(id))
	s := b.shown(id)
	if s.FSMState != protocol.FailedRolledBack {
		b.t.Errorf("killed at %d: it ended %s, %s", point, s.FSMState, s.Detail)
	}
	for _, e := range s.Effects {
		if e.Terminal == "" || e.Terminal == protocol.TerminalUnknown {
			b.t.Errorf("killed at %d: effect %s (%s) is left %q", point, e.ID, e.Tool, e.Terminal)
		}
	}
	b.asBefore()
	b.sound()
}

// TestKilledAgainAndAgain kills the resuming process, too.
func TestKilledAgainAndAgain(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		b := newBox(t)
		b.write("p.json", crashPlan, 0o644)
		id := host.NewRunID()
		b.killAfter(id, 1+rng.IntN(20), 0, "run", "--plan", "p.json")
		for range 5 {
			c := b.command(context.Background(), "resume", string(id), "--quiet")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Duration(rng.IntN(25000)) * time.Microsecond)
			_ = c.Process.Kill()
			_ = c.Wait()
		}
		b.recover(id, round)
	}
}

// TestKilledBetweenRenameAndTerminal: the file is written and the process dies
// before it could say so. The plan then fails: the write is proven, and undone.
func TestKilledBetweenRenameAndTerminal(t *testing.T) {
	b := newBox(t)
	b.write("p.json", `{"steps":[
		{"id":"s","tool":"demo.slow_write","args":{"path":"app.conf","content":"new\n"}},
		{"id":"n","tool":"noop","args":{"fail":true}}]}`, 0o644)
	id := host.NewRunID()
	c := b.command(context.Background(), "run", "--plan", "p.json", "--id", string(id))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b.until(func() bool { return b.read("w/app.conf") == "new\n" })
	_ = c.Process.Kill()
	_ = c.Wait()
	if _, _, hint := b.run("runs"); !strings.Contains(hint, "tipstaff resume "+string(id)) {
		t.Errorf("nobody says that the run was cut off: %s", hint)
	}
	b.run("resume", string(id))
	s := b.shown(id)
	if s.FSMState != protocol.FailedRolledBack || !s.Effects[0].Proven {
		t.Errorf("%s, %+v", s.FSMState, s.Effects)
	}
	b.asBefore()
	b.sound()
}

// until waits for something another process does.
func (b *box) until(done func() bool) {
	b.t.Helper()
	deadline := time.After(20 * time.Second)
	for !done() {
		select {
		case <-deadline:
			b.t.Fatal("it did not come to be")
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// TestUnknownPayment: a payment whose outcome is lost is not made again. A person
// rules, and the run goes on.
func TestUnknownPayment(t *testing.T) {
	for as, answer := range map[string]string{"done": "ruled this call done", "failed": "did not happen"} {
		t.Run(as, func(t *testing.T) {
			b := newBox(t)
			b.write("s.json", `{"turns":[
				{"tool_calls":[{"id":"p","name":"demo.pay","arguments":{"to":"Ada","cents":5,"delay_ms":60000}}]},
				{"text":"{{tool.p}}"}]}`, 0o644)
			id := host.NewRunID()
			c := b.command(context.Background(), "run", "Pay.", "--script", "s.json", "--allow", "demo.pay", "--id", string(id))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			b.until(func() bool {
				paid, _ := os.ReadFile(b.path("w/payments.txt"))
				return strings.HasSuffix(string(paid), "\n")
			})
			_ = c.Process.Kill()
			_ = c.Wait()
			s := b.summary(5, "resume", string(id))
			if s.Status != protocol.StatusAwaitingRuling {
				t.Fatalf("%+v", s)
			}
			s = b.summary(5, "resume", string(id)) // asking again changes nothing
			var unknown protocol.EffectID
			for _, e := range s.Effects {
				if e.Terminal == protocol.TerminalUnknown && e.Tool == "demo.pay" {
					unknown = e.ID
				}
			}
			b.must(0, nil, "effects", "resolve", string(unknown), "--as", as, "--note", "looked at the bank")
			b.must(2, nil, "effects", "resolve", string(unknown), "--as", as)
			s = b.summary(0, "resume", string(id))
			if paid := b.read("w/payments.txt"); strings.Count(paid, "\n") != 1 || !strings.Contains(s.Answer, answer) {
				t.Errorf("paid %q, answered %q", paid, s.Answer)
			}
			b.sound()
		})
	}
}

// TestSignals: an interrupt stops a run for good, a termination drains it, and a
// drained run goes on.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
		status protocol.Status
	}{{syscall.SIGINT, 130, protocol.StatusInterrupted}, {syscall.SIGTERM, 0, protocol.StatusDrained}} {
		t.Run(fmt.Sprint(c.signal), func(t *testing.T) {
			b := newBox(t)
			b.write("s.json", `{"turns":[
				{"tool_calls":[{"id":"a","name":"noop","arguments":{"delay_ms":700}}]},
				{"text":"after {{tool.a}}"}]}`, 0o644)
			id := host.NewRunID()
			p := b.command(context.Background(), "run", "Go.", "--script", "s.json", "--id", string(id), "--jsonl")
			out, err := p.StdoutPipe()
			if err == nil {
				err = p.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			s := bufio.NewScanner(out)
			s.Buffer(nil, 1<<20)
			for s.Scan() && !strings.Contains(s.Text(), `"tool":"noop"`) {
			}
			if err := p.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			for s.Scan() {
			}
			_ = p.Wait()
			if got := p.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit %d, want %d", got, c.code)
			}
			if got := b.shown(id); got.Status != c.status || got.ExitCode != c.code {
				t.Errorf("%s", got.Status)
			}
			if c.status == protocol.StatusDrained {
				if got := b.summary(0, "resume", string(id)); got.Answer != "after ok" {
					t.Errorf("%+v", got)
				}
			}
			b.sound()
		})
	}
}
