package protocol

import "fmt"

// Trust says how far a value may carry authority. It is a lattice:
// Untrusted < Workspace < Trusted, and combining takes the least (S2-025,
// S2-029). There is no unknown arm: a label nobody knows is no label.
type Trust uint8

// The three labels, lowest first. The zero value is the lowest on purpose.
const (
	// Untrusted is text from anywhere: the web, a tool's description, a model
	// that has read such text.
	Untrusted Trust = iota
	// Workspace is what stands in the operator's own files and databases.
	Workspace
	// Trusted is what the operator typed.
	Trusted
)

// Meet is the least of two labels.
func (t Trust) Meet(u Trust) Trust { return min(t, u) }

// EgressPermitted tells whether this label alone lets data out (S2-047).
func (t Trust) EgressPermitted() bool { return t == Trusted }

// String is the label's word.
func (t Trust) String() string {
	switch t {
	case Trusted:
		return "trusted"
	case Workspace:
		return "workspace"
	case Untrusted:
		return "untrusted"
	}
	return "invalid"
}

// MarshalText writes the label's word.
func (t Trust) MarshalText() ([]byte, error) {
	if t > Trusted {
		return nil, fmt.Errorf("trust %d does not exist", uint8(t))
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads the label's word; anything else is an error.
func (t *Trust) UnmarshalText(b []byte) error {
	for _, v := range []Trust{Untrusted, Workspace, Trusted} {
		if v.String() == string(b) {
			*t = v
			return nil
		}
	}
	return fmt.Errorf("trust %q is not one of untrusted, workspace, trusted", clip(string(b)))
}

// Governing is the meet of a set of labels. An empty set governs nothing: ok is
// false, and no authority follows from it (S2-029).
func Governing(labels ...Trust) (t Trust, ok bool) {
	if len(labels) == 0 {
		return Untrusted, false
	}
	t = Trusted
	for _, l := range labels {
		t = t.Meet(l)
	}
	return t, true
}

// OperatorText is text that the operator typed for this run. It is a type of
// its own, so that text which came back from a tool can never stand where typed
// input is expected (S2-032).
type OperatorText struct {
	// Text is what was typed.
	Text Text `json:"text"`
}

// Trust of typed input is Trusted, always.
func (OperatorText) Trust() Trust { return Trusted }

// Text is a bounded projection of a text: whole when short, else its beginning
// with the digest under which the whole is kept.
type Text struct {
	// Text is the text, or the beginning of it when Digest is set.
	Text string `json:"text"`
	// Bytes is the length of the whole, in bytes.
	Bytes int `json:"bytes"`
	// Digest names the whole in the content store; empty when Text is whole.
	Digest Digest `json:"digest,omitempty"`
	// Redacted says that something was taken out before it was written down.
	Redacted bool `json:"redacted,omitempty"`
}

// Inline makes the projection of a text that is short enough to stand whole.
func Inline(s string) Text { return Text{Text: s, Bytes: len(s)} }

// Validate checks that a projection is one: the length is the whole's, and what
// is not whole says where the whole is.
func (t Text) Validate() error {
	switch {
	case t.Digest == "" && t.Bytes != len(t.Text), t.Bytes < len(t.Text):
		return fmt.Errorf("a text of %d bytes says that it has %d", len(t.Text), t.Bytes)
	case t.Digest != "":
		return t.Digest.Validate()
	}
	return nil
}

// Whole tells whether Text carries everything, as it was.
func (t Text) Whole() bool { return t.Digest == "" && !t.Redacted }
