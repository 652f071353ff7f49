package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestSubmissionOfTheContract reads the envelope as the contract writes it.
func TestSubmissionOfTheContract(t *testing.T) {
	got, err := DecodeSubmission([]byte(`{"protocol_version":1,"id":"client-chosen","op":{"type":"interrupt","run":"` + sampleRunText + `"}}`))
	if want := (Submission{ID: "client-chosen", Op: Interrupt{Run: sampleRun}}); err != nil || got != want {
		t.Errorf("got %#v, %v", got, err)
	}
}

func TestSubmissionRefuses(t *testing.T) {
	drain := `{"type":"drain","run":"x"}`
	for _, c := range []struct{ name, in string }{
		{"no operation", `{"protocol_version":1,"id":"a"}`},
		{"an operation that is null", `{"protocol_version":1,"id":"a","op":null}`},
		{"an operation that is a list", `{"protocol_version":1,"id":"a","op":[` + drain + `]}`},
		{"an operation that is text", `{"protocol_version":1,"id":"a","op":"drain"}`},
		{"an operation without a type", `{"protocol_version":1,"id":"a","op":{"run":"x"}}`},
		{"a type that is a number", `{"protocol_version":1,"id":"a","op":{"type":1}}`},
		{"a type that is null", `{"protocol_version":1,"id":"a","op":{"type":null}}`},
		{"a type in capitals", `{"protocol_version":1,"id":"a","op":{"Type":"drain"}}`},
		{"two types", `{"protocol_version":1,"id":"a","op":{"type":"drain","type":"interrupt"}}`},
		{"two operations", `{"protocol_version":1,"id":"a","op":` + drain + `,"op":` + drain + `}`},
		{"two versions", `{"protocol_version":1,"protocol_version":1,"id":"a","op":` + drain + `}`},
		{"an unknown member beside it", `{"protocol_version":1,"id":"a","op":` + drain + `,"tenant":"other"}`},
		{"an unknown member in it", `{"protocol_version":1,"id":"a","op":{"type":"drain","run":"x","force":true}}`},
		{"a long id", `{"protocol_version":1,"id":"` + strings.Repeat("a", MaxKeyBytes+1) + `","op":` + drain + `}`},
		{"a version in words", `{"protocol_version":"1","id":"a","op":` + drain + `}`},
		{"two lines", `{"protocol_version":1,"id":"a","op":` + drain + "}\n{}"},
		{"nothing", ``},
	} {
		got, err := DecodeSubmission([]byte(c.in))
		if err == nil || got.Op != nil {
			t.Errorf("%s: got %#v, %v", c.name, got, err)
		}
		if version := new(VersionError); errors.As(err, &version) {
			t.Errorf("%s: blamed on the version: %v", c.name, err)
		}
	}
	longest := strings.Repeat("a", MaxKeyBytes)
	if got, err := DecodeSubmission([]byte(`{"protocol_version":1,"id":"` + longest + `","op":` + drain + `}`)); err != nil || got.ID != longest {
		t.Errorf("an id of %d bytes: %v", MaxKeyBytes, err)
	}
}

// TestRefusalKeepsTheID: a client that asked many things at once must be told
// which of them was refused.
func TestRefusalKeepsTheID(t *testing.T) {
	for name, op := range map[string]string{
		"another type":      `{"type":"drain","run":7}`,
		"an unknown member": `{"type":"drain","run":"x","force":true}`,
		"a member twice":    `{"type":"drain","run":"x","run":"y"}`,
		"no type":           `{"run":"x"}`,
		"no object":         `"drain"`,
		"a lone surrogate":  `{"type":"drain","run":"\ud800"}`,
		"too deep":          `{"type":"drain","run":` + nested(MaxJSONDepth, "") + `}`,
	} {
		got, err := DecodeSubmission([]byte(`{"protocol_version":1,"id":"a","op":` + op + `}`))
		if err == nil || got.ID != "a" || got.Op != nil {
			t.Errorf("%s: got %#v, %v", name, got, err)
		}
	}
}

// TestOpRefusesTwoMeanings holds the operation's reader to the same as the
// envelope's: it is also reached without one.
func TestOpRefusesTwoMeanings(t *testing.T) {
	for _, in := range []string{
		`{"type":"drain","type":"rollback","run":"x"}`,
		`{"type":"drain","run":"x","run":"y"}`,
		`{"type":"drain","run":"x","run":"y","t\u0079pe":"drain"}`,
		"{\"type\":\"drain\",\"run\":\"\xff\"}",
		`{"type":"drain","run":"\ud800"}`,
		`{"type":"drain","run":"x"} {}`,
		`{"type":"submit_intent","run":"x","tool":"t","args":` + nested(MaxJSONDepth, "") + `}`,
	} {
		if op, err := DecodeOp([]byte(in)); err == nil {
			t.Errorf("%q was taken as %#v", in, op)
		}
	}
}

