package conformance

import "slices"

// Layer is one row of the import table (DESIGN section 2): whose folder it is and
// what may be imported there. Patterns are those of covers.
type Layer struct {
	// Path is the folder the row owns. The most exact row owns a folder; a
	// folder that no row owns is a finding, so that nothing grows beside the
	// table (S2-161).
	Path string
	// Ours, Std and Outside are what may be imported of this module, of the
	// standard library and of other modules. "./..." in Ours means what stands
	// below the importing folder's own row.
	Ours, Std, Outside []string
	// Not names what of an allowed package may not be used, "time.Now".
	Not []string
	// Door is the one file of the folder that may import what DoorOurs says.
	Door     string
	DoorOurs []string
}

// Layers is the import table. Changing it is a decision, not a lint fix.
func Layers() []Layer {
	rows := []Layer{
		{
			Path: "protocol",
			Std:  []string{"bytes", "cmp", "encoding/json", "errors", "fmt", "io", "math", "reflect", "slices", "strconv", "strings", "unicode/utf8"},
		},
		{
			Path: "kernel",
			Ours: []string{"protocol"},
			Std:  []string{"cmp", "fmt", "slices", "strconv", "strings"},
		},
		{
			Path: "kernel/driver",
			Ours: []string{"protocol", "kernel", "record", "ports"},
			Std: []string{
				"context", "crypto/sha256", "encoding/...", "errors", "fmt", "io", "iter", "slices", "strconv", "strings", "sync", "time", "unicode/utf8",
			},
			Not: clockReadings(),
		},
		{
			Path: "record",
			Ours: []string{"protocol"},
			Std: []string{
				"bytes", "cmp", "context", "crypto/...", "encoding/...", "errors", "fmt", "hash", "io", "iter", "math", "reflect", "regexp", "slices",
				"sort", "strconv", "strings", "sync", "unicode/...",
			},
		},
		{
			Path:    "record/pebblestore",
			Ours:    []string{"protocol", "ports"},
			Std:     except("os/...", "net/...", "syscall"),
			Outside: []string{"github.com/cockroachdb/pebble/v2/..."},
		},
		{
			Path: "ports",
			Ours: []string{"protocol"},
			Std:  []string{"context", "errors", "io", "iter", "time"},
			Not:  clockReadings(),
		},
		{
			Path:    "tool",
			Ours:    []string{"protocol", "ports"},
			Std:     []string{"..."},
			Outside: []string{"github.com/google/jsonschema-go/..."},
		},
		{
			Path: "host/...",
			Ours: everythingButAdapters(),
			Std:  []string{"..."},
			Outside: []string{
				"github.com/caarlos0/env/v11/...", "github.com/go-playground/validator/v10/...", "github.com/google/uuid",
				"github.com/joho/godotenv/...", "github.com/mattn/go-isatty", "github.com/oklog/run", "github.com/pelletier/go-toml/v2/...",
				"github.com/pkg/errors", "github.com/spf13/cobra/...", "github.com/spf13/pflag", "golang.org/x/sync/...",
			},
			Door: "host/bind.go", DoorOurs: []string{"adapters/..."},
		},
		{
			Path:    "conformance",
			Ours:    []string{"protocol", "ports", "tool", "kernel/...", "record/..."},
			Std:     []string{"..."},
			Outside: testModules(),
		},
		{Path: "xtask/...", Ours: everythingButAdapters(), Std: []string{"..."}},
		{Path: "xtask/bench", Ours: everythingButAdapters(), Std: []string{"..."}, Outside: []string{"github.com/cockroachdb/pebble/v2/..."}},
	}
	return append(rows, adapterLayers()...)
}

// adapterLayers are the rows of the adapters: each has its own one thing and
// never another adapter. An adapter that is not named here has nothing outside.
func adapterLayers() []Layer {
	things := []struct {
		name    string
		outside []string
	}{
		{"openai", []string{"github.com/openai/openai-go/v3/..."}},
		{"gemini", []string{"google.golang.org/genai/..."}},
		{"anthropic", []string{"github.com/anthropics/anthropic-sdk-go/v2/..."}},
		{"calculator", []string{"github.com/cockroachdb/apd/v3"}},
		{"sqlread", []string{"github.com/jackc/pgx/v5/...", "modernc.org/sqlite/..."}},
		{"httptool", []string{"code.dny.dev/ssrf"}},
		{"websearch", []string{"code.dny.dev/ssrf"}},
		{"mcpclient", []string{"github.com/modelcontextprotocol/go-sdk/..."}},
		{"mcpserver", []string{"github.com/modelcontextprotocol/go-sdk/..."}},
		{"pgstore", []string{"github.com/jackc/pgx/v5/...", "github.com/pressly/goose/v3/..."}},
		{"redisstore", []string{"github.com/redis/go-redis/v9/..."}},
		{"embedded", []string{"github.com/cockroachdb/pebble/v2/..."}},
		{"jetstream", []string{"github.com/nats-io/nats.go/...", "github.com/nats-io/nats-server/v2/..."}},
		{"httpapi", []string{"github.com/danielgtaylor/huma/v2/..."}},
		{"otelexport", []string{"go.opentelemetry.io/..."}},
		{"cell", []string{
			"github.com/landlock-lsm/go-landlock/...", "github.com/elastic/go-seccomp-bpf/...", "github.com/tetratelabs/wazero/...",
			"go.starlark.net/...", "golang.org/x/sys/...",
		}},
	}
	ours := []string{"protocol", "ports", "tool", "./..."}
	rows := []Layer{{Path: "adapters/...", Ours: ours, Std: []string{"..."}}}
	for _, t := range things {
		rows = append(rows, Layer{Path: "adapters/" + t.name + "/...", Ours: ours, Std: []string{"..."}, Outside: t.outside})
	}
	return rows
}

func everythingButAdapters() []string {
	return []string{"protocol", "ports", "tool", "kernel/...", "record/...", "host/...", "conformance", "xtask/..."}
}

// testModules are the modules that tests of any folder may import.
func testModules() []string {
	return []string{
		"github.com/cockroachdb/datadriven", "github.com/google/go-cmp/...", "go.uber.org/goleak", "pgregory.net/rapid",
		"modernc.org/sqlite/...", // the caller's own database, as a test makes one
	}
}

// clockReadings is every way of reading or waiting for the machine's clock: the
// clock is a port.
func clockReadings() []string {
	return []string{
		"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer", "time.NewTicker",
		"context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause",
	}
}

// except is the whole standard library but for some of it; "!" marks what is not
// allowed.
func except(patterns ...string) []string {
	out := []string{"..."}
	for _, p := range patterns {
		out = append(out, "!"+p)
	}
	return out
}

// TrustedBase lists the folders everything else rests on (DESIGN section 12).
func TrustedBase() []string { return []string{"protocol", "kernel", "record", "kernel/driver"} }

// stdAllowed tells whether a list allows a package; a "!" wins.
func stdAllowed(list []string, pkg string) bool {
	refused := slices.ContainsFunc(list, func(p string) bool { return p[0] == '!' && covers(p[1:], pkg) })
	return !refused && coversAny(list, pkg)
}
