package calculator

import (
	"fmt"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Precisions, in significant digits.
const (
	// exactDigits is more than the whole quotient of two values within bounds has,
	// which is 2*MaxDigits, so that it is never rounded.
	exactDigits = 2*MaxDigits + 10
	// quotientDigits is what cannot be exact has.
	quotientDigits = 34
	// guardDigits are what a series computes with: a power's exponent times a
	// logarithm may have four digits before the point, and each loses one behind.
	guardDigits = quotientDigits + 16
	// rootDigits are what a root looks at: twice its own, for squares, and guards.
	rootDigits = 2 * guardDigits
)

// Costs in units of MaxWork, from measurement: a unit is about five microseconds
// and as many KiB passed through. Nothing keeps the memory.
const (
	costPlain  = 1
	costDivide = 3
	costPower  = 8
	costSeries = 60 // one logarithm or exponential; a power takes both
	// costDigits is how many digits of its operands cost an operator one unit more.
	costDigits = 256
)

// tooLong says what is wrong with a value beyond MaxDigits.
var tooLong = fmt.Sprintf("the value is too long; a value has at most %d digits", MaxDigits)

func refuse(class Class, message string) error { return &Error{Class: class, Message: message} }

// exact computes sums and products without rounding, which is what a precision of
// 0 means; settle refuses what grew too long.
func exact() *apd.Context { return apd.BaseContext.WithPrecision(0) }

// whole computes what has a whole quotient in it, without rounding it.
func whole() *apd.Context { return apd.BaseContext.WithPrecision(exactDigits) }

// rounded computes what cannot be exact, half to even.
func rounded(digits uint32) *apd.Context {
	c := apd.BaseContext.WithPrecision(digits)
	c.Rounding = apd.RoundHalfEven
	return c
}

// apply computes one operator.
func (p *parser) apply(op string, a, b *apd.Decimal, at int) (*apd.Decimal, error) {
	if err := p.spend(cost(op, a, b), at); err != nil {
		return nil, err
	}
	v := new(apd.Decimal)
	var err error
	switch op {
	case "+":
		_, err = exact().Add(v, a, b)
	case "-":
		_, err = exact().Sub(v, a, b)
	case "*", "×":
		_, err = exact().Mul(v, a, b)
	case "**":
		v, err = power(a, b)
	case "//", "%":
		v, err = remainder(op, a, b)
	default:
		v, err = quotient(a, b)
	}
	return settle(v, err, at)
}

// cost is an operator's, known before it is computed: short values are cheap, so
// that a long sum of them is not refused for what long ones would take.
func cost(op string, a, b *apd.Decimal) int {
	digits := int(length(a)+length(b)) / costDigits
	switch op {
	case "+", "-", "*", "×":
		return costPlain + digits
	case "**":
		if _, ok := exactPower(a, b); !ok {
			return 2 * costSeries
		}
		return costPower + digits
	}
	return costDivide + digits
}

// quotient is exact if it is whole.
func quotient(a, b *apd.Decimal) (*apd.Decimal, error) {
	if b.IsZero() {
		return nil, refuse(Domain, "this divides by zero; make the divisor another number")
	}
	v := new(apd.Decimal)
	rounding, err := rounded(quotientDigits).Quo(v, a, b)
	if err != nil || !rounding.Inexact() {
		return v, err
	}
	rest := new(apd.Decimal)
	if _, err := whole().Rem(rest, a, b); err != nil {
		return nil, err
	}
	if rest.IsZero() {
		_, err = whole().QuoInteger(v, a, b)
	}
	return v, err
}

// remainder rounds the quotient down, so that a == (a//b)*b + a%b and the
// remainder has the divisor's sign.
func remainder(op string, a, b *apd.Decimal) (*apd.Decimal, error) {
	if b.IsZero() {
		return nil, refuse(Domain, "this divides by zero; make the divisor another number")
	}
	c, down, rest := whole(), new(apd.Decimal), new(apd.Decimal)
	if _, err := c.QuoInteger(down, a, b); err != nil {
		return nil, err
	}
	if _, err := c.Rem(rest, a, b); err != nil {
		return nil, err
	}
	if !rest.IsZero() && rest.Negative != b.Negative {
		if _, err := c.Sub(down, down, apd.New(1, 0)); err != nil {
			return nil, err
		}
		if _, err := c.Add(rest, rest, b); err != nil {
			return nil, err
		}
	}
	if op == "//" {
		return down, nil
	}
	return rest, nil
}

// power is exact where exactPower says so, and a series otherwise. A whole
// exponent may be as large as it likes there: only the value is bounded.
func power(a, b *apd.Decimal) (*apd.Decimal, error) {
	switch {
	case b.IsZero():
		return apd.New(1, 0), nil
	case a.IsZero() && b.Negative:
		return nil, refuse(Domain, "this divides by zero; a power of 0 has an exponent that is not negative")
	case a.IsZero():
		return new(apd.Decimal), nil
	case a.Negative && b.Exponent < 0:
		return nil, refuse(Domain, "a negative number has no power that is not whole; use a whole exponent")
	}
	if n, ok := exactPower(a, b); ok {
		return repeated(a, n)
	}
	t := new(apd.Decimal)
	if _, err := rounded(guardDigits).Ln(t, new(apd.Decimal).Abs(a)); err != nil {
		return nil, err
	}
	if _, err := rounded(guardDigits).Mul(t, t, b); err != nil {
		return nil, err
	}
	v, err := exponential(t)
	if err == nil {
		v.Negative = a.Negative && b.Exponent == 0 && b.Coeff.Bit(0) == 1
	}
	return v, err
}

// exactPower tells whether a power is computed by multiplication, and its whole
// exponent. A whole base needs no more than 4*MaxDigits, since 2 to that is too
// long; a base with decimals has the exponent's multiple of digits.
func exactPower(a, b *apd.Decimal) (int64, bool) {
	n, err := b.Int64()
	if err != nil || n > 4*MaxDigits || n < -4*MaxDigits {
		return 0, false
	}
	return n, a.Exponent >= 0 || a.NumDigits()*max(n, -n) <= MaxDigits
}

// repeated multiplies by squaring and stops as soon as the value must be too long.
func repeated(a *apd.Decimal, n int64) (*apd.Decimal, error) {
	c, v, square := exact(), apd.New(1, 0), new(apd.Decimal).Set(a)
	for m := max(n, -n); m > 0; m >>= 1 {
		if m&1 == 1 {
			if _, err := c.Mul(v, v, square); err != nil {
				return nil, err
			}
		}
		if length(v) > 2*MaxDigits || m > 1 && length(square) > MaxDigits {
			return nil, refuse(Limit, tooLong)
		}
		if m > 1 {
			if _, err := c.Mul(square, square, square); err != nil {
				return nil, err
			}
		}
	}
	if n < 0 {
		return quotient(apd.New(1, 0), v)
	}
	return v, nil
}

// exponential is e to the t. It looks at the size first: beyond it the value has
// more than MaxDigits digits, before or behind the point.
func exponential(t *apd.Decimal) (*apd.Decimal, error) {
	const most = 2303 // just over MaxDigits times ln 10
	if new(apd.Decimal).Abs(t).Cmp(apd.New(most, 0)) > 0 {
		return nil, refuse(Limit, tooLong)
	}
	short, v := new(apd.Decimal), new(apd.Decimal)
	if _, err := rounded(guardDigits).Round(short, t); err != nil {
		return nil, err
	}
	if _, err := rounded(guardDigits).Exp(v, short); err != nil {
		return nil, err
	}
	_, err := rounded(quotientDigits).Round(v, v)
	return v, err
}

// length is the digits a value has when it is written without exponent, the 0
// before a point included as the lexer counts it: every value can be read again.
func length(v *apd.Decimal) int64 {
	digits, exponent := v.NumDigits(), int64(v.Exponent)
	return max(digits, digits+exponent, 1-exponent)
}

// trimmed is a value without the zeros at the end of its decimals, so that they
// never count as digits and a whole value has no negative exponent.
func trimmed(v *apd.Decimal) *apd.Decimal {
	if v.Exponent >= 0 || v.Coeff.Bit(0) == 1 { // a multiple of ten is even
		return v
	}
	digits := v.Coeff.String()
	zeros := len(digits) - len(strings.TrimRight(digits, "0"))
	zeros = min(zeros, int(-v.Exponent))
	if zeros == 0 {
		return v
	}
	out := &apd.Decimal{Negative: v.Negative, Exponent: v.Exponent + int32(zeros)}
	out.Coeff.SetString(digits[:len(digits)-zeros], 10)
	return out
}