// TestVersionComesFirst: of a client of another version nothing is looked at
// but the version, because what else it says is in a language we do not know.
func TestVersionComesFirst(t *testing.T) {
	const canary = "c4n4ry"
	for _, c := range []struct{ name, in string }{
		{"a good operation", `{"protocol_version":%d,"id":"a","op":{"type":"drain","run":"c4n4ry"}}`},
		{"an unknown operation", `{"protocol_version":%d,"id":"a","op":{"type":"c4n4ry"}}`},
		{"a malformed operation", `{"protocol_version":%d,"id":"a","op":{"type":"drain","run":7}}`},
		{"an operation with an unknown member", `{"protocol_version":%d,"id":"a","op":{"type":"drain","c4n4ry":7}}`},
		{"an operation that is text", `{"protocol_version":%d,"id":"a","op":"c4n4ry"}`},
		{"no operation", `{"protocol_version":%d,"id":"a"}`},
		{"an operation with a member twice", `{"protocol_version":%d,"id":"a","op":{"type":"drain","c4n4ry":1,"c4n4ry":2}}`},
		{"an operation with a lone surrogate", `{"protocol_version":%d,"id":"a","op":{"type":"drain","run":"\ud800c4n4ry"}}`},
		{"an operation that is too deep", `{"protocol_version":%d,"id":"a","op":{"c4n4ry":` + nested(MaxJSONDepth, "") + `}}`},
		{"an envelope with a new member", `{"protocol_version":%d,"id":"a","c4n4ry":true,"op":{"type":"drain"}}`},
		{"an envelope with a renamed member", `{"protocol_version":%d,"submission_id":"c4n4ry","op":{"type":"drain"}}`},
		{"an envelope with an id of another type", `{"protocol_version":%d,"id":["c4n4ry"],"op":{"type":"drain"}}`},
	} {
		for _, version := range []int{2, -1} {
			got, err := DecodeSubmission(fmt.Appendf(nil, c.in, version))
			other := new(VersionError)
			if !errors.As(err, &other) || other.Expected != ProtocolVersion || other.Actual != version {
				t.Errorf("%s, version %d: got %v", c.name, version, err)
			}
			if got.Op != nil || strings.Contains(fmt.Sprintf("%#v %v", got, err), canary) {
				t.Errorf("%s, version %d: the operation was unwrapped: %#v, %v", c.name, version, got, err)
			}
			if strings.Contains(c.in, `"id":"a"`) && got.ID != "a" {
				t.Errorf("%s, version %d: the id is lost, so the client cannot tell what was refused", c.name, version)
			}
		}
	}
	long := strings.Repeat("a", MaxKeyBytes+1)
	if got, err := DecodeSubmission([]byte(`{"protocol_version":2,"id":"` + long + `","op":{}}`)); len(got.ID) > MaxKeyBytes || err == nil {
		t.Errorf("an id of %d bytes is kept, %v", len(got.ID), err)
	}
	for _, in := range []string{`{}`, `{"id":"a","op":{"type":"drain","run":"x"}}`, `{"protocol_version":null,"id":"a"}`} {
		other := new(VersionError)
		if _, err := DecodeSubmission([]byte(in)); !errors.As(err, &other) || other.Actual != 0 {
			t.Errorf("%s: got %v", in, err)
		}
	}
}

// TestUnknownOperationsDropTheirPayload: nothing of an operation nobody knows
// is kept, echoed or written again, however it is made (S2-101, S2-102).
func TestUnknownOperationsDropTheirPayload(t *testing.T) {
	const canary = "c4n4ry"
	for _, op := range []string{
		`{"type":"c4n4ry"}`,
		`{"type":"force_cancel","c4n4ry":1}`,
		`{"type":"force_cancel","run":"c4n4ry","deep":{"c4n4ry":["c4n4ry"]}}`,
		`{"type":"","c4n4ry":1}`,
		`{"type":"unknown","c4n4ry":1}`,
		`{"type":"Drain","run":"c4n4ry"}`,
		`{"type":"force_cancel","c4n4ry":1,"c4n4ry":2}`,
		`{"type":"force_cancel","c4n4ry":{"a":1,"a":2}}`,
		`{"type":"force_cancel","a":"\ud800c4n4ry"}`,
		`{"type":"force_cancel","c4n4ry":` + nested(MaxJSONDepth, "") + `}`,
		`{"type":"force_cancel","c4n4ry":c4n4ry}`,
		`{"type":["c4n4ry"],"c4n4ry":1}`,
		`{"type":{"c4n4ry":1}}`,
		`["c4n4ry"]`,
		`"c4n4ry"`,
	} {
		direct, errDirect := DecodeOp([]byte(op))
		wrapped, errWrapped := DecodeSubmission([]byte(`{"protocol_version":1,"id":"a","op":` + op + `}`))
		for _, seen := range []string{
			fmt.Sprintf("%#v %+v %v", direct, direct, errDirect), fmt.Sprintf("%#v %+v %v", wrapped, wrapped, errWrapped),
			encodeIfAny(direct), encodeIfAny(wrapped.Op),
		} {
			if strings.Contains(seen, canary) {
				t.Errorf("%s: the payload shows in %s", op, seen)
			}
		}
		for _, known := range []Op{direct, wrapped.Op} {
			if _, unknown := known.(UnknownOp); known != nil && !unknown {
				t.Errorf("%s was taken as %#v", op, known)
			}
		}
	}
	op, err := DecodeOp([]byte(`{"type":"force_cancel","run":"x"}`))
	if op != (UnknownOp{}) || err != nil {
		t.Errorf("an unknown operation is no error: got %#v, %v", op, err)
	}
}

