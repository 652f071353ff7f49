package record

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

type secretCase struct {
	ID    string `json:"id"`
	Input struct {
		Parts            []string `json:"parts"`
		KnownSecretParts []string `json:"knownSecretParts"`
	} `json:"input"`
	Expect struct {
		Decision    string   `json:"decision"`
		SecretParts []string `json:"secretParts"`
	} `json:"expect"`
}

func secretCases(t testing.TB) []secretCase {
	raw, err := os.ReadFile("testdata/secrets-open.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Cases []secretCase }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Cases
}

// TestSecretsCorpus runs every case of the corpus, the controls included.
func TestSecretsCorpus(t *testing.T) {
	for _, c := range secretCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			input := strings.Join(c.Input.Parts, "")
			r := NewRedactor([]byte("key"), strings.Join(c.Input.KnownSecretParts, ""))
			got, changed := r.Text(input)
			switch c.Expect.Decision {
			case "unchanged":
				if changed || got != input {
					t.Errorf("a control was changed: %q", got)
				}
			case "scrubbed":
				if secret := strings.Join(c.Expect.SecretParts, ""); strings.Contains(got, secret) {
					t.Errorf("the secret is still there: %q", got)
				}
				if !changed || !strings.Contains(got, markerStart) {
					t.Errorf("no marker in %q", got)
				}
			case "documented-limit": // see Redactor's comment
			default:
				t.Fatalf("no such decision: %s", c.Expect.Decision)
			}
			if again, more := r.Text(got); more || again != got {
				t.Errorf("redacting twice changed %q to %q", got, again)
			}
		})
	}
}

func TestRedactJSON(t *testing.T) {
	r := NewRedactor([]byte("key"), "hunter2hunter2")
	for _, c := range []struct{ in, want string }{
		{`{"a":1.50,"b":[true,null,"x"]}`, ``},
		{`{"password":"pa\"ss\"word","n":12345678901234567890}`, `pa\"ss`},
		{`{"x":{"api_key":["abcdefghijkl"]}}`, `abcdefghijkl`},
		{`{"content":"k = hunter2\nhunter2"}`, `hunter2`},
		{`{"deep":"{\"token\":\"abcdefgh1234\"}"}`, `abcdefgh1234`},
	} {
		got, changed, err := r.JSON([]byte(c.in))
		if err != nil || !json.Valid(got) {
			t.Fatalf("%s: %s, %v", c.in, got, err)
		}
		if changed != (c.want != "") || (c.want == "" && string(got) != c.in) || (c.want != "" && strings.Contains(string(got), c.want)) {
			t.Errorf("%s became %s", c.in, got)
		}
	}
}

// TestRedactMarkers: the same secret has the same marker, another key another.
func TestRedactMarkers(t *testing.T) {
	a, _ := NewRedactor([]byte("a")).Text("password=abcdef")
	b, _ := NewRedactor([]byte("b")).Text("password=abcdef")
	c, _ := NewRedactor([]byte("a")).Text("pwd: abcdef")
	if a == b {
		t.Error("the digest does not depend on the key")
	}
	if a[len("password="):] != c[len("pwd: "):] {
		t.Errorf("the same secret has two markers: %s %s", a, c)
	}
}

func FuzzRedact(f *testing.F) {
	for _, c := range secretCases(f) {
		f.Add(strings.Join(c.Input.Parts, ""))
	}
	f.Add("://a:b@c password=\xff\x00 [redacted:x:y]")
	r := NewRedactor([]byte("key"), "correct horse battery")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4096 {
			return
		}
		once, _ := r.Text(s)
		if !utf8.ValidString(once) || strings.Contains(once, "\x00") {
			t.Fatalf("not clean: %q", once)
		}
		if twice, _ := r.Text(once); twice != once {
			t.Fatalf("%q became %q and then %q", s, once, twice)
		}
	})
}

func BenchmarkRedactCleanKilobyte(b *testing.B) {
	r := NewRedactor([]byte("key"))
	s := strings.Repeat("an ordinary line of text without anything in it\n", 22)[:1024]
	b.ReportAllocs()
	for b.Loop() {
		r.Text(s)
	}
}

// BenchmarkRedactHostile takes a mebibyte of what a search could get lost in: the
// figures are all of one size.
func BenchmarkRedactHostile(b *testing.B) {
	r := NewRedactor([]byte("key"), "aaaaaaaaab")
	for _, unit := range []string{"://", "://a:b@", "cookie:", "authorization:", "password=", "-----BEGIN ", "a\n", "sk-", "eyJ.", "[redacted:", `{"token":`} {
		s := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(strings.Trim(unit, ":\n-"), func(b *testing.B) {
			for b.Loop() {
				r.Text(s)
			}
		})
	}
}
