package conformance

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMatrixIsWhole: 22 rows and no gaps, checks and transcripts that exist; and
// without results every row is red, never green.
func TestMatrixIsWhole(t *testing.T) {
	rows := Matrix()
	if gaps := Gaps(rows); len(gaps) > 0 || len(rows) != 22 {
		t.Errorf("%d rows, gaps %v", len(rows), gaps)
	}
	known := map[string][]Finding{"types": nil}
	for _, c := range Checks() {
		known[c.ID] = nil
	}
	nothing := func(string, []string) (map[string]string, string) { return map[string]string{}, "" }
	for _, j := range Judge(root, rows, known, nothing) {
		if j.Status != Red {
			t.Errorf("%s is %s although no test ran", j.Row.ID, j.Status)
		}
		for _, why := range j.Why {
			if strings.Contains(why, "no source check") || strings.Contains(why, "no such transcript") || strings.Contains(why, "no such package") {
				t.Errorf("%s: %s", j.Row.ID, why)
			}
		}
	}
	everything := func(_ string, tests []string) (map[string]string, string) {
		all := map[string]string{}
		for _, name := range tests {
			all[asRun(name)] = "pass"
		}
		return all, ""
	}
	for _, j := range Judge(root, rows, known, everything) {
		if want := j.Row.Open != ""; (j.Status == Open) != want || (j.Status == Green) == want {
			t.Errorf("%s is %s when everything passes: %v", j.Row.ID, j.Status, j.Why)
		}
	}
}

func TestGaps(t *testing.T) {
	rows := Matrix()
	for name, broken := range map[string][]Row{
		"one less":     rows[1:],
		"a tenth":      slices.Insert(slices.Clone(rows), 9, Row{ID: "K10"}),
		"one twice":    append(slices.Clone(rows[:21]), rows[20]),
		"out of order": append([]Row{rows[1], rows[0]}, rows[2:]...),
	} {
		if len(Gaps(broken)) == 0 {
			t.Errorf("%s: no gap is seen", name)
		}
	}
}

// TestJudge: what makes a row green, red and open.
func TestJudge(t *testing.T) {
	tree := module1(t, map[string]string{"kernel/k.go": "package kernel\n", "kernel/testdata/there": ""})
	passing := tests("kernel", "TestPass")
	for name, c := range map[string]struct {
		row  Row
		want Status
		why  string
	}{
		"passes":                     {Row{Evidence: passing}, Green, ""},
		"with a subtest":             {Row{Evidence: tests("kernel", "TestPass/one thing")}, Green, ""},
		"with a clean check":         {Row{Evidence: passing, Checks: []string{"clean"}}, Green, ""},
		"fails":                      {Row{Evidence: tests("kernel", "TestPass", "TestFail")}, Red, "TestFail: fail"},
		"skipped":                    {Row{Evidence: tests("kernel", "TestSkip")}, Red, "skipped"},
		"not there":                  {Row{Evidence: tests("kernel", "TestNone")}, Red, "no such test"},
		"a subtest that is not":      {Row{Evidence: tests("kernel", "TestPass/none")}, Red, "no such test"},
		"a package that is not":      {Row{Evidence: tests("nowhere", "TestPass")}, Red, "no such package"},
		"a package that fails":       {Row{Evidence: tests("kernel/leaky", "TestPass")}, Red, "a goroutine is left"},
		"no evidence":                {Row{}, Red, "no evidence"},
		"only a check":               {Row{Checks: []string{"clean"}}, Red, "no evidence"},
		"a dirty check":              {Row{Evidence: passing, Checks: []string{"dirty"}}, Red, "x.go:7"},
		"a check that is not":        {Row{Evidence: passing, Checks: []string{"nobody"}}, Red, "no source check"},
		"open":                       {Row{Open: "issue 12"}, Open, "waits for issue 12"},
		"open, and what there is":    {Row{Open: "issue 12", Evidence: passing}, Open, "waits for issue 12"},
		"open, but a test fails":     {Row{Open: "issue 12", Evidence: tests("kernel", "TestFail")}, Red, "TestFail: fail"},
		"open, but a check is dirty": {Row{Open: "issue 12", Checks: []string{"dirty"}}, Red, "x.go:7"},
		"a transcript":               {Row{Evidence: transcript("kernel", "TestPlay", "there")}, Green, ""},
		"a transcript that is not":   {Row{Evidence: transcript("kernel", "TestPlay", "gone")}, Red, "no such transcript"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, filepath.Join(tree, "kernel", "leaky", "l.go"), "package leaky\n")
			run := func(pkg string, names []string) (map[string]string, string) {
				if pkg == "kernel/leaky" {
					return map[string]string{"TestPass": "pass"}, "a goroutine is left"
				}
				return map[string]string{
					"TestPass": "pass", "TestPass/one_thing": "pass", "TestFail": "fail", "TestSkip": "skip",
					"TestPlay/there": "pass", "TestPlay/gone": "pass",
				}, ""
			}
			checks := map[string][]Finding{"clean": nil, "dirty": {{File: "x.go", Line: 7}}}
			got := Judge(tree, []Row{c.row}, checks, run)[0]
			if got.Status != c.want || !strings.Contains(strings.Join(got.Why, "\n"), c.why) {
				t.Errorf("%s because of %q, want %s because of %q", got.Status, got.Why, c.want, c.why)
			}
		})
	}
}

