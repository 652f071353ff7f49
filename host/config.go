package host

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
	"github.com/go-playground/validator/v10"
	"github.com/pelletier/go-toml/v2"
	"github.com/pkg/errors"

	"github.com/tipstaff/tipstaff/protocol"
)

// Config is everything that can be set. A flag goes before the environment, the
// environment before the file, the file before the default.
type Config struct {
	// Home is the folder of the record.
	Home string `toml:"home" env:"TIPSTAFF_HOME"`
	// Provider and Model name the model; for script, Model is the file.
	Provider string `toml:"provider" env:"LLM_PROVIDER" validate:"omitempty,oneof=script"`
	Model    string `toml:"model" env:"LLM_MODEL"`
	// Workspace is the folder that file tools work in.
	Workspace string `toml:"workspace" env:"FILE_TOOL_BASE_DIR"`
	// Database is what sql_readonly reads, sqlite:PATH; empty is the demo's.
	Database string `toml:"database_readonly_url" env:"DATABASE_READONLY_URL"`
	// Mode and OnFailure are words of their types.
	Mode      string `toml:"mode" validate:"omitempty,oneof=default acceptEdits plan yolo"`
	OnFailure string `toml:"on_failure" validate:"omitempty,oneof=report compensate"`
	// MaxTurns and MaxWallSecs bound a run.
	MaxTurns    int   `toml:"max_turns" env:"MAX_STEPS" validate:"min=0,max=100000"`
	MaxWallSecs int64 `toml:"max_wall_secs" env:"RUN_TIMEOUT_S" validate:"min=0,max=31536000"`
	// MaxToolErrors, MaxTokens and MaxMicroUSD bound a run further; zero means
	// the default.
	MaxToolErrors int    `toml:"max_tool_errors" validate:"min=0,max=100000"`
	MaxTokens     int64  `toml:"max_tokens" validate:"min=0"`
	MaxMicroUSD   *int64 `toml:"max_micro_usd" validate:"omitempty,min=0"`
	// Allow and Deny are exact-tool rules.
	Allow []string `toml:"allow" validate:"max=128"`
	Deny  []string `toml:"deny" validate:"max=128"`
	// FSM is the file with transitions that are added to the guardrail.
	FSM string `toml:"fsm"`
	// Showcase adds the demo.* tools, which the demo plays its scenes with.
	Showcase bool `toml:"showcase" env:"TIPSTAFF_SHOWCASE"`
}

// LoadConfig reads the file, when one is named, and the environment over it.
func LoadConfig(path string, environ map[string]string) (Config, error) {
	var c Config
	if path != "" {
		if err := readTOML(path, &c); err != nil {
			return c, err
		}
	}
	if err := env.ParseWithOptions(&c, env.Options{Environment: environ}); err != nil {
		return c, usage(errors.Errorf("environment: %s", plainEnv(err)))
	}
	if c.Home == "" {
		c.Home = defaultHome(environ)
	}
	return c, c.Validate()
}

// Validate checks the values and names the one that is wrong.
func (c Config) Validate() error {
	if err := checker().Struct(c); err != nil {
		return usage(errors.Wrap(plainValidation(err), "configuration"))
	}
	return nil
}

// checker checks struct tags and speaks of members by the names users write.
func checker() *validator.Validate {
	v := validator.New()
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		for _, tag := range []string{"json", "toml"} {
			if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" && name != "-" {
				return name
			}
		}
		return f.Name
	})
	return v
}

func defaultHome(environ map[string]string) string {
	if state := environ["XDG_STATE_HOME"]; state != "" {
		return filepath.Join(state, "tipstaff")
	}
	return filepath.Join(environ["HOME"], ".local", "state", "tipstaff")
}

// Environ is the process's environment as a table. An empty value counts as not
// set.
func Environ() map[string]string {
	out := map[string]string{}
	for _, kv := range os.Environ() {
		if name, value, ok := strings.Cut(kv, "="); ok && value != "" {
			out[name] = value
		}
	}
	return out
}

