package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// need is something the tests use.
type need struct {
	name, what string
	probe      []string
}

// needs lists them. All tests run with Go alone so far: no row here makes any of
// them skip.
func needs() []need {
	return []need{
		{"go", "builds and runs everything", []string{"go", "version"}},
	}
}

// testenv says what the tests need and what is here.
func testenv(ctx context.Context, _ string, _ []string, out io.Writer) error {
	for _, n := range needs() {
		found, err := exec.CommandContext(ctx, n.probe[0], n.probe[1:]...).Output()
		if err != nil {
			return fmt.Errorf("%s is needed (%s) and not here", n.name, n.what)
		}
		fmt.Fprintf(out, "%-8s %s\n", n.name, strings.TrimSpace(string(found)))
	}
	fmt.Fprintln(out, "the tests need nothing else; no network, no server, no key; none is skipped")
	return nil
}
