package calculator

import (
	"fmt"
	"strconv"
	"strings"
)

// kind is what a token is.
type kind uint8

const (
	tokenEnd kind = iota
	tokenNumber
	tokenName
	tokenSign // an operator, a parenthesis or a comma
)

type token struct {
	kind kind
	text string
	at   int
}

// lexer reads tokens from left to right.
type lexer struct {
	src string
	at  int
}

func (l *lexer) next() (token, error) {
	l.skip(blank)
	if l.at == len(l.src) {
		return token{tokenEnd, "the end", l.at}, nil
	}
	start := l.at
	switch c := l.src[start]; {
	case digit(c) || c == '.':
		return l.number()
	case letter(c):
		l.skip(func(c byte) bool { return letter(c) || digit(c) })
		return token{tokenName, l.src[start:l.at], start}, nil
	}
	for _, sign := range [...]string{"**", "//", "+", "-", "*", "/", "%", "^", "(", ")", ",", "×", "÷"} {
		if strings.HasPrefix(l.src[start:], sign) {
			l.at += len(sign)
			return token{tokenSign, sign, start}, nil
		}
	}
	return token{}, &Error{Syntax, "this character means nothing here; use digits, names, + - * / // % ** ^ , and parentheses", start}
}

// skip passes over the bytes of a sort and gives how many they were.
func (l *lexer) skip(sort func(byte) bool) int {
	start := l.at
	for l.at < len(l.src) && sort(l.src[l.at]) {
		l.at++
	}
	return l.at - start
}

func (l *lexer) number() (token, error) {
	start := l.at
	l.skip(func(c byte) bool { return digit(c) || c == '.' })
	points := strings.Count(l.src[start:l.at], ".")
	digits := l.at - start - points
	if digits == 0 || points > 1 {
		return token{}, &Error{Syntax, "this is not a number; write digits with at most one point, such as 12.5", start}
	}
	if digits > MaxDigits {
		return token{}, &Error{Limit, fmt.Sprintf("this number is too long; write at most %d digits", MaxDigits), start}
	}
	if l.at < len(l.src) && (l.src[l.at] == 'e' || l.src[l.at] == 'E') {
		if err := l.exponent(); err != nil {
			return token{}, err
		}
	}
	if l.at < len(l.src) && letter(l.src[l.at]) {
		return token{}, &Error{Syntax, "a letter follows a number; put an operator between them", l.at}
	}
	return token{tokenNumber, l.src[start:l.at], start}, nil
}

// exponent passes over e, a sign and digits. It looks at the size before anything
// computes with it.
func (l *lexer) exponent() error {
	l.at++
	if l.at < len(l.src) && (l.src[l.at] == '+' || l.src[l.at] == '-') {
		l.at++
	}
	from := l.at
	if l.skip(digit) == 0 {
		return &Error{Syntax, "the exponent has no digits; write it such as 1e6", from}
	}
	if n, err := strconv.Atoi(l.src[from:l.at]); err != nil || n > MaxExponent {
		return &Error{Limit, fmt.Sprintf("the exponent is too large; keep it within %d", MaxExponent), from}
	}
	return nil
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
