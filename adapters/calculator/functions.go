package calculator

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

// functionNames are what lookup knows, for the message that refuses another name.
const functionNames = "abs, avg, ceil, exp, floor, ln, log, max, min, round, sqrt or sum"

// function takes from one to most arguments, and costs so much for each.
type function struct {
	most, cost int
	call       func(args []*apd.Decimal) (*apd.Decimal, error)
}

func lookup(name string) (function, bool) {
	switch name {
	case "abs":
		return function{1, costPlain, abs}, true
	case "avg":
		return function{MaxArguments, costPlain, average}, true
	case "ceil":
		return function{1, costDivide, of(whole().Ceil)}, true
	case "exp":
		return function{1, costSeries, exp}, true
	case "floor":
		return function{1, costDivide, of(whole().Floor)}, true
	case "ln":
		return function{1, costSeries, logarithm(rounded(quotientDigits).Ln)}, true
	case "log":
		return function{1, costSeries, logarithm(rounded(quotientDigits).Log10)}, true
	case "max":
		return function{MaxArguments, costPlain, largest}, true
	case "min":
		return function{MaxArguments, costPlain, smallest}, true
	case "round":
		return function{2, costDivide, round}, true
	case "sqrt":
		return function{1, costDivide, root}, true
	case "sum":
		return function{MaxArguments, costPlain, total}, true
	}
	return function{}, false
}

// constant gives a constant's digits.
func constant(name string) (string, bool) {
	switch name {
	case "pi":
		return "3.141592653589793238462643383279503", true
	case "e":
		return "2.718281828459045235360287471352662", true
	}
	return "", false
}

// of makes a function of one argument from a decimal operation.
func of(f func(v, x *apd.Decimal) (apd.Condition, error)) func([]*apd.Decimal) (*apd.Decimal, error) {
	return func(args []*apd.Decimal) (*apd.Decimal, error) {
		v := new(apd.Decimal)
		_, err := f(v, args[0])
		return v, err
	}
}

func abs(args []*apd.Decimal) (*apd.Decimal, error) {
	return new(apd.Decimal).Abs(args[0]), nil
}

func exp(args []*apd.Decimal) (*apd.Decimal, error) { return exponential(args[0]) }

func logarithm(f func(v, x *apd.Decimal) (apd.Condition, error)) func([]*apd.Decimal) (*apd.Decimal, error) {
	return func(args []*apd.Decimal) (*apd.Decimal, error) {
		if args[0].Sign() <= 0 {
			return nil, refuse(Domain, "only a number above 0 has a logarithm")
		}
		return of(f)(args)
	}
}

func root(args []*apd.Decimal) (*apd.Decimal, error) {
	if args[0].Negative {
		return nil, refuse(Domain, "a negative number has no square root; use one that is not negative")
	}
	short, v := new(apd.Decimal), new(apd.Decimal)
	if _, err := rounded(rootDigits).Round(short, args[0]); err != nil {
		return nil, err
	}
	_, err := rounded(quotientDigits).Sqrt(v, short)
	return v, err
}

func largest(args []*apd.Decimal) (*apd.Decimal, error) {
	v := args[0]
	for _, x := range args[1:] {
		if x.Cmp(v) > 0 {
			v = x
		}
	}
	return v, nil
}

func smallest(args []*apd.Decimal) (*apd.Decimal, error) {
	v := args[0]
	for _, x := range args[1:] {
		if x.Cmp(v) < 0 {
			v = x
		}
	}
	return v, nil
}

func total(args []*apd.Decimal) (*apd.Decimal, error) {
	c, v := exact(), new(apd.Decimal)
	for _, x := range args {
		if _, err := c.Add(v, v, x); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func average(args []*apd.Decimal) (*apd.Decimal, error) {
	v, err := total(args)
	if err != nil {
		return nil, err
	}
	return quotient(v, apd.New(int64(len(args)), 0))
}

// round rounds half away from zero, to a number of places behind the point, or
// before it if that is negative.
func round(args []*apd.Decimal) (*apd.Decimal, error) {
	places := new(apd.Decimal)
	if len(args) == 2 {
		places = args[1]
	}
	if places.Exponent < 0 {
		return nil, refuse(Domain, "round takes a whole number of places")
	}
	n, err := places.Int64()
	if err != nil || n > MaxPlaces || n < -MaxPlaces {
		return nil, refuse(Limit, fmt.Sprintf("round takes at most %d places", MaxPlaces))
	}
	c := whole()
	c.Rounding = apd.RoundHalfUp
	v := new(apd.Decimal)
	_, err = c.Quantize(v, args[0], int32(-n))
	return v, err
}
