package conformance

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Row is one line of the evidence matrix.
type Row struct {
	// ID is K1 to K9, I1 to I5 or N1 to N8.
	ID string
	// Says is what is claimed, Requirements the lines it settles.
	Says         string
	Requirements string
	// Checks are the IDs of source checks that must find nothing.
	Checks []string
	// Evidence is the tests that must pass.
	Evidence []Evidence
	// Open names the issue a row waits for; a row with it is not claimed.
	Open string
}

// Evidence is one test that shows something.
type Evidence struct {
	// Package is the test's folder, Test its name, with a slash before a
	// subtest's.
	Package string
	Test    string
	// Transcript is the file the test plays, if it plays one; relative to the
	// root.
	Transcript string
}

// String is the evidence as the matrix prints it.
func (e Evidence) String() string {
	if e.Transcript != "" {
		return e.Transcript
	}
	return e.Package + "." + e.Test
}

// Status is what a row has come to.
type Status string

// The three statuses.
const (
	Green Status = "GREEN"
	Red   Status = "RED"
	Open  Status = "OPEN"
)

// Judgement is a row with what it has come to and why.
type Judgement struct {
	Row    Row
	Status Status
	// Why has a line for everything that keeps the row from being green.
	Why []string
}

// Runner runs tests of one folder. It gives what became of each by its full
// name, "pass", "fail" or "skip"; one that is not there is missing. The note says
// what went wrong with the folder as a whole.
type Runner func(pkg string, tests []string) (results map[string]string, note string)

// Judge judges every row: the findings of the source checks by ID, and the tests,
// each folder's in one run. Red wins over open: of a row that waits for an issue
// what is named must hold all the same.
func Judge(root string, rows []Row, checks map[string][]Finding, run Runner) []Judgement {
	results := runAll(root, rows, run)
	var out []Judgement
	for _, row := range rows {
		j := Judgement{Row: row, Status: Green, Why: checked(row, checks)}
		for _, e := range row.Evidence {
			if why := results[e]; why != "" {
				j.Why = append(j.Why, why)
			}
		}
		if len(row.Evidence) == 0 && row.Open == "" {
			j.Why = append(j.Why, "no evidence is named")
		}
		switch {
		case len(j.Why) > 0:
			j.Status = Red
		case row.Open != "":
			j.Status, j.Why = Open, []string{"waits for " + row.Open}
		}
		out = append(out, j)
	}
	return out
}

// checked says what the row's source checks have found.
func checked(row Row, checks map[string][]Finding) []string {
	var out []string
	for _, id := range row.Checks {
		found, known := checks[id]
		if !known {
			out = append(out, "no source check is called "+id)
		}
		out = append(out, said(found)...)
	}
	return out
}

// runAll runs the evidence of all rows, a folder at a time, and says of each piece
// what is wrong with it; nothing when it passed.
func runAll(root string, rows []Row, run Runner) map[Evidence]string {
	wanted := map[string][]Evidence{}
	for _, row := range rows {
		for _, e := range row.Evidence {
			if !slices.Contains(wanted[e.Package], e) {
				wanted[e.Package] = append(wanted[e.Package], e)
			}
		}
	}
	out := map[Evidence]string{}
	for _, pkg := range slices.Sorted(maps.Keys(wanted)) {
		var names []string
		for _, e := range wanted[pkg] {
			names = append(names, e.Test)
		}
		results, note := map[string]string{}, "there is no such package"
		if files, _ := goFiles(filepath.Join(root, filepath.FromSlash(pkg))); len(files) > 0 {
			results, note = run(pkg, names)
		}
		for _, e := range wanted[pkg] {
			out[e] = fault(root, e, results[asRun(e.Test)], note)
		}
	}
	return out
}

