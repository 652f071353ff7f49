package sqlread

import (
	"fmt"
	"strings"
)

// single proves that a text is one statement that begins like a query and keeps
// its parentheses closed, and gives it without a semicolon at its end. What it is
// then the engine proves.
func single(s string) (string, error) {
	if len(s) > MaxSQLBytes {
		return "", &Error{Limit, fmt.Sprintf("a statement has at most %d bytes", MaxSQLBytes)}
	}
	first, end, err := scan(s)
	if err != nil {
		return "", err
	}
	switch strings.ToUpper(first) {
	case "SELECT", "WITH", "VALUES":
		return s[:end], nil
	case "":
		return "", &Error{Refused, "there is no statement"}
	}
	return "", &Error{Refused, "only one SELECT is answered, not " + strings.ToUpper(first[:min(len(first), 20)])}
}

// scan finds the first word and where the statement ends.
func scan(s string) (first string, end int, err error) {
	depth, ended := 0, false
	end = len(s)
	for i := 0; i < len(s); {
		next, blank, err := skip(s, i)
		if err != nil {
			return "", 0, err
		}
		if blank {
			i = next
			continue
		}
		if ended {
			return "", 0, &Error{Refused, "only one statement is answered at a time"}
		}
		switch s[i] {
		case ';':
			ended, end = true, i
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return "", 0, &Error{Refused, "a parenthesis closes that was never opened"}
			}
		}
		if first == "" && s[i] != '(' {
			first = s[i:next]
		}
		i = next
	}
	if depth != 0 {
		return "", 0, &Error{Query, "a parenthesis is not closed"}
	}
	return first, end, nil
}

// skip steps over one piece of SQL: a blank or comment, a quoted text, a word, or
// one character.
func skip(s string, i int) (next int, blank bool, err error) {
	c := s[i]
	switch {
	case c == 0:
		return 0, false, &Error{Refused, "there is a NUL in the statement"}
	case c == ' ' || c >= '\t' && c <= '\r':
		return i + 1, true, nil
	case strings.HasPrefix(s[i:], "--"):
		if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
			return i + j + 1, true, nil
		}
		return len(s), true, nil
	case strings.HasPrefix(s[i:], "/*"):
		j := strings.Index(s[i+2:], "*/")
		if j < 0 {
			return 0, false, &Error{Query, "a comment is not closed"}
		}
		return i + 2 + j + 2, true, nil
	case c == '\'' || c == '"' || c == '`' || c == '[':
		next, err = quoted(s, i)
		return next, false, err
	case wordByte(c):
		for next = i; next < len(s) && wordByte(s[next]); next++ {
		}
		return next, false, nil
	}
	return i + 1, false, nil
}

// quoted finds the end of a text or a name in quotes. A doubled quote stands for
// itself; a bracket ends at the first closing one.
func quoted(s string, i int) (int, error) {
	closing := s[i]
	if closing == '[' {
		closing = ']'
	}
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == 0:
			return 0, &Error{Refused, "there is a NUL in the statement"}
		case s[j] != closing:
		case closing != ']' && j+1 < len(s) && s[j+1] == closing:
			j++
		default:
			return j + 1, nil
		}
	}
	return 0, &Error{Query, "a quote is not closed"}
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}
