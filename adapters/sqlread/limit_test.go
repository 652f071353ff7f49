package sqlread

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// endless is a table without an end.
const endless = "(with recursive t(n) as (select 1 union all select n+1 from t) select n from t)"

// sum repeats a term.
func sum(times int, term string) string {
	return strings.TrimSuffix(strings.Repeat(term+"+", times), "+")
}

// TestLimits are queries that would never end, or never stop growing. That each
// comes back is what is proven.
func TestLimits(t *testing.T) {
	g := newGuard(t)
	g.limits.Timeout = time.Second
	long := "with x(h) as materialized (select hex(zeroblob(60000))) select "
	for _, c := range []struct {
		class Class
		sql   string
	}{
		{Limit, "select count(*) from " + endless},
		{Limit, "select sum(a.n * b.n) from " + endless + " a, " + endless + " b"},
		{Limit, "select n from " + endless + " where n < 0"},
		{Limit, "select n from " + endless + " order by n desc"},
		{Limit, "select distinct hex(randomblob(50000)) from " + endless + " order by 1"},
		{Limit, "select count(*) from items a, items b, items c, items d"},
		{Limit, "select exists (select 1 from " + endless + " where n = 'x')"},
		// The first row is there at once, the second never.
		{Limit, "select 1 union all select count(*) from " + endless},
		{Limit, "select id, (select count(*) from " + endless + " where n > 0 and id > 1) from items where id in (1, 2)"},
		// Values.
		{Limit, "select zeroblob(1000000000)"},
		{Limit, "select length(randomblob(2000000))"},
		{Limit, "select printf('%.*c', 100000000, 'x')"},
		{Limit, "select hex(zeroblob(100000)) || hex(zeroblob(100000))"},
		{Limit, "select replace(hex(zeroblob(1000)), '0', hex(zeroblob(1000)))"},
		{Limit, "select group_concat(name || hex(zeroblob(1000))) from items"},
		{Limit, "select " + strings.Repeat("hex(zeroblob(50000)), ", 10) + "1"},
		// Work in single steps.
		{Limit, long + sum(17, "instr(h, h)") + " from x"},
		{Limit, "with x(h) as materialized (select hex(zeroblob(90000))) select instr(h, 'x') from x"},
		{Limit, long + "trim(h, 'x') from x"},
		{Limit, long + "unhex(h, h) from x"},
		{Limit, "select " + strings.Repeat("hex(randomblob(9)), ", maxPlaces) + "1"},
		{Query, long + "h like '%' || substr(h, 1, 1000) from x"},
		// Texts.
		{Limit, "select " + strings.Repeat("1+", MaxSQLBytes/2) + "1"},
		{Query, "select " + strings.Repeat("1+", 2000) + "1"},
		{Query, "select " + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000)},
		{Query, "select " + strings.Repeat("abs(", 600) + "1" + strings.Repeat(")", 600)},
		{Query, doubling(40)},
		{Query, "select 1" + strings.Repeat(" union all select 1", 600)},
	} {
		if table, err := g.ask(t, c.sql); classOf(err) != c.class {
			t.Errorf("%.80q: %d rows, %v; want %s", c.sql, len(table.Rows), err, c.class)
		}
	}
}

// doubling is a statement that is twice as long with every step, written out.
func doubling(steps int) string {
	var b strings.Builder
	b.WriteString("with c0(x) as (select 1)")
	for i := range steps {
		fmt.Fprintf(&b, ", c%d(x) as (select a.x from c%d a, c%d b)", i+1, i, i)
	}
	fmt.Fprintf(&b, " select x from c%d", steps)
	return b.String()
}

// TestCut are answers that are cut and say so.
func TestCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.db")
	prepare(t, path, items)
	for _, c := range []struct {
		limits    Limits
		sql       string
		rows      int
		cut, last string
	}{
		{Limits{Rows: 3}, "select id from items where id <= 3", 3, "", "3"},
		{Limits{Rows: 3}, "select id from items where id <= 4", 3, "there are more than 3 rows", "3"},
		{Limits{Rows: 3}, "select a.id from items a, items b, items c", 3, "there are more than 3 rows", ""},
		{Limits{Rows: 3}, "select n from " + endless, 3, "there are more than 3 rows", "3"},
		{Limits{Bytes: 9}, "select 'abc' as a union all select 'def' union all select 'ghi'", 1, "the answer has more than 9 bytes, and more rows", "abc"},
		{Limits{Bytes: 2}, "select 'abc' as a", 0, "the answer has more than 2 bytes, and more rows", ""},
		{Limits{}, "select id from items, (select 1 union select 2)", DefaultRows, "there are more than 1000 rows", ""},
		{Limits{}, "select hex(zeroblob(1000)) from items", 130, "the answer has more than 262144 bytes, and more rows", ""},
	} {
		table, err := open(t, path, c.limits).Query(context.Background(), c.sql)
		if err != nil || len(table.Rows) != c.rows || table.Cut != c.cut || table.Truncated != (c.cut != "") {
			t.Errorf("%q: %d rows, cut %q, %v", c.sql, len(table.Rows), table.Cut, err)
		}
		if c.last != "" && table.Rows[len(table.Rows)-1][0] != c.last {
			t.Errorf("%q: the last is %q", c.sql, table.Rows[len(table.Rows)-1])
		}
	}
	names := "select 1 as [" + strings.Repeat("x", 100) + "]"
	if _, err := open(t, path, Limits{Bytes: 50}).Query(context.Background(), names+" where 0"); classOf(err) != Limit {
		t.Errorf("long names: %v", err)
	}
}

// TestStopped proves that whoever asks can also stop, however long the timeout.
func TestStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stop.db")
	prepare(t, path, items)
	d := open(t, path, Limits{Timeout: time.Hour})
	for _, text := range []string{"select count(*) from " + endless, "select 1 union all select count(*) from " + endless} {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for d.pool.Stats().InUse == 0 {
				runtime.Gosched()
			}
			cancel()
		}()
		if _, err := d.Query(ctx, text); classOf(err) != Limit {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := d.Query(ctx, "select 1"); classOf(err) != Limit {
			t.Errorf("after it was stopped: %v", err)
		}
		if table, err := d.Query(context.Background(), "select 1"); err != nil || table.Rows[0][0] != "1" {
			t.Errorf("the next: %v, %v", table, err)
		}
	}
}

// TestCrowded holds every connection and asks for one more.
func TestCrowded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crowd.db")
	prepare(t, path, items)
	d := open(t, path, Limits{Timeout: 200 * time.Millisecond})
	for range maxConns {
		conn, err := d.pool.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if _, err := d.Query(context.Background(), "select 1"); classOf(err) != Unavailable || !strings.Contains(err.Error(), "same time") {
		t.Error(err)
	}
}

// TestSideBySide asks everything at once, good and bad.
func TestSideBySide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "side.db")
	prepare(t, path, items)
	d := open(t, path, Limits{Timeout: 30 * time.Second})
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			id := i + 1
			switch i % 4 {
			case 0:
				if _, err := d.Query(context.Background(), "delete from items"); classOf(err) != Refused {
					t.Error(err)
				}
			case 1:
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				if _, err := d.Query(ctx, "select count(*) from "+endless); classOf(err) != Limit {
					t.Error(err)
				}
			default:
				table, err := d.Query(context.Background(), fmt.Sprintf("select id, trim(name, 'x') from items where id = %d", id))
				if err != nil || fmt.Sprint(table.Rows) != fmt.Sprintf("[[%d item %d]]", id, id) {
					t.Errorf("%v, %v", table.Rows, err)
				}
			}
		})
	}
	wg.Wait()
}
