package claude

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/agents"
	"parley/agents/jsonl"
)

// peer speaks the CLI's side channel.
type peer struct{ *jsonl.Peer }

func newPeer() peer { return peer{jsonl.NewPeer("parley-")} }

// respond answers a request of the CLI. Nobody waits for an answer any more when
// the input is closed.
func (p peer) respond(id string, answer any) {
	_ = p.Send(responseLine{Type: "control_response", Response: responseBody{Subtype: "success", RequestID: id, Response: answer}})
}

func (p peer) respondError(id, text string) {
	_ = p.Send(responseLine{Type: "control_response", Response: responseBody{Subtype: "error", RequestID: id, Error: text}})
}

// request is jsonl.Peer.Request, for the bodies of this protocol.
func (p peer) request(body any, onReply jsonl.Reply) error {
	return p.Request(requestOf(body), onReply)
}

// call is jsonl.Peer.Call. accepted runs when the CLI agrees.
func (p peer) call(ctx context.Context, body any, accepted func(json.RawMessage)) error {
	return p.Call(ctx, requestOf(body), func(result json.RawMessage) error {
		accepted(result)
		return nil
	})
}

func requestOf(body any) func(id string) any {
	return func(id string) any { return requestLine{Type: "control_request", RequestID: id, Request: body} }
}

// replied hands an answer to whoever waits for it.
func (p peer) replied(l controlLine) {
	r := l.Response
	if r.Subtype == "success" {
		p.Replied(r.RequestID, r.Response, nil)
	} else {
		p.Replied(r.RequestID, nil, &replyError{text: r.Error})
	}
}

// replyError is an answer that is an error.
type replyError struct{ text string }

// Error implements error.
func (e *replyError) Error() string { return e.text }

func closed(while string) error { return fmt.Errorf("%s: %w", while, agents.ErrClosed) }
