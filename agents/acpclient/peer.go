package acpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
	"parley/agents/jsonl"
)

// message is a line of the agent, in JSON-RPC 2.0.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// outgoing is a line of ours.
type outgoing struct {
	Version version           `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Params  any               `json:"params,omitempty"`
	Result  any               `json:"result,omitempty"`
	Error   *acp.RequestError `json:"error,omitempty"`
}

// version is that of JSON-RPC, in every line.
type version struct{}

// MarshalText implements encoding.TextMarshaler.
func (version) MarshalText() ([]byte, error) { return []byte("2.0"), nil }

// replyError is an error that the agent answered with.
type replyError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Error implements error.
func (e *replyError) Error() string {
	if len(e.Data) > 0 && string(e.Data) != "null" {
		return fmt.Sprintf("%s (%d): %s", e.Message, e.Code, agents.Redact(string(e.Data)))
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// listener is told what the agent sends by itself. It is called on the reader's
// goroutine and must not block on a person.
type listener interface {
	notified(method string, params json.RawMessage, line []byte)
	requested(id json.RawMessage, method string, params json.RawMessage, line []byte)
	unreadable(line string)
}

// peer speaks the protocol's messages.
type peer struct{ *jsonl.Peer }

func newPeer() peer { return peer{jsonl.NewPeer("")} }

// read hands out messages until the agent's output ends, then answers whoever
// still waits.
func (p peer) read(out io.Reader, l listener) {
	jsonl.NewReader(out).Each(func(line jsonl.Line) {
		var m message
		if !line.JSON || json.Unmarshal(line.Data, &m) != nil || !p.dispatch(m, line.Data, l) {
			l.unreadable(string(line.Data))
		}
	}, func(tooLong *jsonl.TooLongError) { l.unreadable(tooLong.Error()) })
	p.Over()
}

// dispatch reports false for what is no message, or an answer that nobody waits
// for.
func (p peer) dispatch(m message, line []byte, l listener) bool {
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		l.requested(m.ID, m.Method, m.Params, line)
	case m.Method != "":
		l.notified(m.Method, m.Params, line)
	case hasID:
		id := strings.Trim(string(m.ID), `"`) // some agents answer a number with its text
		return p.Replied(id, m.Result, asError(m.Error))
	default:
		return false
	}
	return true
}

// asError reads the error of an answer; one of an unknown shape is still an
// error.
func asError(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var e replyError
	if err := json.Unmarshal(raw, &e); err != nil {
		return &replyError{Message: agents.Redact(string(raw))}
	}
	return &e
}

// request is jsonl.Peer.Request, for the messages of this protocol.
func (p peer) request(method string, params any, onReply jsonl.Reply) error {
	return p.Request(requestOf(method, params), onReply)
}

// call is jsonl.Peer.Call. The answer is read into result, unless that is nil;
// then runs after a good answer, before any later line is looked at.
func (p peer) call(ctx context.Context, method string, params, result any, then func()) error {
	return p.Call(ctx, requestOf(method, params), func(raw json.RawMessage) error {
		if result != nil && len(raw) > 0 {
			if err := json.Unmarshal(raw, result); err != nil {
				return err
			}
		}
		if then != nil {
			then()
		}
		return nil
	})
}

func requestOf(method string, params any) func(id string) any {
	return func(id string) any { return outgoing{ID: json.RawMessage(id), Method: method, Params: params} }
}

func (p peer) notify(method string, params any) error {
	return p.Send(outgoing{Method: method, Params: params})
}

// reply and refuse answer a request of the agent. Nobody needs to know that an
// agent which has gone did not hear it.
func (p peer) reply(id json.RawMessage, result any) { _ = p.Send(outgoing{ID: id, Result: result}) }

func (p peer) refuse(id json.RawMessage, e *acp.RequestError) { _ = p.Send(outgoing{ID: id, Error: e}) }
