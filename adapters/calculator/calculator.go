// Package calculator evaluates arithmetic over exact decimals. It has a grammar
// of its own and no way to anything but numbers:
//
//	sum     = product { ("+" | "-") product }
//	product = sign { ("*" | "/" | "//" | "%" | "×" | "÷") sign }
//	sign    = ("+" | "-") sign | power
//	power   = atom [ ("**" | "^") sign ]          right to left, above a sign before it
//	atom    = number | name "(" sum { "," sum } ")" | constant | "(" sum ")"
//	number  = digits with at most one point, then optionally e, a sign and digits
//
// % is the remainder and never a percentage, // the quotient rounded down; the
// remainder has the divisor's sign. ^ is a power like **, and 0**0 is 1. The
// functions are abs, avg, ceil, exp, floor, ln, log (to base 10), max, min, round
// (half away from zero, optionally to a number of places), sqrt and sum; the
// constants are pi and e.
//
// Sums, products, remainders and whole powers of whole numbers are exact, and so
// is a quotient that is whole. Any other quotient, a root, a logarithm, and a
// power that is not whole or would be too long have 34 significant digits. What
// does not fit the bounds below is refused and never rounded to 0.
package calculator

import (
	"context"
	"fmt"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Class says what is wrong with an expression.
type Class string

// The classes of errors.
const (
	Syntax Class = "syntax" // it is not of the grammar
	Name   Class = "name"   // it uses a name that means nothing here
	Domain Class = "domain" // it has no value: a division by zero, a root of a negative number
	Limit  Class = "limit"  // it is larger than is allowed, or its value is
)

// Error refuses an expression.
type Error struct {
	// Class is what is wrong, Message says it in words.
	Class   Class
	Message string
	// Offset is the byte where it was noticed, from 0 to the expression's length.
	Offset int
}

// Error gives class, place and words.
func (e *Error) Error() string {
	return fmt.Sprintf("%s error at byte %d: %s", e.Class, e.Offset, e.Message)
}

// Bounds of an expression and its values. Beyond any of them the class is Limit.
const (
	// MaxBytes bounds the expression, blanks included.
	MaxBytes = 10_000
	// MaxDepth bounds its nesting: parentheses, calls, signs and powers.
	MaxDepth = 100
	// MaxArguments bounds the arguments of one function.
	MaxArguments = 1000
	// MaxDigits bounds the digits of a literal and of every value on the way,
	// written without exponent: before and after the point, zeros included.
	MaxDigits = 1000
	// MaxExponent bounds the exponent of a literal, either way.
	MaxExponent = 1000
	// MaxPlaces is the most places round may be asked for, either way.
	MaxPlaces = 100
	// MaxWork bounds an expression's operations, weighted by what they cost: see
	// the costs of operators and functions. A sum of 4000 terms is within it.
	MaxWork = 4000
)

// Evaluate gives an expression's value as plain text: no exponent, no trailing
// zeros, one zero without a sign, at most MaxDigits digits. The error is an
// *Error, or ctx's once it is done.
func Evaluate(ctx context.Context, expression string) (string, error) {
	p := &parser{ctx: ctx, lex: lexer{src: expression}}
	v, err := p.expression()
	if err != nil {
		return "", err
	}
	return text(v), nil
}

func text(v *apd.Decimal) string {
	s := v.Text('f')
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
