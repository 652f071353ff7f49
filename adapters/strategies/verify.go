package strategies

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tipstaff/tipstaff/protocol"
)

// Checks is the verifier of plans: it compares texts.
type Checks struct{}

// Verify tells whether a text passes everything a check asks.
func (Checks) Verify(_ context.Context, c protocol.Check, text string) (bool, string, error) {
	if c.Contains != "" && !strings.Contains(text, c.Contains) {
		return false, fmt.Sprintf("the result does not contain %q", c.Contains), nil
	}
	if c.Equals != nil && text != *c.Equals {
		return false, fmt.Sprintf("the result is not %q", *c.Equals), nil
	}
	if c.Matches != "" {
		re, err := regexp.Compile(c.Matches)
		if err != nil {
			return false, "", fmt.Errorf("matches: %w", err)
		}
		if !re.MatchString(text) {
			return false, fmt.Sprintf("the result does not match %q", c.Matches), nil
		}
	}
	if c.JSON != nil {
		return checkJSON(*c.JSON, text)
	}
	return true, "", nil
}

func checkJSON(c protocol.JSONCheck, text string) (bool, string, error) {
	got, err := At([]byte(text), c.Pointer)
	if err != nil {
		return false, err.Error(), nil
	}
	a, errA := protocol.Canonical(got)
	b, errB := protocol.Canonical(c.Equals)
	if errA != nil || errB != nil {
		return false, "", fmt.Errorf("json: the values cannot be compared")
	}
	if !bytes.Equal(a, b) {
		return false, fmt.Sprintf("at %q stands %s, not %s", c.Pointer, a, b), nil
	}
	return true, "", nil
}

// At gives the value at a JSON Pointer (RFC 6901).
func At(doc []byte, pointer string) (json.RawMessage, error) {
	if !json.Valid(doc) {
		return nil, fmt.Errorf("the result is not JSON")
	}
	if pointer == "" {
		return doc, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("the pointer %q does not begin with a slash", pointer)
	}
	value := json.RawMessage(doc)
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		var object map[string]json.RawMessage
		var array []json.RawMessage
		switch {
		case json.Unmarshal(value, &object) == nil && object != nil:
			v, ok := object[part]
			if !ok {
				return nil, fmt.Errorf("there is nothing at %q", pointer)
			}
			value = v
		case json.Unmarshal(value, &array) == nil:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(array) || strconv.Itoa(i) != part {
				return nil, fmt.Errorf("there is nothing at %q", pointer)
			}
			value = array[i]
		default:
			return nil, fmt.Errorf("there is nothing at %q", pointer)
		}
	}
	return value, nil
}
