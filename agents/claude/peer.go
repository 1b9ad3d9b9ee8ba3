package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"parley/agents"
	"parley/agents/jsonl"
)

// peer writes lines to the CLI and pairs its answers with our requests. Its
// methods may be called from any goroutine and never wait for the CLI.
type peer struct {
	wake    chan struct{} // capacity 1: there is something to write
	written chan struct{} // closed when the writer has ended

	mu      sync.Mutex // guards the fields below
	queue   []any
	closing bool // write what is queued, then end the input
	lastID  int
	waiting map[string]func(json.RawMessage, error) // by id of our request; nil once the CLI has ended
}

func newPeer() *peer {
	return &peer{wake: make(chan struct{}, 1), written: make(chan struct{}), waiting: map[string]func(json.RawMessage, error){}}
}

// write writes queued lines until the peer is closed or the CLI stops
// listening, then ends the CLI's input. The queue has no bound, so that nobody
// ever waits for a CLI that does not read.
func (p *peer) write(in io.WriteCloser) {
	defer close(p.written)
	defer in.Close()
	lines := jsonl.NewWriter(in)
	for range p.wake {
		for {
			p.mu.Lock()
			queue, closing := p.queue, p.closing
			p.queue = nil
			p.mu.Unlock()
			for _, line := range queue {
				if err := lines.Write(line); err != nil {
					p.close() // the end of its output says the rest
					return
				}
			}
			if closing {
				return
			}
			if len(queue) == 0 {
				break
			}
		}
	}
}

// send puts a line on its way.
func (p *peer) send(line any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return agents.ErrClosed
	}
	p.queue = append(p.queue, line)
	p.stir()
	return nil
}

// close ends the input after what is queued.
func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.stir()
}

func (p *peer) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// respond answers a request of the CLI.
func (p *peer) respond(id string, answer any) {
	// Nobody waits for an answer any more when the input is closed.
	_ = p.send(responseLine{Type: "control_response", Response: responseBody{Subtype: "success", RequestID: id, Response: answer}})
}

func (p *peer) respondError(id, text string) {
	_ = p.send(responseLine{Type: "control_response", Response: responseBody{Subtype: "error", RequestID: id, Error: text}})
}

// request sends a request. onReply runs on the reader's goroutine, exactly
// once, with agents.ErrClosed when the CLI ends without an answer; it is not
// called when request returns an error.
func (p *peer) request(body any, onReply func(json.RawMessage, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing || p.waiting == nil {
		return agents.ErrClosed
	}
	p.lastID++
	id := "parley-" + strconv.Itoa(p.lastID)
	p.waiting[id] = onReply
	p.queue = append(p.queue, requestLine{Type: "control_request", RequestID: id, Request: body})
	p.stir()
	return nil
}

// call is request and waits for the answer. accepted, if it is not nil, runs on
// the reader's goroutine when the CLI agrees, before any later line.
func (p *peer) call(ctx context.Context, body any, accepted func(json.RawMessage)) error {
	replies := make(chan error, 1)
	err := p.request(body, func(result json.RawMessage, err error) {
		if err == nil && accepted != nil {
			accepted(result)
		}
		replies <- err
	})
	if err != nil {
		return err
	}
	select {
	case err := <-replies:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// replied hands an answer to whoever waits for it.
func (p *peer) replied(l controlLine) {
	p.mu.Lock()
	onReply := p.waiting[l.Response.RequestID]
	delete(p.waiting, l.Response.RequestID)
	p.mu.Unlock()
	switch {
	case onReply == nil:
	case l.Response.Subtype == "success":
		onReply(l.Response.Response, nil)
	default:
		onReply(nil, &replyError{text: l.Response.Error})
	}
}

// over tells everybody who waits that the CLI has ended.
func (p *peer) over() {
	p.close()
	p.mu.Lock()
	waiting := p.waiting
	p.waiting = nil
	p.mu.Unlock()
	for _, onReply := range waiting {
		onReply(nil, agents.ErrClosed)
	}
}

// replyError is an answer that is an error.
type replyError struct{ text string }

// Error implements error.
func (e *replyError) Error() string { return e.text }

// lines reads the CLI's output to its end. handle gets every object, other
// gets what is none, and skipped is told of a line that was too long to take.
func lines(out io.Reader, handle func(line []byte), other func(text string), skipped func(error)) {
	reader := jsonl.NewReader(out)
	for {
		line, err := reader.Next()
		if tooLong, ok := errors.AsType[*jsonl.TooLongError](err); ok {
			skipped(tooLong)
			continue
		}
		if err != nil {
			return // the end of the process says why
		}
		if line.JSON {
			handle(line.Data)
		} else {
			other(string(line.Data))
		}
	}
}

func closed(while string) error { return fmt.Errorf("%s: %w", while, agents.ErrClosed) }
