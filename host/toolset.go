package host

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// toolset is the tools of one workspace.
type toolset struct {
	workspace string
	tools     map[string]ports.ToolV1
	close     []func() error
}

// add registers a tool. Two tools of one name, or of one wire name, are a
// mistake of the program.
func (t *toolset) add(tool ports.ToolV1) {
	c := tool.Contract()
	wire, err := protocol.WireName(c.Name)
	if err = errors.Join(err, c.Validate()); err != nil {
		panic("host: " + err.Error())
	}
	for name := range t.tools {
		if other, err := protocol.WireName(name); err == nil && other == wire {
			panic("host: two tools are called " + c.Name)
		}
	}
	t.tools[c.Name] = tool
}

func (t *toolset) find(name string) (ports.ToolV1, bool) {
	tool, ok := t.tools[name]
	return tool, ok
}

// contracts lists the tools by name.
func (t *toolset) contracts() []protocol.ToolContract {
	var out []protocol.ToolContract
	for _, tool := range t.tools {
		out = append(out, tool.Contract())
	}
	slices.SortFunc(out, func(a, b protocol.ToolContract) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (t *toolset) Close() error {
	var err error
	for _, f := range t.close {
		err = errors.Join(err, f())
	}
	return err
}

// systemClock is the machine's clock.
type systemClock struct{}

// Now is the present.
func (systemClock) Now() time.Time { return time.Now() }

// AfterFunc calls f once d has passed.
func (systemClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
