package protocol

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labels() []Trust { return []Trust{Untrusted, Workspace, Trusted} }

// TestTrustIsALattice goes through all triples: there are 27.
func TestTrustIsALattice(t *testing.T) {
	for _, a := range labels() {
		for _, b := range labels() {
			for _, c := range labels() {
				meet := a.Meet(b)
				for law, holds := range map[string]bool{
					"commutative":         meet == b.Meet(a),
					"associative":         meet.Meet(c) == a.Meet(b.Meet(c)),
					"idempotent":          a.Meet(a) == a,
					"below both":          meet <= a && meet <= b,
					"greatest below both": c > a || c > b || c <= meet,
					"monotone":            a > b || a.Meet(c) <= b.Meet(c),
					"total":               meet == a || meet == b,
					"untrusted absorbs":   a.Meet(Untrusted) == Untrusted,
					"trusted is neutral":  a.Meet(Trusted) == a,
					"no laundering":       !meet.EgressPermitted() || a == Trusted && b == Trusted,
				} {
					if !holds {
						t.Errorf("not %s: %s, %s, %s", law, a, b, c)
					}
				}
			}
		}
	}
	if Untrusted >= Workspace || Workspace >= Trusted {
		t.Error("the order is untrusted, workspace, trusted")
	}
}

func TestTrustWords(t *testing.T) {
	requireMethods(t, reflect.TypeFor[Trust](), "EgressPermitted", "MarshalText", "Meet", "String")
	var zero Trust
	if zero != Untrusted {
		t.Errorf("the zero value is %s", zero)
	}
	for label, word := range map[Trust]string{Untrusted: "untrusted", Workspace: "workspace", Trusted: "trusted", Trusted + 1: "invalid", 255: "invalid"} {
		if label.String() != word {
			t.Errorf("%d is called %s", label, label)
		}
		if label.EgressPermitted() != (word == "trusted") {
			t.Errorf("%s lets data out: %t", label, label.EgressPermitted())
		}
		text, err := label.MarshalText()
		if exists := word != "invalid"; exists != (err == nil) || exists && string(text) != word {
			t.Errorf("%d is written as %s, %v", label, text, err)
		}
		var back Trust
		if err := back.UnmarshalText([]byte(word)); (word != "invalid") != (err == nil) || err == nil && back != label {
			t.Errorf("%s is read as %s, %v", word, back, err)
		}
	}
}

// TestGoverning: the least label governs, in any order and number, and nothing
// governs where nothing is.
func TestGoverning(t *testing.T) {
	if got, ok := Governing(); ok || got != Untrusted {
		t.Errorf("of nothing: %s, %t", got, ok)
	}
	if got, ok := (ContextGrant{}).Governing(); ok || got != Untrusted {
		t.Errorf("of an empty grant: %s, %t", got, ok)
	}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(labels()), 1, 9).Draw(t, "labels")
		got, ok := Governing(some...)
		if !ok || got != slices.Min(some) {
			t.Errorf("of %v: %s, %t", some, got, ok)
		}
		if again, _ := Governing(rapid.Permutation(some).Draw(t, "permuted")...); again != got {
			t.Errorf("of %v: the order matters", some)
		}
		if more, _ := Governing(append(some, rapid.SampledFrom(labels()).Draw(t, "one more"))...); more > got {
			t.Errorf("of %v: one more label raised %s to %s", some, got, more)
		}
		var grant ContextGrant
		for _, l := range some {
			grant.Segments = append(grant.Segments, Segment{Source: "memory", Trust: l})
		}
		if of, ok := grant.Governing(); !ok || of != got {
			t.Errorf("of a grant of %v: %s, %t", some, of, ok)
		}
	})
}

func TestOperatorText(t *testing.T) {
	if (OperatorText{}).Trust() != Trusted {
		t.Error("typed input is trusted")
	}
	if reflect.TypeFor[Text]().ConvertibleTo(reflect.TypeFor[OperatorText]()) {
		t.Error("a text from a tool converts to typed input")
	}
}

func TestText(t *testing.T) {
	for name, c := range map[string]struct {
		text  Text
		whole bool
	}{
		"inline":   {Inline("né"), true},
		"empty":    {Inline(""), true},
		"cut":      {Text{Text: "n", Bytes: 9, Digest: ZeroDigest}, false},
		"redacted": {Text{Text: "[…]", Bytes: 9, Redacted: true}, false},
	} {
		if c.text.Whole() != c.whole {
			t.Errorf("%s: whole is %t", name, c.text.Whole())
		}
	}
	long := strings.Repeat("né", 10)
	if got := Inline(long); got != (Text{Text: long, Bytes: 30}) {
		t.Errorf("got %+v", got)
	}
}

// TestTextValidate: a projection says how long the whole is, and where it is
// when it is not the whole.
func TestTextValidate(t *testing.T) {
	for name, c := range map[string]struct {
		text Text
		ok   bool
	}{
		"whole":                     {Inline("né"), true},
		"empty":                     {Inline(""), true},
		"redacted":                  {Text{Text: "[…]", Bytes: 5, Redacted: true}, true},
		"cut":                       {Text{Text: "n", Bytes: 9, Digest: ZeroDigest}, true},
		"nothing shown":             {Text{Bytes: 9, Digest: ZeroDigest}, true},
		"cut, whole elsewhere too":  {Text{Text: "n", Bytes: 1, Digest: ZeroDigest}, true},
		"longer than it says":       {Text{Text: "né", Bytes: 2}, false},
		"shorter than it says":      {Text{Text: "né", Bytes: 4}, false},
		"cut and longer than whole": {Text{Text: "né", Bytes: 2, Digest: ZeroDigest}, false},
		"negative":                  {Text{Bytes: -1}, false},
		"negative and cut":          {Text{Bytes: -1, Digest: ZeroDigest}, false},
		"a digest that is none":     {Text{Text: "n", Bytes: 9, Digest: "abc"}, false},
	} {
		judged(t, name, c.text.Validate(), c.ok)
	}
}
