package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// maxNote bounds what is repeated of a folder's failure, in bytes.
const maxNote = 400

// GoTest runs tests with the go command in the module at root, uncached, each
// folder's in one process. Ending ctx ends it.
func GoTest(ctx context.Context, root string) Runner {
	return func(pkg string, tests []string) (map[string]string, string) {
		cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-json", "-run", runPattern(tests), "./"+pkg)
		cmd.Dir = root
		var out, complaint bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaint
		err := cmd.Run()
		results, note, ended := readEvents(out.Bytes())
		if err != nil && !ended {
			note = "the tests did not run through: " + cut(complaint.String()+" "+err.Error())
		}
		return results, note
	}
}

// runPattern is the -run expression of the top-level tests behind names:
// subtests come along, and their results are told apart by name.
func runPattern(tests []string) string {
	var top []string
	for _, name := range tests {
		name, _, _ = strings.Cut(name, "/")
		top = append(top, regexp.QuoteMeta(name))
	}
	slices.Sort(top)
	return "^(" + strings.Join(slices.Compact(top), "|") + ")$"
}

// testEvent is one line of `go test -json`.
type testEvent struct {
	Action string
	Test   string
	Output string
}

// readEvents folds the lines of `go test -json` into what became of each test.
// The note says why the folder failed, when no test did: it does not build, or
// broke down outside of them. Ended tells whether the folder's own result came.
func readEvents(lines []byte) (results map[string]string, note string, ended bool) {
	results = map[string]string{}
	var outside strings.Builder
	failed, testFailed := false, false
	d := json.NewDecoder(bytes.NewReader(lines))
	for {
		var e testEvent
		if d.Decode(&e) != nil {
			break // the end, or what is no event: nothing after it counts
		}
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test == "" {
				ended, failed = true, e.Action == "fail"
				continue
			}
			results[e.Test] = e.Action
			testFailed = testFailed || e.Action == "fail"
		case "build-output", "output":
			if e.Test == "" {
				outside.WriteString(e.Output)
			}
		}
	}
	if failed && !testFailed {
		note = "the package fails: " + cut(outside.String())
	}
	return results, note, ended
}

// cut shortens a text to its beginning and one line.
func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxNote {
		s = strings.ToValidUTF8(s[:maxNote], "") + "…"
	}
	return s
}
