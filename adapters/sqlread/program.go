package sqlread

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

const (
	// maxPlaces bounds the places of a program that can each hold a whole value,
	// and with them its memory: maxPlaces times MaxValueBytes.
	maxPlaces = 1024
	// maxSearches bounds the searches for a text in a text between two moments at
	// which the engine can be stopped.
	maxSearches = 16
	// searchBytes bounds values where one is searched for in another, and
	// setBytes where a set of characters or keys is: the work is the product of
	// two lengths, and done in one step.
	searchBytes = 128 << 10
	setBytes    = 16 << 10
)

// program is a statement that the engine compiled and that may run.
type program struct {
	text    string
	columns []string
}

// compile makes the query around a statement and proves, from what the engine
// made of it, that it only reads.
//
// The whole answer is put aside by the first step (MATERIALIZED): that step is
// the one that the engine's driver watches the context for, so nothing of the
// caller's runs unwatched. The plus signs keep the columns' declared types, and
// with them the driver's reading of texts as times, out of the answer.
func compile(ctx context.Context, conn *sql.Conn, st *statement, rows int) (program, error) {
	if err := bound(conn, st.valueBytes); err != nil {
		return program{}, err
	}
	columns, err := columnsOf(conn, wrapped(st.text))
	if err != nil {
		return program{}, err
	}
	names, plain := make([]string, len(columns)), make([]string, len(columns))
	for i := range columns {
		names[i] = fmt.Sprintf("c%d", i)
		plain[i] = "+" + names[i]
	}
	p := program{columns: columns}
	// Names that begin like this one are the engine's: no table can have it.
	p.text = fmt.Sprintf("WITH sqlite_answer(%s) AS MATERIALIZED (%s LIMIT %d) SELECT %s FROM sqlite_answer",
		strings.Join(names, ","), wrapped(st.text), rows, strings.Join(plain, ","))
	if st.valueBytes, err = inspect(ctx, conn, p.text); err != nil {
		return program{}, err
	}
	return p, bound(conn, st.valueBytes)
}

// wrapped makes a statement a subquery. The line ends keep a comment at its end
// from reaching further.
func wrapped(text string) string { return "SELECT * FROM (\n" + text + "\n)" }

// columnsOf compiles a text without running it and gives the names of its
// columns.
func columnsOf(conn *sql.Conn, text string) ([]string, error) {
	var names []string
	err := conn.Raw(func(c any) error {
		teller, ok := c.(interface {
			ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
		})
		if !ok {
			return errors.New("the columns are not told")
		}
		columns, err := teller.ColumnInfo(text)
		for _, c := range columns {
			names = append(names, c.Name)
		}
		return err
	})
	return names, err
}

// inspect reads the program of a text, instruction by instruction, and gives how
// long its values may be.
func inspect(ctx context.Context, conn *sql.Conn, text string) (valueBytes int, err error) {
	rows, err := conn.QueryContext(ctx, "EXPLAIN "+text)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	c := census{valueBytes: MaxValueBytes}
	for rows.Next() {
		var op string
		var p2 int
		var p4 sql.NullString
		var rest any
		if err := rows.Scan(&rest, &op, &rest, &p2, &rest, &p4, &rest, &rest); err != nil {
			return 0, err
		}
		if err := c.count(op, p2, p4.String); err != nil {
			return 0, err
		}
	}
	return c.valueBytes, rows.Err()
}

// census counts what makes a program dear.
type census struct {
	places, searches, valueBytes int
}

// count takes in one instruction. Those that make a program a writing one are
// those by which the engine itself tells.
func (c *census) count(op string, p2 int, p4 string) error {
	switch op {
	case "Transaction":
		if p2 != 0 {
			return &Error{Refused, "only reading is possible here"}
		}
	case "AutoCommit", "Savepoint", "Checkpoint", "JournalMode", "Vacuum", "IncrVacuum", "OpenWrite", "VUpdate":
		return &Error{Refused, "only reading is possible here"}
	case "Column", "VColumn", "Concat", "Copy", "AggFinal", "AggValue":
		c.places++
	case "Function", "PureFunc":
		c.places++
		c.call(p4)
	}
	if c.places > maxPlaces {
		return &Error{Limit, fmt.Sprintf("the statement is too large: ask for fewer columns and functions, about %d in all", maxPlaces/4)}
	}
	if c.searches > maxSearches {
		return &Error{Limit, fmt.Sprintf("the statement searches too often: use LIKE, GLOB, instr, replace, trim and json_patch at most %d times in all", maxSearches)}
	}
	return nil
}

// call takes in a call of a function, written as name(number of arguments).
func (c *census) call(function string) {
	most := MaxValueBytes
	switch function {
	case "like(2)", "like(3)", "glob(2)": // maxPatternBytes bounds the other length
	case "instr(2)", "replace(3)":
		most = searchBytes
	case "trim(2)", "ltrim(2)", "rtrim(2)", "unhex(2)", "json_patch(2)", "jsonb_patch(2)":
		most = setBytes
	default:
		return
	}
	c.searches++
	c.valueBytes = min(c.valueBytes, most)
}
