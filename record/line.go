package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tipstaff/tipstaff/protocol"
)

// DigestOf is the SHA-256 of some bytes, as the record writes it.
func DigestOf(b []byte) protocol.Digest {
	sum := sha256.Sum256(b)
	return protocol.Digest(hex.EncodeToString(sum[:]))
}

// actionsMember ends the body of every command's line: what the command made
// the kernel order, by digest.
const actionsMember = `,"actions":"`

// actionsTail is the length of the member with its value and the closing brace.
const actionsTail = len(actionsMember) + 64 + len(`"}`)

// DigestActions names what a step ordered. Events are left out: they are lines
// of their own.
func DigestActions(actions []protocol.Action) protocol.Digest {
	h := sha256.New()
	for _, a := range actions {
		if _, event := a.(protocol.Emit); event {
			continue
		}
		h.Write([]byte(a.ActionKind()))
		h.Write(protocol.MustMarshal(a))
		h.Write([]byte{'\n'})
	}
	return protocol.Digest(hex.EncodeToString(h.Sum(nil)))
}

// commandBody is a command's canonical bytes with the digest of its actions as
// last member.
func commandBody(c protocol.Command, actions protocol.Digest) []byte {
	body := protocol.MustMarshal(c)
	tail := actionsMember
	if len(body) == len(`{}`) {
		tail = tail[1:]
	}
	body = append(body[:len(body)-1], tail...)
	body = append(body, actions...)
	return append(body, '"', '}')
}

// CommandOf reads the command of an entry and the digest of the actions it
// caused when it was written.
func CommandOf(e protocol.Entry) (protocol.Command, protocol.Digest, error) {
	body := e.Body
	cut := len(body) - actionsTail
	if cut >= 1 && bytes.HasPrefix(body[cut:], []byte(actionsMember)) {
		inner := append(bytes.Clone(body[:cut]), '}')
		c, err := protocol.DecodeCommand(e.Kind, e.At, inner)
		return c, protocol.Digest(body[cut+len(actionsMember) : len(body)-2]), err
	}
	if empty := `{` + actionsMember[1:]; len(body) == len(empty)+66 && bytes.HasPrefix(body, []byte(empty)) {
		c, err := protocol.DecodeCommand(e.Kind, e.At, []byte(`{}`))
		return c, protocol.Digest(body[len(empty) : len(body)-2]), err
	}
	return nil, "", errors.New("the command carries no digest of its actions")
}

// ParseLine reads one line. A line that is not the one encoding of its entry is
// refused.
func ParseLine(line []byte) (protocol.Entry, error) {
	var e protocol.Entry
	if len(line) > protocol.MaxLineBytes {
		return e, fmt.Errorf("the line has %d bytes, more than %d", len(line), protocol.MaxLineBytes)
	}
	if err := protocol.Unmarshal(line, &e); err != nil {
		if errors.Is(err, protocol.ErrNotCanonical) {
			return e, err
		}
		return e, errors.New("the line is not an entry")
	}
	if e.Version != protocol.ProtocolVersion {
		return e, &protocol.VersionError{Expected: protocol.ProtocolVersion, Actual: e.Version}
	}
	return e, nil
}
