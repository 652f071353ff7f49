package ports

import (
	"context"

	"github.com/tipstaff/tipstaff/protocol"
)

// ProviderV1 is a model somewhere. It is safe for concurrent use.
type ProviderV1 interface {
	// Describe names the route. It never changes.
	Describe() Route
	// Complete asks for one turn. It makes exactly one request and never
	// retries. A cut or filtered answer is returned with its Stop, not as an
	// error; errors are *Fault.
	Complete(ctx context.Context, request Request) (Turn, error)
}

// Route names a provider and a model.
type Route struct {
	// Name is "provider/model".
	Name string
	// MaxOutputTokens is what one answer can cost at most; 0 when unknown.
	MaxOutputTokens int64
	// Priced says that a dated price for exactly this route is known.
	Priced bool
}

// Role says who speaks a message.
type Role string

// The roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a conversation.
type Message struct {
	// Role says who speaks, Text what.
	Role Role
	Text string
	// Calls belong to the assistant.
	Calls []ToolCall
	// CallID names the call a tool message answers; Failed marks an error.
	CallID string
	Failed bool
	// Source and Trust label the message.
	Source string
	Trust  protocol.Trust
}

// ToolCall is a call a model proposes.
type ToolCall struct {
	// ID is the provider's id of it, Name the tool as the model spelled it.
	ID   string
	Name string
	// Args is a JSON object.
	Args []byte
}

// Request is what a model is asked.
type Request struct {
	// Messages are the conversation, oldest first.
	Messages []Message
	// Tools are what it may propose to call.
	Tools []protocol.ToolContract
	// Turn counts from 1.
	Turn int
}

// Turn is a model's answer.
type Turn struct {
	// Text and Calls are what it said.
	Text  string
	Calls []ToolCall
	// Usage is nil when the provider did not say.
	Usage *protocol.Usage
	// Stop is one of protocol's Stop… words.
	Stop string
}
