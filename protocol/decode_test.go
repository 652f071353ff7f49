package protocol

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestDecode: what comes from outside may be spelled freely, and means one
// thing or nothing.
func TestDecode(t *testing.T) {
	want := Plan{Name: "n", Steps: []PlanStep{{ID: "a", Tool: "noop", Retries: 2}}}
	for _, in := range []string{
		`{"name":"n","steps":[{"id":"a","tool":"noop","retries":2}]}`,
		" {\n\"steps\": [ {\"retries\":2, \"tool\":\"n\\u006fop\", \"id\":\"a\"} ],\t\"name\":\"n\"}\n",
	} {
		var got Plan
		if err := Decode([]byte(in), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", in, got, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, says string }{
		{"an unknown member", `{"name":"n","step":[]}`, `unknown member "step"`},
		{"an unknown member, deep", `{"steps":[{"id":"a"},{"id":"b","tol":"noop"}]}`, `steps[1]: unknown member "tol"`},
		{"an unknown member behind a pointer", `{"steps":[{"validate":{"json":{"pinter":""}}}]}`, `steps[0].validate.json: unknown member "pinter"`},
		{"another case", `{"Name":"n"}`, `unknown member "Name"`},
		{"another case, deep", `{"steps":[{"ID":"a"}]}`, `unknown member "ID"`},
		{"a case only folding knows", `{"\u017fteps":[]}`, "unknown member"},
		{"both cases", `{"name":"n","NAME":"m"}`, "unknown member"},
		{"a field's Go name", `{"steps":[{"TimeoutMillis":1}]}`, "unknown member"},
		{"a member twice", `{"name":"n","name":"m"}`, "stands twice"},
		{"a member twice in raw arguments", `{"steps":[{"args":{"a":1,"a":2}}]}`, "steps[0].args"},
		{"a lone surrogate in raw arguments", `{"steps":[{"args":{"a":"\ud800"}}]}`, "lone surrogate"},
		{"too deep in raw arguments", `{"steps":[{"args":` + nested(MaxJSONDepth, "") + `}]}`, "nested deeper"},
		{"another type", `{"name":7}`, "name: a number does not fit here"},
		{"an object for a text", `{"name":{"a":1}}`, "name: a object does not fit here"},
		{"a list for a text", `{"steps":[{"id":["a"]}]}`, "does not fit here"},
		{"another type, deep", `{"steps":[{"id":"a","retries":"2"}]}`, "retries"},
		{"a fraction", `{"steps":[{"retries":1.5}]}`, "retries"},
		{"a number too big", `{"steps":[{"retries":99999999999999999999}]}`, "retries"},
		{"an array for an object", `[]`, "does not fit here"},
		{"a second document", `{"name":"n"}{"name":"m"}`, "more than one document"},
		{"nothing", ``, "ends too early"},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", "UTF-8"},
	} {
		var got Plan
		err := Decode([]byte(c.in), &got)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %+v, %v, want an error with %q", c.name, got, err, c.says)
		}
	}
}

// TestDecodeWordsAreExact: an authority that is misspelled is none.
func TestDecodeWordsAreExact(t *testing.T) {
	for _, in := range []string{
		`["Read_Only"]`, `["read_only "]`, `["readonly"]`, `["read_only","read_only"]`, `["write"]`, `[0]`, `"read_only"`, `{"read_only":true}`, `[""]`,
	} {
		var s CapabilitySet
		if err := Decode([]byte(in), &s); err == nil {
			t.Errorf("%s was taken as %v", in, s.Classes())
		}
	}
	for _, in := range []string{`"Trusted"`, `"trusted "`, `"unknown"`, `""`, `2`, `["trusted"]`} {
		var l Trust
		if err := Decode([]byte(in), &l); err == nil {
			t.Errorf("%s was taken as %s", in, l)
		}
	}
	for _, in := range []string{`[null]`, `[null,"code_executing"]`} {
		var s CapabilitySet
		if err := Decode([]byte(in), &s); err == nil {
			t.Errorf("%s: a null became the authority %v", in, s.Classes())
		}
	}
}

