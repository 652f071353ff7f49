package sqlread

import (
	"fmt"
	"strings"
)

// statement is one piece of SQL that begins like a query, keeps its parentheses
// closed and has no semicolon. What it is then the engine proves.
type statement struct {
	text string
	// verb is the first word outside quotes that belongs to another kind of
	// statement. It only helps to say why the engine found no query.
	verb string
	// valueBytes is how long a value and a row may be while it runs.
	valueBytes int
}

// single proves that a text is one statement. What the engine would read as one
// piece, this reads as one piece or refuses.
func single(text string) (statement, error) {
	if len(text) > MaxSQLBytes {
		return statement{}, &Error{Limit, fmt.Sprintf("a statement has at most %d bytes", MaxSQLBytes)}
	}
	if strings.IndexByte(text, 0) >= 0 {
		return statement{}, &Error{Refused, "there is a NUL in the statement"} // the engine would stop there
	}
	var s scan
	for i := 0; i < len(text); {
		p, err := next(text, i)
		if err == nil {
			err = s.take(text, i, p)
		}
		if err != nil {
			return statement{}, err
		}
		i = p.end
	}
	switch strings.ToUpper(s.first) {
	case "":
		return statement{}, &Error{Refused, "there is no statement: send one SELECT"}
	case "SELECT", "WITH", "VALUES":
	default:
		return statement{}, &Error{Refused, fmt.Sprintf("only one SELECT is answered, not %s", visible(strings.ToUpper(s.first), maxWordBytes))}
	}
	if s.depth != 0 {
		return statement{}, &Error{Query, "a parenthesis is not closed"}
	}
	if !s.ended {
		s.end = len(text)
	}
	return statement{text: text[:s.end], verb: s.verb, valueBytes: MaxValueBytes}, nil
}

// maxWordBytes bounds what is repeated of a word in a message.
const maxWordBytes = 32

// scan is what is known of a statement so far.
type scan struct {
	first, verb string
	depth, end  int
	ended       bool
}

// take takes in the piece that begins at i.
func (s *scan) take(text string, i int, p piece) error {
	switch {
	case p.blank:
		return nil
	case text[i] == ';':
		if !s.ended {
			s.ended, s.end = true, i
		}
		return nil
	case s.ended:
		return &Error{Refused, "only one statement is answered at a time"}
	case text[i] == '(':
		s.depth++
		return nil
	case text[i] == ')':
		if s.depth--; s.depth < 0 {
			return &Error{Refused, "a parenthesis closes that was never opened"}
		}
	}
	if s.first == "" {
		s.first = text[i:p.end]
	}
	if word := strings.ToUpper(text[i:p.end]); s.verb == "" && otherVerb(word) {
		s.verb = word
	}
	return nil
}

// otherVerb tells the words that make another statement than a query.
func otherVerb(word string) bool {
	switch word {
	case "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "INTO", "CREATE", "DROP", "ALTER", "ATTACH", "DETACH",
		"PRAGMA", "VACUUM", "EXPLAIN", "REINDEX", "ANALYZE", "SHARE":
		return true
	}
	return false
}

// piece is a part of a text that the engine reads as a whole.
type piece struct {
	end   int
	blank bool
}

// next reads the piece that begins at i: a blank or comment, a quoted text or
// name, a word or number, or one character.
func next(text string, i int) (piece, error) {
	c := text[i]
	switch {
	case c == ' ' || c >= '\t' && c <= '\r':
		return piece{end: i + 1, blank: true}, nil
	case strings.HasPrefix(text[i:], "--"):
		return comment(text, i, "\n", len(text))
	case strings.HasPrefix(text[i:], "/*"):
		return comment(text, i, "*/", -1)
	case c == '\'' || c == '"' || c == '`' || c == '[':
		return quoted(text, i)
	case strings.IndexByte("?$@:#", c) >= 0:
		// The engine reads $a(…) as one name, whatever stands in it.
		return piece{}, &Error{Query, fmt.Sprintf("%q has no meaning here: write values out, texts in single quotes, and casts as CAST(x AS type)", c)}
	case wordByte(c):
		end := i + 1
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		return piece{end: end}, nil
	}
	return piece{end: i + 1}, nil
}

// comment reads up to and with its closing; open is where it ends without one,
// negative when it must not. Comments do not nest.
func comment(text string, i int, closing string, open int) (piece, error) {
	const opening = 2
	end := strings.Index(text[i+opening:], closing)
	switch {
	case end >= 0:
		open = i + opening + end + len(closing)
	case open < 0:
		return piece{}, &Error{Query, "a comment is not closed"}
	}
	return piece{end: open, blank: true}, nil
}

// quoted reads a text or name in quotes. One with a doubled quote inside is read
// as two that touch, which comes to the same.
func quoted(text string, i int) (piece, error) {
	closing := text[i : i+1]
	if closing == "[" {
		closing = "]"
	}
	end := strings.Index(text[i+1:], closing)
	if end < 0 {
		return piece{}, &Error{Query, fmt.Sprintf("a quote %s is not closed", text[i:i+1])}
	}
	return piece{end: i + 1 + end + 1}, nil
}

// wordByte tells the bytes of words and numbers.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}
