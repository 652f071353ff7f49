package calculator

import "fmt"

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
	for l.at < len(l.src) && (l.src[l.at] == ' ' || l.src[l.at] == '\t' || l.src[l.at] == '\n' || l.src[l.at] == '\r') {
		l.at++
	}
	if l.at == len(l.src) {
		return token{tokenEnd, "the end", l.at}, nil
	}
	start := l.at
	c := l.src[start]
	switch {
	case digit(c) || c == '.':
		return l.number()
	case letter(c):
		for l.at < len(l.src) && (letter(l.src[l.at]) || digit(l.src[l.at])) {
			l.at++
		}
		return token{tokenName, l.src[start:l.at], start}, nil
	}
	for _, sign := range [...]string{"**", "//", "+", "-", "*", "/", "%", "^", "(", ")", ",", "×", "÷"} {
		if len(l.src)-start >= len(sign) && l.src[start:start+len(sign)] == sign {
			l.at += len(sign)
			return token{tokenSign, sign, start}, nil
		}
	}
	return token{}, &Error{Syntax, "there is a character here that means nothing", start}
}

// number is digits with at most one point and an optional exponent.
func (l *lexer) number() (token, error) {
	start, digits, points := l.at, 0, 0
	for l.at < len(l.src) && (digit(l.src[l.at]) || l.src[l.at] == '.') {
		if l.src[l.at] == '.' {
			points++
		} else {
			digits++
		}
		l.at++
	}
	if digits == 0 || points > 1 {
		return token{}, &Error{Syntax, "this is not a number", start}
	}
	if digits > MaxDigits {
		return token{}, &Error{Limit, fmt.Sprintf("a number has at most %d digits", MaxDigits), start}
	}
	if l.at < len(l.src) && (l.src[l.at] == 'e' || l.src[l.at] == 'E') {
		l.at++
		if l.at < len(l.src) && (l.src[l.at] == '+' || l.src[l.at] == '-') {
			l.at++
		}
		from := l.at
		for l.at < len(l.src) && digit(l.src[l.at]) {
			l.at++
		}
		const maxExponentDigits = 5
		if l.at == from {
			return token{}, &Error{Syntax, "an exponent has digits", l.at}
		}
		if l.at-from > maxExponentDigits {
			return token{}, &Error{Limit, "the exponent is too large", from}
		}
	}
	if l.at < len(l.src) && letter(l.src[l.at]) {
		return token{}, &Error{Syntax, "a letter follows a number", l.at}
	}
	return token{tokenNumber, l.src[start:l.at], start}, nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
