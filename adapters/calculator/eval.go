package calculator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// quotientDigits is the precision of what cannot be exact.
const quotientDigits = 34

// Evaluate gives an expression's value as plain text. The error is an *Error, or
// ctx's.
func Evaluate(ctx context.Context, expression string) (string, error) {
	if len(expression) > MaxBytes {
		return "", &Error{Limit, fmt.Sprintf("an expression has at most %d bytes", MaxBytes), MaxBytes}
	}
	p := &parser{ctx: ctx, lex: lexer{src: expression}}
	if err := p.advance(); err != nil {
		return "", err
	}
	v, err := p.sum()
	if err != nil {
		return "", err
	}
	if p.tok.kind != tokenEnd {
		return "", p.syntax("the end")
	}
	return text(v), nil
}

// text writes a value without exponent and trailing zeros; there is one zero.
func text(v *apd.Decimal) string {
	if v.IsZero() {
		return "0"
	}
	s := v.Text('f')
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// parser evaluates while it parses. depth bounds its recursion.
type parser struct {
	ctx   context.Context
	lex   lexer
	tok   token
	depth int
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

func (p *parser) syntax(want string) error {
	return &Error{Syntax, "there should be " + want + " here, not " + p.tok.text, p.tok.at}
}

func (p *parser) sign(options ...string) (string, bool) {
	if p.tok.kind != tokenSign {
		return "", false
	}
	for _, o := range options {
		if p.tok.text == o {
			return o, true
		}
	}
	return "", false
}

func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return &Error{Limit, fmt.Sprintf("it is nested deeper than %d levels", MaxDepth), p.tok.at}
	}
	return p.ctx.Err()
}

func (p *parser) sum() (*apd.Decimal, error) {
	return p.chain(p.product, "+", "-")
}

func (p *parser) product() (*apd.Decimal, error) {
	return p.chain(p.signed, "*", "×", "//", "/", "÷", "%")
}

// chain evaluates operators of one strength from left to right.
func (p *parser) chain(operand func() (*apd.Decimal, error), ops ...string) (*apd.Decimal, error) {
	left, err := operand()
	for err == nil {
		op, ok := p.sign(ops...)
		if !ok {
			return left, nil
		}
		at := p.tok.at
		if err = p.advance(); err != nil {
			break
		}
		var right *apd.Decimal
		if right, err = operand(); err == nil {
			left, err = p.apply(op, left, right, at)
		}
	}
	return nil, err
}

func (p *parser) signed() (*apd.Decimal, error) {
	op, ok := p.sign("+", "-")
	if !ok {
		return p.power()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	v, err := p.signed()
	if err == nil && op == "-" {
		v = new(apd.Decimal).Neg(v)
	}
	return v, err
}

func (p *parser) power() (*apd.Decimal, error) {
	base, err := p.atom()
	if err != nil {
		return nil, err
	}
	if _, ok := p.sign("**", "^"); !ok {
		return base, nil
	}
	at := p.tok.at
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	exponent, err := p.signed()
	if err != nil {
		return nil, err
	}
	return p.apply("**", base, exponent, at)
}

func (p *parser) atom() (*apd.Decimal, error) {
	tok := p.tok
	switch {
	case tok.kind == tokenNumber:
		v, _, err := apd.NewFromString(tok.text)
		if err != nil {
			return nil, &Error{Syntax, "this is not a number", tok.at}
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.bounded(v, tok.at)
	case tok.kind == tokenName:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.named(tok)
	case tok.kind == tokenSign && tok.text == "(":
		args, err := p.arguments(1)
		if err != nil {
			return nil, err
		}
		return args[0], nil
	}
	return nil, p.syntax("a number")
}

// named is a constant or a function.
func (p *parser) named(name token) (*apd.Decimal, error) {
	if _, call := p.sign("("); call {
		f, ok := function(name.text)
		if !ok {
			return nil, &Error{Name, "there is no function called " + clip(name.text), name.at}
		}
		args, err := p.arguments(MaxArguments)
		if err != nil {
			return nil, err
		}
		v, err := f(args)
		return p.checked(v, err, name.at)
	}
	switch name.text {
	case "pi":
		return decimal("3.141592653589793238462643383279503"), nil
	case "e":
		return decimal("2.718281828459045235360287471352662"), nil
	}
	return nil, &Error{Name, clip(name.text) + " means nothing here", name.at}
}

func clip(s string) string { return s[:min(len(s), 40)] }

func decimal(s string) *apd.Decimal {
	d, _, err := apd.NewFromString(s)
	if err != nil {
		panic("calculator: a constant is no number")
	}
	return d
}

// arguments reads "(" sum {"," sum} ")", with at most so many sums.
func (p *parser) arguments(most int) ([]*apd.Decimal, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	var args []*apd.Decimal
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		v, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, v)
		if _, comma := p.sign(","); !comma {
			break
		}
		if most == 1 {
			return nil, p.syntax("a closing parenthesis")
		}
		if len(args) == most {
			return nil, &Error{Limit, fmt.Sprintf("a function has at most %d arguments", most), p.tok.at}
		}
	}
	if _, ok := p.sign(")"); !ok {
		return nil, p.syntax("a closing parenthesis")
	}
	return args, p.advance()
}

// bounded refuses values that are too long to be written down.
func (p *parser) bounded(v *apd.Decimal, at int) (*apd.Decimal, error) {
	switch {
	case v.Form != apd.Finite:
		return nil, &Error{Domain, "this has no value", at}
	case v.IsZero():
		return new(apd.Decimal), nil
	case int64(v.Exponent) > MaxDigits || v.NumDigits()+max(0, int64(v.Exponent)) > MaxDigits || -int64(v.Exponent) > 2*MaxDigits:
		return nil, &Error{Limit, fmt.Sprintf("a value has at most %d digits", MaxDigits), at}
	}
	return v, nil
}

// errDomain says that an operation has no value.
var errDomain = errors.New("this has no value")

// checked turns an operation's error into an Error and bounds its value.
func (p *parser) checked(v *apd.Decimal, err error, at int) (*apd.Decimal, error) {
	var own *Error
	switch {
	case errors.As(err, &own):
		return nil, &Error{own.Class, own.Message, at}
	case errors.Is(err, errDomain):
		return nil, &Error{Domain, errDomain.Error(), at}
	case err != nil:
		return nil, &Error{Limit, "the value is too large", at}
	}
	return p.bounded(v, at)
}
