package main

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oklog/run"
	"github.com/spf13/cobra"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/protocol"
)

// eventPlaces is how many entries may wait for whoever prints them.
const eventPlaces = 256

// runFlags are what only run and exec have.
type runFlags struct {
	plan, session, id string
	dryRun, jsonl     bool
}

func (a *app) policyFlags(c *cobra.Command) {
	f, o := c.Flags(), &a.over
	f.StringVar(&o.model, "model", "", "the model, PROVIDER/MODEL")
	f.StringVar(&o.script, "script", "", "play the model from a file")
	f.StringVar(&o.workspace, "workspace", "", "folder that the file tools work in (default .)")
	f.StringVar(&o.mode, "mode", "", "default, acceptEdits, plan or yolo")
	f.StringVar(&o.onFailure, "on-failure", "", "report or compensate")
	f.IntVar(&o.maxTurns, "max-turns", 0, "most model turns")
	f.StringVar(&o.maxWall, "max-wall", "", "most time at work, such as 15m")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "most tokens, in and out")
	f.StringVar(&o.maxUSD, "max-usd", "", "most money in dollars")
	f.IntVar(&o.maxToolErrors, "max-tool-errors", 0, "most tool errors in a row")
	f.StringArrayVar(&o.allow, "allow", nil, "allow a tool by its exact name (repeatable)")
	f.StringArrayVar(&o.deny, "deny", nil, "deny a tool by its exact name (repeatable)")
	f.StringVar(&o.fsm, "fsm", "", "file with more transitions (TOML)")
}

func (a *app) runCommand() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use: "run [GOAL]", Short: "Run one task with a model, or a plan with --plan FILE",
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), flags, args) },
	}
	a.policyFlags(c)
	c.Flags().StringVar(&flags.plan, "plan", "", "run a plan file")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "check a plan and say how each step would be ruled, without doing anything")
	c.Flags().StringVar(&flags.session, "session", "", "the session the run belongs to")
	c.Flags().StringVar(&flags.id, "id", "", "the run's id, a UUID")
	c.Flags().BoolVar(&flags.jsonl, "jsonl", false, "print every event as a JSON line while it happens")
	return c
}

func (a *app) execCommand() *cobra.Command {
	c := a.runCommand()
	c.Use, c.Short = "exec [GOAL]", "Like run --jsonl: every event as a JSON line, the last line being the result"
	_ = c.Flags().Set("jsonl", "true")
	return c
}

func (a *app) run(ctx context.Context, flags runFlags, args []string) error {
	op := protocol.StartRun{Session: flags.session}
	if flags.id != "" {
		id, err := runID(flags.id)
		if err != nil {
			return err
		}
		op.Run = id
	}
	switch {
	case flags.plan != "" && len(args) > 0:
		return host.Usage("either a GOAL or --plan FILE, not both")
	case flags.plan != "":
		plan, err := host.LoadPlan(flags.plan)
		if err != nil {
			return err
		}
		op.Plan = &plan
	case flags.dryRun:
		return host.Usage("--dry-run needs --plan FILE")
	case len(args) != 1:
		return host.Usage("one GOAL, in quotes: tipstaff run \"GOAL\"")
	default:
		op.Task.Input = args[0]
	}
	if len(op.Session) > protocol.MaxNameBytes {
		return host.Usage("--session has at most %d bytes", protocol.MaxNameBytes)
	}
	return a.with(ctx, func(ctx context.Context, h *host.Host) error {
		if flags.dryRun {
			return a.dryRun(ctx, h, op)
		}
		d, err := h.Start(ctx, op, eventPlaces)
		if err != nil {
			return err
		}
		return a.drive(ctx, h, d, flags.jsonl)
	})
}

func (a *app) dryRun(ctx context.Context, h *host.Host, op protocol.StartRun) error {
	steps, err := h.DryRun(ctx, op)
	if err != nil {
		return err
	}
	if a.json {
		a.print(map[string]any{"steps": steps, "exit_code": 0})
		return nil
	}
	for _, s := range steps {
		fmt.Fprintf(a.out, "%s\t%s\t%s\t%s\t%s\n", s.Step, s.Tool, s.Class, s.Verdict, a.clean(s.Note))
	}
	return nil
}

// drive waits for a run to come to rest, shows its events meanwhile, and prints
// what came of it. A first interrupt stops it at a safe point, a termination
// drains it.
func (a *app) drive(ctx context.Context, h *host.Host, d *host.Driven, jsonl bool) error {
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for e := range d.Events() {
			a.show(e, jsonl)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	var g run.Group
	g.Add(func() error { _, err := d.Wait(ctx); return err }, func(error) { cancel() })
	g.Add(func() error { return a.heed(ctx, d) }, func(error) { cancel() })
	err := g.Run()
	if closing := d.Close(); err == nil {
		err = closing
	}
	<-shown
	if err != nil {
		return err
	}
	return a.report(context.WithoutCancel(ctx), h, d.ID(), jsonl)
}

// heed turns signals into operations.
func (a *app) heed(ctx context.Context, d *host.Driven) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	for stopped := false; ; stopped = true {
		select {
		case <-ctx.Done():
			return nil
		case s := <-signals:
			what := protocol.SignalInterrupt
			if s == syscall.SIGTERM {
				what = protocol.SignalDrain
			}
			if stopped {
				return fmt.Errorf("stopped at once: `tipstaff resume %s` goes on", d.ID())
			}
			a.say("stopping at the next safe point (again: at once)")
			if _, err := d.Submit(ctx, protocol.Control{Signal: what, By: "signal"}); err != nil {
				return err
			}
		}
	}
}

