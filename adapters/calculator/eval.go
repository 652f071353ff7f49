package calculator

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

// parser evaluates while it parses, so that it holds no tree. depth bounds its
// recursion and work what it computes.
type parser struct {
	ctx   context.Context
	lex   lexer
	tok   token
	depth int
	work  int
}

// expression evaluates all there is.
func (p *parser) expression() (*apd.Decimal, error) {
	if len(p.lex.src) > MaxBytes {
		return nil, &Error{Limit, fmt.Sprintf("the expression is too long; write at most %d bytes", MaxBytes), MaxBytes}
	}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	v, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokenEnd {
		return nil, p.syntax("an operator or the end")
	}
	return v, nil
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

func (p *parser) syntax(want string) error {
	return &Error{Syntax, "write " + want + " here, not " + clip(p.tok.text), p.tok.at}
}

// clip keeps a message short whatever the expression says.
func clip(s string) string {
	const most = 40
	return s[:min(len(s), most)]
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

// enter goes one level deeper; the caller leaves it with leave.
func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return &Error{Limit, fmt.Sprintf("this is nested too deep; keep within %d levels", MaxDepth), p.tok.at}
	}
	return p.ctx.Err()
}

func (p *parser) leave() { p.depth-- }

// spend takes an operation's cost before it is computed.
func (p *parser) spend(cost, at int) error {
	if p.work+cost > MaxWork {
		return &Error{Limit, "the expression asks for too much work; split it into smaller ones", at}
	}
	p.work += cost
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
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	v, err := p.signed()
	if err != nil || op == "+" {
		return v, err
	}
	return new(apd.Decimal).Neg(v), nil // which leaves 0 without a sign
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
	defer p.leave()
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
	if _, ok := p.sign("("); ok {
		args, err := p.arguments(1)
		if err != nil {
			return nil, err
		}
		return args[0], nil
	}
	if tok.kind != tokenNumber && tok.kind != tokenName {
		return nil, p.syntax("a number")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if tok.kind == tokenNumber {
		return number(tok.text, tok.at)
	}
	if _, ok := p.sign("("); ok {
		return p.call(tok)
	}
	digits, ok := constant(tok.text)
	if !ok {
		return nil, &Error{Name, clip(tok.text) + " means nothing here; write its value", tok.at}
	}
	return number(digits, tok.at)
}

func number(digits string, at int) (*apd.Decimal, error) {
	v, _, err := apd.NewFromString(digits)
	return settle(v, err, at)
}

func (p *parser) call(name token) (*apd.Decimal, error) {
	f, ok := lookup(name.text)
	if !ok {
		return nil, &Error{Name, "there is no function called " + clip(name.text) + "; use " + functionNames, name.at}
	}
	args, err := p.arguments(MaxArguments)
	if err != nil {
		return nil, err
	}
	if len(args) > f.most {
		return nil, &Error{Syntax, fmt.Sprintf("%s has %d arguments; give it at most %d", name.text, len(args), f.most), name.at}
	}
	if err := p.spend(f.cost*len(args), name.at); err != nil {
		return nil, err
	}
	v, err := f.call(args)
	return settle(v, err, name.at)
}

// arguments reads "(" sum {"," sum} ")", with at most so many sums.
func (p *parser) arguments(most int) ([]*apd.Decimal, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
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
		if _, comma := p.sign(","); !comma || most == 1 {
			break
		}
		if len(args) == most {
			return nil, &Error{Limit, fmt.Sprintf("there are too many arguments; give at most %d", most), p.tok.at}
		}
	}
	if _, ok := p.sign(")"); !ok {
		return nil, p.syntax("an operator or a closing parenthesis")
	}
	return args, p.advance()
}

// settle gives what an operation came to: its refusal with the place added, or
// its value in the one form that values have here, if it is within bounds.
func settle(v *apd.Decimal, err error, at int) (*apd.Decimal, error) {
	var own *Error
	switch {
	case errors.As(err, &own):
		return nil, &Error{own.Class, own.Message, at}
	case err != nil || v.Form != apd.Finite:
		return nil, &Error{Limit, tooLong, at}
	case v.IsZero():
		return new(apd.Decimal), nil
	}
	v = trimmed(v)
	if length(v) > MaxDigits {
		return nil, &Error{Limit, tooLong, at}
	}
	return v, nil
}
