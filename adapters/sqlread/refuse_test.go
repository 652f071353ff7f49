package sqlread

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"
)

// classOf is the class of an error, or nothing.
func classOf(err error) Class {
	var own *Error
	if errors.As(err, &own) {
		return own.Class
	}
	return ""
}

// TestRefused are SQLite's own ways to do more than read.
func TestRefused(t *testing.T) {
	g := newGuard(t)
	dir := t.TempDir()
	for _, c := range []struct {
		class Class
		sql   string
	}{
		{Refused, ""},
		{Refused, " \n\t"},
		{Refused, ";"},
		{Refused, "-- nothing"},
		{Refused, "/* nothing */ ;"},
		{Refused, "()"},
		{Refused, "insert into items values (1,2,3,4)"},
		{Refused, "replace into items values (1,2,3,4)"},
		{Refused, "create table t(x)"},
		{Refused, "create temp table t as select 1"},
		{Refused, "drop table items"},
		{Refused, "pragma query_only = 0"},
		{Refused, "pragma writable_schema = on"},
		{Refused, "pragma journal_mode = wal"},
		{Refused, "attach '" + dir + "/x.db' as x"},
		{Refused, "detach main"},
		{Refused, "vacuum"},
		{Refused, "vacuum into '" + dir + "/y.db'"},
		{Refused, "reindex"},
		{Refused, "analyze"},
		{Refused, "begin"},
		{Refused, "begin immediate"},
		{Refused, "end"},
		{Refused, "release x"},
		{Refused, "explain select 1"},
		{Refused, "explain query plan select 1"},
		{Refused, "table items"},
		{Refused, "items"},
		{Refused, "(items) cross join secrets"},
		{Refused, "(select 1) insert into items values (1,2,3,4)"},
		{Refused, "with a as (select 1) delete from items"},
		{Refused, "with a as (select 1) insert into items select 1,2,3,4"},
		{Refused, "with a as (delete from items returning id) select * from a"},
		{Refused, "select * from (update items set price = 0 returning id)"},
		{Refused, "with a as (select 1) replace into items select 1,2,3,4"},
		{Refused, "select 1; select 2"},
		{Refused, "select 1;;; select 2"},
		{Refused, "select ';' ; delete from items"},
		{Refused, "select 1 -- ;\n; delete from items"},
		{Refused, "select [;] ; delete from items"},
		{Refused, "select `a``;` ; delete from items"},
		{Refused, "select \"a\"\";\" ; delete from items"},
		{Refused, "select 1 as [--] ) ; delete from items; --"},
		{Refused, "select 1 as `--` ) ; delete from items; --"},
		{Refused, "select 1 as \"--\" ) ; delete from items; --"},
		{Refused, "select '--' ) ; delete from items; --"},
		{Refused, "select '/*' ) ; delete from items; --*/"},
		{Refused, "select 'a''--' ) ; delete from items; --"},
		{Query, "select 1 as [a]]--] ) ; delete from items; --"},
		{Refused, "select /*/ '*/ ) ; delete from items; --'"},
		{Refused, "select 1\x00"},
		{Refused, "select 1\x00; delete from items"},
		{Refused, "select '\x00'"},
		{Refused, "select 1 --\x00\n; delete from items"},
		{Refused, "select 1) ; delete from items; select * from (select 1"},
		{Refused, "select * from items limit 1) union select * from (select 1"},
		{Refused, "select 1) -- "},
		{Refused, "select load_extension('x')"},
		{Refused, "select sqlite_log(1, 'x')"},
		{Refused, "select rtreecheck('main', 'items')"},
		{Refused, "select json_group_array(id) from items"},
		{Refused, "select * from pragma_database_list"},
		{Refused, "select * from pragma_journal_mode"},
		{Refused, "select * from pragma_query_only"},
		{Query, "select * from pragma_wal_checkpoint"},
		{Refused, "select * from pragma_integrity_check"},
		{Refused, "select * from pragma_optimize"},
		{Refused, "select data from sqlite_dbpage"},
		{Refused, "select * from dbstat"},
		{Query, "select writefile('" + dir + "/z','x')"},
		{Query, "select readfile('/etc/passwd')"},
		{Query, "select edit('x')"},
		{Query, "select fts3_tokenizer('x')"},
		{Query, "select * from fsdir('/')"},
		{Query, "select 'open"},
		{Query, "select \"open"},
		{Query, "select [open"},
		{Query, "select `open"},
		{Query, "select 1 /* open"},
		{Query, "select 1 /*/"},
		{Query, "select (1"},
		{Query, "select ?1"},
		{Query, "select :a"},
		{Query, "select @a"},
		{Query, "select $a"},
		{Query, "select $a(') ) ; delete from items; --')"},
		{Query, "select :a(') ) ; delete from items; --')"},
		{Query, "select 1::text"},
		{Query, "select \"not a column\""},
		{Query, "select 1 from nothing"},
	} {
		table, err := g.ask(t, c.sql)
		if classOf(err) != c.class {
			t.Errorf("%q: %v, %v; want %s", c.sql, table, err, c.class)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("files were made: %v", entries)
	}
}

// TestAnswered are queries that look like something else.
func TestAnswered(t *testing.T) {
	g := newGuard(t)
	for text, want := range map[string]string{
		"select 1":                              "1",
		" ( select 1 ) ;":                       "1",
		"select 1;;\n; -- done":                 "1",
		"select 1 -- done":                      "1",
		"select/**/1/* ; */":                    "1",
		"values (1), (2)":                       "1|2",
		"select ';', '--', '/*', '''', 'a''b;'": ";,--,/*,',a'b;",
		"select \"name\", [price], `id` from items where id = 1":                  "item 1,4.5,1",
		"select 'delete from items; drop table items'":                            "delete from items; drop table items",
		`select '\'--' ) ; delete from items; --`:                                 `\`,
		"select x'00ff' as [a;b)]":                                                "x'00ff'",
		"with a(x) as (values (1),(2)) select sum(x) from a":                      "3",
		"select replace('a-b', '-', ''), trim('xax', 'x')":                        "ab,a",
		"select id from items order by price desc limit 2":                        "1000|999",
		"select id from items where id < 3 order by id desc":                      "2|1",
		"select max(id) from items union all select 5 order by 1":                 "5|1000",
		"select count(*) over () from items limit 1":                              "1000",
		"select group_concat(name) from pragma_table_info('items')":               "id,name,price,updated_at",
		"select name from sqlite_schema where type='table' limit 1":               "items",
		"select json_extract('{\"a\":[1,2]}', '$.a[1]')":                          "2",
		"select '{\"a\":1}' ->> 'a'":                                              "1",
		"select a.id, b.id from items a join items b on b.id=a.id+1 where a.id=1": "1,2",
		"select case when exists (select 1 from items) then 'yes' end":            "yes",
	} {
		table, err := g.ask(t, text)
		var lines []string
		for _, row := range table.Rows {
			lines = append(lines, strings.Join(row, ","))
		}
		if got := strings.Join(lines, "|"); err != nil || got != want || table.Truncated {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestSchema is a database whose own views would do more than read.
func TestSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "schema.db")
	prepare(t, path, `create table t(a text); insert into t values ('x-y');
		create view good as select replace(a, '-', '') as b, trim(a, 'x') as c from t;
		create view bad as select load_extension('x') as b;
		create view leak as select * from pragma_database_list;
		create virtual table docs using fts5(body); insert into docs values ('the quick fox'), ('a slow dog');
		create virtual table boxes using rtree(id, x0, x1); insert into boxes values (1, 0, 1);`)
	d := open(t, path, Limits{})
	for _, c := range []struct {
		sql, want string
		class     Class
	}{
		{"select * from good", "xy,-y", ""},
		{"select highlight(docs, 0, '<', '>') from docs where docs match 'fox' order by rank", "the quick <fox>", ""},
		{"select * from bad", "", Refused},
		{"select * from leak", "", Refused},
		// The engine's own work to open one of these prepares a write.
		{"select * from boxes", "", Refused},
	} {
		table, err := d.Query(context.Background(), c.sql)
		if classOf(err) != c.class || err == nil && strings.Join(table.Rows[0], ",") != c.want {
			t.Errorf("%q: %v, %v", c.sql, table, err)
		}
	}
}

// TestConnection proves what the connection holds on its own: these texts have
// passed neither lexer nor wrapping.
func TestConnection(t *testing.T) {
	g := newGuard(t)
	for _, text := range []string{
		"delete from items", "insert into items values (1,2,3,4)", "update items set price = 0", "create table t(x)",
		"create temp table t(x)", "create temp view t as select 1", "drop table items", "pragma query_only = 0",
		"pragma journal_mode = wal", "pragma user_version = 7", "attach ':memory:' as x", "vacuum",
		"vacuum into '" + filepath.Dir(g.path) + "/y.db'", "begin immediate", "savepoint x", "reindex", "analyze",
		"select load_extension('x')", "select 1; delete from items",
	} {
		if _, err := g.pool.Exec(text); err == nil {
			t.Errorf("%q was done", text)
		}
		if _, err := g.ask(t, "select 1"); err != nil {
			t.Error(err)
		}
	}
}

// TestProgram proves what the reading of programs holds on its own, on a
// connection that could write.
func TestProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	prepare(t, path, items)
	db := raw(t, path)
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for text, class := range map[string]Class{
		"select * from items":                               "",
		"with a as materialized (select 1) select * from a": "",
		"insert into items values (1,2,3,4)":                Refused,
		"delete from items":                                 Refused,
		"update items set price = 0":                        Refused,
		"create table t(x)":                                 Refused,
		"create temp table t(x)":                            Refused,
		"begin":                                             Refused,
		"savepoint x":                                       Refused,
		"vacuum":                                            Refused,
		"pragma journal_mode = wal":                         Refused,
		"pragma wal_checkpoint":                             Refused,
		"select 1" + strings.Repeat(", id like '%a'", 17) + " from items": Limit,
		"select 1" + strings.Repeat(", id||1", maxPlaces) + " from items": Limit,
	} {
		if _, err := inspect(context.Background(), conn, text); classOf(err) != class || (err == nil) != (class == "") {
			t.Errorf("%.60q: %v, want %q", text, err, class)
		}
	}
}

// TestOthersFunctions proves that functions which other parts of the process add
// to the engine do not exist here, not even under the name of one that does.
func TestOthersFunctions(t *testing.T) {
	called := false
	for _, name := range []string{"bump", "lower"} {
		err := sqlite.RegisterScalarFunction(name, 1, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
			called = true
			return "written", nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	g := newGuard(t)
	if _, err := g.ask(t, "select bump(1)"); classOf(err) != Query {
		t.Error(err)
	}
	if table, err := g.ask(t, "select lower('A')"); err != nil || table.Rows[0][0] != "a" || called {
		t.Error(table, err)
	}
}

// TestNoWayOut throws pieces of SQL together. What the lexer takes for one
// statement is then run as a subquery on a connection that may do everything: if
// it could break out of the parentheses, rows would go.
func TestNoWayOut(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{
		"'", "''", "\"", "`", "[", "]", "(", ")", "(", ")", ";", "--", "\n", "/*", "*/", "/", "*", "-", " ", "$a", "$a(", ":a(", "@", "#", "?",
		"x'", "0x", "1e", "\\", "\x00", "\xff", "\ufeff", "\v", "$$", "e'", "select 1", "select ", "from items", ",", "1", "a", " as ",
		") ; delete from items; --", "; delete from items;", "union select 2", "values(1)", "with a as (select 1)",
	}
	path := filepath.Join(t.TempDir(), "open.db")
	prepare(t, path, items)
	db := raw(t, path)
	defer db.Close()
	taken := 0
	for range 20_000 {
		text := "select 1"
		for range 1 + rnd.IntN(9) {
			text += pieces[rnd.IntN(len(pieces))]
		}
		st, err := single(text)
		if err != nil {
			continue
		}
		taken++
		_, _ = db.Exec(wrapped(st.text)) // most are wrong, and that is fine
		var left int
		if err := db.QueryRow("select count(*) from items").Scan(&left); err != nil || left != 1000 {
			t.Fatalf("seed %d: %q left %d rows, %v", seed, text, left, err)
		}
	}
	if taken < 100 {
		t.Errorf("seed %d: only %d texts were tried", seed, taken)
	}
}

// TestMessages are what a model reads and has to do better by.
func TestMessages(t *testing.T) {
	g := newGuard(t)
	for text, want := range map[string]string{
		"delete from items":                      "refused: only one SELECT is answered, not DELETE",
		"select 1; select 2":                     "refused: only one statement is answered at a time",
		"with a as (select 1) delete from items": `refused: only one SELECT is answered, without DELETE (near "delete": syntax error)`,
		"select * into b from items":             `refused: only one SELECT is answered, without INTO (near "into": syntax error)`,
		"select (1":                              "query: a parenthesis is not closed",
		"select 1)":                              "refused: a parenthesis closes that was never opened",
		"select 'a":                              "query: a quote ' is not closed",
		"select frm items":                       "query: no such column: frm",
		"select 1 from itms":                     "query: no such table: itms",
		"select pg_sleep(3600)":                  "query: no such function: pg_sleep",
		"select name from items where":           `query: near ")": syntax error`,
		"select load_extension('x')":             "refused: only plain reading is possible here: not authorized to use function: load_extension",
		"select zeroblob(1000000)":               "limit: a value or a row has more than 262144 bytes, the most that is handled: leave the long columns out",
		"with x(h) as materialized (select hex(zeroblob(90000))) select instr(h, 'x') from x": "limit: a value or a row has more than 131072 bytes, " +
			"the most that is handled together with instr, replace, trim, unhex or json_patch: leave the long columns out",
	} {
		if _, err := g.ask(t, text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
