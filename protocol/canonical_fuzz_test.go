package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// FuzzCanonical holds Canonical against encoding/json: what it takes it does
// not change in meaning and does not change again, and what it refuses is
// refused for one of the reasons it may have.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		``, `null`, `true`, ` 1 `, `-0.0e+7`, `1e999`, `""`, `{}`, `[]`, `[[],{}]`, `{"b":1,"a":{"d":[1,2.50],"c":null}}`,
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1}{}`, `{"A":1,"a":2}`, `[1,]`, `{"a":}`, `[}`, `{]`, `"\ud83d\ude00"`, `"\ud83d"`,
		`"\\ud83d"`, `"\u2028 <&> \u007f\u0000"`, "\"\xff\"", "\"\ufffd\"", `"\ufffd"`, "\ufeff{}", `{"":{"":0}}`, nested(MaxJSONDepth, ""),
		nested(MaxJSONDepth+1, ""), `{"a":"` + strings.Repeat("é", 300) + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := checkCanonical(raw); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCanonicalOfAnything runs the fuzzer's property over documents that are
// nearly right, in every test run.
func TestCanonicalOfAnything(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		`{`, `}`, `[`, `]`, `,`, `:`, `"`, `\`, `\u`, `d83d`, `de00`, `0061`, `"a"`, `"a":`, `"b":`, `"a":1`, `1`, `.5`, `e9`, `-`, `0`,
		`null`, `true`, ` `, "\n", "\xff", "é", `{}`, `[]`, `"\ud83d\ude00"`,
	})
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), "")
		if err := checkCanonical([]byte(raw)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCanonicalForgetsSpelling: however a document is written, its canonical
// form is the same.
func TestCanonicalForgetsSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents(3).Draw(t, "document")
		once, again := doc.write(t, false), doc.write(t, true)
		a, errA := Canonical([]byte(once))
		b, errB := Canonical([]byte(again))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s (%v)\n%s (%v)\nfrom\n%s\n%s", a, errA, b, errB, once, again)
		}
		if err := checkCanonical([]byte(again)); err != nil {
			t.Fatal(err)
		}
	})
}

// checkCanonical says what is wrong with what Canonical makes of some bytes.
func checkCanonical(raw []byte) error {
	got, err := Canonical(raw)
	if err != nil {
		if excuse(raw) == "" {
			return fmt.Errorf("%q was refused without a reason: %w", raw, err)
		}
		return nil
	}
	if why := excuse(raw); why != "" {
		return fmt.Errorf("%q was taken as %q: %s", raw, got, why)
	}
	if again, err := Canonical(got); err != nil || !bytes.Equal(again, got) {
		return fmt.Errorf("%q is not canonical itself: %q, %w", got, again, err)
	}
	var tight bytes.Buffer
	if err := json.Compact(&tight, got); err != nil || !bytes.Equal(tight.Bytes(), got) {
		return fmt.Errorf("%q has spaces: %w", got, err)
	}
	before, after := loose(raw), loose(got)
	if !reflect.DeepEqual(before, after) {
		return fmt.Errorf("%q means %v and became %q, which means %v", raw, before, got, after)
	}
	return nil
}

// excuse gives the reason for which a document may be refused, by other means
// than Canonical's own; empty when there is none.
func excuse(raw []byte) string {
	switch {
	case !utf8.Valid(raw):
		return "it is not UTF-8"
	case !json.Valid(raw):
		return "it is not JSON"
	case levels(raw) > MaxJSONDepth:
		return "it is too deep"
	case replaced(loose(raw)) > written(raw):
		return "it has a lone surrogate"
	}
	tokens := 0
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for ; ; tokens++ {
		if _, err := d.Token(); err != nil {
			break
		}
	}
	if countTokens(loose(raw)) != tokens {
		return "it has a member twice"
	}
	return ""
}

func loose(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // asked of valid JSON only
	return v
}

// levels counts the open brackets at the deepest place.
func levels(raw []byte) (deepest int) {
	level, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			level++
			deepest = max(deepest, level)
		case !quoted && (c == '}' || c == ']'):
			level--
		}
	}
	return deepest
}

// replaced counts the replacement characters in all strings of a value: a
// reader puts one where a surrogate stood alone.
func replaced(v any) (n int) {
	switch v := v.(type) {
	case string:
		return strings.Count(v, "\ufffd")
	case []any:
		for _, item := range v {
			n += replaced(item)
		}
	case map[string]any:
		for name, item := range v {
			n += replaced(name) + replaced(item)
		}
	}
	return n
}

// written counts the replacement characters that stand in a text on purpose.
func written(raw []byte) int {
	raw = bytes.ReplaceAll(raw, []byte(`\\`), nil) // an escaped backslash begins no escape
	return bytes.Count(raw, []byte("\ufffd")) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
}

// countTokens counts the tokens a value is written with: fewer than stood in
// the document when a member of it was lost to another of the same name.
func countTokens(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += countTokens(item)
		}
		return n + 2
	case map[string]any:
		for _, item := range v {
			n += 1 + countTokens(item)
		}
		return n + 2
	}
	return 1
}

// document is a JSON value that can be written in many ways.
type document struct {
	word    string // a number or a word, verbatim
	text    []rune // a string
	items   []document
	members []namedDocument
	kind    byte // one of: w s [ {
}

type namedDocument struct {
	name  []rune
	value document
}

func documents(depth int) *rapid.Generator[document] {
	text := rapid.SliceOfN(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("ab/\"\\<\u2028\x00😀"))), 0, 6)
	return rapid.Custom(func(t *rapid.T) document {
		kinds := "ws[{"
		if depth == 0 {
			kinds = "ws"
		}
		d := document{kind: kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]}
		switch d.kind {
		case 'w':
			d.word = rapid.SampledFrom([]string{"null", "true", "0", "-1.50", "1E+2", "123456789012345678901234567890"}).Draw(t, "word")
		case 's':
			d.text = text.Draw(t, "text")
		case '[':
			d.items = rapid.SliceOfN(documents(depth-1), 0, 4).Draw(t, "items")
		case '{':
			named := rapid.Custom(func(t *rapid.T) namedDocument {
				return namedDocument{text.Draw(t, "name"), documents(depth-1).Draw(t, "value")}
			})
			d.members = rapid.SliceOfNDistinct(named, 0, 4, func(n namedDocument) string { return string(n.name) }).Draw(t, "members")
		}
		return d
	})
}

// write spells a document: plainly, or with spaces, another order and escapes
// wherever JSON allows them.
func (d document) write(t *rapid.T, oddly bool) string {
	space := func() string {
		if !oddly {
			return ""
		}
		return rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "space")
	}
	var parts []string
	for _, item := range d.items {
		parts = append(parts, space()+item.write(t, oddly)+space())
	}
	members := d.members
	if oddly && len(members) > 1 {
		members = rapid.Permutation(members).Draw(t, "order")
	}
	for _, m := range members {
		parts = append(parts, space()+quote(t, m.name, oddly)+space()+":"+space()+m.value.write(t, oddly)+space())
	}
	inner := strings.Join(parts, ",")
	if inner == "" {
		inner = space()
	}
	switch d.kind {
	case '[':
		return "[" + inner + "]"
	case '{':
		return "{" + inner + "}"
	case 's':
		return quote(t, d.text, oddly)
	}
	return d.word
}

func quote(t *rapid.T, text []rune, oddly bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		must := r < 0x20 || r == '"' || r == '\\'
		switch {
		case !must && (!oddly || rapid.Bool().Draw(t, "as it is")):
			b.WriteRune(r)
		case r >= 0x10000:
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
