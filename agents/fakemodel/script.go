package fakemodel

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Script is what the model answers, step by step.
type Script []Step

// Step is one answer, or several alike.
type Step struct {
	// When says which requests this step answers; nil answers any. It must not
	// change anything and may be called for requests it does not get.
	When func(Request) bool
	// Times is how many requests it answers: 0 means 1, Always has no end.
	Times int
	Reply Reply
	// Answer makes the reply from the request; it goes before Reply.
	Answer func(Request) Reply
}

// Always is the Times of a step that is never used up.
const Always = -1

// Reply is one answer of the model. The zero value is an empty message.
type Reply struct {
	Blocks []Block
	Stop   string // stop_reason; "" is tool_use when a tool is called, else end_turn
	Usage  Usage
	Model  string // "" is the model that was asked for

	Before time.Duration   // silence before the first byte
	Until  <-chan struct{} // the same, until it is closed
	Pace   time.Duration   // pause after each piece
	Piece  int             // bytes of text in one piece, 0 for 24; characters stay whole
	Fault  *Fault          // an error in place of the answer
	// Header goes along with an answer that is no error.
	Header map[string]string
	// CutAfter closes the connection after so many events of the stream, in
	// mid-answer, and before an answer that does not stream; 0 does not.
	CutAfter int
}

// Usage is what a reply says it used, in tokens.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int
}

// Block is one piece of content.
type Block struct {
	Type  string // text, thinking, tool_use
	Text  string // text, thinking
	ID    string // tool_use
	Name  string // tool_use
	Input string // tool_use: a JSON object; the text itself for a tool that takes free text
	// Until keeps the block open after its last piece until it is closed: the
	// moment for an interrupt.
	Until <-chan struct{}
}

// Fault is an error answer.
type Fault struct {
	Status  int
	Type    string // of the error, such as rate_limit_error
	Message string
	Header  map[string]string
	// Reset is when a limit resets; the Responses API tells it in the body.
	Reset time.Time
	// InStream sends the blocks and then the error as the end of the stream, with
	// status 200 in place of Status.
	InStream bool
}

// Text is a reply of one text.
func Text(text string) Reply { return Blocks(TextBlock(text)) }

// Say is a step that answers the next request with a text.
func Say(text string) Step { return Step{Reply: Text(text)} }

// Blocks is a reply of several pieces of content.
func Blocks(blocks ...Block) Reply { return Reply{Blocks: blocks} }

// TextBlock is a piece of text.
func TextBlock(text string) Block { return Block{Type: "text", Text: text} }

// Thinking is a piece of reasoning.
func Thinking(text string) Block { return Block{Type: "thinking", Text: text} }

// ToolUse is a call of a tool; input is a JSON object.
func ToolUse(id, name, input string) Block {
	return Block{Type: "tool_use", ID: id, Name: name, Input: input}
}

// ToolUseOf is ToolUse with an input that is still a value.
func ToolUseOf(id, name string, input any) Block {
	data, err := json.Marshal(input)
	if err != nil {
		panic("fakemodel: input of " + name + ": " + err.Error()) // a mistake in the script
	}
	return ToolUse(id, name, string(data))
}

// Fail is a reply that is an error.
func Fail(f Fault) Reply { return Reply{Fault: &f} }

// Unauthorized is status 401.
func Unauthorized() Reply {
	return Fail(Fault{Status: http.StatusUnauthorized, Type: "authentication_error", Message: "invalid x-api-key"})
}

// RateLimited is status 429. retryAfter and reset are told in the headers when
// they are not zero.
func RateLimited(retryAfter time.Duration, reset time.Time) Reply {
	header := map[string]string{}
	if retryAfter > 0 {
		header["retry-after"] = strconv.Itoa(int(retryAfter.Seconds()))
	}
	if !reset.IsZero() {
		header["anthropic-ratelimit-unified-reset"] = strconv.FormatInt(reset.Unix(), 10)
		header["anthropic-ratelimit-unified-status"] = "rejected"
	}
	return Fail(Fault{
		Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "This request would exceed your account's rate limit.",
		Header: header, Reset: reset,
	})
}

// Overloaded is status 529.
func Overloaded() Reply {
	return Fail(Fault{Status: 529, Type: "overloaded_error", Message: "Overloaded"})
}

// BadRequest is status 400.
func BadRequest(message string) Reply {
	return Fail(Fault{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: message})
}

// ContextFull says that the conversation does not fit into the model's context.
func ContextFull() Reply {
	return Fail(Fault{Type: "context_length_exceeded", Message: "Your input exceeds the context window of this model.", InStream: true})
}

// WithHeader returns r with a header on its fault.
func (r Reply) WithHeader(name, value string) Reply {
	if r.Fault == nil {
		return r
	}
	f := *r.Fault
	f.Header = maps.Clone(f.Header)
	if f.Header == nil {
		f.Header = map[string]string{}
	}
	f.Header[name] = value
	r.Fault = &f
	return r
}

// UserSays agrees when the newest text of a person holds part.
func UserSays(part string) func(Request) bool {
	return func(r Request) bool { return strings.Contains(r.LastUserText(), part) }
}

// HasResult agrees when the newest message brings the result of a tool call.
func HasResult(toolUseID string) func(Request) bool {
	return func(r Request) bool {
		if len(r.Messages) == 0 {
			return false
		}
		for _, m := range r.sinceAssistant() {
			for _, p := range m.Parts {
				if p.Type == "tool_result" && p.ToolUseID == toolUseID {
					return true
				}
			}
		}
		return false
	}
}
