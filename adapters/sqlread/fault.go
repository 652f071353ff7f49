package sqlread

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Class says why there is no answer.
type Class string

// The classes of errors.
const (
	// Refused is for what is not one statement that only reads.
	Refused Class = "refused"
	// Limit is for what took too long or would take too much.
	Limit Class = "limit"
	// Query is for a statement that is wrong.
	Query Class = "query"
	// Unavailable is for a database that cannot be read now.
	Unavailable Class = "unavailable"
)

// maxMessageBytes bounds the engine's words in a message.
const maxMessageBytes = 400

// Error says why there is no answer.
type Error struct {
	Class Class
	// Message is for whoever wrote the statement, a model included. It holds
	// neither the driver's words nor where the database is.
	Message string
}

// Error gives class and message.
func (e *Error) Error() string { return string(e.Class) + ": " + e.Message }

// crowded says why there was no connection to ask.
func crowded(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Unavailable, "too many queries run at the same time: try again"}
	}
	return statement{}.fault(ctx, err)
}

// fault says what went wrong with a statement in words for whoever wrote it.
func (s statement) fault(ctx context.Context, err error) error {
	var own *Error
	var code *sqlite.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Limit, "the query took too long: ask for less, or narrow it with WHERE and LIMIT"}
	case ctx.Err() != nil:
		return &Error{Limit, "the query was stopped before it ended"}
	case errors.As(err, &code):
		return s.translate(code)
	case errors.Is(err, sql.ErrConnDone), strings.Contains(err.Error(), "database is closed"):
		return &Error{Unavailable, "the database is closed"}
	}
	return &Error{Unavailable, "the database cannot be read now"}
}

// translate turns the engine's code into ours.
func (s statement) translate(err *sqlite.Error) error {
	switch err.Code() & 0xff {
	case lib.SQLITE_TOOBIG:
		return &Error{Limit, s.tooLong()}
	case lib.SQLITE_NOMEM, lib.SQLITE_INTERRUPT, lib.SQLITE_FULL:
		return &Error{Limit, "the query took too much: ask for less, or narrow it with WHERE and LIMIT"}
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL, lib.SQLITE_SCHEMA:
		return &Error{Unavailable, "the database is locked by somebody who writes: try again"}
	case lib.SQLITE_READONLY:
		return s.readOnly(err)
	case lib.SQLITE_PERM:
		return &Error{Refused, "only reading is possible here"}
	case lib.SQLITE_AUTH:
		return &Error{Refused, "only plain reading is possible here: " + words(err)}
	case lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT:
		return &Error{Unavailable, "the file is not an SQLite database, or it is damaged"}
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return &Error{Unavailable, "the database file cannot be read now"}
	}
	text := words(err)
	if strings.HasPrefix(text, "not authorized") || strings.HasPrefix(text, "unsafe use of") {
		return &Error{Refused, "only plain reading is possible here: " + text}
	}
	if s.verb != "" && strings.HasSuffix(text, "syntax error") {
		return &Error{Refused, fmt.Sprintf("only one SELECT is answered, without %s (%s)", s.verb, text)}
	}
	return &Error{Query, text}
}

// tooLong says how long values may be, and why not longer.
func (s statement) tooLong() string {
	const text = "a value or a row has more than %d bytes, the most that is handled%s: leave the long columns out"
	if s.valueBytes < MaxValueBytes {
		return fmt.Sprintf(text, s.valueBytes, " together with instr, replace, trim, unhex or json_patch")
	}
	return fmt.Sprintf(text, s.valueBytes, "")
}

// readOnly tells a database that needs writing before it can be read from a
// statement that would write.
func (statement) readOnly(err *sqlite.Error) error {
	switch err.Code() {
	case lib.SQLITE_READONLY_ROLLBACK, lib.SQLITE_READONLY_RECOVERY, lib.SQLITE_READONLY_CANTINIT,
		lib.SQLITE_READONLY_CANTLOCK, lib.SQLITE_READONLY_DBMOVED, lib.SQLITE_READONLY_DIRECTORY:
		return &Error{Unavailable, "the database was left in the middle of a write: it has to be opened once by the program that writes it"}
	}
	return &Error{Refused, "only reading is possible here"}
}

// words are the engine's own about a statement, without the code around them.
func words(err *sqlite.Error) string {
	text := err.Error()
	if i := strings.LastIndex(text, " ("); i > 0 {
		text = text[:i]
	}
	for _, prefix := range []string{"SQL logic error: ", "authorization denied: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return visible(text, maxMessageBytes)
}
