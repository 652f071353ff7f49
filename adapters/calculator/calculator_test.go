package calculator

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
)

// runs is a string written as its parts repeated, see the corpus's encoding.
type runs string

func (r *runs) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*r = runs(s)
		return nil
	}
	var doc struct {
		Runs [][2]json.RawMessage `json:"$runs"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return err
	}
	var out strings.Builder
	for _, run := range doc.Runs {
		var unit string
		var times int
		if err := errors.Join(json.Unmarshal(run[0], &unit), json.Unmarshal(run[1], &times)); err != nil {
			return err
		}
		out.WriteString(strings.Repeat(unit, times))
	}
	*r = runs(out.String())
	return nil
}

// TestCorpus runs every case of the corpus, the controls included.
func TestCorpus(t *testing.T) {
	raw, err := os.ReadFile("testdata/calculator-open.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Counts struct{ Abuse, Control int }
		Cases  []struct {
			ID     string
			Input  struct{ Expression runs }
			Expect struct {
				Kind  string
				Value json.Number
				Tol   float64 `json:"relTol"`
				AnyOf []string
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if want := doc.Counts.Abuse + doc.Counts.Control; len(doc.Cases) != want || want == 0 {
		t.Fatalf("%d cases, want %d", len(doc.Cases), want)
	}
	for _, c := range doc.Cases {
		t.Run(c.ID, func(t *testing.T) {
			got, err := Evaluate(context.Background(), string(c.Input.Expression))
			var bad *Error
			switch {
			case c.Expect.Kind == "value":
				if err != nil || !near(got, string(c.Expect.Value), c.Expect.Tol) {
					t.Errorf("%q, %v, want %s", got, err, c.Expect.Value)
				}
			case err == nil:
				if !slices.Contains(c.Expect.AnyOf, "value") && !slices.Contains(c.Expect.AnyOf, "value:"+got) {
					t.Errorf("it has the value %q, want one of %v", got, c.Expect.AnyOf)
				}
			case !errors.As(err, &bad) || !slices.Contains(c.Expect.AnyOf, string(bad.Class)):
				t.Errorf("%v, want one of %v", err, c.Expect.AnyOf)
			}
		})
	}
}

func near(got, want string, tol float64) bool {
	g, ok := new(big.Rat).SetString(got)
	w, _ := new(big.Rat).SetString(want)
	if !ok {
		return false
	}
	diff := new(big.Rat).Sub(g, w)
	limit := new(big.Rat).Mul(new(big.Rat).Abs(w), new(big.Rat).SetFloat64(tol))
	return diff.Abs(diff).Cmp(limit) <= 0
}

func TestValues(t *testing.T) {
	for in, want := range map[string]string{
		"0.1+0.2": "0.3", "1200*1.5": "1800", "-2**2": "-4", "2**-1": "0.5", "2**3**2": "512", "2*-3": "-6", "--1": "1",
		"7//2": "3", "-7//2": "-4", "7//-2": "-4", "-7%3": "2", "7%-3": "-2", "5.5%2": "1.5", "1e3": "1000", ".5": "0.5", "1.": "1",
		"1/3": "0.3333333333333333333333333333333333", "2/3": "0.6666666666666666666666666666666667", "6÷4×2": "3",
		"(10**50+5)/5": "20000000000000000000000000000000000000000000000001", "10**30/10**28": "100",
		"max(1,3,2)": "3", "min(4,2)": "2", "max(-1)": "-1", "sum(1,2,3)": "6", "avg(1,2)": "1.5", "avg(1,1,2)": "1.333333333333333333333333333333333",
		"round(2.5)": "3", "round(-2.5)": "-3", "round(1.005,2)": "1.01", "round(1250,-2)": "1300", "round(4,-3)": "0", "round(-0.4)": "0",
		"sqrt(16)": "4", "sqrt(2)": "1.414213562373095048801688724209698", "sqrt(0)": "0", "abs(-3)": "3", "floor(-1.5)": "-2", "ceil(1.2)": "2", "ceil(-0.5)": "0",
		"log(1000)": "3", "ln(1)": "0", "ln(2)": "0.6931471805599453094172321214581766", "exp(0)": "1", "exp(1)-e": "0", "pi": "3.141592653589793238462643383279503",
		"((1))": "1", "1 + 2 * 3": "7", "2^10": "1024", "100000000000000000000*3": "300000000000000000000", "1.50": "1.5", "100": "100",
		"0**0": "1", "0**5": "0", "1.0**1000": "1", "1**1000000000": "1", "(-1)**1000000001": "-1", "(-1)**1e999": "1", "0**1000000000": "0",
		"(-2)**3": "-8", "(-2)**2.0": "4", "(-1)**1000000002": "1", "round(2.55,1.0)": "2.6", "(1e999-1)*1.0/1.0+1-1e999": "0", "sqrt(-0.0)": "0", "(-2)**-2": "0.25", "4**0.5": "2", "4**-0.5": "0.5", "(1+1e-900)**(1e900+0.5)": "2.718281828459045235360287471352662",
		"1.0005**3650": "6.199966581936792067338759459978465", "10**-3": "0.001", "-(0.0)": "0", "0*-1": "0", "-0.0+0": "0", "1e999*1e-999": "1",
	} {
		if got, err := Evaluate(context.Background(), in); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", in, got, err, want)
		}
	}
}

// TestErrors gives every refusal its class and its place.
func TestErrors(t *testing.T) {
	for in, want := range map[string]Error{
		"": {Class: Syntax}, "1+": {Class: Syntax, Offset: 2}, "1 2": {Class: Syntax, Offset: 2}, "(1": {Class: Syntax, Offset: 2},
		"(1,2)": {Class: Syntax, Offset: 2}, "1,2": {Class: Syntax, Offset: 1}, "max()": {Class: Syntax, Offset: 4}, "()": {Class: Syntax, Offset: 1},
		"1..2": {Class: Syntax}, ".": {Class: Syntax}, "1e+": {Class: Syntax, Offset: 3}, "0x10": {Class: Syntax, Offset: 1}, "1_0": {Class: Syntax, Offset: 1},
		"2***3": {Class: Syntax, Offset: 3}, "50%": {Class: Syntax, Offset: 3}, "sqrt(1,2)": {Class: Syntax}, "round(1,2,3)": {Class: Syntax},
		"1\xff": {Class: Syntax, Offset: 1}, "1\u00a0+1": {Class: Syntax, Offset: 1}, "\ufeff1": {Class: Syntax}, "١": {Class: Syntax}, "1−1": {Class: Syntax, Offset: 1},
		"1 + x": {Class: Name, Offset: 4}, "inf": {Class: Name}, "NaN": {Class: Name}, "PI": {Class: Name}, "eval(1)": {Class: Name}, "pi(1)": {Class: Name}, "max": {Class: Name},
		"1/0": {Class: Domain, Offset: 1}, "0/0": {Class: Domain, Offset: 1}, "1//0.0": {Class: Domain, Offset: 1}, "1%(1-1)": {Class: Domain, Offset: 1},
		"0**-0.5": {Class: Domain, Offset: 1}, "0**-1e999": {Class: Domain, Offset: 1}, "(-8)**0.5": {Class: Domain, Offset: 4}, "sqrt(-1)": {Class: Domain},
		"ln(0)": {Class: Domain}, "log(-1)": {Class: Domain}, "round(2.5,0.5)": {Class: Domain},
		"1e1000": {Class: Limit}, "1e1001": {Class: Limit, Offset: 2}, "1e-1001": {Class: Limit, Offset: 3}, "1e99999999999999999999": {Class: Limit, Offset: 2},
		"1e999*10": {Class: Limit, Offset: 5}, "1e-999/100": {Class: Limit, Offset: 6}, "1e999+1e-999": {Class: Limit, Offset: 5}, "1e999//1e-999": {Class: Limit, Offset: 5},
		"exp(2303)": {Class: Limit}, "exp(-1e900)": {Class: Limit}, "2**1000000000": {Class: Limit, Offset: 1}, "0.5**1e999": {Class: Limit, Offset: 3},
		"1.5**1e9": {Class: Limit, Offset: 3}, "2**-1e9": {Class: Limit, Offset: 1}, "9**9**9": {Class: Limit, Offset: 1}, "round(1,101)": {Class: Limit}, "round(1,-1e900)": {Class: Limit},
	} {
		got, err := Evaluate(context.Background(), in)
		var bad *Error
		if !errors.As(err, &bad) || bad.Class != want.Class || bad.Offset != want.Offset {
			t.Errorf("%q = %q, %v, want %s at %d", in, got, err, want.Class, want.Offset)
		}
	}
}

// TestNames: every function that the message offers is there.
func TestNames(t *testing.T) {
	for _, name := range strings.Fields(strings.NewReplacer(",", "", " or ", " ").Replace(functionNames)) {
		if _, ok := lookup(name); !ok {
			t.Errorf("%s is offered and not there", name)
		}
	}
}

// stopping is a context that is done after so many looks at it.
type stopping struct {
	context.Context
	looks int
}

func (s *stopping) Err() error {
	if s.looks--; s.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelled(t *testing.T) {
	for _, expression := range []string{"1", "1+1", "(1)", "max(1,2)", "-1", strings.Repeat("1+", 100) + "1"} {
		if _, err := Evaluate(&stopping{context.Background(), 0}, expression); !errors.Is(err, context.Canceled) {
			t.Errorf("%s is not stopped before: %v", expression, err)
		}
	}
	if _, err := Evaluate(&stopping{context.Background(), 50}, strings.Repeat("1+", 100)+"1"); !errors.Is(err, context.Canceled) {
		t.Errorf("it is not stopped on the way: %v", err)
	}
}
