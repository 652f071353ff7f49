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
// each folder's in one run. Red wins over open: a row that waits for an issue
// still must not break what is checked.
func Judge(root string, rows []Row, checks map[string][]Finding, run Runner) []Judgement {
	results := runAll(root, rows, run)
	var out []Judgement
	for _, row := range rows {
		j := Judgement{Row: row, Status: Green}
		j.Why = append(j.Why, checked(row, checks)...)
		if len(j.Why) == 0 && row.Open != "" {
			j.Status, j.Why = Open, []string{"waits for " + row.Open}
			out = append(out, j)
			continue
		}
		for _, e := range row.Evidence {
			if why := results[e]; why != "" {
				j.Why = append(j.Why, why)
			}
		}
		if len(row.Evidence) == 0 {
			j.Why = append(j.Why, "no evidence is named")
		}
		if len(j.Why) > 0 {
			j.Status = Red
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
		for _, f := range found {
			out = append(out, f.String())
		}
	}
	return out
}

// runAll runs the evidence of all rows that are claimed, a folder at a time, and
// says of each piece what is wrong with it; nothing when it passed.
func runAll(root string, rows []Row, run Runner) map[Evidence]string {
	wanted := map[string][]Evidence{}
	for _, row := range rows {
		for _, e := range row.Evidence {
			if row.Open == "" && !slices.Contains(wanted[e.Package], e) {
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
	case result == "pass":
		return ""
	case result == "skip":
		return e.String() + ": was skipped, which shows nothing"
	case result != "":
		return e.String() + ": " + result
	case note != "":
		return e.String() + ": " + note
	}
	return e.String() + ": there is no such test"
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

// WriteMatrix prints judgements, one row each, with its evidence or with what is
// wrong, and gives how many there are of each status.
func WriteMatrix(w io.Writer, all []Judgement) (map[Status]int, error) {
	count := map[Status]int{}
	var b strings.Builder
	for _, j := range all {
		count[j.Status]++
		fmt.Fprintf(&b, "%-3s %-5s  %s (%s)\n", j.Row.ID, j.Status, j.Row.Says, j.Row.Requirements)
		if j.Status == Green {
			fmt.Fprintf(&b, "           %s\n", strings.Join(shownBy(j.Row), ", "))
		}
		for _, why := range j.Why {
			fmt.Fprintf(&b, "           - %s\n", why)
		}
	}
	fmt.Fprintf(&b, "%d rows: %d green, %d red, %d open\n", len(all), count[Green], count[Red], count[Open])
	_, err := io.WriteString(w, b.String())
	return count, err
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
