package sqlread

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// one is the single value of a query.
func one(t *testing.T, d *DB, text string) string {
	t.Helper()
	table, err := d.Query(context.Background(), text)
	if err != nil || len(table.Rows) != 1 || len(table.Rows[0]) != 1 {
		t.Fatalf("%q: %v, %v", text, table, err)
	}
	return table.Rows[0][0]
}

// TestOpenMissing proves that what is no file is named and never made.
func TestOpenMissing(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing.db"), filepath.Join(dir, awkward), filepath.Join(dir, "no", "folder.db"), dir, "", os.DevNull, "a\x00b"} {
		_, err := Open(path, DefaultLimits())
		if classOf(err) != Unavailable || !strings.Contains(err.Error(), fmt.Sprintf("%q", path)) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("made: %v", entries)
	}
}

// TestOpenPaths opens files by names that URIs and DSNs have a use for.
func TestOpenPaths(t *testing.T) {
	for _, name := range []string{"plain.db", awkward, "x?mode=memory&cache=shared", "file:y.db", ":memory:", "%41.db", "#", "käse 🧀.db", "a;b&c=d+e.db", "'\"`[].db"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Seed(path); err != nil {
			t.Fatal(err)
		}
		if got := one(t, open(t, path, Limits{}), "select sum(total) from orders"); got != "1200" {
			t.Errorf("%q: %s", name, got)
		}
		if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("%q: there is %v", name, entries)
		}
	}
	t.Chdir(t.TempDir())
	if err := Seed("relative?.db"); err != nil {
		t.Fatal(err)
	}
	d := open(t, "relative?.db", Limits{})
	t.Chdir(t.TempDir()) // the file is the one that was meant when it was opened
	if got := one(t, d, "select sum(total) from orders"); got != "1200" {
		t.Error(got)
	}
}

// TestOpenOther opens files that are no databases.
func TestOpenOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, path, Limits{}).Query(context.Background(), "select * from items")
	if classOf(err) != Unavailable || !strings.Contains(err.Error(), "not an SQLite database") {
		t.Error(err)
	}
	gone := filepath.Join(t.TempDir(), "gone.db")
	if err := Seed(gone); err != nil {
		t.Fatal(err)
	}
	d := open(t, gone, Limits{})
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Query(context.Background(), "select * from orders"); classOf(err) != Unavailable || strings.Contains(err.Error(), gone) {
		t.Error(err)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("a file that went was made again")
	}
}

func TestClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "closed.db")
	if err := Seed(path); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Query(context.Background(), "select 1"); classOf(err) != Unavailable || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

// TestSeed proves the demo, and that it is written over nothing.
func TestSeed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "demo.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := Seed(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d := open(t, path, Limits{})
	for text, want := range map[string]string{
		"select sum(total) from orders":         "1200",
		"select typeof(sum(total)) from orders": "integer",
		"select count(*) from customers c where not exists (select 1 from orders o where o.customer_id = c.id)":                 "0",
		"select c.name from customers c join orders o on o.customer_id = c.id group by c.id order by sum(o.total) desc limit 1": "Ada",
	} {
		if got := one(t, d, text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(mine); Seed(mine) != nil || string(b) != "mine" {
		t.Errorf("written over: %q", b)
	}
	if err := Seed(filepath.Join(dir, "no", "folder.db")); classOf(err) != Unavailable {
		t.Error(err)
	}
}

// TestPlace proves that a file that came in the meantime stays.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	made, taken := filepath.Join(dir, "made"), filepath.Join(dir, "taken")
	for _, path := range []string{made, taken} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := place(made, taken); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(taken); string(b) != taken {
		t.Errorf("written over: %q", b)
	}
}

// must does, or ends the test.
func must(t *testing.T, db *sql.DB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

// TestWAL reads beside a writer whose rows are still in the -wal file.
func TestWAL(t *testing.T) {
	path := filepath.Join(t.TempDir(), awkward)
	w := raw(t, path)
	w.SetMaxOpenConns(1)
	defer w.Close()
	must(t, w, "pragma journal_mode = wal", "pragma wal_autocheckpoint = 0", items)
	d := open(t, path, Limits{})
	if got := one(t, d, "select count(*) from items"); got != "1000" {
		t.Error(got)
	}
	must(t, w, "delete from items where id > 10", "begin immediate", "delete from items")
	if got := one(t, d, "select count(*) from items"); got != "10" {
		t.Errorf("beside an open write: %s", got)
	}
	must(t, w, "rollback", "insert into items(id) values (11)")
	if got := one(t, d, "select count(*) from items"); got != "11" {
		t.Error(got)
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatal("the rows are not in the -wal file", err)
	}
	if _, err := d.Query(context.Background(), "delete from items"); classOf(err) != Refused {
		t.Error(err)
	}

	// What a writer leaves that was killed: the same files, nobody to tend them.
	left := filepath.Join(t.TempDir(), "left.db")
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(left+end, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	before := digest(t, left)
	if got := one(t, open(t, left, Limits{}), "select count(*) from items"); got != "11" {
		t.Errorf("what was left: %s", got)
	}
	if digest(t, left) != before {
		t.Error("the file was changed")
	}
}

// TestLocked asks while somebody else has the file to himself.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locked.db")
	prepare(t, path, items)
	w := raw(t, path)
	w.SetMaxOpenConns(1)
	defer w.Close()
	d := open(t, path, Limits{Timeout: 400 * time.Millisecond})
	must(t, w, "begin exclusive", "delete from items where id = 1")
	if _, err := d.Query(context.Background(), "select count(*) from items"); classOf(err) != Unavailable || !strings.Contains(err.Error(), "locked") {
		t.Errorf("while it is locked: %v", err)
	}
	must(t, w, "commit")
	if got := one(t, d, "select count(*) from items"); got != "999" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestHotJournal reads a file that was left in the middle of a write. It must be
// put right first, and that is writing.
func TestHotJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hot.db")
	prepare(t, path, items)
	w := raw(t, path)
	w.SetMaxOpenConns(1)
	defer w.Close()
	must(t, w, "pragma cache_size = 1", "begin immediate", "update items set name = hex(randomblob(200))")
	left := filepath.Join(t.TempDir(), "left.db")
	for _, end := range []string{"", "-journal"} {
		b, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(left+end, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	before := digest(t, left)
	_, err := open(t, left, Limits{}).Query(context.Background(), "select count(*) from items")
	if classOf(err) != Unavailable || !strings.Contains(err.Error(), "middle of a write") {
		t.Error(err)
	}
	if digest(t, left) != before {
		t.Error("the file was changed")
	}
	must(t, w, "rollback")
}