// TestJudgeRunsEachPackageOnce: however many rows rest on it.
func TestJudgeRunsEachPackageOnce(t *testing.T) {
	tree := module1(t, map[string]string{"kernel/k.go": "package kernel\n", "record/r.go": "package record\n"})
	ran := map[string]int{}
	var wanted []string
	run := func(pkg string, names []string) (map[string]string, string) {
		ran[pkg]++
		wanted = append(wanted, names...)
		return nil, ""
	}
	Judge(tree, []Row{
		{Evidence: join(tests("kernel", "TestA", "TestB"), tests("record", "TestC"))},
		{Evidence: tests("kernel", "TestB", "TestD")},
	}, nil, run)
	if !maps.Equal(ran, map[string]int{"kernel": 1, "record": 1}) || !slices.Equal(wanted, []string{"TestA", "TestB", "TestD", "TestC"}) {
		t.Errorf("ran %v with %v", ran, wanted)
	}
}

// TestGoTest runs real tests of a small module: what passes, fails, is skipped,
// does not exist, does not build, and fails outside of its tests.
func TestGoTest(t *testing.T) {
	tree := module1(t, map[string]string{
		"good/good.go": "package good\n",
		"good/good_test.go": `package good

import "testing"

func TestPass(t *testing.T) { t.Run("a part", func(t *testing.T) {}) }
func TestFail(t *testing.T) { t.Error("{\"Action\":\"pass\",\"Test\":\"TestFail\"}") }
func TestSkip(t *testing.T) { leave(t) }
func leave(x interface{ SkipNow() }) { x.SkipNow() }
func TestPassage(t *testing.T) { t.Error("was not asked for") }
`,
		"bad/bad_test.go": "package bad\n\nfunc TestX(t *testing.T) {}\n",
		"leaky/leaky_test.go": `package leaky

import (
	"fmt"
	"os"
	"testing"
)

func TestPass(t *testing.T) {}
func TestMain(m *testing.M) {
	m.Run()
	fmt.Println("a goroutine is left")
	os.Exit(1)
}
`,
	})
	run := GoTest(t.Context(), tree)
	got, note := run("good", []string{"TestPass/a part", "TestPass", "TestFail", "TestSkip", "TestNone"})
	want := map[string]string{"TestPass": "pass", "TestPass/a_part": "pass", "TestFail": "fail", "TestSkip": "skip"}
	if !maps.Equal(got, want) || note != "" {
		t.Errorf("good: %v, %q", got, note)
	}
	if got, note := run("bad", []string{"TestX"}); len(got) != 0 || !strings.Contains(note, "undefined: testing") {
		t.Errorf("bad: %v, %q", got, note)
	}
	if got, note := run("leaky", []string{"TestPass"}); got["TestPass"] != "pass" || !strings.Contains(note, "a goroutine is left") {
		t.Errorf("leaky: %v, %q", got, note)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, note := GoTest(gone, tree)("good", []string{"TestPass"}); len(got) != 0 || !strings.Contains(note, "did not run through") {
		t.Errorf("cancelled: %v, %q", got, note)
	}
	if got, note := run("good", []string{"TestNone"}); len(got) != 0 || note != "" {
		t.Errorf("nothing to run: %v, %q", got, note)
	}
}

func TestRunPattern(t *testing.T) {
	if got := runPattern([]string{"TestB/x", "TestA", "TestB", "Test.C"}); got != `^(TestA|TestB|Test\.C)$` {
		t.Error(got)
	}
}

// TestHouseRows: what stands before the matrix turns red when it should.
func TestHouseRows(t *testing.T) {
	tree := small(t)
	house := func(rows []Row, checks map[string][]Finding) string {
		all, err := House(tree, rows, checks)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, j := range all {
			b.WriteString(j.Row.ID + " " + string(j.Status) + " ")
		}
		return strings.TrimSpace(b.String())
	}
	rows := Matrix()
	if got := house(rows, nil); got != "ABI GREEN IMP GREEN SRC GREEN ALL GREEN" {
		t.Error(got)
	}
	if got := house(rows[1:], map[string][]Finding{"types": {{File: "x.go"}}}); got != "ABI GREEN IMP GREEN SRC RED ALL RED" {
		t.Error(got)
	}
	change(t, tree, "protocol/words.go", "MaxB =", "maxB =")
	write(t, filepath.Join(tree, "lost", "l.go"), "package lost\n")
	if got := house(rows, nil); got != "ABI RED IMP RED SRC GREEN ALL GREEN" {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(tree, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if _, err := House(tree, rows, nil); err == nil {
		t.Error("a folder without a module is a house")
	}
}

func TestWriteMatrix(t *testing.T) {
	var b bytes.Buffer
	all := []Judgement{
		{Row: Row{ID: "K1", Says: "one", Requirements: "S2-1", Checks: []string{"map"}, Evidence: tests("kernel", "TestA")}, Status: Green},
		{Row: Row{ID: "K2", Says: "two", Requirements: "S2-2", Evidence: tests("kernel", "TestB")}, Status: Red, Why: []string{"kernel.TestB: fail"}},
		{Row: Row{ID: "K3", Says: "three", Requirements: "S2-3", Open: "issue 12"}, Status: Open, Why: []string{"waits for issue 12"}},
	}
	if err := WriteMatrix(&b, all); err != nil {
		t.Fatal(err)
	}
	want := `K1  GREEN  one (S2-1)
           check map, kernel.TestA
K2  RED    two (S2-2)
           - kernel.TestB: fail
K3  OPEN   three (S2-3)
           - waits for issue 12
`
	if b.String() != want || Count(all, Red) != 1 || Count(all, Green) != 1 || Count(all, Open) != 1 {
		t.Errorf("%q", b.String())
	}
}
