package sqlread

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	for want, table := range map[string]Table{
		"a":                           {Columns: []string{"a"}},
		"a\tb\n1\tNULL":               {Columns: []string{"a", "b"}, Rows: [][]string{{"1", "NULL"}}},
		"a\n1\n[cut: it is too much]": {Columns: []string{"a"}, Rows: [][]string{{"1"}}, Truncated: true, Cut: "it is too much"},
	} {
		if got := table.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestValues asks for one value of every kind.
func TestValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.db")
	prepare(t, path, `create table t(day date, at datetime, stamp timestamp, yes boolean);
		insert into t values ('2026-01-05', '2026-01-05 10:00', 1767571200, 1)`)
	d := open(t, path, Limits{CellBytes: 12})
	for text, want := range map[string]string{
		"select null":                              "NULL",
		"select 'NULL'":                            "NULL",
		"select 9223372036854775807":               "9223372036854775807",
		"select 0.5, 3.0, 1e6, 1e300, -2.5e-9":     "0.5\t3.0\t1000000.0\t1e+300\t-2.5e-09",
		"select 9e999, -9e999":                     "+Inf\t-Inf",
		"select x'01ff', x'', zeroblob(2)":         "x'01ff'\tx''\tx'0000'",
		"select x'000102030405060708'":             "x'000102030405…' (9 bytes)",
		"select 'a' || char(9, 10, 13, 27) || 'b'": `a\t\n\r\x1bb`,
		"select char(0x202e) || 'x'":               `\u202ex`,
		"select char(0x200b, 0xe0041)":             `\u200b… (7 bytes)`,
		"select cast(x'61ff62' as text)":           `a\xffb`,
		"select char(97, 0, 98)":                   `a\x00b`,
		"select 'żółw 🐢'":                          "żółw 🐢",
		"select 'zażółć gęślą jaźń'":               "zażółć g… (26 bytes)",
		"select day, at, stamp, yes from t":        "2026-01-05\t2026-01-05 1… (16 bytes)\t1767571200\t1",
		"select max(day), date(at) from t":         "2026-01-05\t2026-01-05",
	} {
		table, err := d.Query(context.Background(), text)
		if err != nil || len(table.Rows) != 1 || strings.Join(table.Rows[0], "\t") != want {
			t.Errorf("%q: %q, %v; want %q", text, table.Rows, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.db")
	prepare(t, path, items)
	d := open(t, path, Limits{})
	for text, want := range map[string]string{
		"select count(*) from items":            "count(*)",
		"select id, name as n from items":       "id n",
		"select * from items":                   "id name price updated_at",
		"select 1 as \"a\nb\"":                  `a\nb`,
		"select * from (select 1 as a, 2 as b)": "a b",
		"select id from items where 0":          "id",
	} {
		if table, err := d.Query(context.Background(), text); err != nil || strings.Join(table.Columns, " ") != want {
			t.Errorf("%q: %q, %v", text, table.Columns, err)
		}
	}
}

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -1.25: "-1.25", 1e14: "100000000000000.0", 1e15: "1e+15", 1e-5: "0.00001", 9e-6: "9e-06",
		math.MaxFloat64: "1.7976931348623157e+308",
	} {
		if got := number(f); got != want {
			t.Errorf("%g is %q, want %q", f, got, want)
		}
	}
}
