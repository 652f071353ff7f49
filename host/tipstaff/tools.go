package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/kernel"
	"github.com/tipstaff/tipstaff/protocol"
)

func (a *app) toolsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "tools [NAME]", Short: "The registered tools, with their schemas",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return host.Usage("tipstaff tools: it takes at most one NAME")
			}
			return a.with(c.Context(), func(_ context.Context, h *host.Host) error { return a.tools(h, args) })
		},
	}
	var key string
	call := &cobra.Command{
		Use: "call NAME JSON", Short: "One call, through admission and broker like any other", Args: exactly("NAME", "JSON"),
		RunE: func(c *cobra.Command, args []string) error { return a.call(c.Context(), args[0], args[1], key) },
	}
	a.policyFlags(call)
	call.Flags().StringVar(&key, "idempotency-key", "", "the same key and arguments give the recorded outcome, without another call")
	c.AddCommand(call)
	c.Flags().StringVar(&a.over.workspace, "workspace", "", "folder that the file tools work in (default .)")
	return c
}

func (a *app) tools(h *host.Host, args []string) error {
	all, err := h.Tools()
	if err != nil {
		return err
	}
	if len(args) == 1 {
		for _, t := range all {
			if t.Name == protocol.CanonicalName(args[0]) {
				if a.json {
					a.print(t)
				} else {
					fmt.Fprintf(a.out, "%s %s\n%s\nclass %s to %s\n%s\n", t.Name, t.Version, t.Description, t.Floor, t.Top, indented(t.Schema))
				}
				return nil
			}
		}
		return host.Usage("there is no tool called %q", args[0])
	}
	if a.json {
		a.print(map[string]any{"tools": all, "exit_code": 0})
		return nil
	}
	for _, t := range all {
		fmt.Fprintf(a.out, "%-16s %-18s %s\n", t.Name, t.Floor, t.Description)
	}
	return nil
}

// call is a run of one call: a client that plans for itself, once.
func (a *app) call(ctx context.Context, name, arguments, key string) error {
	if len(key) > protocol.MaxKeyBytes {
		return host.Usage("--idempotency-key has at most %d bytes", protocol.MaxKeyBytes)
	}
	args, err := protocol.Canonical([]byte(arguments))
	if err != nil || len(args) == 0 || args[0] != '{' {
		return host.Usage("tools call: the arguments are one JSON object")
	}
	return a.with(ctx, func(ctx context.Context, h *host.Host) error {
		d, err := h.Start(ctx, protocol.StartRun{Interactive: true, Task: protocol.Task{Input: "tools call " + name}}, eventPlaces)
		if err != nil {
			return err
		}
		word, err := d.Submit(ctx, protocol.Propose{Submission: "call", IdempotencyKey: key, Call: protocol.ProposedCall{ID: "call", Name: name, Args: protocol.Inline(string(args))}})
		if err == nil && word.Code != "" {
			err = host.Usage("%s", word.Message)
		}
		if err == nil {
			err = a.finishCall(ctx, d)
		}
		if err != nil {
			return err
		}
		go drop(d) // the result is read from the record
		if err := d.Close(); err != nil {
			return err
		}
		return a.result(ctx, h, d.ID())
	})
}

// finishCall waits for the call and closes the run, unless it waits for a person.
func (a *app) finishCall(ctx context.Context, d *host.Driven) error {
	status, err := d.Wait(ctx)
	if err != nil || status.View.Parked() {
		return err
	}
	if _, err = d.Submit(ctx, protocol.Control{Submission: "close", Signal: protocol.SignalClose, By: operator()}); err == nil {
		_, err = d.Wait(ctx)
	}
	return err
}

