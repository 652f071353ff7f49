package sqlread

import (
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table is an answer. Names and values are as they are shown: NULL as NULL, a
// blob as x'…', characters that cannot be seen as \n, \x1b or \u202e, and what is
// longer than Limits.CellBytes cut, with its length.
type Table struct {
	Columns []string
	Rows    [][]string
	// Truncated tells that there are more rows than are here.
	Truncated bool
	// Cut says at which limit; it is empty when nothing is cut.
	Cut string
}

// String is the answer as text: a line of names, a line a row, tabs between, and
// a last line when rows were cut.
func (t Table) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Columns, "\t"))
	for _, row := range t.Rows {
		b.WriteByte('\n')
		b.WriteString(strings.Join(row, "\t"))
	}
	if t.Truncated {
		b.WriteString("\n[cut: " + t.Cut + "]")
	}
	return b.String()
}

// read takes the rows that are within the limits.
func read(rows *sql.Rows, columns []string, l Limits) (Table, error) {
	t := Table{Columns: make([]string, len(columns))}
	size := 0
	for i, c := range columns {
		t.Columns[i] = visible(c, l.CellBytes)
		size += len(t.Columns[i]) + 1
	}
	values, cells := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		cells[i] = &values[i]
	}
	for rows.Next() {
		if len(t.Rows) == l.Rows {
			t.cut("there are more than %d rows", l.Rows)
			return t, nil
		}
		if err := rows.Scan(cells...); err != nil {
			return Table{}, err
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = cell(v, l.CellBytes)
			size += len(row[i]) + 1
		}
		if size > l.Bytes {
			t.cut("the answer has more than %d bytes, and more rows", l.Bytes)
			return t, nil
		}
		t.Rows = append(t.Rows, row)
	}
	if size > l.Bytes {
		return Table{}, &Error{Limit, fmt.Sprintf("the names of the columns alone have more than %d bytes: ask for fewer columns", l.Bytes)}
	}
	return t, rows.Err()
}

func (t *Table) cut(format string, limit int) {
	t.Truncated, t.Cut = true, fmt.Sprintf(format, limit)
}

// cell is a value as text, of at most about most bytes.
func cell(v any, most int) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return number(v)
	case []byte:
		shown := max(most/2, 1) // two digits a byte
		if len(v) <= shown {
			return fmt.Sprintf("x'%x'", v)
		}
		return fmt.Sprintf("x'%x…' (%d bytes)", v[:shown], len(v))
	}
	return visible(fmt.Sprint(v), most)
}

// The magnitudes that a real number is written out for, without an exponent.
const (
	leastWritten = 1e-5
	mostWritten  = 1e15
)

// number is a real number, and looks like one.
func number(f float64) string {
	size := math.Abs(f)
	if math.IsInf(f, 0) || size != 0 && (size < leastWritten || size >= mostWritten) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// visible makes a text that stands in one cell: what would move the cursor, turn
// the writing around or not be seen at all is written as an escape. A text that
// comes out longer than most bytes is cut, and says how long it was.
func visible(s string, most int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		shown := s[i : i+n]
		switch {
		case r == utf8.RuneError && n == 1:
			shown = fmt.Sprintf(`\x%02x`, s[i])
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			shown = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		if b.Len()+len(shown) > most {
			return fmt.Sprintf("%s… (%d bytes)", b.String(), len(s))
		}
		b.WriteString(shown)
		i += n
	}
	return b.String()
}
