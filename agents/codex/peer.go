package codex

import (
	"context"
	"encoding/json"

	"parley/agents/jsonl"
)

// message is a line in either direction: JSON-RPC without its version.
type message struct {
	Method string          `json:"method,omitempty"`
	ID     json.RawMessage `json:"id,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *replyError     `json:"error,omitempty"`
}

// replyError is an answer that is an error.
type replyError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *replyError) Error() string { return e.Message }

// peer speaks the CLI's messages.
type peer struct{ *jsonl.Peer }

func newPeer() peer { return peer{jsonl.NewPeer("")} }

// notify sends what has no answer; respond and refuse answer a request of the
// CLI. Nobody needs to know that a CLI which has gone did not hear it.
func (p peer) notify(method string) { _ = p.Send(message{Method: method}) }

func (p peer) respond(id json.RawMessage, answer any) {
	result, err := json.Marshal(answer)
	if err != nil {
		p.refuse(id, "the answer could not be written")
		return
	}
	_ = p.Send(message{ID: id, Result: result})
}

func (p peer) refuse(id json.RawMessage, text string) {
	_ = p.Send(message{ID: id, Error: &replyError{Code: codeRefused, Message: text}})
}

// codeRefused is JSON-RPC's code for a method that is not served.
const codeRefused = -32601

// request is jsonl.Peer.Request, for the messages of this protocol.
func (p peer) request(method string, params any, onReply jsonl.Reply) error {
	line, err := requestOf(method, params)
	if err != nil {
		return err
	}
	return p.Request(line, onReply)
}

// call is jsonl.Peer.Call. The answer is read into result, unless that is nil.
func (p peer) call(ctx context.Context, method string, params, result any) error {
	line, err := requestOf(method, params)
	if err != nil {
		return err
	}
	return p.Call(ctx, line, func(raw json.RawMessage) error {
		if result == nil {
			return nil
		}
		return json.Unmarshal(raw, result)
	})
}

func requestOf(method string, params any) (func(id string) any, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return func(id string) any { return message{Method: method, ID: json.RawMessage(id), Params: raw} }, nil
}

// replied hands an answer to whoever waits for it.
func (p peer) replied(m message) {
	if m.Error != nil {
		p.Replied(string(m.ID), nil, m.Error)
	} else {
		p.Replied(string(m.ID), m.Result, nil)
	}
}