// show prints one entry: as a JSON line, or as a line for a person.
func (a *app) show(e protocol.Entry, jsonl bool) {
	if jsonl {
		a.print(struct {
			Version int            `json:"protocol_version"`
			Run     protocol.RunID `json:"run"`
			Seq     uint64         `json:"seq"`
			Kind    string         `json:"kind"`
			At      int64          `json:"at"`
			Body    any            `json:"body"`
		}{protocol.ProtocolVersion, e.Run, e.Seq, e.Kind, e.At, e.Body})
		return
	}
	if a.terminal() && !protocol.IsCommandKind(e.Kind) {
		fmt.Fprintln(a.err, a.clean(line(e)))
	}
}

// report prints a run's summary and sets the exit code.
func (a *app) report(ctx context.Context, h *host.Host, id protocol.RunID, jsonl bool) error {
	s, err := h.Summarize(ctx, id)
	if err != nil {
		return err
	}
	a.exit = s.ExitCode
	if a.json || jsonl {
		a.print(s)
		return nil
	}
	if s.Answer != "" {
		fmt.Fprintln(a.out, s.Answer)
	}
	a.say("run %s: %s%s (%s)", s.RunID, s.Status, because(s), s.FSMState)
	for _, step := range s.Saga {
		if step.Status == protocol.StepCompensationFailed {
			a.say("left to you: %s (%s): %s", step.Step, step.Tool, a.clean(step.Reason))
		}
	}
	for _, w := range s.Waiting {
		a.say("waits for you: %s %s\n%s  tipstaff approve %s, then tipstaff resume %s", w.Tool, a.clean(w.Args), a.clean(w.Preview), w.ID, s.RunID)
	}
	for _, e := range s.Effects {
		if e.Terminal == protocol.TerminalUnknown && e.Resolved == "" && s.Status == protocol.StatusAwaitingRuling {
			a.say("nobody knows whether %s happened: %s\n  tipstaff effects resolve %s --as done|failed, then tipstaff resume %s", e.Tool, a.clean(e.Reason), e.ID, s.RunID)
		}
	}
	return nil
}

func because(s host.Summary) string {
	switch {
	case s.Detail != "":
		return ", " + s.Reason + ": " + s.Detail
	case s.Reason != "":
		return ", " + s.Reason
	}
	return ""
}

func (a *app) resumeCommand() *cobra.Command {
	var jsonl bool
	c := &cobra.Command{
		Use: "resume RUN", Short: "Take up a run that a crash, a drain or a wait for a person cut off", Args: exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				return a.takeUp(ctx, h, id, jsonl, protocol.Reconcile{By: "resume"})
			})
		},
	}
	c.Flags().StringVar(&a.over.script, "script", "", "play the model from a file")
	c.Flags().StringVar(&a.over.model, "model", "", "the model, PROVIDER/MODEL")
	c.Flags().BoolVar(&jsonl, "jsonl", false, "print every event as a JSON line while it happens")
	return c
}

func (a *app) rollbackCommand() *cobra.Command {
	var saga string
	c := &cobra.Command{
		Use: "rollback RUN", Short: "Undo what a run committed, in reverse order",
		RunE: func(c *cobra.Command, args []string) error {
			if saga != "" {
				args = append(args, saga)
			}
			if len(args) != 1 {
				return host.Usage("tipstaff rollback: it takes RUN")
			}
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				err := a.takeUp(ctx, h, id, false, protocol.Control{Signal: protocol.SignalRollback, By: operator()})
				if err != nil {
					return err
				}
				s, err := h.Summarize(ctx, id)
				if err == nil && s.FSMState == protocol.FailedRolledBack {
					a.exit = 0 // it was asked for, and it is done
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&saga, "saga", "", "the run, as its saga")
	return c
}

// takeUp drives a run on with one command. A run that is over needs nothing, and
// is only reported.
func (a *app) takeUp(ctx context.Context, h *host.Host, id protocol.RunID, jsonl bool, c protocol.Command) error {
	d, err := h.Take(ctx, id, eventPlaces)
	if err != nil {
		return err
	}
	if _, resume := c.(protocol.Reconcile); resume && d.Status().View.Finished() {
		go drop(d)
		if err := d.Close(); err != nil {
			return err
		}
		return a.report(ctx, h, id, jsonl)
	}
	word, err := d.Submit(ctx, c)
	if err == nil && word.Code != "" {
		err = host.Usage("%s", word.Message)
	}
	if err != nil {
		go drop(d)
		_ = d.Close() // the first error is the one to tell
		return err
	}
	return a.drive(ctx, h, d, jsonl)
}

// drop reads the events of a run that nobody wants to see.
func drop(d *host.Driven) {
	for range d.Events() {
	}
}

// operator is who gives orders on this machine.
func operator() string {
	if u := os.Getenv("USER"); u != "" {
		return u
	}
	return "operator"
}

// seconds reads a duration such as 15m; at least a second.
func seconds(s string) (int64, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < time.Second {
		return 0, host.Usage("--max-wall is a time of at least a second, such as 15m, not %q", s)
	}
	return int64(d / time.Second), nil
}

// microUSD reads dollars exactly, to a millionth.
func microUSD(s string) (int64, error) {
	r, ok := new(big.Rat).SetString(s)
	if !ok || r.Sign() < 0 || len(s) > 32 {
		return 0, host.Usage("--max-usd is an amount in dollars such as 1.50, not %q", s)
	}
	r.Mul(r, big.NewRat(1_000_000, 1))
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, host.Usage("--max-usd %s: it is finer than a millionth, or too much", s)
	}
	return r.Num().Int64(), nil
}