// TestUnknownWordsAreAnswered with the words there are: the error is all the
// help a client gets.
func TestUnknownWordsAreAnswered(t *testing.T) {
	err := Decode([]byte(`{"task":{"ceiling":["read_only","write_files_and_everything_else_in_the_whole_workspace"]}}`), new(StartRun))
	for _, class := range Capabilities() {
		if err == nil || !strings.Contains(err.Error(), class.String()) {
			t.Errorf("%s is not in %v", class, err)
		}
	}
	err = Decode([]byte(`"partly"`), new(Trust))
	for _, label := range labels() {
		if err == nil || !strings.Contains(err.Error(), label.String()) {
			t.Errorf("%s is not in %v", label, err)
		}
	}
}

// TestErrorsAreForPeople: whatever came in, an error is a short text in plain
// words. It repeats no more of the input than a person can read.
func TestErrorsAreForPeople(t *testing.T) {
	const most = 600
	long := strings.Repeat("né", 50_000)
	digits := strings.Repeat("9", 100_000)
	into := func(v any) func(string) error { return func(in string) error { return Decode([]byte(in), v) } }
	for _, c := range []struct {
		name string
		do   func(string) error
		in   string
	}{
		{"unknown member", into(new(Plan)), `{"` + long + `":1}`},
		{"member twice", into(new(Plan)), `{"` + long + `":1,"` + long + `":2}`},
		{"member twice under a long name", into(new(SubmitIntent)), `{"args":{"` + long + `":{"a":1,"a":2}}}`},
		{"too deep under a long name", into(new(SubmitIntent)), `{"args":{"` + long + `":` + nested(MaxJSONDepth, "1") + `}}`},
		{"too deep", into(new(SubmitIntent)), nested(MaxJSONDepth+1, "1")},
		{"number too big", into(new(PlanStep)), `{"retries":` + digits + `}`},
		{"no JSON under a long name", into(new(Plan)), `{"` + long + `":x}`},
		{"unknown word", into(new(CapabilitySet)), `["` + long + `"]`},
		{"unknown operation member", func(in string) error { _, err := DecodeOp([]byte(in)); return err }, `{"type":"drain","` + long + `":1}`},
		{"another type in our own bytes", func(in string) error { return Unmarshal([]byte(in), new(EffectIntent)) }, `{"id":5}`},
		{"unknown member in our own bytes", func(in string) error { return Unmarshal([]byte(in), new(EffectIntent)) }, `{"` + long + `":5}`},
		{"cut bytes of our own", func(in string) error { return Unmarshal([]byte(in), new(EffectIntent)) }, `{"id":"`},
		{"no bytes of our own", func(in string) error { return Unmarshal([]byte(in), new(EffectIntent)) }, ``},
		{"another type in an event", func(in string) error { _, err := DecodeEvent(KindNotice, []byte(in)); return err }, `{"code":5}`},
		{"another type in a command", func(in string) error { _, err := DecodeCommand(KindFault, 1, []byte(in)); return err }, `{"reason":{}}`},
		{"tenant", func(in string) error { return TenantID(in).Validate() }, strings.Repeat("é", MaxNameBytes/2)},
		{"run", func(in string) error { return RunID(in).Validate() }, long},
		{"effect", func(in string) error { _, _, err := EffectID(in).Split(); return err }, long},
		{"tool name", ValidateToolName, strings.Repeat("é", MaxToolNameBytes/2)},
		{"wire name", func(in string) error { _, err := WireName(in); return err }, long + "__"},
		{"slot", func(in string) error { return SlotID(in).Validate() }, long},
		{"mode", func(in string) error { return Mode(in).Validate() }, long},
		{"failure policy", func(in string) error { return OnFailure(in).Validate() }, long},
		{"state", func(in string) error { return Transition{FSMState(in), StartSaga, Acting}.Validate() }, long},
		{"event", func(in string) error { return Transition{Acting, FSMEvent(in), Acting}.Validate() }, long},
		{"event after the end", func(in string) error { return Transition{FailedRolledBack, FSMEvent(in), Acting}.Validate() }, long},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(c.in)
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if len(text) == 0 || len(text) > most {
				t.Errorf("%d bytes: %.100s…", len(text), text)
			}
			if !utf8.ValidString(text) {
				t.Errorf("not UTF-8: %.200q", text)
			}
			if r, _ := utf8.DecodeRuneInString(text); unicode.IsUpper(r) {
				t.Errorf("begins with a capital: %.200s", text)
			}
			for _, driver := range []string{"json:", "Go struct", "Go value", "unmarshal", "protocol.", "EOF"} {
				if strings.Contains(text, driver) {
					t.Errorf("speaks of %q: %.200s", driver, text)
				}
			}
		})
	}
}
