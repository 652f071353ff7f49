package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/kernel/driver"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// errNotSound says that a record is not what it was; details were printed.
var errNotSound = errors.New("the record is not sound")

func (a *app) logCommand() *cobra.Command {
	var saga, kind string
	c := &cobra.Command{
		Use: "log RUN", Short: "The record of a run, entry by entry; --json prints the stored lines",
		RunE: func(c *cobra.Command, args []string) error {
			if saga != "" {
				args = append(args, saga)
			}
			if len(args) != 1 {
				return host.Usage("tipstaff log: it takes RUN")
			}
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error { return a.log(ctx, h, id, kind) })
		},
	}
	c.Flags().StringVar(&saga, "saga", "", "the run, as its saga")
	c.Flags().StringVar(&kind, "kind", "", "only entries of this kind")
	return c
}

func (a *app) log(ctx context.Context, h *host.Host, id protocol.RunID, kind string) error {
	if _, err := h.Head(ctx, id); err != nil {
		return err
	}
	for raw, err := range h.Lines(ctx, id, 0) {
		if err != nil {
			return err
		}
		e, err := record.ParseLine(raw)
		if err != nil {
			return &record.Damage{Run: id, What: err.Error()}
		}
		if kind != "" && e.Kind != kind {
			continue
		}
		if a.json {
			a.printed = true
			fmt.Fprintf(a.out, "%s\n", raw)
		} else {
			fmt.Fprintln(a.out, a.clean(line(e)))
		}
	}
	return nil
}

// maxShownBytes bounds what a line for people shows of a body.
const maxShownBytes = 160

// line is an entry for people.
func line(e protocol.Entry) string {
	body := string(e.Body)
	if len(body) > maxShownBytes {
		body = strings.ToValidUTF8(body[:maxShownBytes], "") + "…"
	}
	return fmt.Sprintf("%5d  %-26s %s", e.Seq, e.Kind, body)
}

func (a *app) verifyCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "verify [RUN]", Short: "Recompute the chain and reduce the record again: of a run, of all runs, or of exported lines (--file)",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case file != "" && len(args) == 0:
				return a.verifyFile(file)
			case file != "" || len(args) > 1:
				return host.Usage("tipstaff verify: it takes at most one RUN, or --file EXPORT")
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error { return a.verify(ctx, h, args) })
		},
	}
	c.Flags().StringVar(&file, "file", "", "exported lines to check, without any home")
	return c
}

// verdict is what verify says of one run.
type verdict struct {
	Run   protocol.RunID `json:"run"`
	Sound bool           `json:"sound"`
	Head  *host.HeadLine `json:"head,omitempty"`
	Seq   *uint64        `json:"seq,omitempty"`
	Fault string         `json:"fault,omitempty"`
}

func (a *app) verify(ctx context.Context, h *host.Host, args []string) error {
	var ids []protocol.RunID
	for _, arg := range args {
		id, err := runID(arg)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		var err error
		if ids, err = h.Runs(ctx); err != nil {
			return err
		}
	}
	var out []verdict
	for _, id := range ids {
		head, err := h.Head(ctx, id)
		if err != nil {
			return err
		}
		sound, err := driver.Replay(id, h.Lines(ctx, id, 0))
		if err == nil && sound.Head != head {
			err = &record.Damage{Run: id, Seq: sound.Head.Next, What: "entries are missing at the end, or the stored head is another one"}
		}
		out = append(out, verdictOf(id, sound.Head, err))
	}
	return a.verdicts(out)
}

func (a *app) verifyFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return host.Usage("verify: %s", err)
	}
	defer f.Close()
	sound, err := driver.Replay("", fileLines(f))
	if err == nil && sound.Head.Next == 0 {
		err = &record.Damage{What: "the file has no entries"}
	}
	return a.verdicts([]verdict{verdictOf(sound.Run, sound.Head, err)})
}

// fileLines are a file's lines.
func fileLines(f *os.File) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := bufio.NewScanner(f)
		s.Buffer(nil, protocol.MaxLineBytes+1)
		for s.Scan() {
			if !yield(s.Bytes(), nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(nil, err)
		}
	}
}

func verdictOf(id protocol.RunID, head protocol.Head, err error) verdict {
	v := verdict{Run: id, Sound: err == nil}
	if err == nil {
		v.Head = &host.HeadLine{Seq: head.Next - 1, Hash: head.Hash}
		return v
	}
	v.Fault = err.Error()
	var damage *record.Damage
	if errors.As(err, &damage) {
		v.Seq = &damage.Seq
	}
	return v
}

func (a *app) verdicts(out []verdict) error {
	sound := true
	for _, v := range out {
		sound = sound && v.Sound
		switch {
		case a.json:
		case v.Sound:
			fmt.Fprintf(a.out, "%s sound, %d entries, head %s\n", v.Run, v.Head.Seq+1, v.Head.Hash)
		default:
			fmt.Fprintln(a.out, a.clean(v.Fault))
		}
	}
	if a.json {
		if out == nil {
			out = []verdict{}
		}
		exit := map[bool]int{true: 0, false: 1}[sound]
		a.print(map[string]any{"sound": sound, "runs": out, "exit_code": exit})
	}
	if !sound {
		return errNotSound
	}
	return nil
}

