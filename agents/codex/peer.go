package codex

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"parley/agents"
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

// peer writes lines to the CLI and pairs its answers with our requests. Its
// methods may be called from any goroutine and never wait for the CLI.
type peer struct {
	wake    chan struct{} // capacity 1: there is something to write
	written chan struct{} // closed when the writer has ended

	mu      sync.Mutex // guards the fields below
	queue   []message
	closing bool // write what is queued, then end the input
	lastID  int
	waiting map[string]func(json.RawMessage, error) // by id of our request; nil once the CLI has ended
}

func newPeer() *peer {
	return &peer{wake: make(chan struct{}, 1), written: make(chan struct{}), waiting: map[string]func(json.RawMessage, error){}}
}

// write writes queued lines until the peer is closed or the CLI stops listening,
// then ends the CLI's input. The queue has no bound, so that nobody ever waits
// for a CLI that does not read.
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

// close ends the input after what is queued.
func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.stirLocked()
}

func (p *peer) stirLocked() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// notify sends what has no answer; respond and refuse answer a request of the
// CLI. Nobody needs to know that a CLI which has gone did not hear it.
func (p *peer) notify(method string) { p.send(message{Method: method}) }

func (p *peer) respond(id json.RawMessage, answer any) {
	result, err := json.Marshal(answer)
	if err != nil {
		p.refuse(id, "the answer could not be written")
		return
	}
	p.send(message{ID: id, Result: result})
}

func (p *peer) refuse(id json.RawMessage, text string) {
	p.send(message{ID: id, Error: &replyError{Code: codeRefused, Message: text}})
}

// codeRefused is JSON-RPC's code for a method that is not served.
const codeRefused = -32601

func (p *peer) send(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closing {
		p.queue = append(p.queue, m)
		p.stirLocked()
	}
}

// request sends a request. onReply runs on the reader's goroutine, exactly
// once, with agents.ErrClosed when the CLI ends without an answer; it is not
// called when request returns an error.
func (p *peer) request(method string, params any, onReply func(json.RawMessage, error)) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing || p.waiting == nil {
		return agents.ErrClosed
	}
	p.lastID++
	id := strconv.Itoa(p.lastID)
	p.waiting[id] = onReply
	p.queue = append(p.queue, message{Method: method, ID: json.RawMessage(id), Params: raw})
	p.stirLocked()
	return nil
}

// call is request and waits for the answer, which is read into result unless
// that is nil.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	replies := make(chan error, 1)
	err := p.request(method, params, func(raw json.RawMessage, err error) {
		if err == nil && result != nil {
			err = json.Unmarshal(raw, result)
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
func (p *peer) replied(m message) {
	p.mu.Lock()
	onReply := p.waiting[string(m.ID)]
	delete(p.waiting, string(m.ID))
	p.mu.Unlock()
	switch {
	case onReply == nil:
	case m.Error != nil:
		onReply(nil, m.Error)
	default:
		onReply(m.Result, nil)
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

// lines reads the CLI's output to its end. handle gets every message, other what
// is none, and skipped is told of a line that was too long to take.
func lines(out io.Reader, handle func(m message, line []byte), other func(line []byte), skipped func(error)) {
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
		var m message
		if !line.JSON || json.Unmarshal(line.Data, &m) != nil {
			other(line.Data)
			continue
		}
		handle(m, line.Data)
	}
}
