package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/record"
)

// app is one invocation: its flags, and where it speaks.
type app struct {
	out, err io.Writer
	exit     int
	printed  bool

	home, configFile     string
	json, quiet, noColor bool

	over overrides
}

// overrides are the flags that go before the configuration.
type overrides struct {
	model, script, workspace, mode, onFailure, fsm string
	maxTurns, maxToolErrors                        int
	maxWall, maxUSD                                string
	maxTokens                                      int64
	allow, deny                                    []string
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "tipstaff",
		Short:         "The officer between AI agents and the world: rules, writes down, carries out, undoes.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	f := root.PersistentFlags()
	f.StringVar(&a.home, "home", "", "folder of the record (default $TIPSTAFF_HOME, else the state folder)")
	f.StringVar(&a.configFile, "config", "", "configuration file (TOML)")
	f.BoolVar(&a.json, "json", false, "print JSON on standard output, and nothing else there")
	f.BoolVar(&a.quiet, "quiet", false, "no progress")
	f.BoolVar(&a.noColor, "no-color", false, "no colours (also NO_COLOR)")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return host.Usage("%s", err) })
	root.AddCommand(
		a.runCommand(), a.execCommand(), a.resumeCommand(), a.rollbackCommand(),
		a.logCommand(), a.runsCommand(), a.showCommand(), a.replayCommand(), a.verifyCommand(), a.exportCommand(),
		a.approvalsCommand(), a.approveCommand(), a.denyCommand(), a.effectsCommand(),
		a.fsmCommand(), a.toolsCommand(), a.demoCommand(), a.doctorCommand(), a.versionCommand(),
	)
	return root
}

// config puts flags over environment over file.
func (a *app) config() (host.Config, error) {
	c, err := host.LoadConfig(a.configFile, host.Environ())
	if err != nil {
		return c, err
	}
	o := a.over
	set(&c.Home, a.home)
	set(&c.Workspace, o.workspace)
	set(&c.Mode, o.mode)
	set(&c.OnFailure, o.onFailure)
	set(&c.FSM, o.fsm)
	if o.script != "" {
		c.Provider, c.Model = "script", o.script
	}
	if o.model != "" {
		provider, model, ok := strings.Cut(o.model, "/")
		if !ok {
			return c, host.Usage("--model is PROVIDER/MODEL, not %q", o.model)
		}
		c.Provider, c.Model = provider, model
	}
	set(&c.MaxTurns, o.maxTurns)
	set(&c.MaxToolErrors, o.maxToolErrors)
	set(&c.MaxTokens, o.maxTokens)
	if o.maxWall != "" {
		if c.MaxWallSecs, err = seconds(o.maxWall); err != nil {
			return c, err
		}
	}
	if o.maxUSD != "" {
		usd, err := microUSD(o.maxUSD)
		if err != nil {
			return c, err
		}
		c.MaxMicroUSD = &usd
	}
	c.Allow = append(c.Allow, o.allow...)
	c.Deny = append(c.Deny, o.deny...)
	return c, c.Validate()
}

func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}

// open opens the home.
func (a *app) open() (*host.Host, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	return host.Open(c)
}

// with opens the home for one piece of work.
func (a *app) with(ctx context.Context, work func(context.Context, *host.Host) error) error {
	h, err := a.open()
	if err != nil {
		return err
	}
	err = work(ctx, h)
	if closing := h.Close(); err == nil {
		err = closing
	}
	return err
}

// print writes one JSON document on standard output.
func (a *app) print(v any) {
	b, err := protocol.Marshal(v)
	if err != nil {
		panic("tipstaff: a result does not encode: " + err.Error())
	}
	a.printed = true
	fmt.Fprintf(a.out, "%s\n", b)
}

// say writes a line for people on standard error.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// clean makes a text fit for a terminal: no secrets, no control characters.
func (a *app) clean(s string) string {
	s, _ = record.NewRedactor(nil).Text(s)
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// terminal tells whether progress is drawn: only for a person.
func (a *app) terminal() bool {
	f, ok := a.err.(*os.File)
	if !ok || a.quiet {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func runID(s string) (protocol.RunID, error) {
	id := protocol.RunID(strings.ToLower(s))
	if err := id.Validate(); err != nil {
		return "", host.Usage("%s", err)
	}
	return id, nil
}

// exactly asks for so many arguments, in our words.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return host.Usage("tipstaff %s: it takes %s", c.Name(), orNothing(strings.Join(names, " ")))
		}
		return nil
	}
}

func orNothing(s string) string {
	if s == "" {
		return "no arguments"
	}
	return s
}

// indented is JSON for people.
func indented(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(b)
}
