// Command tipstaff rules on, writes down, carries out and undoes the tool calls
// of AI agents.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tipstaff/tipstaff/host"
	"github.com/tipstaff/tipstaff/record"
)

func main() { os.Exit(execute(os.Args[1:])) }

// execute runs one command and gives its exit code.
func execute(args []string) int {
	a := &app{out: os.Stdout, err: os.Stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return a.exit
	}
	code := exitOf(err)
	if slices.Contains(args, "--json") && !a.printed { // a flag that could not be read may stand before it
		a.print(map[string]any{"exit_code": code, "error": host.ErrorMessage{Code: codeOf(err), Message: a.clean(err.Error())}})
	} else {
		fmt.Fprintln(a.err, "tipstaff: "+a.clean(err.Error()))
	}
	return code
}

// exitOf is the exit code of an error: 1 for a record that is not sound, 2 for
// everything else that kept a command from its work.
func exitOf(err error) int {
	var damage *record.Damage
	if errors.As(err, &damage) || errors.Is(err, errNotSound) {
		return 1
	}
	return 2
}

func codeOf(err error) string {
	var damage *record.Damage
	var mistake *host.UsageError
	switch {
	case errors.As(err, &damage):
		return "damaged"
	case errors.As(err, &mistake):
		return "usage"
	case errors.Is(err, host.ErrNoRun):
		return "not_found"
	}
	return "failed"
}
