package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// need is something the tests use.
type need struct {
	// name is what it is called, what is what it is for.
	name, what string
	// find says what is here, or why it will not do.
	find func(ctx context.Context, root string) (string, error)
}

// needs lists them, one a row. A test that needs something more gets a row here;
// no row makes a test skip.
func needs() []need {
	return []need{
		{"go", "builds and runs everything", findGo},
	}
}

// testenv says what the tests need and what is here. It fails when something is
// missing.
func testenv(ctx context.Context, root string, _ []string, out io.Writer) error {
	return survey(ctx, needs(), root, out)
}

func survey(ctx context.Context, all []need, root string, out io.Writer) error {
	missing := 0
	for _, n := range all {
		found, err := n.find(ctx, root)
		if err != nil {
			missing++
			found = "MISSING: " + err.Error()
		}
		fmt.Fprintf(out, "%-8s %s (%s)\n", n.name, found, n.what)
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d things the tests need are missing", missing, len(all))
	}
	fmt.Fprintln(out, "the tests need nothing else; no network, no server, no key; none is skipped")
	return nil
}

// findGo asks the go command that the tests will run with for its version, and
// holds it to the one go.mod asks for.
func findGo(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir = root
	raw, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("no go command that answers: %w", err)
	}
	have := strings.TrimSpace(string(raw))
	want, err := goOfModule(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	if version.Compare(have, want) < 0 {
		return "", fmt.Errorf("%s is here, go.mod asks for %s", have, want)
	}
	return fmt.Sprintf("%s, at least %s is asked for", have, want), nil
}

// goOfModule reads the version a go.mod asks for.
func goOfModule(file string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		if v, ok := strings.CutPrefix(lines.Text(), "go "); ok {
			return "go" + strings.TrimSpace(v), nil
		}
	}
	return "", fmt.Errorf("%s asks for no version of Go", file)
}
