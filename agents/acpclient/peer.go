package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
	"parley/agents/jsonl"
)

// message is a line of JSON-RPC 2.0 in either direction.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

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

// peer sends and receives messages. onReply functions run on the reader's
// goroutine, in the order of the lines; each runs exactly once, with
// agents.ErrClosed when the agent ends without an answer.
type peer struct {
	queue   chan []byte   // lines for the writer
	closing chan struct{} // closed by shut: write what is queued, then end the input
	unheard chan struct{} // closed when the writer has ended
	once    sync.Once     // guards the closing of closing

	mu      sync.Mutex // guards the fields below
	lastID  int64
	waiting map[string]func(result json.RawMessage, err error) // by id; nil when the agent has ended
}

func newPeer() *peer {
	return &peer{
		queue:   make(chan []byte, 16),
		closing: make(chan struct{}),
		unheard: make(chan struct{}),
		waiting: map[string]func(json.RawMessage, error){},
	}
}

// write writes queued lines until the peer is closed or the agent stops
// listening, then ends the agent's input. A goroutine of its own: an agent that
// does not read must not hold up whoever wants to stop it.
func (p *peer) write(in io.WriteCloser) {
	defer close(p.unheard)
	defer in.Close()
	for {
		select {
		case line := <-p.queue:
			if _, err := in.Write(line); err != nil {
				return // its end of output says the rest
			}
		case <-p.closing:
			for {
				select {
				case line := <-p.queue:
					if _, err := in.Write(line); err != nil {
						return
					}
				default:
					return
				}
			}
		}
	}
}

// read hands out messages until the agent's output ends, then answers whoever
// still waits.
func (p *peer) read(out io.Reader, l listener) {
	lines := jsonl.NewReader(out)
	for {
		line, err := lines.Next()
		if tooLong, ok := errors.AsType[*jsonl.TooLongError](err); ok {
			l.unreadable(tooLong.Error())
			continue
		}
		if err != nil {
			break
		}
		if !line.JSON {
			l.unreadable(string(line.Data))
			continue
		}
		p.dispatch(line.Data, l)
	}
	p.shut()
	for _, onReply := range p.end() {
		onReply(nil, agents.ErrClosed)
	}
}

func (p *peer) dispatch(line []byte, l listener) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		l.unreadable(string(line))
		return
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		l.requested(m.ID, m.Method, m.Params, line)
	case m.Method != "":
		l.notified(m.Method, m.Params, line)
	case hasID:
		onReply := p.take(string(m.ID))
		if onReply == nil {
			l.unreadable(string(line)) // an answer that nobody waits for
			return
		}
		onReply(m.Result, asError(m.Error))
	default:
		l.unreadable(string(line))
	}
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

// take removes and returns who waits for an id. Some agents answer a number
// with its text.
func (p *peer) take(id string) func(json.RawMessage, error) {
	id = strings.Trim(id, `"`)
	p.mu.Lock()
	defer p.mu.Unlock()
	onReply := p.waiting[id]
	delete(p.waiting, id)
	return onReply
}

// end marks the agent as ended and returns who still waits, oldest first.
func (p *peer) end() []func(json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var left []func(json.RawMessage, error)
	for id := int64(1); id <= p.lastID; id++ {
		if onReply := p.waiting[strconv.FormatInt(id, 10)]; onReply != nil {
			left = append(left, onReply)
		}
	}
	p.waiting = nil
	return left
}

// request sends a request and returns when it is on its way. When it returns an
// error, onReply is never called.
func (p *peer) request(ctx context.Context, method string, params any, onReply func(json.RawMessage, error)) error {
	p.mu.Lock()
	if p.waiting == nil {
		p.mu.Unlock()
		return agents.ErrClosed
	}
	p.lastID++
	id := strconv.FormatInt(p.lastID, 10)
	p.waiting[id] = onReply
	p.mu.Unlock()

	err := p.send(ctx, json.RawMessage(id), method, params)
	if err != nil && p.take(id) == nil {
		return nil // the end of the agent was quicker, and onReply has been told
	}
	return err
}

// call sends a request and waits. then runs on the reader's goroutine after a
// good answer, before any later line is looked at; nil does nothing.
func (p *peer) call(ctx context.Context, method string, params, result any, then func()) error {
	done := make(chan error, 1)
	err := p.request(ctx, method, params, func(raw json.RawMessage, err error) {
		if err == nil && result != nil && len(raw) > 0 {
			err = json.Unmarshal(raw, result)
		}
		if err == nil && then != nil {
			then()
		}
		done <- err
	})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *peer) notify(ctx context.Context, method string, params any) error {
	return p.send(ctx, nil, method, params)
}

func (p *peer) reply(ctx context.Context, id json.RawMessage, result any) error {
	raw, err := encode(result)
	if err != nil {
		return err
	}
	return p.enqueue(ctx, message{ID: id, Result: raw})
}

func (p *peer) refuse(ctx context.Context, id json.RawMessage, e *acp.RequestError) error {
	raw, err := encode(e)
	if err != nil {
		return err
	}
	return p.enqueue(ctx, message{ID: id, Error: raw})
}

func (p *peer) send(ctx context.Context, id json.RawMessage, method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return err
	}
	return p.enqueue(ctx, message{ID: id, Method: method, Params: raw})
}

func (p *peer) enqueue(ctx context.Context, m message) error {
	m.Version = "2.0"
	line, err := encode(m)
	if err != nil {
		return err
	}
	select {
	case <-p.closing: // first, since the queue may have room too
		return agents.ErrClosed
	default:
	}
	select {
	case p.queue <- append(line, '\n'):
		return nil
	case <-p.unheard:
		return agents.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close lets the writer finish and end the agent's input. When ctx ends first,
// the input is ended at once.
func (p *peer) close(ctx context.Context, in io.Closer) {
	p.shut()
	select {
	case <-p.unheard:
	case <-ctx.Done():
		in.Close() // frees a write that the agent does not read
	}
}

// shut ends the sending.
func (p *peer) shut() { p.once.Do(func() { close(p.closing) }) }

// encode is json.Marshal without the escapes for HTML, which cost a model
// tokens and a person a readable log.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
