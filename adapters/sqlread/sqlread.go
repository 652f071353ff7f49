// Package sqlread answers one SELECT at a time from an SQLite file, and can do
// nothing else.
//
// Five things hold that, each on its own:
//
//   - the file is opened read-only, and the connection refuses to write;
//   - the engine asks [authorize] for everything that a statement would touch,
//     and only reading and known harmless functions are granted;
//   - the statement runs as a subquery, where the grammar of SQL has no place for
//     anything but a query. A small lexer makes sure that it is one statement and
//     cannot break out of its parentheses;
//   - the program that the engine made of it is read before it runs: it must not
//     begin a write, and must be small enough to be stopped in time;
//   - time, rows, bytes and the size of every value are bounded.
package sqlread

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// What Limits are when nothing else is said, and what no caller can change.
const (
	// DefaultRows bounds the rows of an answer.
	DefaultRows = 1000
	// DefaultBytes bounds the text of an answer.
	DefaultBytes = 256 << 10
	// DefaultCellBytes bounds what is shown of one value.
	DefaultCellBytes = 4 << 10
	// DefaultTimeout bounds a query.
	DefaultTimeout = 5 * time.Second
	// MaxSQLBytes bounds a statement.
	MaxSQLBytes = 64 << 10
	// MaxValueBytes bounds a value and a row inside the engine: longer ones can
	// neither be made nor be read. Less holds where a text is searched.
	MaxValueBytes = 256 << 10
	// maxConns bounds the queries that run side by side; more wait.
	maxConns = 4
)

// Limits bound one query. A field that is not positive stands for its default.
type Limits struct {
	// Rows is the most rows an answer has; the rest is cut.
	Rows int
	// Bytes is the most bytes of text an answer has; the rows beyond are cut.
	Bytes int
	// CellBytes is the most bytes shown of one value or name.
	CellBytes int
	// Timeout is how long a query may take, waiting included. A lock is waited
	// for half as long.
	Timeout time.Duration
}

// DefaultLimits gives 1000 rows, 256 KiB, 4 KiB a value and 5 seconds.
func DefaultLimits() Limits {
	return Limits{Rows: DefaultRows, Bytes: DefaultBytes, CellBytes: DefaultCellBytes, Timeout: DefaultTimeout}
}

// whole is l with the default in every field that says nothing.
func (l Limits) whole() Limits {
	d := DefaultLimits()
	if l.Rows > 0 {
		d.Rows = l.Rows
	}
	if l.Bytes > 0 {
		d.Bytes = l.Bytes
	}
	if l.CellBytes > 0 {
		d.CellBytes = l.CellBytes
	}
	if l.Timeout > 0 {
		d.Timeout = l.Timeout
	}
	return d
}

// DB is an SQLite file that is only read. It is safe for concurrent use.
type DB struct {
	pool   *sql.DB
	limits Limits
}

// Open opens the file at path, whatever characters the path has; the first
// Limits given hold, else the defaults. It never makes a file: one that is
// missing, or that is no regular file, is an *Error of class Unavailable that
// names the path as given. The file is first read by a query.
func Open(path string, limits ...Limits) (*DB, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, &Error{Unavailable, fmt.Sprintf("there is no database file %q: give the path of an SQLite file that exists and can be read", path)}
	case !info.Mode().IsRegular():
		return nil, &Error{Unavailable, fmt.Sprintf("%q is not a database file: give the path of an SQLite file", path)}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &Error{Unavailable, fmt.Sprintf("the folder of database file %q cannot be found: give its full path", path)}
	}
	l := DefaultLimits()
	if len(limits) > 0 {
		l = limits[0].whole()
	}
	pool := sql.OpenDB(newOpener(abs, l.Timeout/2))
	pool.SetMaxOpenConns(maxConns)
	return &DB{pool: pool, limits: l}, nil
}

// Close closes the file once the queries under way have ended.
func (d *DB) Close() error {
	if err := d.pool.Close(); err != nil {
		return &Error{Unavailable, "the database was not closed cleanly"}
	}
	return nil
}

// Query answers one SELECT, WITH ... SELECT or VALUES, within the limits. An
// answer that is cut says so; everything else that goes wrong is an *Error.
func (d *DB) Query(ctx context.Context, text string) (Table, error) {
	st, err := single(text)
	if err != nil {
		return Table{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.limits.Timeout)
	defer cancel()
	conn, err := d.pool.Conn(ctx)
	if err != nil {
		return Table{}, crowded(ctx, err)
	}
	defer conn.Close()
	p, err := compile(ctx, conn, &st, d.limits.Rows+1)
	if err != nil {
		return Table{}, st.fault(ctx, err)
	}
	rows, err := conn.QueryContext(ctx, p.text)
	if err != nil {
		return Table{}, st.fault(ctx, err)
	}
	defer rows.Close()
	t, err := read(rows, p.columns, d.limits)
	if err != nil {
		return Table{}, st.fault(ctx, err)
	}
	return t, nil
}
