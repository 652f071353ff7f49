package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tipstaff/tipstaff/protocol"
)

// Redactor takes secrets out of text. It knows how secrets look (provider keys,
// tokens, PEM blocks, JWTs, passwords in addresses and assignments, cookies) and
// the exact values it was told, also encoded or broken over lines. It is
// immutable and safe for concurrent use.
//
// Its limits: a secret of no known shape that nobody told it, one whose letters
// are spaced out or changed in case, and one whose parts come in texts of their
// own cannot be seen.
type Redactor struct {
	key   []byte
	known []knownSecret
}

// knownSecret is one value with the spellings it is looked for in.
type knownSecret struct {
	value     string
	spellings []string
}

// minKnownBytes is the shortest value that is looked for: shorter ones are
// found everywhere.
const minKnownBytes = 6

// NewRedactor makes a redactor. key keys the digests in its markers, so that
// the same secret can be recognised and none can be guessed; known are values
// that must never be written down.
func NewRedactor(key []byte, known ...string) *Redactor {
	r := &Redactor{key: bytes.Clone(key)}
	for _, v := range known {
		if len(v) >= minKnownBytes {
			r.known = append(r.known, knownSecret{v, spellings(v)})
		}
	}
	return r
}

// spellings are the encodings a known value is also found in.
func spellings(v string) []string {
	raw := []byte(v)
	percent := make([]byte, 0, 3*len(v))
	for _, c := range raw {
		percent = append(percent, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
	}
	out := []string{
		v, hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
		string(percent), strings.ToLower(string(percent)),
	}
	for pad := range 3 { // base64 looks different at each of three alignments
		shifted := append(bytes.Repeat([]byte{0}, pad), raw...)
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			s := enc.EncodeToString(shifted)
			from := []int{0, 2, 3}[pad]
			whole := len(shifted) / 3 * 4
			out = append(out, s[from:whole])
		}
	}
	escaped := string(protocol.MustMarshal(v))
	out = append(out, escaped[1:len(escaped)-1])
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}

// span is a secret's place in a text.
type span struct {
	from, to int
	kind     string
}

// Text takes the secrets out of a text and cleans it: valid UTF-8, no NUL. A
// marker with the kind and a keyed digest stands in a secret's place. Redacting
// twice changes nothing more.
func (r *Redactor) Text(s string) (clean string, changed bool) {
	s = Clean(s)
	spans := unmarked(r.find(s), s)
	if len(spans) == 0 {
		return s, false
	}
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		if sp.from < at {
			if sp.to > at { // overlaps the one before: swallow the rest
				at = sp.to
			}
			continue
		}
		b.WriteString(s[at:sp.from])
		b.WriteString(r.marker(sp.kind, s[sp.from:sp.to]))
		at = sp.to
	}
	b.WriteString(s[at:])
	return b.String(), true
}

// markerStart begins every marker; what it marks has been redacted already.
const markerStart = "[redacted:"

func (r *Redactor) marker(kind, secret string) string {
	m := hmac.New(sha256.New, r.key)
	m.Write([]byte(secret))
	return markerStart + kind + ":" + hex.EncodeToString(m.Sum(nil)[:4]) + "]"
}

func (r *Redactor) find(s string) []span {
	spans := r.findKnown(nil, s)
	spans = findTokens(spans, s)
	spans = findBlocks(spans, s)
	spans = findUserinfo(spans, s)
	return findAssigned(spans, s)
}

