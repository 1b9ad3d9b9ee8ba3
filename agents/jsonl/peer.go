package jsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"

	"parley/agents"
)

// Reply hears the answer to a request, or why there is none.
type Reply func(result json.RawMessage, err error)

// Peer is our end of a conversation: it writes lines to an agent and pairs the
// agent's answers with our requests. What a request and an answer look like, its
// caller knows. Its methods may be called from any goroutine and never wait for
// the agent, except Call and Close.
type Peer struct {
	prefix string
	wake   chan struct{} // capacity 1: there is something to write
	done   chan struct{} // closed when the writer has ended

	mu      sync.Mutex // guards the fields below
	queue   [][]byte
	closing bool // write what is queued, then end the input
	lastID  int
	waiting map[string]Reply // by id of our request; nil once the agent has ended
}

// NewPeer returns a Peer whose requests have the ids prefix+"1", prefix+"2" and
// so on. Nothing is written before Write runs.
func NewPeer(prefix string) *Peer {
	return &Peer{prefix: prefix, wake: make(chan struct{}, 1), done: make(chan struct{}), waiting: map[string]Reply{}}
}

// Write writes queued lines, each with one call of in.Write, until the Peer is
// closed or the agent stops listening; then it ends the agent's input. It wants
// a goroutine of its own. The queue has no bound, so that nobody ever waits for
// an agent that does not read.
func (p *Peer) Write(in io.WriteCloser) {
	defer close(p.done)
	defer in.Close()
	for range p.wake {
		for {
			p.mu.Lock()
			queue, closing := p.queue, p.closing
			p.queue = nil
			p.mu.Unlock()
			for _, line := range queue {
				if _, err := in.Write(line); err != nil {
					p.end() // the end of the agent's output says the rest
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

// Done is closed when Write has ended.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Send puts v on its way as one line. Its error is agents.ErrClosed, or says
// that v is no JSON.
func (p *Peer) Send(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return agents.ErrClosed
	}
	p.queue = append(p.queue, line)
	p.stir()
	return nil
}

// Request sends what line makes of the request's id. onReply runs exactly once,
// on the goroutine that calls Replied or Over, with agents.ErrClosed when the
// agent ends without an answer; it never runs when Request returns an error.
func (p *Peer) Request(line func(id string) any, onReply Reply) error {
	p.mu.Lock()
	if p.closing || p.waiting == nil {
		p.mu.Unlock()
		return agents.ErrClosed
	}
	p.lastID++
	id := p.id(p.lastID)
	p.waiting[id] = onReply
	p.mu.Unlock()

	err := p.Send(line(id))
	if err != nil && p.take(id) == nil {
		return nil // the end of the agent was quicker, and onReply has been told
	}
	return err
}

// Call is Request and waits for the answer, or for the end of ctx, whose cause
// it returns. accepted, unless nil, runs as onReply does, on an answer that is no
// error and so before any later line is looked at; its error is Call's.
func (p *Peer) Call(ctx context.Context, line func(id string) any, accepted func(json.RawMessage) error) error {
	replies := make(chan error, 1)
	err := p.Request(line, func(result json.RawMessage, err error) {
		if err == nil && accepted != nil {
			err = accepted(result)
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

// Replied hands an answer to whoever waits for it, and reports whether anybody
// did.
func (p *Peer) Replied(id string, result json.RawMessage, err error) bool {
	onReply := p.take(id)
	if onReply == nil {
		return false
	}
	onReply(result, err)
	return true
}

// Over says that the agent has ended: whoever waits is told agents.ErrClosed,
// the oldest request first.
func (p *Peer) Over() {
	p.end()
	p.mu.Lock()
	waiting, lastID := p.waiting, p.lastID
	p.waiting = nil
	p.mu.Unlock()
	for n := 1; n <= lastID; n++ {
		if onReply := waiting[p.id(n)]; onReply != nil {
			onReply(nil, agents.ErrClosed)
		}
	}
}

// Close ends the agent's input after what is queued. It returns when everything
// is written, or when ctx ends first, with an error then.
func (p *Peer) Close(ctx context.Context) error {
	p.end()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("end the input: %w", context.Cause(ctx))
	}
}

func (p *Peer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.stir()
}

func (p *Peer) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Peer) id(n int) string { return p.prefix + strconv.Itoa(n) }

// take removes and returns who waits for an answer.
func (p *Peer) take(id string) Reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	onReply := p.waiting[id]
	delete(p.waiting, id)
	return onReply
}

// encode makes a line. Characters such as '<' stay as they are: escapes for HTML
// would cost a model tokens and a person a readable log.
func encode(v any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends the value with the '\n' we need
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode line: %w", err)
	}
	return line.Bytes(), nil
}
