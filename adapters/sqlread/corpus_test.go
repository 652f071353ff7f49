package sqlread

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// awkward is a file name in which every character wants to mean something.
const awkward = "a b?mode=rwc#d%20e%&'.db"

// raw opens a file the plain way, to write it.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", fileName(path, url.Values{"mode": {"rwc"}}))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// prepare makes a database file from SQL.
func prepare(t *testing.T, path, script string) {
	t.Helper()
	db := raw(t, path)
	_, err := db.Exec(script)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

const items = `create table items(id int primary key, name text, price numeric, updated_at timestamptz);
	with recursive n(i) as (select 1 union all select i+1 from n where i < 1000)
	insert into items select i, 'item ' || i, i + 3.5, '2026-01-01' from n;
	create table secrets(id int, token text);`

// open opens a file for reading until the test ends.
func open(t *testing.T, path string, l Limits) *DB {
	t.Helper()
	d, err := Open(path, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// guard is a database with the corpus's table, and a watch over it.
type guard struct {
	*DB
	path   string
	before [sha256.Size]byte
}

func newGuard(t *testing.T) guard {
	t.Helper()
	path := filepath.Join(t.TempDir(), awkward)
	prepare(t, path, items)
	return guard{open(t, path, Limits{Timeout: 3 * time.Second}), path, digest(t, path)}
}

func digest(t *testing.T, path string) [sha256.Size]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

// ask asks, and then proves that nothing has come of it: the same bytes, no other
// file, a connection that answers, and an error fit to be read.
func (g guard) ask(t *testing.T, text string) (Table, error) {
	t.Helper()
	table, err := g.Query(context.Background(), text)
	if digest(t, g.path) != g.before {
		t.Fatalf("%.80q: the file was changed", text)
	}
	entries, _ := os.ReadDir(filepath.Dir(g.path))
	if len(entries) != 1 {
		t.Fatalf("%.80q: there are new files: %v", text, entries)
	}
	if again, err := g.Query(context.Background(), "select count(*) from items"); err != nil || again.Rows[0][0] != "1000" {
		t.Fatalf("%.80q: the next query gets %v, %v", text, again.Rows, err)
	}
	if err != nil {
		g.readable(t, err)
	}
	return table, err
}

// readable proves that an error is ours and says nothing of the engine around it.
func (g guard) readable(t *testing.T, err error) {
	t.Helper()
	var own *Error
	if !errors.As(err, &own) {
		t.Fatalf("%T is not ours: %v", err, err)
	}
	switch own.Class {
	case Refused, Limit, Query, Unavailable:
	default:
		t.Errorf("there is no class %q", own.Class)
	}
	for _, word := range []string{"SQL logic", "modernc", "sqlite3", "driver", "MATERIALIZED", "sqlite_answer", filepath.Dir(g.path), "rwc"} {
		if strings.Contains(own.Message, word) {
			t.Errorf("%q is not for the reader: %s", word, own.Message)
		}
	}
	if len(own.Message) > 2*maxMessageBytes || own.Message == "" {
		t.Errorf("a message of %d bytes", len(own.Message))
	}
}

// unpacked is a string of the corpus, which may be written as runs.
type unpacked string

func (s *unpacked) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = unpacked(text)
		return nil
	}
	var doc struct {
		Runs [][2]json.RawMessage `json:"$runs"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return err
	}
	for _, run := range doc.Runs {
		var unit string
		var times int
		if err := errors.Join(json.Unmarshal(run[0], &unit), json.Unmarshal(run[1], &times)); err != nil {
			return err
		}
		*s += unpacked(strings.Repeat(unit, times))
	}
	return nil
}

type abuse struct {
	ID, Group string
	Control   bool
	Input     struct{ SQL unpacked }
	Expect    struct {
		Decision string
		Rows     int
	}
}

func corpus(t *testing.T) []abuse {
	t.Helper()
	b, err := os.ReadFile("testdata/sql-readonly-open.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Cases []abuse }
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Cases) == 0 {
		t.Fatal("there are no cases")
	}
	return doc.Cases
}

// groups says what each group of the corpus, which is written for PostgreSQL, is
// worth here. Every case is run, and all but the exceptions below must get no
// answer; where the group is PostgreSQL's own, TestRefused and TestLimits hold
// what SQLite has in its place.
func groups() map[string]struct {
	own bool
	why string
} {
	return map[string]struct {
		own bool
		why string
	}{
		"control":    {true, "four of eight are valid SQLite"},
		"cte-dml":    {true, "writing inside a query is refused by the grammar"},
		"multi":      {true, "more than one statement; dollar quotes are no quotes here"},
		"stmt":       {true, "other statements"},
		"txn":        {true, "other statements; set_config does not exist"},
		"resource":   {true, "bounded, or a function that does not exist"},
		"func":       {false, "PostgreSQL's functions do not exist; load_extension and its like do"},
		"lock":       {false, "there are no row, table or advisory locks to ask for"},
		"disclosure": {false, "a file has no roles and no grants: who may read it may read all of it"},
	}
}

// TestCorpus runs every case of the corpus.
func TestCorpus(t *testing.T) {
	otherDialect := map[string]string{
		"sql-readonly-006": "comments do not nest",
		"sql-readonly-019": "no parentheses around the arms of a union",
		"sql-readonly-044": "no E'…', U&'…', N'…' or B'…'",
		"sql-readonly-121": "no dollar quotes",
	}
	const granted = "sql-readonly-071" // select * from secrets, which nobody can be kept from
	g, known := newGuard(t), groups()
	for _, c := range corpus(t) {
		t.Run(c.ID, func(t *testing.T) {
			if _, ok := known[c.Group]; !ok {
				t.Fatalf("group %s is not known", c.Group)
			}
			table, err := g.ask(t, string(c.Input.SQL))
			switch {
			case c.Control && otherDialect[c.ID] == "":
				if err != nil || len(table.Rows) != c.Expect.Rows {
					t.Errorf("a control gets %d rows, %v", len(table.Rows), err)
				}
			case c.ID == granted:
				if err != nil {
					t.Error(err)
				}
			case c.Expect.Decision == "bounded":
				if err == nil && (len(table.Rows) > DefaultRows || len(table.String()) > DefaultBytes+len(table.Cut)+16) {
					t.Errorf("%d rows, %d bytes", len(table.Rows), len(table.String()))
				}
			case err == nil:
				t.Errorf("answered: %v", table)
			}
		})
	}
}