// unmarked takes out of the spans what has been redacted already, and sorts
// them. Only the marker itself is spared: what stands beside it in a span is not.
func unmarked(spans []span, s string) []span {
	for at := 0; len(spans) > 0; {
		i := strings.Index(s[at:], markerStart)
		if i < 0 {
			break
		}
		from := at + i
		to, ok := markerEnd(s, from)
		at = to
		if !ok {
			continue
		}
		var kept []span
		for _, sp := range spans {
			if sp.from < from {
				kept = append(kept, span{sp.from, min(sp.to, from), sp.kind})
			}
			if sp.to > to {
				kept = append(kept, span{max(sp.from, to), sp.to, sp.kind})
			}
		}
		spans = kept
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	return spans
}

// markerEnd is where the marker that begins at from ends; ok is false when it is
// not of the form of a marker.
func markerEnd(s string, from int) (to int, ok bool) {
	to = from + len(markerStart)
	kind := to
	for to < len(s) && (s[to] >= 'a' && s[to] <= 'z' || s[to] == '_') {
		to++
	}
	const digits = 8
	if to == kind || to+digits+2 > len(s) || s[to] != ':' || s[to+digits+1] != ']' {
		return to, false
	}
	for _, c := range []byte(s[to+1 : to+1+digits]) {
		if c < '0' || c > '9' && c < 'a' || c > 'f' {
			return to, false
		}
	}
	return to + digits + 2, true
}

// findKnown looks for the values it was told, whole, encoded, or broken by line
// ends and invisible characters.
func (r *Redactor) findKnown(spans []span, s string) []span {
	for _, k := range r.known {
		for _, sp := range k.spellings {
			for at := 0; ; {
				i := strings.Index(s[at:], sp)
				if i < 0 {
					break
				}
				spans = append(spans, span{at + i, at + i + len(sp), "known"})
				at += i + len(sp)
			}
		}
		spans = findBroken(spans, s, k.value)
	}
	return spans
}

// findBroken looks for a value with line ends, tabs or zero-width characters
// between its bytes.
func findBroken(spans []span, s, value string) []span {
	if !strings.ContainsAny(s, "\n\r\t\u200b\u200c\u200d\u2060\ufeff\u00ad\\") {
		return spans
	}
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], value[0])
		if i < 0 {
			return spans
		}
		from += i
		if to, ok := matchBroken(s, from, value); ok {
			spans = append(spans, span{from, to, "known"})
			from = to - 1
		}
	}
}

func matchBroken(s string, at int, value string) (int, bool) {
	for i := 0; i < len(value); {
		switch {
		case at >= len(s):
			return 0, false
		case s[at] == value[i]:
			at, i = at+1, i+1
		case i == 0:
			return 0, false
		default:
			skip := invisible(s[at:])
			if skip == 0 {
				return 0, false
			}
			at += skip
		}
	}
	return at, true
}

// invisible is the length of what may stand inside a broken secret.
func invisible(s string) int {
	for _, gap := range []string{"\n", "\r", "\t", `\n`, `\r`, `\t`, "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"} {
		if strings.HasPrefix(s, gap) {
			return len(gap)
		}
	}
	return 0
}

// Clean makes text that any reader takes: invalid UTF-8 becomes U+FFFD, NUL is
// left out.
func Clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// JSON takes the secrets out of a JSON document: of every text in it, and of
// members whose name says that the value is secret. Order and numbers stay as
// they are.
func (r *Redactor) JSON(raw []byte) (clean []byte, changed bool, err error) {
	if !json.Valid(raw) {
		return nil, false, errors.New("not a JSON document")
	}
	text := string(raw)
	if strings.IndexByte(text, '\\') < 0 && utf8.ValidString(text) && !namesSecret(text) && len(unmarked(r.find(text), text)) == 0 {
		return raw, false, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	w := jsonScrub{r: r, d: d}
	if err := w.value(""); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	return w.out.Bytes(), w.changed, nil
}

type jsonScrub struct {
	r       *Redactor
	d       *json.Decoder
	out     bytes.Buffer
	changed bool
}

func (w *jsonScrub) value(name string) error {
	t, err := w.d.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return w.nested(t, name)
	case json.Number:
		w.out.WriteString(t.String())
	case string:
		w.text(t, secretName(name))
	default:
		w.out.Write(protocol.MustMarshal(t))
	}
	return nil
}

func (w *jsonScrub) nested(open json.Delim, name string) error {
	w.out.WriteByte(byte(open))
	for i := 0; w.d.More(); i++ {
		if i > 0 {
			w.out.WriteByte(',')
		}
		inner := name
		if open == '{' {
			t, err := w.d.Token()
			if err != nil {
				return err
			}
			inner, _ = t.(string)
			w.text(inner, "")
			w.out.WriteByte(':')
		}
		if err := w.value(inner); err != nil {
			return err
		}
	}
	end, err := w.d.Token()
	if err != nil {
		return err
	}
	w.out.WriteByte(byte(end.(json.Delim)))
	return nil
}

// text writes one string, cleaned; kind is set when its member's name says that
// it is secret.
func (w *jsonScrub) text(s, kind string) {
	clean, changed := w.r.Text(s)
	if kind != "" && secretValue(kind, s) {
		clean, changed = w.r.marker(kind, s), true
	}
	w.changed = w.changed || changed
	w.out.Write(protocol.MustMarshal(clean))
}
