package sqlread

import (
	"context"
	"errors"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
	"github.com/tipstaff/tipstaff/tool"
)

// Args are sql_readonly's arguments.
type Args struct {
	Query string `json:"query" jsonschema:"one SQL SELECT statement (SQLite)"`
}

// New makes the tool over a database.
func New(db *DB) ports.ToolV1 {
	return tool.New("sql_readonly", "Answer one SQL SELECT from the database, as text: a line of column names, then a line a row.", tool.ReadOnly,
		func(ctx context.Context, in Args) (tool.Result, error) {
			t, err := db.Query(ctx, in.Query)
			var bad *Error
			if errors.As(err, &bad) {
				return tool.Result{}, &ports.Fault{Kind: ports.FaultFailed, Message: bad.Error(), Retriable: bad.Class == Unavailable}
			}
			if err != nil {
				return tool.Result{}, err
			}
			if len(t.Rows) == 1 && len(t.Columns) == 1 && t.Cut == "" {
				return tool.Result{Text: t.Rows[0][0]}, nil // one value speaks for itself
			}
			return tool.Result{Text: t.String()}, nil
		}, tool.Results(protocol.Workspace))
}
