// Package sqlread answers one SELECT at a time from an SQLite file, and can do
// nothing else.
//
// That is proven by the engine, not by words: the file is opened read-only, the
// connection refuses to write, and the statement runs as a subquery, where the
// grammar of SQL has no place for anything but a query. A small lexer only makes
// sure that there is one statement and that it cannot break out of the
// subquery's parentheses. Time, rows, bytes and the size of every value are
// bounded.
package sqlread

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Bounds of a query.
const (
	// MaxSQLBytes bounds a statement.
	MaxSQLBytes = 64 << 10
	// MaxRows bounds the rows of an answer.
	MaxRows = 1000
	// MaxAnswerBytes bounds the text of an answer.
	MaxAnswerBytes = 256 << 10
	// MaxValueBytes bounds one value, also inside the engine.
	MaxValueBytes = 1 << 20
	// maxCellBytes bounds what is shown of one value.
	maxCellBytes = 4 << 10
	// maxExprDepth bounds the nesting of an expression.
	maxExprDepth = 200
	// Timeout bounds a query's time.
	Timeout = 5 * time.Second
)

// Class says why there is no answer.
type Class string

// The classes of errors.
const (
	Refused     Class = "refused"     // it is not one SELECT
	Limit       Class = "limit"       // it took too long or too much
	Query       Class = "query"       // the statement is wrong
	Unavailable Class = "unavailable" // the database cannot be read now
)

// Error says why there is no answer.
type Error struct {
	Class   Class
	Message string
}

// Error gives class and words.
func (e *Error) Error() string { return string(e.Class) + ": " + e.Message }

// DB is an SQLite file that is only read. It is safe for concurrent use.
type DB struct {
	db      *sql.DB
	timeout time.Duration
}

// Open opens a file. It never makes one: a missing file is an error that names
// it.
func Open(path string) (*DB, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil, fmt.Errorf("there is no database file %s", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database file %s: %w", path, err)
	}
	dsn := (&url.URL{Scheme: "file", Path: abs, RawQuery: "mode=ro&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=busy_timeout(2000)"}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("database file %s: %w", path, err)
	}
	db.SetMaxOpenConns(4)
	return &DB{db: db, timeout: Timeout}, nil
}

// Close closes the file.
func (d *DB) Close() error { return d.db.Close() }

// Table is an answer.
type Table struct {
	Columns []string
	Rows    [][]string
	// Cut says why there is more than is here; empty when there is not.
	Cut string
}

// String is the answer as text: a line of names, a line a row, tabs between.
func (t Table) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Columns, "\t"))
	for _, row := range t.Rows {
		b.WriteByte('\n')
		b.WriteString(strings.Join(row, "\t"))
	}
	if t.Cut != "" {
		b.WriteString("\n[cut: " + t.Cut + "]")
	}
	return b.String()
}

// Query answers one SELECT. The error is an *Error.
func (d *DB) Query(ctx context.Context, statement string) (Table, error) {
	inner, err := single(statement)
	if err != nil {
		return Table{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return Table{}, plain(ctx, err)
	}
	defer conn.Close()
	for id, most := range map[int]int{
		lib.SQLITE_LIMIT_LENGTH: MaxValueBytes, lib.SQLITE_LIMIT_SQL_LENGTH: MaxSQLBytes + 1024,
		lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_EXPR_DEPTH: maxExprDepth,
	} {
		if _, err := sqlite.Limit(conn, id, most); err != nil {
			return Table{}, &Error{Unavailable, "the database cannot be read now"}
		}
	}
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT %d", inner, MaxRows+1))
	if err != nil {
		return Table{}, plain(ctx, err)
	}
	defer rows.Close()
	t, err := read(rows)
	if err != nil {
		return Table{}, plain(ctx, err)
	}
	return t, nil
}

func read(rows *sql.Rows) (Table, error) {
	columns, err := rows.Columns()
	if err != nil {
		return Table{}, err
	}
	t := Table{Columns: make([]string, len(columns))}
	for i, c := range columns {
		t.Columns[i] = visible(c)
	}
	size := 0
	cells := make([]any, len(columns))
	for i := range cells {
		cells[i] = new(any)
	}
	for rows.Next() {
		if len(t.Rows) == MaxRows {
			t.Cut = fmt.Sprintf("there are more than %d rows", MaxRows)
			return t, nil
		}
		if err := rows.Scan(cells...); err != nil {
			return t, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = cell(*c.(*any))
			size += len(row[i]) + 1
		}
		if size > MaxAnswerBytes {
			t.Cut = fmt.Sprintf("the answer has more than %d bytes", MaxAnswerBytes)
			return t, nil
		}
		t.Rows = append(t.Rows, row)
	}
	return t, rows.Err()
}

// cell is a value as text.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("x'%x'", v[:min(len(v), maxCellBytes/2)])
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return visible(fmt.Sprint(v))
}

// visible makes a text that stands in one cell.
func visible(s string) string {
	if len(s) > maxCellBytes {
		s = strings.ToValidUTF8(s[:maxCellBytes], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < 0x20 || r == 0x7f:
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// plain says what went wrong in words for a model, without the driver's.
func plain(ctx context.Context, err error) error {
	var own *Error
	var code *sqlite.Error
	switch {
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil:
		return &Error{Limit, "the query took too long"}
	case !errors.As(err, &code):
		return &Error{Query, "the statement cannot be answered"}
	}
	switch code.Code() & 0xff {
	case lib.SQLITE_TOOBIG:
		return &Error{Limit, fmt.Sprintf("a value has more than %d bytes", MaxValueBytes)}
	case lib.SQLITE_NOMEM, lib.SQLITE_INTERRUPT:
		return &Error{Limit, "the query took too much"}
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return &Error{Unavailable, "the database is locked by somebody else: try again"}
	case lib.SQLITE_READONLY, lib.SQLITE_AUTH, lib.SQLITE_PERM:
		return &Error{Refused, "only reading is possible here"}
	case lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return &Error{Unavailable, "the file is not a database that can be read"}
	}
	text, _, _ := strings.Cut(code.Error(), " (")
	return &Error{Query, strings.TrimPrefix(text, "SQL logic error: ")}
}

//go:embed seed.sql
var seed string

// Seed makes the demo database: customers and orders, whose totals add up to
// 1200. A file that is there already is left alone.
func Seed(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	tmp := path + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("demo database: %w", err)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: tmp}).String())
	if err != nil {
		return fmt.Errorf("demo database: %w", err)
	}
	_, err = db.Exec(seed)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("demo database: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("demo database: %w", err)
	}
	return nil
}
