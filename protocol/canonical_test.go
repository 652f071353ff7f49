package protocol

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// nested is a document of so many levels: arrays in arrays around a core.
func nested(levels int, core string) string {
	return strings.Repeat("[", levels) + core + strings.Repeat("]", levels)
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an object's members are sorted", `{"b":1,"a":2,"":3,"B":4}`, `{"":3,"B":4,"a":2,"b":1}`},
		{"at every level", `{"z":{"b":[{"y":0,"x":0}],"a":0}}`, `{"z":{"a":0,"b":[{"x":0,"y":0}]}}`},
		{"by bytes, not by alphabet", `{"é":1,"z":2,"a":3}`, `{"a":3,"z":2,"é":1}`},
		{"by meaning, not by spelling", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"an array keeps its order", `[3,1,2]`, `[3,1,2]`},
		{"spaces go", " {\t\"a\" :\r\n [ 1 , 2 ] } \n", `{"a":[1,2]}`},
		{"spaces in strings stay", `{"a b":" c\t"}`, `{"a b":" c\t"}`},
		{"an integer no float can hold", `9007199254740993`, `9007199254740993`},
		{"a long fraction", `0.1000000000000000055511151231257827`, `0.1000000000000000055511151231257827`},
		{"numbers as written", `[1.0,1,1e2,1E+2,-0,0.0,1e999,-1.50]`, `[1.0,1,1e2,1E+2,-0,0.0,1e999,-1.50]`},
		{"words", `[true,false,null]`, `[true,false,null]`},
		{"nothing in it", `[{},[],""]`, `[{},[],""]`},
		{"needless escapes go", `"\u0041\/\u00e9\ud83d\ude00"`, `"A/é😀"`},
		{"needed escapes have one form", `"\u0022\u005c\u000a\u0009\u0000\u001f"`, `"\"\\\n\t\u0000\u001f"`},
		{"markup is not escaped", `"<b>&amp;</b>"`, `"<b>&amp;</b>"`},
		{"a capital is another member", `{"a":1,"A":2}`, `{"A":2,"a":1}`},
		{"the neighbours of the surrogates", `"\ud7ff\ue000"`, "\"\ud7ff\ue000\""},
		{"the first and the last pair", `"\ud800\udc00\udbff\udfff"`, "\"\U00010000\U0010ffff\""},
		{"an escaped backslash is no escape", `"\\ud800"`, `"\\ud800"`},
		{"deep enough", nested(MaxJSONDepth, "1"), nested(MaxJSONDepth, "1")},
		{"deep enough and empty", nested(MaxJSONDepth, ""), nested(MaxJSONDepth, "")},
	} {
		got, err := Canonical([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, says string }{
		{"a member twice", `{"a":1,"b":2,"a":1}`, `"a" stands twice`},
		{"a member twice, deep", `{"x":[0,{"a":1,"a":2}]}`, "x[1]"},
		{"a member twice, spelled differently", `{"a":1,"\u0061":2}`, "stands twice"},
		{"the empty member twice", `{"":1,"":2}`, "stands twice"},
		{"a high surrogate alone", `"\ud800"`, "lone surrogate"},
		{"a low surrogate alone", `"\udc00"`, "lone surrogate"},
		{"two high surrogates", `"\ud83d\ud83d"`, "lone surrogate"},
		{"a pair the wrong way round", `"\ude00\ud83d"`, "lone surrogate"},
		{"a surrogate and a letter", `"\ud83dx"`, "lone surrogate"},
		{"a surrogate and the escape after the low ones", `"\ud83d\ue000"`, "lone surrogate"},
		{"a surrogate and the escape before the low ones", `"\ud83d\udbff"`, "lone surrogate"},
		{"a surrogate and another escape", `"\ud83d\n"`, "lone surrogate"},
		{"a surrogate after an escaped backslash", `"\\\ud83d"`, "lone surrogate"},
		{"a pair and one more", `"\ud83d\ude00\ude00"`, "lone surrogate"},
		{"a surrogate in a member", `{"\udfff":1}`, "lone surrogate"},
		{"invalid UTF-8", "\"\xff\"", "UTF-8"},
		{"an encoded surrogate", "\"\xed\xa0\x80\"", "UTF-8"},
		{"an overlong slash", "\"\xc0\xaf\"", "UTF-8"},
		{"a cut character", "\"\xe2\x82\"", "UTF-8"},
		{"invalid UTF-8 in a member", "{\"\xff\":1}", "UTF-8"},
		{"too deep", nested(MaxJSONDepth+1, "1"), "nested deeper"},
		{"too deep and empty", nested(MaxJSONDepth+1, ""), "nested deeper"},
		{"too deep in objects", strings.Repeat(`{"a":`, MaxJSONDepth+1) + "{}" + strings.Repeat("}", MaxJSONDepth+1), "nested deeper"},
		{"far too deep", strings.Repeat("[", 1<<20), "nested deeper"},
		{"a second document", `{} {}`, "more than one document"},
		{"a second document without a space", `1"a"`, ""},
		{"a bracket after", `{}}`, "more than one document"},
		{"a word after", `{} x`, "more than one document"},
		{"a NUL after", "{}\x00", "more than one document"},
		{"nothing", ``, "ends too early"},
		{"only spaces", " \n", "ends too early"},
		{"a cut object", `{"a":1`, "ends too early"},
		{"a cut array", `[1,`, ""},
		{"a cut string", `"abc`, ""},
		{"a cut member", `{"a"`, ""},
	} {
		got, err := Canonical([]byte(c.in))
		if err == nil || got != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %.40s, %v, want an error with %q", c.name, got, err, c.says)
		}
	}
}

