package protocol

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// update rewrites the golden files: go test ./protocol -run TestGolden -update.
// A changed line is a changed wire: it needs a reason, and old records need a
// reader.
var update = flag.Bool("update", false, "rewrite testdata/golden from the samples")

// sample is one value of the vocabulary and the name of its golden line.
type sample struct {
	name  string
	value any
}

// family is one golden file: what stands in it and how a line of it becomes a
// value again. A nil decode means that the family is only ever written.
type family struct {
	file    string
	samples []sample
	encode  func(any) []byte
	decode  func(line []byte, like any) (any, error)
}

func families(t *testing.T) []family {
	t.Helper()
	source := parseSource(t)
	return []family{
		{"ops", opSamples(), encodeAnyOp, decodeLikeOp},
		{"commands", commandSamples(), MustMarshal, decodeLikeCommand},
		{"events", eventSamples(), MustMarshal, decodeLikeEvent},
		{"effects", effectSamples(), MustMarshal, decodeLikeEvent},
		{"actions", actionSamples(), MustMarshal, decodeLikeAction},
		{"contracts", contractSamples(), MustMarshal, decodeLike},
		{"policy", policySamples(), MustMarshal, decodeLike},
		{"parts", partSamples(), MustMarshal, decodeLike},
		{"record", recordSamples(), MustMarshal, decodeLike},
		{"values", valueSamples(), MustMarshal, decodeLike},
		{"words", source.words(), MustMarshal, nil},
		{"numbers", source.numbers(t), MustMarshal, nil},
	}
}

// TestGolden holds every encoding to the bytes that were agreed on.
func TestGolden(t *testing.T) {
	for _, f := range families(t) {
		t.Run(f.file, func(t *testing.T) {
			want := f.render()
			if *update {
				if err := os.WriteFile(f.path(), want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(f.path())
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(got, want) {
				return
			}
			file, code := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
			for i := range max(len(file), len(code)) {
				if i >= len(file) || i >= len(code) || !bytes.Equal(file[i], code[i]) {
					t.Fatalf("%s line %d\nfile %s\ncode %s", f.path(), i+1, lineAt(file, i), lineAt(code, i))
				}
			}
		})
	}
}

// TestGoldenDecodes reads the files, not the samples: the bytes that were
// agreed on give the same values as ever, and the same bytes again.
func TestGoldenDecodes(t *testing.T) {
	for _, f := range families(t) {
		if f.decode == nil {
			continue
		}
		t.Run(f.file, func(t *testing.T) {
			lines := f.read(t)
			for i, s := range f.samples {
				if i >= len(lines) || lines[i].name != s.name {
					t.Fatalf("%s: line %d is not %q", f.path(), i, s.name)
				}
				got, err := f.decode(lines[i].value.(json.RawMessage), s.value)
				if err != nil {
					t.Errorf("%s: %v", s.name, err)
					continue
				}
				if !reflect.DeepEqual(got, s.value) {
					t.Errorf("%s:\ngot  %#v\nwant %#v", s.name, got, s.value)
				}
				if again := f.encode(got); !bytes.Equal(again, lines[i].value.(json.RawMessage)) {
					t.Errorf("%s: encodes again as %s", s.name, again)
				}
			}
		})
	}
}

func (f family) path() string { return filepath.Join("testdata", "golden", f.file+".json") }

// render is the file: one JSON object, one line a sample, the exact bytes of
// the encoding after the name.
func (f family) render() []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for i, s := range f.samples {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n%s: %s", MustMarshal(s.name), f.encode(s.value))
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// read gives the lines of the file in order, each value verbatim.
func (f family) read(t *testing.T) []sample {
	t.Helper()
	raw, err := os.ReadFile(f.path())
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var lines []sample
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, sample{name.(string), value})
	}
	return lines
}

func lineAt(lines [][]byte, i int) []byte {
	if i < len(lines) {
		return lines[i]
	}
	return []byte("(no such line)")
}

func encodeAnyOp(v any) []byte { return EncodeOp(v.(Op)) }

func decodeLikeOp(line []byte, _ any) (any, error) { return DecodeOp(line) }

func decodeLikeCommand(line []byte, like any) (any, error) {
	c := like.(Command)
	return DecodeCommand(c.CommandKind(), c.Stamp(), line)
}

// decodeLikeEvent reads an event by its kind, and what is no event by its type.
func decodeLikeEvent(line []byte, like any) (any, error) {
	if e, ok := like.(Event); ok {
		return DecodeEvent(e.EventKind(), line)
	}
	return decodeLike(line, like)
}

// decodeLikeAction reads an action by its type. Emit does not say which event
// it carries, so the sample says it.
func decodeLikeAction(line []byte, like any) (any, error) {
	emit, ok := like.(Emit)
	if !ok {
		return decodeLike(line, like)
	}
	var members struct {
		Event json.RawMessage `json:"event"`
	}
	if err := Unmarshal(line, &members); err != nil {
		return nil, err
	}
	event, err := DecodeEvent(emit.Event.EventKind(), members.Event)
	return Emit{Event: event}, err
}

func decodeLike(line []byte, like any) (any, error) {
	v := reflect.New(reflect.TypeOf(like))
	err := Unmarshal(line, v.Interface())
	return v.Elem().Interface(), err
}