// readTOML reads a file of ours, strictly: an unknown key is an error that names
// its place.
func readTOML(path string, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return usage(errors.Wrap(err, "configuration"))
	}
	defer f.Close()
	d := toml.NewDecoder(f)
	d.DisallowUnknownFields()
	err = d.Decode(v)
	var strict *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &strict):
		e := strict.Errors[0]
		row, column := e.Position()
		return usage(errors.Errorf("%s:%d:%d: unknown key %q", path, row, column, strings.Join(e.Key(), ".")))
	case errors.As(err, &bad):
		row, column := bad.Position()
		return usage(errors.Errorf("%s:%d:%d: %s", path, row, column, strings.TrimPrefix(bad.Error(), "toml: ")))
	}
	return usage(errors.Wrap(err, path))
}

// plainValidation gives the first fault of a validation in words.
func plainValidation(err error) error {
	var faults validator.ValidationErrors
	if !errors.As(err, &faults) || len(faults) == 0 {
		return err
	}
	f := faults[0]
	_, field, _ := strings.Cut(f.Namespace(), ".")
	most := "at most " + f.Param()
	switch f.Tag() {
	case "oneof":
		return fmt.Errorf("%s is one of %s, not %q", field, strings.ReplaceAll(f.Param(), " ", ", "), fmt.Sprint(f.Value()))
	case "min":
		return fmt.Errorf("%s is at least %s", field, f.Param())
	case "max":
		if f.Kind() == reflect.String {
			most += " characters"
		}
		return fmt.Errorf("%s is %s", field, most)
	case "required":
		return fmt.Errorf("%s is missing", field)
	}
	return fmt.Errorf("%s is not right (%s)", field, f.Tag())
}

// plainEnv names the variable whose value cannot be read.
func plainEnv(err error) string {
	var all env.AggregateError
	var bad env.ParseError
	if !errors.As(err, &all) || len(all.Errors) == 0 || !errors.As(all.Errors[0], &bad) {
		return strings.TrimPrefix(err.Error(), "env: ")
	}
	name, kind := bad.Name, "of the right kind"
	if f, ok := reflect.TypeFor[Config]().FieldByName(bad.Name); ok {
		name = f.Tag.Get("env")
	}
	switch bad.Type.Kind() {
	case reflect.Int, reflect.Int64:
		kind = "a whole number"
	case reflect.Bool:
		kind = "true or false"
	}
	return name + " is not " + kind
}

// UsageError is a mistake of the caller: exit code 2, and nothing has happened.
type UsageError struct{ Err error }

// Error gives the mistake.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usage(err error) error { return &UsageError{err} }

// Usage makes a mistake of the caller.
func Usage(format string, args ...any) error { return usage(errors.Errorf(format, args...)) }

// budget makes the bounds of a run.
func (c Config) budget() protocol.Budget {
	b := protocol.DefaultBudget()
	if c.MaxTurns > 0 {
		b.MaxTurns = c.MaxTurns
	}
	if c.MaxWallSecs > 0 {
		b.MaxWallSecs = c.MaxWallSecs
	}
	if c.MaxToolErrors > 0 {
		b.MaxConsecutiveToolErrors = c.MaxToolErrors
	}
	if c.MaxTokens > 0 {
		b.MaxTokens = &c.MaxTokens
	}
	b.MaxUSD = c.MaxMicroUSD
	return b
}

// fsmFile is the form of fsm.toml.
type fsmFile struct {
	Transitions []protocol.Transition `toml:"transition" validate:"max=64,dive"`
}

// LoadFSM reads the transitions a file adds to the guardrail, and checks them.
func LoadFSM(path string) ([]protocol.Transition, error) {
	if path == "" {
		return nil, nil
	}
	var f fsmFile
	if err := readTOML(path, &f); err != nil {
		return nil, err
	}
	if err := checker().Struct(f); err != nil {
		return nil, usage(errors.Wrap(plainValidation(err), path))
	}
	for i, t := range f.Transitions {
		if err := t.Validate(); err != nil {
			return nil, usage(errors.Wrapf(err, "%s: transition %d", path, i+1))
		}
	}
	return f.Transitions, nil
}
