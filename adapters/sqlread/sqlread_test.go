package sqlread

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is the corpus's table in a file whose name needs escaping.
func fixture(t *testing.T) (*DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a b?c#d%e.db")
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23", " ", "%20").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`create table items(id int primary key, name text, price numeric, updated_at text);
		with recursive n(i) as (select 1 union all select i+1 from n where i < 1000)
		insert into items select i, 'item ' || i, i + 3.5, '2026-01-01' from n;
		create table secrets(id int, token text)`)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	d.timeout = 2 * time.Second
	t.Cleanup(func() { d.Close() })
	return d, path
}

func digest(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

type statement string

func (s *statement) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = statement(text)
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
		*s += statement(strings.Repeat(unit, times))
	}
	return nil
}

// TestCorpus runs the corpus, which is written for PostgreSQL: what it refuses
// has no answer here either, and nothing changes the file. Two groups read what
// an SQLite file has no second role to hide: by decision they are not refused.
// Four controls use syntax SQLite does not have.
func TestCorpus(t *testing.T) {
	raw, err := os.ReadFile("testdata/sql-readonly-open.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []struct {
			ID, Group string
			Control   bool
			Input     struct{ SQL statement }
			Expect    struct {
				Decision string
				Rows     int
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	otherDialect := map[string]bool{
		"sql-readonly-006": true, // nested comments
		"sql-readonly-019": true, // parentheses around the arms of a union
		"sql-readonly-044": true, // E'…', U&'…' and B'…'
		"sql-readonly-121": true, // dollar quotes
	}
	d, path := fixture(t)
	before := digest(t, path)
	for _, c := range doc.Cases {
		t.Run(c.ID, func(t *testing.T) {
			table, err := d.Query(context.Background(), string(c.Input.SQL))
			switch {
			case c.Control && !otherDialect[c.ID]:
				if err != nil || len(table.Rows) != c.Expect.Rows {
					t.Errorf("a control: %d rows, %v", len(table.Rows), err)
				}
			case c.Expect.Decision == "refuse" && c.Group != "disclosure" && err == nil:
				t.Errorf("answered: %v", table)
			}
			if digest(t, path) != before {
				t.Fatal("the file was changed")
			}
			if table, err := d.Query(context.Background(), "select 1"); err != nil || table.Rows[0][0] != "1" {
				t.Fatalf("the connection is not fit for the next: %v", err)
			}
		})
	}
}

// TestRefused are SQLite's own ways to do more than read.
func TestRefused(t *testing.T) {
	d, path := fixture(t)
	before := digest(t, path)
	dir := t.TempDir()
	for _, s := range []string{
		"", ";", "-- nothing", "pragma journal_mode = wal", "attach '" + dir + "/x.db' as x", "vacuum into '" + dir + "/y.db'",
		"insert into items values (1,2,3,4)", "select 1) ; delete from items; select * from (select 1", "select 1; select 2",
		"with a as (select 1) delete from items", "select load_extension('x')", "select writefile('" + dir + "/z','x')",
		"select 1\x00; delete from items", "explain select 1", "select 'open", "select \"open", "select (1", "select 1 /* open",
		"select * from items limit 1) union select (1", "reindex", "select fts3_tokenizer('x')",
	} {
		if table, err := d.Query(context.Background(), s); err == nil {
			t.Errorf("%q is answered: %v", s, table)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("files were made: %v", entries)
	}
	if digest(t, path) != before {
		t.Error("the file was changed")
	}
}

func TestLimits(t *testing.T) {
	d, _ := fixture(t)
	for s, class := range map[string]Class{
		"with recursive t(n) as (select 1 union all select n+1 from t) select count(*) from t": Limit,
		"select zeroblob(1000000000)":                                            Limit,
		"select length(randomblob(2000000))":                                     Limit,
		"select " + strings.Repeat("1+", 40_000) + "1":                           Limit,
		"select printf('%.*c', 100000000, 'x')":                                  Limit,
		"select nothing from items":                                              Query,
		"select " + strings.Repeat("abs(", 300) + "1" + strings.Repeat(")", 300): Query,
	} {
		_, err := d.Query(context.Background(), s)
		var bad *Error
		if !errors.As(err, &bad) || bad.Class != class {
			t.Errorf("%.60q: %v, want %s", s, err, class)
		}
	}
	table, err := d.Query(context.Background(), "select a.id from items a, items b")
	if err != nil || len(table.Rows) != MaxRows || table.Cut == "" {
		t.Errorf("%d rows, cut %q, %v", len(table.Rows), table.Cut, err)
	}
}

func TestText(t *testing.T) {
	d, _ := fixture(t)
	table, err := d.Query(context.Background(), "select null as a, x'01ff' as b, 'x' || char(9, 10) || 'y' as c, 0.5 as d;  -- done")
	if err != nil || table.String() != "a\tb\tc\td\nNULL\tx'01ff'\tx  y\t0.5" {
		t.Errorf("%q, %v", table.String(), err)
	}
}

func TestSeed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.db")
	if err := errors.Join(Seed(path), Seed(path)); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			table, err := d.Query(context.Background(), "select sum(total) from orders")
			if err != nil || fmt.Sprint(table.Rows) != "[[1200]]" {
				t.Errorf("%v, %v", table.Rows, err)
			}
		})
	}
	wg.Wait()
	if _, err := Open(path + ".missing"); err == nil {
		t.Error("a missing file was opened")
	}
	if _, err := os.Stat(path + ".missing"); err == nil {
		t.Error("a missing file was made")
	}
}

func TestToolV1(t *testing.T) {
	d, path := fixture(t)
	c := conformance.ToolCase{
		Good:   []string{`{"query":"select 1"}`, `{"query":"select * from items limit 3"}`},
		Bad:    []string{`{}`, `{"query":["select 1"]}`},
		Digest: func() string { return fmt.Sprint(digest(t, path)) },
	}
	conformance.ToolV1(t, c, func(*testing.T) ports.ToolV1 { return New(d) })
}
