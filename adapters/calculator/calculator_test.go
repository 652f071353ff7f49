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

	"pgregory.net/rapid"
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
		Cases []struct {
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
		"0.1+0.2": "0.3", "1200*1.5": "1800", "-2**2": "-4", "2**-1": "0.5", "2**3**2": "512",
		"7//2": "3", "-7//2": "-4", "-7%3": "2", "7%-3": "-2", "1e3": "1000", "1/3": "0.3333333333333333333333333333333333",
		"max(1,3,2)": "3", "min(4,2)": "2", "round(2.5)": "3", "round(1.005,2)": "1.01", "sum(1,2,3)": "6", "avg(1,2)": "1.5",
		"sqrt(16)": "4", "abs(-3)": "3", "floor(-1.5)": "-2", "ceil(1.2)": "2", "log(1000)": "3", "((1))": "1", "1 + 2 * 3": "7",
		"2^10": "1024", "100000000000000000000*3": "300000000000000000000", "0**0": "1",
	} {
		if got, err := Evaluate(context.Background(), in); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", in, got, err, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Evaluate(ctx, "1+1"); !errors.Is(err, context.Canceled) {
		t.Errorf("not cancelled: %v", err)
	}
}

// TestAgainstRationals compares sums, differences and products with exact
// rationals.
func TestAgainstRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var expr strings.Builder
		want := new(big.Rat)
		for i := range rapid.IntRange(1, 12).Draw(t, "terms") {
			a := big.NewRat(rapid.Int64Range(0, 1<<40).Draw(t, "a"), 1)
			b := big.NewRat(rapid.Int64Range(0, 1<<20).Draw(t, "b"), 1000)
			term := new(big.Rat).Mul(a, b)
			minus := i > 0 && rapid.Bool().Draw(t, "minus")
			switch {
			case minus:
				expr.WriteString("-")
				want.Sub(want, term)
			default:
				if i > 0 {
					expr.WriteString("+")
				}
				want.Add(want, term)
			}
			expr.WriteString(a.FloatString(0) + "*" + b.FloatString(3))
		}
		got, err := Evaluate(context.Background(), expr.String())
		if err != nil || !near(got, want.FloatString(3), 0) {
			t.Fatalf("%s = %s, %v, want %s", expr.String(), got, err, want.FloatString(3))
		}
	})
}

func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{"1+2", "max(1,2)", "2**0.5", "((", "1e5", "-(-1)", "π", "9//0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 256 {
			return
		}
		v, err := Evaluate(context.Background(), s)
		var bad *Error
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%q: %v", s, err)
		}
		if len(v) > 4*MaxDigits {
			t.Fatalf("%q has a value of %d bytes", s, len(v))
		}
	})
}