// fault says what is wrong with one piece of evidence.
func fault(root string, e Evidence, result, note string) string {
	if e.Transcript != "" && !exists(filepath.Join(root, filepath.FromSlash(e.Transcript))) {
		return e.String() + ": there is no such transcript"
	}
	switch {
	case result == "pass" && note == "":
		return ""
	case result == "pass":
		return e.String() + ": passed, but " + note
	case result == "skip":
		return e.String() + ": was skipped, which shows nothing"
	case result != "":
		return e.String() + ": " + result
	case note != "":
		return e.String() + ": " + note
	}
	return e.String() + ": there is no such test, or the run ended before it"
}

// asRun is a test's name as the testing package prints it.
func asRun(name string) string { return strings.ReplaceAll(name, " ", "_") }

// Gaps says what keeps a matrix from being the matrix: exactly nine components,
// five invariants and eight prohibitions, each once, in order (S2-023, S2-158).
func Gaps(rows []Row) []string {
	var want, have, out []string
	for _, group := range []struct {
		letter string
		n      int
	}{{"K", 9}, {"I", 5}, {"N", 8}} {
		for i := range group.n {
			want = append(want, fmt.Sprintf("%s%d", group.letter, i+1))
		}
	}
	for _, row := range rows {
		have = append(have, row.ID)
	}
	if !slices.Equal(want, have) {
		out = append(out, fmt.Sprintf("the matrix has the rows %s; it must have exactly %s", strings.Join(have, " "), strings.Join(want, " ")))
	}
	return out
}

// House judges what stands before the matrix: that the frozen words are as they
// were, that nobody imports what the table does not allow, that the checks could
// see everything, and that the matrix is whole (S2-005).
func House(root string, rows []Row, checks map[string][]Finding) ([]Judgement, error) {
	drifts, err := Frozen(root)
	if err != nil {
		return nil, err
	}
	var words []Finding
	for _, d := range drifts {
		words = append(words, d.Findings()...)
	}
	imports, err := Imports(root)
	if err != nil {
		return nil, err
	}
	var purity []Finding
	for _, id := range slices.Sorted(maps.Keys(checks)) {
		purity = append(purity, checks[id]...)
	}
	house := []Judgement{
		{Row: Row{ID: "ABI", Says: "the exported words of protocol and ports are as frozen", Requirements: "S2-005"}, Why: said(words)},
		{Row: Row{ID: "IMP", Says: "every import is in the table, every folder has an owner", Requirements: "S2-004, S2-161"}, Why: said(imports)},
		{Row: Row{ID: "SRC", Says: "every source check of the trusted base finds nothing", Requirements: "S2-157"}, Why: said(purity)},
		{Row: Row{ID: "ALL", Says: "the matrix has its 22 rows and no other", Requirements: "S2-023, S2-158"}, Why: Gaps(rows)},
	}
	for i := range house {
		house[i].Status = Green
		if len(house[i].Why) > 0 {
			house[i].Status = Red
		}
	}
	return house, nil
}

func said(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.String())
	}
	return out
}

// WriteMatrix prints judgements, one row each, with what they rest on and what is
// wrong.
func WriteMatrix(w io.Writer, all []Judgement) error {
	var b strings.Builder
	for _, j := range all {
		fmt.Fprintf(&b, "%-3s %-5s  %s (%s)\n", j.Row.ID, j.Status, j.Row.Says, j.Row.Requirements)
		if by := shownBy(j.Row); j.Status != Red && len(by) > 0 {
			fmt.Fprintf(&b, "           %s\n", strings.Join(by, ", "))
		}
		for _, why := range j.Why {
			fmt.Fprintf(&b, "           - %s\n", why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Count gives how many judgements have a status.
func Count(all []Judgement, status Status) int {
	n := 0
	for _, j := range all {
		if j.Status == status {
			n++
		}
	}
	return n
}

// shownBy names everything a row rests on.
func shownBy(row Row) []string {
	var out []string
	for _, id := range row.Checks {
		out = append(out, "check "+id)
	}
	for _, e := range row.Evidence {
		out = append(out, e.String())
	}
	return out
}
