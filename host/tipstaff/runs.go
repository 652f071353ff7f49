package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/protocol"
)

func (a *app) runsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "runs", Short: "List the runs", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				all, err := a.summaries(ctx, h)
				if err != nil {
					return err
				}
				if a.json {
					a.print(map[string]any{"runs": all, "exit_code": 0})
					return nil
				}
				for _, s := range all {
					fmt.Fprintf(a.out, "%s  %s  %-18s %-22s %s\n", s.RunID, time.UnixMilli(s.Created).UTC().Format(time.RFC3339), s.Status, s.FSMState, a.clean(short(s.Goal)))
				}
				for _, s := range all {
					if s.Status == protocol.StatusRunning || s.Status == protocol.StatusDrained { // nobody else has the home: nobody drives it
						a.say("cut off: tipstaff resume %s goes on", s.RunID)
					}
				}
				return nil
			})
		},
	}
}

func (a *app) summaries(ctx context.Context, h *host.Host) ([]host.Summary, error) {
	ids, err := h.Runs(ctx)
	if err != nil {
		return nil, err
	}
	all := []host.Summary{}
	for _, id := range ids {
		s, err := h.Summarize(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func short(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "One run: status, answer, effects, saga", Args: exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				s, err := h.Summarize(ctx, id)
				if err != nil {
					return err
				}
				if a.json {
					a.print(s)
					return nil
				}
				a.describe(s)
				return nil
			})
		},
	}
}

// describe prints a summary for people.
func (a *app) describe(s host.Summary) {
	w := a.out
	fmt.Fprintf(w, "run      %s\nstatus   %s%s\nfsm      %s\ngoal     %s\n", s.RunID, s.Status, a.clean(because(s)), s.FSMState, a.clean(short(s.Goal)))
	if s.Answer != "" {
		fmt.Fprintf(w, "answer   %s\n", a.clean(s.Answer))
	}
	fmt.Fprintf(w, "spent    %d turns, %d+%d tokens\nhead     %d %s\n", s.Turns, s.Usage.Input, s.Usage.Output, s.Head.Seq, s.Head.Hash)
	for _, e := range s.Effects {
		word := string(e.Terminal)
		if word == "" {
			word = "open"
		}
		if e.Proven {
			word += " (proven by a probe)"
		}
		if e.Resolved != "" {
			word += ", ruled " + string(e.Resolved)
		}
		fmt.Fprintf(w, "effect   %s  %-22s %-22s %s %s\n", e.ID, e.Tool, e.Capability, word, a.clean(e.Reason))
	}
	for _, step := range s.Saga {
		fmt.Fprintf(w, "step     %-12s %-16s %s %s\n", a.clean(step.Step), step.Tool, step.Status, a.clean(step.Reason))
	}
	for _, p := range s.Waiting {
		fmt.Fprintf(w, "waits    %s  %s %s\n", p.ID, p.Tool, a.clean(p.Args))
	}
}

func (a *app) approvalsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "approvals", Short: "The calls that wait for a person", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				all, err := a.summaries(ctx, h)
				if err != nil {
					return err
				}
				waiting := []host.Waiting{}
				for _, s := range all {
					waiting = append(waiting, s.Waiting...)
				}
				if a.json {
					a.print(map[string]any{"approvals": waiting, "exit_code": 0})
					return nil
				}
				for _, w := range waiting {
					fmt.Fprintf(a.out, "%s  %s (%s) %s\n%s", w.ID, w.Tool, w.Class, a.clean(w.Args), a.clean(w.Preview))
				}
				return nil
			})
		},
	}
}

func (a *app) approveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "approve ID", Short: "Approve one waiting call; resume carries it out", Args: exactly("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.answer(c.Context(), args[0], protocol.Decide{Approve: true, By: operator()})
		},
	}
}

func (a *app) denyCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "deny ID", Short: "Deny one waiting call; resume tells the model", Args: exactly("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.answer(c.Context(), args[0], protocol.Decide{Reason: reason, By: operator()})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (a *app) answer(ctx context.Context, id string, d protocol.Decide) error {
	d.Approval = protocol.ApprovalID(id)
	run, _, err := d.Approval.Split()
	if err != nil {
		return host.Usage("%s", err)
	}
	return a.submit(ctx, run, d, map[string]any{"approval": id, "approved": d.Approve, "run": run, "exit_code": 0},
		fmt.Sprintf("recorded; tipstaff resume %s goes on", run))
}

// submit tells a run that is not at work one thing, and leaves it again.
func (a *app) submit(ctx context.Context, id protocol.RunID, c protocol.Command, document map[string]any, words string) error {
	return a.with(ctx, func(ctx context.Context, h *host.Host) error {
		d, err := h.Take(ctx, id, 0)
		if err != nil {
			return err
		}
		word, err := d.Submit(ctx, c)
		if closing := d.Close(); err == nil {
			err = closing
		}
		switch {
		case err != nil:
			return err
		case word.Code != "":
			return host.Usage("%s", word.Message)
		case a.json:
			a.print(document)
		default:
			a.say("%s", words)
		}
		return nil
	})
}

func (a *app) effectsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "effects RUN", Short: "The effects of a run and how they ended", Args: exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				s, err := h.Summarize(ctx, id)
				if err != nil {
					return err
				}
				if a.json {
					a.print(map[string]any{"run": id, "effects": s.Effects, "exit_code": 0})
					return nil
				}
				for _, e := range s.Effects {
					fmt.Fprintf(a.out, "%s  %-22s %-22s %s %s\n", e.ID, e.Tool, e.Capability, e.Terminal, a.clean(e.Reason))
				}
				return nil
			})
		},
	}
	var as, note string
	resolve := &cobra.Command{
		Use: "resolve EFFECT", Short: "Rule on an effect nobody can tell anything of", Args: exactly("EFFECT"),
		RunE: func(c *cobra.Command, args []string) error {
			r := protocol.Resolve{Effect: protocol.EffectID(args[0]), As: protocol.Terminal(as), Note: note, By: operator()}
			run, _, err := r.Effect.Split()
			if err != nil {
				return host.Usage("%s", err)
			}
			return a.submit(c.Context(), run, r, map[string]any{"effect": args[0], "as": as, "run": run, "exit_code": 0},
				fmt.Sprintf("recorded; tipstaff resume %s goes on", run))
		},
	}
	resolve.Flags().StringVar(&as, "as", "", "done or failed")
	resolve.Flags().StringVar(&note, "note", "", "why")
	c.AddCommand(resolve)
	return c
}
