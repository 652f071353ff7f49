package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// node is one value of a JSON text without spaces, by its place in the text.
type node struct {
	from, to int
	members  []member
	items    []node
}

// member is an object's member; it begins at from and ends where its value does.
type member struct {
	from  int
	value node
}

// parseNode reads the value that begins at i. The text is known to be JSON.
func parseNode(text string, i int) node {
	n := node{from: i}
	switch text[i] {
	case '{', '[':
		closer := text[i] + 2 // '}' and ']' stand two places after their openers
		for i++; text[i] != closer; {
			if text[i] == ',' {
				i++
			}
			if closer == ']' {
				n.items = append(n.items, parseNode(text, i))
				i = n.items[len(n.items)-1].to
				continue
			}
			m := member{from: i}
			m.value = parseNode(text, stringEnd(text, i)+1)
			n.members = append(n.members, m)
			i = m.value.to
		}
		n.to = i + 1
	case '"':
		n.to = stringEnd(text, i)
	default:
		n.to = i + strings.IndexAny(text[i:]+",", ",]}")
	}
	return n
}

// stringEnd gives the place after the string that begins at i.
func stringEnd(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// walk calls yield with a value and everything in it.
func (n node) walk(yield func(node)) {
	yield(n)
	for _, m := range n.members {
		m.value.walk(yield)
	}
	for _, item := range n.items {
		item.walk(yield)
	}
}

// spelling is another way to write a document. Meaning tells whether it is
// still the same document for a reader of JSON.
type spelling struct {
	kind, text string
	meaning    bool
}

// respell writes a document in every other way there is, one deviation each.
// Places inside raw members are left alone where raw says so.
func respell(text string, raw func(place int) bool) []spelling {
	var out []spelling
	add := func(kind string, meaning bool, parts ...string) {
		out = append(out, spelling{kind, strings.Join(parts, ""), meaning})
	}
	root := parseNode(text, 0)
	for _, space := range []string{" ", "\n", "\t", "\r"} {
		add("space before", true, space, text)
		add("space after", true, text, space)
	}
	root.walk(func(n node) {
		add("space", true, text[:n.from], " ", text[n.from:])
		add("space", true, text[:n.to], " ", text[n.to:])
		if raw(n.from) {
			return
		}
		respellObject(text, n, add)
		switch first := text[n.from]; {
		case first == '"':
			respellString(text, n.from, add)
		case first == '-' || first >= '0' && first <= '9':
			add("number with a fraction", false, text[:n.to], ".0", text[n.to:])
			add("number with an exponent", false, text[:n.to], "e0", text[n.to:])
			add("number with a zero before", false, text[:n.from], "0", text[n.from:])
		}
	})
	add("second document", false, text, "{}")
	add("second document", false, text, "null")
	add("garbage after", false, text, "}")
	add("cut", false, text[:len(text)-1])
	return out
}

func respellObject(text string, n node, add func(string, bool, ...string)) {
	if text[n.from] != '{' {
		return
	}
	comma := ","
	if len(n.members) == 0 {
		comma = ""
	}
	add("unknown member", false, text[:n.to-1], comma, `"no_such_member":0`, text[n.to-1:])
	for i, m := range n.members {
		whole := text[m.from:m.value.to]
		add("member twice", false, text[:m.value.to], ",", whole, text[m.value.to:])
		if r := rune(text[m.from+1]); unicode.IsLower(r) {
			add("member in capitals", false, text[:m.from+1], string(unicode.ToUpper(r)), text[m.from+2:])
		}
		respellString(text, m.from, add)
		if i > 0 {
			before := n.members[i-1]
			add("members in another order", true, text[:before.from], whole, ",", text[before.from:before.value.to], text[m.value.to:])
		}
	}
}

// respellString escapes what needs no escape.
func respellString(text string, from int, add func(string, bool, ...string)) {
	if r := text[from+1]; unicode.IsLetter(rune(r)) && r < 0x80 {
		const hex = "0123456789abcdef"
		add("escaped letter", true, text[:from+1], `\u00`, hex[r>>4:r>>4+1], hex[r&15:r&15+1], text[from+2:])
	}
	if slash := strings.IndexByte(text[from:stringEnd(text, from)], '/'); slash > 0 {
		add("escaped slash", true, text[:from+slash], `\`, text[from+slash:])
	}
}

// rawPlaces tells which places of an encoding stand inside a raw member: JSON
// that the vocabulary carries and does not look into.
func rawPlaces(text string, v reflect.Value) func(int) bool {
	inside := make([]bool, len(text))
	walkRaw(v, func(raw string) {
		for i := strings.Index(text, raw); i >= 0 && raw != ""; {
			for j := range raw {
				inside[i+j] = true
			}
			next := strings.Index(text[i+1:], raw)
			if next < 0 {
				break
			}
			i += 1 + next
		}
	})
	return func(place int) bool { return inside[place] }
}

func walkRaw(v reflect.Value, yield func(string)) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		yield(string(v.Bytes()))
	case v.Kind() == reflect.Struct:
		for f := range v.Type().Fields() {
			if f.IsExported() {
				walkRaw(v.FieldByIndex(f.Index), yield)
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			walkRaw(v.Index(i), yield)
		}
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		if !v.IsNil() {
			walkRaw(v.Elem(), yield)
		}
	}
}

// TestOneSpelling: what we wrote ourselves is read in exactly the spelling we
// write, of everything that is ever read back.
func TestOneSpelling(t *testing.T) {
	tried := map[string]int{}
	for _, f := range families(t) {
		if f.decode == nil || f.file == "ops" {
			continue
		}
		t.Run(f.file, func(t *testing.T) {
			for _, s := range f.samples {
				text := string(f.encode(s.value))
				for _, other := range respell(text, rawPlaces(text, reflect.ValueOf(s.value))) {
					if got, err := f.decode([]byte(other.text), s.value); err == nil && !keepsNothing(s.value) {
						t.Errorf("%s, %s: taken as %#v\n%s", s.name, other.kind, got, other.text)
					}
					tried[other.kind]++
				}
			}
		})
	}
	requireKinds(t, tried)
}

// TestOperationSpellings: an operation comes from outside, where spaces, order
// and escapes are the client's business, and a second meaning is not.
func TestOperationSpellings(t *testing.T) {
	tried := map[string]int{}
	for _, s := range opSamples() {
		if keepsNothing(s.value) {
			continue
		}
		text := `{"protocol_version":1,"id":"s1","op":` + string(EncodeOp(s.value.(Op))) + `}`
		for _, other := range respell(text, rawPlaces(text, reflect.ValueOf(s.value))) {
			got, err := DecodeSubmission([]byte(other.text))
			same := err == nil && got.ID == "s1" && reflect.DeepEqual(got.Op, s.value)
			if same != other.meaning || !same && err == nil {
				t.Errorf("%s, %s: got %#v, %v\n%s", s.name, other.kind, got, err, other.text)
			}
			tried[other.kind]++
		}
	}
	requireKinds(t, tried)
}

// keepsNothing tells the arms that take any payload and drop it.
func keepsNothing(v any) bool {
	switch v.(type) {
	case UnknownOp, UnknownCommand, UnknownEvent:
		return true
	}
	return false
}

// requireKinds fails when a kind of deviation was never tried: a mutator that
// finds nothing to mutate proves nothing.
func requireKinds(t *testing.T, tried map[string]int) {
	t.Helper()
	for _, kind := range []string{
		"space before", "space after", "space", "number with a fraction", "number with an exponent", "number with a zero before",
		"second document", "garbage after", "cut", "unknown member", "member twice", "member in capitals",
		"members in another order", "escaped letter", "escaped slash",
	} {
		if tried[kind] == 0 {
			t.Errorf("%s was never tried", kind)
		}
	}
}