func (a *app) replayCommand() *cobra.Command {
	var to int64
	var state bool
	c := &cobra.Command{
		Use: "replay RUN", Short: "Reduce the recorded commands again and compare every event byte for byte", Args: exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error { return a.replay(ctx, h, id, to, state) })
		},
	}
	c.Flags().Int64Var(&to, "to", -1, "stop after this entry")
	c.Flags().BoolVar(&state, "state", false, "print the state there")
	return c
}

func (a *app) replay(ctx context.Context, h *host.Host, id protocol.RunID, to int64, state bool) error {
	if _, err := h.Head(ctx, id); err != nil {
		return err
	}
	lines := h.Lines(ctx, id, 0)
	if to >= 0 {
		lines = upTo(lines, to)
	}
	out, err := driver.Replay(id, lines)
	var damage *record.Damage
	if errors.As(err, &damage) && to >= 0 && out.Head.Next == uint64(to)+1 && damage.Seq == out.Head.Next {
		err = nil // the rest of the step was left out on request
	}
	if err != nil {
		if a.json {
			v := verdictOf(id, out.Head, err)
			a.print(map[string]any{"run": id, "same": false, "seq": v.Seq, "fault": v.Fault, "exit_code": 1})
		}
		return err
	}
	switch {
	case a.json && state:
		a.print(map[string]any{"run": id, "same": true, "commands": out.Commands, "events": out.Events, "state": rawJSON(out.State.Snapshot()), "exit_code": 0})
	case a.json:
		a.print(map[string]any{"run": id, "same": true, "commands": out.Commands, "events": out.Events, "head": host.HeadLine{Seq: out.Head.Next - 1, Hash: out.Head.Hash}, "exit_code": 0})
	case state:
		fmt.Fprint(a.out, a.clean(out.State.Describe()))
	default:
		fmt.Fprintf(a.out, "%s: %d commands give the same %d events, byte for byte\n", id, out.Commands, out.Events)
	}
	return nil
}

// rawJSON stands in a document as it is.
type rawJSON []byte

// MarshalJSON gives the bytes.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

func upTo(lines iter.Seq2[[]byte, error], to int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		n := int64(0)
		for line, err := range lines {
			if n > to || !yield(line, err) {
				return
			}
			n++
		}
	}
}

func (a *app) exportCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "export RUN", Short: "The record as lines (jsonl) or as a sequence diagram (mermaid)", Args: exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			if format != "jsonl" && format != "mermaid" {
				return host.Usage("--format is jsonl or mermaid, not %q", format)
			}
			return a.with(c.Context(), func(ctx context.Context, h *host.Host) error {
				if format == "mermaid" {
					return a.diagram(ctx, h, id)
				}
				a.json = true
				return a.log(ctx, h, id, "")
			})
		},
	}
	c.Flags().StringVar(&format, "format", "jsonl", "jsonl or mermaid")
	return c
}

// diagram draws a run as a Mermaid sequence diagram.
func (a *app) diagram(ctx context.Context, h *host.Host, id protocol.RunID) error {
	if _, err := h.Head(ctx, id); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "sequenceDiagram\n  participant P as proposer\n  participant K as kernel\n  participant W as world")
	for raw, err := range h.Lines(ctx, id, 0) {
		if err != nil {
			return err
		}
		e, err := record.ParseLine(raw)
		if err != nil {
			return &record.Damage{Run: id, What: err.Error()}
		}
		event, err := protocol.DecodeEvent(e.Kind, e.Body)
		if err != nil || protocol.IsCommandKind(e.Kind) {
			continue
		}
		if arrow := arrow(event); arrow != "" {
			fmt.Fprintln(a.out, "  "+arrow)
		}
	}
	return nil
}

// arrow is one event of a diagram; empty for those that are not drawn.
func arrow(event protocol.Event) string {
	label := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if r == ';' || r == '#' || r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, s)
		return s
	}
	switch e := event.(type) {
	case protocol.AdmissionDecided:
		return label(fmt.Sprintf("P->>K: %s (%s): %s, %s", e.Tool, e.Class, e.Verdict, e.Reason))
	case protocol.EffectIntent:
		return label(fmt.Sprintf("K->>W: %s", e.Tool))
	case protocol.ToolDone:
		return "W-->>K: tool_done"
	case protocol.EffectDone:
		return label("W-->>K: done " + e.Tool)
	case protocol.EffectFailed:
		return label("W--xK: failed " + e.Tool)
	case protocol.EffectUnknown:
		return label("W--xK: unknown " + e.Tool)
	case protocol.CallRefused:
		return label("K-->>P: refused, " + e.Code)
	case protocol.FSMMoved:
		return label(fmt.Sprintf("Note over K: %s", e.To))
	case protocol.RunEnded:
		return label(fmt.Sprintf("Note over P,W: %s %s", e.Outcome, e.Reason))
	}
	return ""
}
