package calculator

import (
	"github.com/cockroachdb/apd/v3"
)

// exact computes sums and products without rounding; bounded refuses what grew
// too long.
func exact() *apd.Context {
	c := apd.BaseContext.WithPrecision(4*MaxDigits + 10)
	c.Traps = apd.DefaultTraps
	return c
}

// rounded computes what cannot be exact.
func rounded() *apd.Context {
	c := apd.BaseContext.WithPrecision(quotientDigits)
	c.MaxExponent, c.MinExponent = 4*MaxDigits, -4*MaxDigits
	c.Rounding = apd.RoundHalfEven
	return c
}

// apply computes one operator.
func (p *parser) apply(op string, a, b *apd.Decimal, at int) (*apd.Decimal, error) {
	if err := p.ctx.Err(); err != nil {
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
	default:
		if b.IsZero() {
			return nil, &Error{Domain, "this divides by zero", at}
		}
		v, err = divide(op, a, b)
	}
	return p.checked(v, err, at)
}

func divide(op string, a, b *apd.Decimal) (*apd.Decimal, error) {
	v := new(apd.Decimal)
	if op == "/" || op == "÷" {
		_, err := rounded().Quo(v, a, b)
		return v, err
	}
	// Rounded down, as in Python: the remainder has the divisor's sign.
	whole, rest := new(apd.Decimal), new(apd.Decimal)
	if _, err := exact().QuoInteger(whole, a, b); err != nil {
		return nil, err
	}
	if _, err := exact().Rem(rest, a, b); err != nil {
		return nil, err
	}
	if !rest.IsZero() && rest.Negative != b.Negative {
		if _, err := exact().Sub(whole, whole, apd.New(1, 0)); err != nil {
			return nil, err
		}
		if _, err := exact().Add(rest, rest, b); err != nil {
			return nil, err
		}
	}
	if op == "//" {
		return whole, nil
	}
	return rest, nil
}

// maxPower bounds a whole exponent: beyond it every base but 0, 1 and -1 is too
// long, or too close to zero.
const maxPower = 100_000

// power is exact for whole exponents that are not negative.
func power(a, b *apd.Decimal) (*apd.Decimal, error) {
	v := new(apd.Decimal)
	n, err := b.Int64()
	if err != nil {
		if !whole(b) {
			if a.Negative && !a.IsZero() {
				return nil, errDomain
			}
			_, err := rounded().Pow(v, a, b)
			return v, err
		}
		n = maxPower + 1
	}
	if a.IsZero() && n < 0 {
		return nil, errDomain
	}
	if n > maxPower || n < -maxPower {
		return nil, &Error{Class: Limit, Message: "the exponent is too large"}
	}
	m := n
	if m < 0 {
		m = -m
	}
	v.SetInt64(1)
	for base := new(apd.Decimal).Set(a); m > 0; m >>= 1 {
		if m&1 == 1 {
			if _, err := exact().Mul(v, v, base); err != nil {
				return nil, err
			}
		}
		if m > 1 {
			if _, err := exact().Mul(base, base, base); err != nil {
				return nil, err
			}
		}
		if v.NumDigits() > 2*MaxDigits || base.NumDigits() > 2*MaxDigits {
			return nil, &Error{Class: Limit, Message: "the power is too large"}
		}
	}
	if n < 0 {
		_, err = rounded().Quo(v, apd.New(1, 0), v)
		return v, err
	}
	return v, nil
}

func whole(d *apd.Decimal) bool {
	frac := new(apd.Decimal)
	d.Modf(new(apd.Decimal), frac)
	return frac.IsZero()
}

// function finds a function by name.
func function(name string) (func([]*apd.Decimal) (*apd.Decimal, error), bool) {
	switch name {
	case "abs":
		return one(func(v, x *apd.Decimal) (apd.Condition, error) { v.Abs(x); return 0, nil }), true
	case "ceil":
		return one(exact().Ceil), true
	case "floor":
		return one(exact().Floor), true
	case "sqrt":
		return one(func(v, x *apd.Decimal) (apd.Condition, error) {
			if x.Negative && !x.IsZero() {
				return 0, errDomain
			}
			return rounded().Sqrt(v, x)
		}), true
	case "exp":
		return one(rounded().Exp), true
	case "ln", "log":
		return one(func(v, x *apd.Decimal) (apd.Condition, error) {
			if x.Sign() <= 0 {
				return 0, errDomain
			}
			if name == "log" {
				return rounded().Log10(v, x)
			}
			return rounded().Ln(v, x)
		}), true
	case "round":
		return round, true
	case "max":
		return fold(func(a, b *apd.Decimal) (*apd.Decimal, error) {
			if a.Cmp(b) < 0 {
				return b, nil
			}
			return a, nil
		}), true
	case "min":
		return fold(func(a, b *apd.Decimal) (*apd.Decimal, error) {
			if a.Cmp(b) > 0 {
				return b, nil
			}
			return a, nil
		}), true
	case "sum":
		return fold(add), true
	case "avg":
		return func(args []*apd.Decimal) (*apd.Decimal, error) {
			total, err := fold(add)(args)
			if err != nil {
				return nil, err
			}
			return divide("/", total, apd.New(int64(len(args)), 0))
		}, true
	}
	return nil, false
}

func add(a, b *apd.Decimal) (*apd.Decimal, error) {
	v := new(apd.Decimal)
	_, err := exact().Add(v, a, b)
	return v, err
}

func one(f func(v, x *apd.Decimal) (apd.Condition, error)) func([]*apd.Decimal) (*apd.Decimal, error) {
	return func(args []*apd.Decimal) (*apd.Decimal, error) {
		if len(args) != 1 {
			return nil, &Error{Class: Syntax, Message: "this function has one argument"}
		}
		v := new(apd.Decimal)
		_, err := f(v, args[0])
		return v, err
	}
}

func fold(f func(a, b *apd.Decimal) (*apd.Decimal, error)) func([]*apd.Decimal) (*apd.Decimal, error) {
	return func(args []*apd.Decimal) (*apd.Decimal, error) {
		v := args[0]
		var err error
		for _, x := range args[1:] {
			if v, err = f(v, x); err != nil {
				return nil, err
			}
		}
		return v, nil
	}
}

// round rounds half away from zero, to a number of places.
func round(args []*apd.Decimal) (*apd.Decimal, error) {
	places := int64(0)
	if len(args) == 2 {
		n, err := args[1].Int64()
		if err != nil || n > MaxPlaces || n < -MaxPlaces {
			return nil, &Error{Class: Limit, Message: "round takes up to 100 places"}
		}
		places = n
	} else if len(args) != 1 {
		return nil, &Error{Class: Syntax, Message: "round has one or two arguments"}
	}
	c := exact()
	c.Rounding = apd.RoundHalfUp
	v := new(apd.Decimal)
	_, err := c.Quantize(v, args[0], int32(-places))
	return v, err
}
