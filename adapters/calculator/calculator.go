// Package calculator evaluates arithmetic over exact decimals. It has a grammar
// of its own and no way to anything but numbers:
//
//	sum     = product { ("+" | "-") product }
//	product = sign { ("*" | "/" | "//" | "%" | "×" | "÷") sign }
//	sign    = ("+" | "-") sign | power
//	power   = atom [ ("**" | "^") sign ]          right to left, above a sign before it
//	atom    = number | name "(" [ sum { "," sum } ] ")" | constant | "(" sum ")"
//
// % is the remainder, // the quotient rounded down; ^ is a power like **. The
// names are abs, ceil, exp, floor, ln, log, max, min, round, sqrt, sum, avg and
// the constants pi and e. Sums and products are exact; a quotient, a root or a
// power that is not whole has 34 significant digits.
package calculator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/tool"
)

// Args are the calculator's arguments.
type Args struct {
	Expression string `json:"expression" jsonschema:"an arithmetic expression such as (1200 - 3.5) * 2 ** 10"`
}

// New makes the tool.
func New() ports.ToolV1 {
	return tool.New("calculator", "Evaluate an arithmetic expression exactly: + - * / // % ** parentheses, abs ceil exp floor ln log max min round sqrt sum avg, pi, e.",
		tool.ReadOnly, func(ctx context.Context, in Args) (tool.Result, error) {
			v, err := Evaluate(ctx, in.Expression)
			var bad *Error
			if errors.As(err, &bad) {
				return tool.Result{}, ports.Failed(bad.Error())
			}
			return tool.Result{Text: v}, err
		}, tool.Results(protocol.Workspace), tool.Timeout(5*time.Second))
}

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
	// Offset is the byte where it was noticed.
	Offset int
}

// Error gives class, place and words.
func (e *Error) Error() string {
	return fmt.Sprintf("%s error at byte %d: %s", e.Class, e.Offset, e.Message)
}

// Bounds of an expression and its values.
const (
	// MaxBytes bounds the expression.
	MaxBytes = 10_000
	// MaxDepth bounds its nesting.
	MaxDepth = 100
	// MaxArguments bounds the arguments of one function.
	MaxArguments = 1000
	// MaxDigits bounds the digits of a literal and of every value.
	MaxDigits = 1000
	// MaxPlaces is the most places round may be asked for.
	MaxPlaces = 100
)
