package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrNotCanonical says that bytes decode to a value but are not the one
// encoding of it.
var ErrNotCanonical = errors.New("not the canonical encoding")

// Marshal is the only encoder: JSON without spaces, fields in the order of
// their declaration, nothing escaped that JSON does not force. It fails only on
// values this package cannot express (floats, channels, functions).
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// MustMarshal is Marshal for values of this package, which always encode.
// It panics when that is not so: a broken invariant, not an error.
func MustMarshal(v any) []byte {
	b, err := Marshal(v)
	if err != nil {
		panic("protocol: a value of the vocabulary does not encode: " + err.Error())
	}
	return b
}

// Unmarshal decodes bytes that Marshal wrote and refuses all others with
// ErrNotCanonical or a decoding error. It is for what we wrote ourselves: the
// record, checkpoints, content.
func Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return plainJSONError(err)
	}
	again, err := Marshal(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, data) {
		return ErrNotCanonical
	}
	return nil
}

// Decode reads JSON from outside (an operation, a plan, arguments of a call)
// into v: one document, no unknown or wrongly cased member, no duplicate
// member, valid UTF-8, at most MaxJSONDepth levels. Errors name the place.
func Decode(data []byte, v any) error {
	if _, err := Canonical(data); err != nil {
		return err
	}
	if err := exactMembers(data, reflect.TypeOf(v), nil); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return plainJSONError(err)
	}
	return nil
}

// plainJSONError turns encoding/json's words into ours: nothing of Go in them,
// and no more of the input than is needed to find the place.
func plainJSONError(err error) error {
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		value, _, _ := strings.Cut(mismatch.Value, " ")
		return fmt.Errorf("%s: a %s does not fit here", place(mismatch.Field), value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errEndsEarly
	}
	words, theirs := strings.CutPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	if !theirs && !errors.As(err, &syntax) {
		return err // the words of our own types
	}
	if name, unknown := strings.CutPrefix(words, "unknown field "); unknown {
		return errors.New("unknown member " + clip(name))
	}
	return errors.New(clip(words))
}

// errEndsEarly says that a document is cut.
var errEndsEarly = errors.New("the document ends too early")

// exactMembers refuses object members whose name differs from a field's only in
// case: encoding/json would fold them, and a folded member is a second spelling
// of the same meaning.
func exactMembers(data []byte, t reflect.Type, at *spot) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil {
			return nil // the decoder says what is wrong
		}
		for i, item := range items {
			if err := exactMembers(item, t.Elem(), &spot{up: at, index: i}); err != nil {
				return err
			}
		}
		return nil
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return nil
	}
	fields := map[string]reflect.Type{}
	collectFields(t, fields)
	for name, raw := range members {
		f, ok := fields[name]
		if !ok {
			return fmt.Errorf("%s: unknown member %q", at, clip(name))
		}
		if err := exactMembers(raw, f, &spot{up: at, name: name}); err != nil {
			return err
		}
	}
	return nil
}

func collectFields(t reflect.Type, into map[string]reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			collectFields(f.Type, into)
		case name != "-" && name != "":
			into[name] = f.Type
		}
	}
}

func place(at string) string {
	if at == "" {
		return "the document"
	}
	return clip(at)
}

// spot is a place in a document, put into words only when an error needs them: a
// path written out at every step would cost the product of depth and names.
type spot struct {
	up    *spot
	name  string // of a member; empty for an item
	index int
}

// String is the path from the document's root.
func (s *spot) String() string {
	if s == nil {
		return "the document"
	}
	path := ""
	for ; s != nil; s = s.up {
		part := "[" + strconv.Itoa(s.index) + "]"
		if s.name != "" {
			part = "." + clip(s.name)
		}
		path = part + path
	}
	return place(strings.TrimPrefix(path, "."))
}

// Canonical gives the one form of a free JSON document (arguments of a call):
// members sorted by name, no spaces, number literals kept as written. It
// refuses duplicate members, invalid UTF-8, lone surrogates, more than
// MaxJSONDepth levels and anything after the document.
func Canonical(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the document is not valid UTF-8")
	}
	if at := loneSurrogate(raw); at >= 0 {
		return nil, fmt.Errorf("a lone surrogate escape at byte %d", at)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var b bytes.Buffer
	if err := canonicalValue(d, &b, 0, nil); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one document (byte %d)", d.InputOffset())
	}
	return b.Bytes(), nil
}

func canonicalValue(d *json.Decoder, b *bytes.Buffer, depth int, at *spot) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("not JSON at byte %d: %w", d.InputOffset(), plainJSONError(err))
	}
	switch t := t.(type) {
	case json.Delim:
		if depth >= MaxJSONDepth {
			return fmt.Errorf("%s: nested deeper than %d levels", at, MaxJSONDepth)
		}
		if t == '[' {
			return canonicalArray(d, b, depth, at)
		}
		return canonicalObject(d, b, depth, at)
	case json.Number:
		b.WriteString(t.String())
	default:
		b.Write(MustMarshal(t))
	}
	return nil
}

func canonicalArray(d *json.Decoder, b *bytes.Buffer, depth int, at *spot) error {
	b.WriteByte('[')
	for i := 0; d.More(); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := canonicalValue(d, b, depth+1, &spot{up: at, index: i}); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return closing(d)
}

// closing reads the delimiter that ends an array or object.
func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("not JSON at byte %d: %w", d.InputOffset(), plainJSONError(err))
	}
	return nil
}

func canonicalObject(d *json.Decoder, b *bytes.Buffer, depth int, at *spot) error {
	members := map[string][]byte{}
	var names []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("not JSON at byte %d: %w", d.InputOffset(), plainJSONError(err))
		}
		name, _ := t.(string)
		if _, twice := members[name]; twice {
			return fmt.Errorf("%s: member %q stands twice", at, clip(name))
		}
		var v bytes.Buffer
		if err := canonicalValue(d, &v, depth+1, &spot{up: at, name: name}); err != nil {
			return err
		}
		members[name] = v.Bytes()
		names = append(names, name)
	}
	if err := closing(d); err != nil {
		return err
	}
	slices.Sort(names)
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(MustMarshal(name))
		b.WriteByte(':')
		b.Write(members[name])
	}
	b.WriteByte('}')
	return nil
}

// loneSurrogate finds a \uD800–\uDFFF escape without its partner; encoding/json
// would silently make it U+FFFD. It gives the byte where it stands, or -1.
func loneSurrogate(raw []byte) int {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, ok := escapedUnit(raw, i)
		if !ok {
			i++ // some other escape: skip the escaped byte
			continue
		}
		if r >= 0xD800 && r < 0xDC00 {
			if low, ok := escapedUnit(raw, i+6); ok && low >= 0xDC00 && low < 0xE000 {
				i += 11
				continue
			}
			return i
		}
		if r >= 0xDC00 && r < 0xE000 {
			return i
		}
		i += 5
	}
	return -1
}

func escapedUnit(raw []byte, i int) (uint64, bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 32)
	return r, err == nil
}