func encodeIfAny(op Op) string {
	if op == nil {
		return ""
	}
	return string(EncodeOp(op)) + string(MustMarshal(op))
}

// TestUnknownEntriesDropTheirBody: the same for entries of the record, whose
// bodies need not even be JSON to be passed over.
func TestUnknownEntriesDropTheirBody(t *testing.T) {
	const canary = "c4n4ry"
	for _, kind := range []string{"c4n4ry", "command.c4n4ry", "command.unknown", "event.unknown", "effect.c4n4ry", "", "Notice", "notice ", "run.started2"} {
		for _, body := range []string{`{"c4n4ry":"c4n4ry"}`, `c4n4ry`, `{"c4n4ry":1,"c4n4ry":2}`, "\xffc4n4ry", ``} {
			c, err := DecodeCommand(kind, sampleAt, []byte(body))
			if c != (UnknownCommand{At{Millis: sampleAt}}) || err != nil {
				t.Errorf("command %q: got %#v, %v", kind, c, err)
			}
			e, errEvent := DecodeEvent(kind, []byte(body))
			if e != (UnknownEvent{}) || errEvent != nil {
				t.Errorf("event %q: got %#v, %v", kind, e, errEvent)
			}
			seen := fmt.Sprintf("%#v %v %#v %v %s %s %s %s", c, err, e, errEvent, MustMarshal(c), MustMarshal(e), c.CommandKind(), e.EventKind())
			if strings.Contains(seen, canary) {
				t.Errorf("%q: the body shows in %s", kind, seen)
			}
		}
	}
}

// TestKindsAreTold: every kind of entry has one arm and one reader, and the two
// sums do not overlap.
func TestKindsAreTold(t *testing.T) {
	kinds := parseSource(t).wordsOf("Kind")
	if len(kinds) < 30 {
		t.Fatalf("only %d kinds found", len(kinds))
	}
	for _, kind := range kinds {
		c, _ := DecodeCommand(kind, 0, []byte(`{}`))
		e, _ := DecodeEvent(kind, []byte(`{}`))
		_, noCommand := c.(UnknownCommand)
		_, noEvent := e.(UnknownEvent)
		if noCommand == noEvent {
			t.Errorf("%q is read as a command: %t, as an event: %t", kind, !noCommand, !noEvent)
		}
		if IsCommandKind(kind) == noCommand {
			t.Errorf("IsCommandKind(%q) = %t", kind, !noCommand)
		}
		if family, what, ok := strings.Cut(kind, "."); kind != KindNotice && (!ok || family == "" || what == "" || kind != strings.ToLower(kind)) {
			t.Errorf("%q is not family.what", kind)
		}
	}
	for _, other := range []string{"", "command", "command.", "commands.say", "effect.intent", "run.started.again"} {
		if IsCommandKind(other) {
			t.Errorf("%q is called a command", other)
		}
	}
}

// TestStamped gives every command another time and nothing else.
func TestStamped(t *testing.T) {
	for _, s := range commandSamples() {
		c := s.value.(Command)
		got := Stamped(c, 42)
		if got.Stamp() != 42 || got.CommandKind() != c.CommandKind() || string(MustMarshal(got)) != string(MustMarshal(c)) {
			t.Errorf("%s became %#v", s.name, got)
		}
		if c.Stamp() != sampleAt {
			t.Errorf("%s: the command that was given has changed", s.name)
		}
		if strings.Contains(string(MustMarshal(c)), "1764500000123") {
			t.Errorf("%s: the stamp stands in the body", s.name)
		}
	}
}

// TestEntryLine writes an entry as the contract shows it.
func TestEntryLine(t *testing.T) {
	line := MustMarshal(Entry{Version: 1, Run: sampleRun, Seq: 1, Prev: ZeroDigest, At: sampleAt, Kind: KindNotice, Body: json.RawMessage(`{"code":"late_result"}`)})
	want := `{"v":1,"run":"` + sampleRunText + `","seq":1,"prev":"` + strings.Repeat("0", 64) + `","at":1764500000123,"kind":"notice","body":{"code":"late_result"}}`
	if string(line) != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}
