package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrecedence: the environment goes before the file, the file before the
// default; what is empty counts as not set.
func TestPrecedence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.toml")
	text := "mode = \"plan\"\nmax_turns = 7\nworkspace = \"from-file\"\nprovider = \"script\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(path, map[string]string{"MAX_STEPS": "9", "HOME": "/h", "LLM_MODEL": "m.json"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Mode != "plan" || c.MaxTurns != 9 || c.Workspace != "from-file" || c.Model != "m.json" || c.Home != "/h/.local/state/tipstaff" {
		t.Errorf("%+v", c)
	}
	b := c.budget()
	if b.MaxTurns != 9 || b.MaxWallSecs != 900 || b.MaxConsecutiveToolErrors != 3 || b.MaxTokens != nil || b.MaxUSD != nil {
		t.Errorf("%+v", b)
	}
	for home, environ := range map[string]map[string]string{
		"/x/tipstaff": {"XDG_STATE_HOME": "/x", "HOME": "/h"},
		"/t":          {"TIPSTAFF_HOME": "/t", "XDG_STATE_HOME": "/x"},
	} {
		if c, err := LoadConfig("", environ); err != nil || c.Home != home {
			t.Errorf("%s, %v, want %s", c.Home, err, home)
		}
	}
}

// TestBadEnvironment: a bad value is an error that names the variable's member.
func TestBadEnvironment(t *testing.T) {
	for says, environ := range map[string]map[string]string{
		"MAX_STEPS is not a whole number":           {"MAX_STEPS": "many"},
		"max_turns is at least 0":                   {"MAX_STEPS": "-1"},
		"RUN_TIMEOUT_S is not a whole number":       {"RUN_TIMEOUT_S": "1e99"},
		"TIPSTAFF_SHOWCASE is not true or false":    {"TIPSTAFF_SHOWCASE": "perhaps"},
		"provider is one of script, not \"oracle\"": {"LLM_PROVIDER": "oracle"},
	} {
		if _, err := LoadConfig("", environ); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", environ, err)
		}
	}
}

// TestKnownSecrets: values of variables that hold secrets by their names are
// known to the redactor, others are not.
func TestKnownSecrets(t *testing.T) {
	got := strings.Join(knownSecrets(map[string]string{
		"OPENAI_API_KEY": "abcdefgh-1", "POSTGRES_PASSWORD": "abcdefgh-2", "PATH": "/usr/local/bin", "API_KEYS": "short", "MY_TOKEN": "abcdefgh-3",
	}), " ")
	if strings.Count(got, "abcdefgh-") != 3 || strings.Contains(got, "usr") || strings.Contains(got, "short") {
		t.Errorf("%s", got)
	}
}
