package filetool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/tool"
)

// ReadArgs are the arguments of fs.read and read_file.
type ReadArgs struct {
	Path string `json:"path" jsonschema:"a path in the workspace"`
}

// WriteArgs are the arguments of fs.write.
type WriteArgs struct {
	Path    string `json:"path" jsonschema:"a path in the workspace"`
	Content string `json:"content" jsonschema:"the whole new content of the file"`
}

// NewRead makes the reading tool under one of its two names.
func NewRead(name string, w *Workspace) ports.ToolV1 {
	return tool.New(name, "Read a text file of the workspace.", tool.ReadOnly,
		func(ctx context.Context, in ReadArgs) (tool.Result, error) {
			text, err := w.Read(ctx, in.Path)
			if err != nil {
				return tool.Result{}, fault(err)
			}
			return tool.Result{Text: text}, nil
		}, tool.Results(protocol.Workspace))
}

// fault says what an error means: nothing happened, unless it says otherwise.
func fault(err error) error {
	var own *Error
	if !errors.As(err, &own) {
		return err
	}
	if own.Uncertain {
		return ports.Uncertain(own.Error())
	}
	return ports.Failed(own.Error())
}

// NewWrite makes fs.write: it can be probed and undone.
func NewWrite(w *Workspace) ports.ToolV1 {
	contract, schema := tool.Describe[WriteArgs]("fs.write", "Write a text file of the workspace, whole. Missing folders are made.",
		tool.ReversibleLocal, tool.Top(tool.TrustMutating), tool.Results(protocol.Workspace))
	return &write{contract, schema, w}
}

type write struct {
	contract protocol.ToolContract
	schema   tool.Schema[WriteArgs]
	w        *Workspace
}

// Contract is what holds for all writes.
func (t *write) Contract() protocol.ToolContract { return t.contract }

// Prepare looks at what would change. A file that is later trusted makes the
// call TrustMutating (S2-051).
func (t *write) Prepare(ctx context.Context, args []byte) (ports.Preparation, error) {
	in, canonical, err := t.schema.Read(args)
	if err != nil {
		return ports.Preparation{}, err
	}
	change, trusted, err := t.w.Plan(ctx, in.Path, []byte(in.Content))
	if err != nil {
		return ports.Preparation{}, fault(err)
	}
	p := ports.Preparation{
		Args: canonical, Class: tool.ReversibleLocal, ResultTrust: protocol.Workspace,
		Undo: protocol.MustMarshal(change), Compensation: compensation(change), Preview: preview(change, in.Content),
	}
	if trusted {
		p.Class = tool.TrustMutating
	}
	return p, nil
}

func compensation(c Change) string {
	if !c.Existed {
		return "remove " + c.Path
	}
	return fmt.Sprintf("restore %s to %d bytes, mode %04o, sha256 %s", c.Path, len(c.Before), c.Mode, digest(c.Before)[:12])
}

// Execute writes. The key makes a second try find the first one's work.
func (t *write) Execute(ctx context.Context, call ports.Call) (ports.Result, error) {
	in, _, err := t.schema.Read(call.Args)
	if err != nil {
		return ports.Result{}, err
	}
	change, err := changeOf(call)
	if err != nil {
		return ports.Result{}, err
	}
	if digest([]byte(in.Content)) != change.After {
		return ports.Result{}, ports.Failed("the content is not what was prepared")
	}
	if err := t.w.Apply(ctx, change, []byte(in.Content)); err != nil {
		return ports.Result{}, fault(err)
	}
	did := fmt.Sprintf("wrote %s (%d bytes)", change.Path, len(in.Content))
	return ports.Result{Text: did, Effects: []string{did}}, nil
}

// Probe finds out whether a write, or its undoing, happened.
func (t *write) Probe(ctx context.Context, call ports.Call) (protocol.Finding, string, error) {
	change, err := changeOf(call)
	if err != nil {
		return protocol.FoundUnknown, "", err
	}
	if call.Undoing {
		return t.w.ProbeUndo(ctx, change)
	}
	return t.w.Probe(ctx, change)
}

// Compensate restores what stood there.
func (t *write) Compensate(ctx context.Context, call ports.Call) (ports.Result, error) {
	change, err := changeOf(call)
	if err != nil {
		return ports.Result{}, err
	}
	if err := t.w.Undo(ctx, change); err != nil {
		return ports.Result{}, fault(err)
	}
	did := "did: " + compensation(change)
	return ports.Result{Text: did, Effects: []string{did}}, nil
}

func changeOf(call ports.Call) (Change, error) {
	var c Change
	if err := protocol.Unmarshal(call.Undo, &c); err != nil {
		return c, ports.Failed("what undoes the call cannot be read")
	}
	return c, nil
}

// maxPreviewLines bounds the lines a preview shows of each side.
const maxPreviewLines = 40

// preview shows what a write changes: the lines between what both sides begin
// and end with.
func preview(c Change, content string) string {
	was, is := strings.Split(string(c.Before), "\n"), strings.Split(content, "\n")
	if !c.Existed {
		was = nil
	}
	head := 0
	for head < len(was) && head < len(is) && was[head] == is[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(is)-head && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, from line %d\n", c.Path, head+1)
	side(&b, "- ", was[head:len(was)-tail])
	side(&b, "+ ", is[head:len(is)-tail])
	return b.String()
}

func side(b *strings.Builder, mark string, lines []string) {
	for i, line := range lines {
		if i == maxPreviewLines {
			fmt.Fprintf(b, "%s… %d more lines\n", mark, len(lines)-i)
			return
		}
		b.WriteString(mark + line + "\n")
	}
}