// TestCanonicalRefusesWhatIsNotJSON: the reader works by tokens, so every way a
// token can stand in the wrong place is tried.
func TestCanonicalRefusesWhatIsNotJSON(t *testing.T) {
	for _, in := range []string{
		`{,}`, `{"a":1,}`, `{"a" 1}`, `{"a"::1}`, `{"a":}`, `{"a":1 "b":2}`, `{"a":1:"b"}`, `{1:2}`, `{null:1}`, `{a:1}`, `{"a":1]`,
		`[,]`, `[1,]`, `[1 2]`, `[1:2]`, `[1}`, `[`, `]`, `}`, `,`, `:`, `{`, `"`, `'a'`,
		`01`, `+1`, `1.`, `.5`, `1e`, `-`, `0x1`, `1_000`, `NaN`, `Infinity`, `-Infinity`, `TRUE`, `nul`, `undefined`,
		`"\x41"`, `"\u12"`, `"\u12g4"`, `"\ud83d\u+e00"`, "\"a\nb\"", "\"\x01\"", `// c` + "\n1", `/* c */1`, "\ufeff1", "\x1e1", "1\x0c",
	} {
		if got, err := Canonical([]byte(in)); err == nil {
			t.Errorf("%q was taken as %s", in, got)
		}
	}
}

// TestCanonicalTellsWrongFromCut: "too early" sends people to look for a lost
// end that is there.
func TestCanonicalTellsWrongFromCut(t *testing.T) {
	for _, in := range []string{`{"a":1]`, `[1}`, `[1,}`, `{"a":[1},"b":2}`, `{]`, `[}`} {
		if _, err := Canonical([]byte(in)); err == nil || strings.Contains(err.Error(), "too early") {
			t.Errorf("%s: got %v", in, err)
		}
	}
}

// TestCanonicalIsLinear: a short document must not cost long work. What is
// counted is the memory it asks for, since every superfluous pass copies.
func TestCanonicalIsLinear(t *testing.T) {
	const times = 256 // a copy a level, and what a token costs
	name := strings.Repeat("n", 32<<10)
	for _, c := range []struct{ name, in string }{
		{"a long name around many items", `{"` + name + `":[` + strings.Repeat("0,", 16<<10) + `0]}`},
		{"a long name around many members", `{"` + name + `":{` + members(4<<10) + `}}`},
		{"many items", `[` + strings.Repeat("0,", 64<<10) + `0]`},
		{"many members", `{` + members(8<<10) + `}`},
		{"a long string", `"` + strings.Repeat("a", 64<<10) + `"`},
		{"many levels", nested(MaxJSONDepth, `"`+name+`"`)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Canonical([]byte(c.in)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > times*uint64(len(c.in)) {
			t.Errorf("%s: %d bytes cost %d bytes, %d times as many", c.name, len(c.in), spent, spent/uint64(len(c.in)))
		}
	}
}

// members gives n members with names of four letters.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"`)
		for _, shift := range []int{12, 8, 4, 0} {
			b.WriteByte('a' + byte(i>>shift&15))
		}
		b.WriteString(`":0`)
	}
	return b.String()
}

func TestMarshal(t *testing.T) {
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"markup", "<b>&</b>", `"<b>&</b>"`},
		{"what must be escaped", "\"\\\n\x00", `"\"\\\n\u0000"`},
		{"no newline at the end", struct{}{}, `{}`},
		{"trailing newlines of a value stay", "a\n\n", `"a\n\n"`},
		{"line separators", "a\u2028b\u2029", "\"a\\u2028b\\u2029\""},
		{"nothing", nil, `null`},
	} {
		got, err := Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	for _, bad := range []any{func() {}, make(chan int), Trust(3), Capability(5), Segment{Trust: 9}, ToolBrief{Top: 200}} {
		if b, err := Marshal(bad); err == nil {
			t.Errorf("%T was written as %s", bad, b)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustMarshal did not panic")
		}
	}()
	MustMarshal(Trust(3))
}

// TestUnmarshal: the reader of our own bytes tells another spelling from
// another meaning.
func TestUnmarshal(t *testing.T) {
	want := Head{Next: 3, Hash: ZeroDigest}
	text := MustMarshal(want)
	var got Head
	if err := Unmarshal(text, &got); err != nil || got != want {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, other := range []string{` ` + string(text), string(text) + "\n", string(bytes.Replace(text, []byte("next"), []byte(`n\u0065xt`), 1))} {
		if err := Unmarshal([]byte(other), &got); !errors.Is(err, ErrNotCanonical) {
			t.Errorf("%s: got %v, want ErrNotCanonical", other, err)
		}
	}
	for _, bad := range []string{``, `x`, `{"next":"3","hash":""}`, `{"next":-1,"hash":""}`, `{"next":1.5,"hash":""}`, `{"nxt":3}`, `[]`} {
		if err := Unmarshal([]byte(bad), &got); err == nil || errors.Is(err, ErrNotCanonical) {
			t.Errorf("%s: got %v, want a decoding error", bad, err)
		}
	}
	if err := Unmarshal([]byte(`null`), &got); !errors.Is(err, ErrNotCanonical) {
		t.Errorf("null: got %v, want ErrNotCanonical", err)
	}
}
