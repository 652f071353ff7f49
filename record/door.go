package record

import (
	"encoding/json"
	"reflect"
	"unicode/utf8"

	"github.com/tipstaff/tipstaff/protocol"
)

// excerptBytes is how much of a long text stands in its entry.
const excerptBytes = 512

// Door is the one way into the record: what has not gone through it cannot be
// written (S2-081). It is safe for concurrent use.
type Door struct{ redactor *Redactor }

// NewDoor makes the door. known are values that must never be written down,
// besides everything that looks like a secret.
func NewDoor(redactor *Redactor) *Door { return &Door{redactor: redactor} }

// Scrubbed is a command that has gone through the door. Only it can be written.
type Scrubbed struct {
	command  protocol.Command
	contents []protocol.Content
}

// Command is what the kernel reduces: exactly what is written.
func (s Scrubbed) Command() protocol.Command { return s.command }

// Scrub takes secrets out of every text of a command, cleans it, and puts long
// text aside by digest. It walks every field there is, so that a field added
// later cannot be forgotten.
func (d *Door) Scrub(c protocol.Command) Scrubbed {
	s := scrubber{door: d}
	v := reflect.New(reflect.TypeOf(c)).Elem()
	v.Set(reflect.ValueOf(c))
	s.walk(v, "")
	out := Scrubbed{contents: s.contents}
	switch c := v.Interface().(type) {
	case protocol.Settled:
		if c.Result != nil {
			c.Result.Digest = s.whole(c.Result.Text)
		}
		out.command = c
	case protocol.Prepared:
		c.ArgsDigest = s.whole(c.Args)
		out.command = c
	case protocol.Command:
		out.command = c
	}
	return out
}

type scrubber struct {
	door     *Door
	contents []protocol.Content
}

var (
	textType = reflect.TypeFor[protocol.Text]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// walk changes v in place. What v points to is copied first: the command that
// came in stays as it was.
func (s *scrubber) walk(v reflect.Value, name string) {
	switch {
	case v.Type() == textType:
		v.Set(reflect.ValueOf(s.text(v.Interface().(protocol.Text), name == "Args")))
		return
	case v.Type() == rawType:
		if v.Len() > 0 {
			clean, _ := s.json(v.Bytes())
			v.SetBytes(clean)
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type().PkgPath() == "" && v.Len() > 0 { // a plain string; words of the vocabulary have types
			clean, _ := s.door.redactor.Text(v.String())
			v.SetString(cut(clean, bound(name)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.walk(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Slice:
		if v.Len() == 0 || !holdsText(v.Type().Elem()) {
			return
		}
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		for i := range fresh.Len() {
			s.walk(fresh.Index(i), name)
		}
		v.Set(fresh)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		fresh := reflect.New(v.Type().Elem())
		fresh.Elem().Set(v.Elem())
		s.walk(fresh.Elem(), name)
		v.Set(fresh)
	}
}

// holdsText tells whether a walk can find anything in a type.
func holdsText(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Struct, reflect.Slice, reflect.Pointer:
		return true
	}
	return false
}

// bound is how long a plain string may be.
func bound(name string) int {
	if name == "ID" || name == "Submission" {
		return protocol.MaxCallIDBytes
	}
	return protocol.MaxReasonBytes * 4
}

// text cleans one projection. A text that was put aside before stays so.
func (s *scrubber) text(t protocol.Text, isJSON bool) protocol.Text {
	if t.Digest != "" || t.Text == "" {
		return t
	}
	clean, changed := s.door.redactor.Text(t.Text)
	if isJSON {
		var b []byte
		b, changed = s.json([]byte(t.Text))
		clean = string(b)
	}
	out := protocol.Text{Text: clean, Bytes: len(clean), Redacted: changed || t.Redacted}
	if len(clean) <= protocol.MaxInlineBytes {
		return out
	}
	out.Digest = s.keep([]byte(clean))
	out.Text = ""
	if !isJSON {
		out.Text = cut(clean, excerptBytes)
	}
	return out
}

func (s *scrubber) json(raw []byte) ([]byte, bool) {
	clean, changed, err := s.door.redactor.JSON(raw)
	if err != nil { // not JSON after all: nothing of it is kept as such
		text, _ := s.door.redactor.Text(string(raw))
		return protocol.MustMarshal(text), true
	}
	return clean, changed
}

func (s *scrubber) keep(b []byte) protocol.Digest {
	d := DigestOf(b)
	s.contents = append(s.contents, protocol.Content{Digest: d, Bytes: b})
	return d
}

// whole is the digest of a text, wherever it stands.
func (s *scrubber) whole(t protocol.Text) protocol.Digest {
	if t.Digest != "" {
		return t.Digest
	}
	return DigestOf([]byte(t.Text))
}

// cut shortens a text on a rune border.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
