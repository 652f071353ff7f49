package calculator

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tree draws an expression of + - * signs and parentheses, with its value as a
// rational computed beside it. Every operand is in parentheses unless it is a
// number, so the value does not depend on the grammar's strengths.
func tree(t *rapid.T, depth int) (string, *big.Rat) {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		s := rapid.StringMatching(`[0-9]{1,12}(\.[0-9]{1,8})?(e-?[0-9])?`).Draw(t, "number")
		v, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is no rational", s)
		}
		return s, v
	}
	a, x := tree(t, depth-1)
	switch op := rapid.SampledFrom([]string{"+", "-", "*", "neg"}).Draw(t, "op"); op {
	case "neg":
		return "-(" + a + ")", new(big.Rat).Neg(x)
	default:
		b, y := tree(t, depth-1)
		v := new(big.Rat)
		switch op {
		case "+":
			v.Add(x, y)
		case "-":
			v.Sub(x, y)
		case "*":
			v.Mul(x, y)
		}
		return "(" + a + ")" + op + "(" + b + ")", v
	}
}

// evaluate gives a value as a rational; an expression must have one.
func evaluate(t *rapid.T, format string, args ...any) *big.Rat {
	expression := fmt.Sprintf(format, args...)
	s, err := Evaluate(context.Background(), expression)
	v, ok := new(big.Rat).SetString(s)
	if err != nil || !ok {
		t.Fatalf("%s = %q, %v", expression, s, err)
	}
	return v
}

// TestTrees: sums, differences and products are exact.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expression, want := tree(t, 5)
		if got := evaluate(t, "%s", expression); got.Cmp(want) != 0 {
			t.Fatalf("%s = %s, want %s", expression, got.RatString(), want.RatString())
		}
	})
}

// TestStrengths: without parentheses, products come before sums and both go from
// left to right.
func TestStrengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expression, total, product, minus := "", new(big.Rat), new(big.Rat), false
		add := func() {
			if minus {
				product.Neg(product)
			}
			total.Add(total, product)
		}
		for i := range rapid.IntRange(1, 20).Draw(t, "numbers") {
			n := rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,4})?`).Draw(t, "number")
			v, _ := new(big.Rat).SetString(n)
			op := rapid.SampledFrom([]string{"+", "-", "*", " - ", "\t*\n"}).Draw(t, "op")
			if i == 0 {
				expression, product = n, v
				continue
			}
			expression += op + n
			if op == "*" || op == "\t*\n" {
				product.Mul(product, v)
				continue
			}
			add()
			product, minus = v, op != "+"
		}
		add()
		if got := evaluate(t, "%s", expression); got.Cmp(total) != 0 {
			t.Fatalf("%s = %s, want %s", expression, got.RatString(), total.RatString())
		}
	})
}

// TestQuotients: a quotient is within half a unit of its last digit, // and % fit
// together, and a whole quotient is exact.
func TestQuotients(t *testing.T) {
	half := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(quotientDigits-1), nil))
	half.Quo(half, big.NewRat(2, 1))
	rapid.Check(t, func(t *rapid.T) {
		a, x := tree(t, 3)
		b, y := tree(t, 3)
		if y.Sign() == 0 {
			return
		}
		want := new(big.Rat).Quo(x, y)
		off := new(big.Rat).Sub(evaluate(t, "(%s)/(%s)", a, b), want)
		if off.Abs(off).Cmp(new(big.Rat).Mul(half, new(big.Rat).Abs(want))) > 0 && !want.IsInt() || want.IsInt() && off.Sign() != 0 {
			t.Fatalf("(%s)/(%s) is off by %s", a, b, off.FloatString(50))
		}
		down, rest := evaluate(t, "(%s)//(%s)", a, b), evaluate(t, "(%s)%%(%s)", a, b)
		back := new(big.Rat).Mul(down, y)
		if back.Add(back, rest).Cmp(x) != 0 || !down.IsInt() {
			t.Fatalf("(%s)//(%s) = %s and the rest is %s", a, b, down.RatString(), rest.RatString())
		}
		if rest.Sign() != 0 && rest.Sign() != y.Sign() || new(big.Rat).Abs(rest).Cmp(new(big.Rat).Abs(y)) >= 0 {
			t.Fatalf("(%s)%%(%s) = %s", a, b, rest.RatString())
		}
	})
}

// TestPowers: a whole power of a whole number is exact, and the series, which is
// asked through decimals that cancel, agrees to its digits.
func TestPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-1e6, 1e6).Draw(t, "a")
		n := rapid.Int64Range(0, 160).Draw(t, "n")
		want := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(a), big.NewInt(n), nil))
		if got := evaluate(t, "(%d)**%d", a, n); got.Cmp(want) != 0 {
			t.Fatalf("(%d)**%d = %s", a, n, got.RatString())
		}
		if a <= 0 {
			return
		}
		got := evaluate(t, "%d**(%d.5)/sqrt(%d)", a, n, a)
		near := new(big.Rat).Quo(got, want)
		off := near.Sub(near, big.NewRat(1, 1)).Abs(near)
		if digits := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(quotientDigits-2), nil)); off.Cmp(digits) > 0 {
			t.Fatalf("%d**%d.5 is off by %s", a, n, off.FloatString(50))
		}
	})
}

// FuzzEvaluate: whatever comes in, there is a value within bounds that evaluates
// to itself, or an error of a known class at a place that is there.
func FuzzEvaluate(f *testing.F) {
	for _, s := range append(
		heavy(), "1+2", "max(1,2)", "2**0.5", "((", "1e5", "-(-1)", "π", "9//0", "1\x00", "0**-1", "1,000", "round(2.5,1)", "-0.0", "(-8)**(1/3)", "1.0**1e999", "1e-1000",
	) {
		f.Add(s[:min(len(s), fuzzBytes)])
	}
	classes := []Class{Syntax, Name, Domain, Limit}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > fuzzBytes {
			return
		}
		v, err := Evaluate(context.Background(), s)
		var bad *Error
		switch {
		case errors.As(err, &bad):
			if !slices.Contains(classes, bad.Class) || bad.Offset < 0 || bad.Offset > len(s) || bad.Message == "" {
				t.Fatalf("%q: %+v", s, bad)
			}
		case err != nil:
			t.Fatalf("%q: %v", s, err)
		case len(v) > MaxDigits+len("-."):
			t.Fatalf("%q has a value of %d bytes", s, len(v))
		default:
			if again, err := Evaluate(context.Background(), v); again != v || err != nil {
				t.Fatalf("%q = %q, which is %q, %v", s, v, again, err)
			}
		}
	})
}

// fuzzBytes caps what the fuzzer tries, so that it goes for kinds and not lengths.
const fuzzBytes = 512
