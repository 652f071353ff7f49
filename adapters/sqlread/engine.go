package sqlread

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

const (
	// maxPatternBytes bounds the pattern of LIKE and GLOB, whose work is pattern
	// times value and cannot be interrupted.
	maxPatternBytes = 256
	// maxDepth bounds the nesting of expressions and how many subqueries, views
	// and names of a WITH a statement comes to when all are written out.
	maxDepth = 500
	// wrapBytes is room for what is written around a statement.
	wrapBytes = 64 << 10
)

// errWritable says that a connection came out writable: nothing is asked of it.
var errWritable = errors.New("the database could be written")

// opener opens connections that can only read. Its driver is its own, so
// functions and collations that other parts of the process add to the common one
// do not exist here.
type opener struct {
	engine *sqlite.Driver
	name   string
}

// newOpener names the file at an absolute path so that no character of it is
// taken for anything else. A lock is waited for as long as wait.
func newOpener(abs string, wait time.Duration) opener {
	settings := url.Values{
		"mode":       {"ro"},
		"_defensive": {"1"},
		"_dqs":       {"0"}, // a name in quotes that is not there is an error, not a text
		"_pragma": {
			"trusted_schema(0)", "cell_size_check(1)", "temp_store(file)",
			fmt.Sprintf("busy_timeout(%d)", max(wait.Milliseconds(), 1)),
		},
		"_query_only": {"1"},
	}
	return opener{engine: &sqlite.Driver{}, name: fileName(abs, settings)}
}

// fileName is the URI of a file.
func fileName(abs string, settings url.Values) string {
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
}

// Connect opens one connection and proves that it cannot write.
func (o opener) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := o.engine.Open(o.name)
	if err != nil {
		return nil, err
	}
	guard, ok := conn.(interface {
		sqlite.AuthorizerRegisterer
		IsReadOnly(schema string) (bool, error)
	})
	if !ok {
		return nil, errors.Join(errWritable, conn.Close())
	}
	if readOnly, err := guard.IsReadOnly("main"); err != nil || !readOnly {
		return nil, errors.Join(errWritable, err, conn.Close())
	}
	if err := guard.RegisterAuthorizer(authorize); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// Driver gives the engine.
func (o opener) Driver() driver.Driver { return o.engine }

// bound sets the engine's own limits; values have at most valueBytes.
func bound(conn *sql.Conn, valueBytes int) error {
	for _, limit := range [...]struct{ id, most int }{
		{lib.SQLITE_LIMIT_LENGTH, valueBytes},
		{lib.SQLITE_LIMIT_SQL_LENGTH, MaxSQLBytes + wrapBytes},
		{lib.SQLITE_LIMIT_EXPR_DEPTH, maxDepth},
		{lib.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, maxPatternBytes},
		{lib.SQLITE_LIMIT_ATTACHED, 0},
		{lib.SQLITE_LIMIT_TRIGGER_DEPTH, 0},
		{lib.SQLITE_LIMIT_WORKER_THREADS, 0},
	} {
		if _, err := sqlite.Limit(conn, limit.id, limit.most); err != nil {
			return err
		}
	}
	return nil
}

// authorize is asked by the engine for each thing that a statement, a view in it
// or the engine's own work for it would touch. What is not named here is denied.
func authorize(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	granted := false
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRecursive:
		granted = true
	case sqlite.AuthRead:
		// Raw pages hold what was deleted.
		granted = arg1 != "sqlite_dbpage" && arg1 != "dbstat"
	case sqlite.AuthFunction:
		granted = offered(strings.ToLower(arg2))
	case sqlite.AuthPragma:
		// Reached through the tables pragma_…, and by full-text search.
		switch strings.ToLower(arg1) {
		case "table_info", "table_xinfo", "table_list", "index_list", "index_info",
			"index_xinfo", "foreign_key_list", "data_version":
			granted = true
		}
	}
	if granted {
		return sqlite.AuthorizerOK
	}
	return sqlite.AuthorizerDeny
}

// offered are the functions a statement may call: those of the engine that only
// compute. One that is added later, by a new engine or by somebody else, is not,
// nor are json_group_array and its like, which gather rows without a bound.
func offered(name string) bool {
	switch name {
	case "abs", "ceil", "ceiling", "floor", "trunc", "round", "sign", "mod", "pow", "power", "sqrt", "exp",
		"ln", "log", "log10", "log2", "pi", "degrees", "radians", "sin", "cos", "tan", "asin", "acos", "atan",
		"atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "random", "randomblob", "zeroblob",
		// texts
		"char", "concat", "concat_ws", "format", "printf", "glob", "hex", "unhex", "instr", "length", "like",
		"lower", "upper", "trim", "ltrim", "rtrim", "octet_length", "quote", "replace", "soundex", "substr",
		"substring", "unicode", "unistr", "unistr_quote",
		// choices
		"coalesce", "if", "ifnull", "iif", "nullif", "likely", "unlikely", "likelihood", "typeof", "subtype",
		"sqlite_version",
		// times
		"current_date", "current_time", "current_timestamp", "date", "time", "datetime", "julianday",
		"strftime", "timediff", "unixepoch",
		// aggregates and windows
		"avg", "count", "group_concat", "string_agg", "max", "min", "sum", "total", "row_number", "rank",
		"dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value", "nth_value",
		// JSON
		"->", "->>", "json", "jsonb", "json_array", "jsonb_array", "json_array_length", "json_array_insert",
		"jsonb_array_insert", "json_error_position", "json_extract", "jsonb_extract", "json_insert",
		"jsonb_insert", "json_object", "jsonb_object", "json_patch", "jsonb_patch", "json_pretty",
		"json_quote", "json_remove", "jsonb_remove", "json_replace", "jsonb_replace", "json_set", "jsonb_set",
		"json_type", "json_valid",
		// full-text search
		"match", "bm25", "highlight", "snippet":
		return true
	}
	return false
}