// result prints what a single call answered.
func (a *app) result(ctx context.Context, h *host.Host, id protocol.RunID) error {
	out, err := h.LastResult(ctx, id)
	if err != nil {
		return err
	}
	s, err := h.Summarize(ctx, id)
	if err != nil {
		return err
	}
	a.exit = s.ExitCode
	if a.exit == 0 && !out.OK {
		a.exit = 1
	}
	switch {
	case a.json:
		a.print(map[string]any{"run_id": id, "ok": out.OK, "result": out.Text, "status": s.Status, "effects": s.Effects, "exit_code": a.exit})
	case s.Status == protocol.StatusAwaitingApproval:
		return a.report(ctx, h, id, false)
	case out.OK:
		fmt.Fprintln(a.out, out.Text)
	default:
		fmt.Fprintln(a.err, a.clean(out.Text))
	}
	return nil
}

func (a *app) fsmCommand() *cobra.Command {
	var show bool
	var format string
	c := &cobra.Command{
		Use: "fsm --show", Short: "The guardrail in force", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			path := a.over.fsm
			if path == "" {
				path = a.configFile // --config names the guardrail's own file here
			}
			added, err := host.LoadFSM(path)
			if err != nil {
				return err
			}
			if a.json {
				format = "json"
			}
			return a.guardrail(kernel.Guardrail(added), format)
		},
	}
	c.Flags().BoolVar(&show, "show", true, "show it")
	c.Flags().StringVar(&format, "format", "table", "table, mermaid or json")
	c.Flags().StringVar(&a.over.fsm, "fsm", "", "file with more transitions (TOML)")
	return c
}

func (a *app) guardrail(table []kernel.Edge, format string) error {
	switch format {
	case "table":
		fmt.Fprintf(a.out, "%-13s %-19s %-22s %s\n", "FROM", "ON", "TO", "WHEN")
		for _, e := range table {
			fmt.Fprintf(a.out, "%-13s %-19s %-22s %s\n", e.From, e.On, e.To, e.Guard)
		}
		fmt.Fprintln(a.out, "\neverything else is denied")
		for _, s := range protocol.FSMStates() {
			fmt.Fprintf(a.out, "%-22s carries out %s\n", s, kernel.Permits(s))
		}
	case "mermaid":
		fmt.Fprint(a.out, kernel.Diagram(table))
	case "json":
		type edge struct {
			From  protocol.FSMState `json:"from"`
			On    protocol.FSMEvent `json:"on"`
			To    protocol.FSMState `json:"to"`
			Guard string            `json:"guard"`
		}
		var edges []edge
		for _, e := range table {
			edges = append(edges, edge{e.From, e.On, e.To, e.Guard})
		}
		a.print(map[string]any{"states": protocol.FSMStates(), "transitions": edges})
	default:
		return host.Usage("--format is table, mermaid or json, not %q", format)
	}
	return nil
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "What is configured and works here", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := a.config()
			if err != nil {
				return err
			}
			checks := host.Doctor(c.Context(), conf)
			ok := true
			for _, check := range checks {
				ok = ok && (check.OK || check.Optional)
				if !a.json {
					fmt.Fprintf(a.out, "%-10s %-5s %s\n", check.Name, map[bool]string{true: "ok", false: "-"}[check.OK], a.clean(check.Words))
				}
			}
			if !ok {
				a.exit = 2
			}
			if a.json {
				a.print(map[string]any{"ok": ok, "checks": checks, "exit_code": a.exit})
			}
			return nil
		},
	}
}

// version is the program's own; releases set it when they are built.
var version = "0.1.0-dev"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Version, commit, protocol and reducer", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			commit := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						commit = s.Value
					}
				}
			}
			if a.json {
				a.print(map[string]any{"version": version, "commit": commit, "protocol": protocol.ProtocolVersion, "reducer": kernel.Version})
				return nil
			}
			fmt.Fprintf(a.out, "tipstaff %s, commit %s, protocol %d, reducer %d\n", version, strings.TrimSpace(commit), protocol.ProtocolVersion, kernel.Version)
			return nil
		},
	}
}
