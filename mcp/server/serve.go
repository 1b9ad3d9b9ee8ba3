package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"parley/mcp/bridge"
)

const (
	// maxLine is the longest line of a CLI, in bytes.
	maxLine = 64 << 20
	// drainLimit is how long requests that wait for nobody may take to finish
	// after the end of input.
	drainLimit = time.Second
)

// mcp-go brings a stdio loop of its own, which is not used: it runs at most 100
// tool calls at once, loses a cancel that arrives before a call has a worker,
// answers a cancelled call, and lets an answer overtake progress.

// Serve speaks MCP over in and out until the end of in or of ctx. Questions
// that wait then end at once; anything else gets drainLimit to finish. It
// returns nil at the end of input and of ctx, and an error for input that
// cannot be gone on with. in is still being read after ctx has ended: the
// caller closes it or exits.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	cli := newSession()
	base, stop := context.WithCancel(s.rpc.WithContext(context.WithoutCancel(ctx), cli))
	input, inputEnds := context.WithCancel(base)
	c := &conn{server: s, cli: cli, out: newOutput(out), base: base, input: input}
	var aside sync.WaitGroup
	aside.Go(func() { c.forward(base) })
	aside.Go(func() { _, _ = s.greet(base) }) // a call greets again, and says what is wrong

	read := make(chan error, 1)
	go func() { read <- c.read(bufio.NewReaderSize(in, 64<<10)) }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
	}

	inputEnds()
	c.drain(drainLimit)
	stop()
	aside.Wait()
	return err
}

// conn is one connection of a CLI.
type conn struct {
	server *Server
	cli    *session
	out    *output
	base   context.Context // of tool calls; ends when the connection is over
	input  context.Context // of all else; ends with the CLI's input

	requests sync.WaitGroup
	mu       sync.Mutex // guards closed
	closed   bool       // no request is begun any more
}

// call is one tool call under way.
type call struct {
	token json.RawMessage             // progress token, nil if none
	meta  json.RawMessage             // _meta, nil if none
	input context.Context             // ends with the CLI's input
	tell  func(progress []byte) error // sends a line while the call is open
}

type callKey struct{}

// callOf is the tools/call that ctx belongs to, or nil.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// envelope is what is looked at of a message before mcp-go gets it.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// read takes messages until the input ends.
func (c *conn) read(in *bufio.Reader) error {
	for {
		line, err := bridge.ReadLine(in, maxLine)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, bridge.ErrLineTooLong):
			// The id of the request is unknown, so it can't be refused; ending
			// is what tells the CLI.
			return fmt.Errorf("a message of the CLI is longer than %d MiB", maxLine>>20)
		case err != nil:
			return fmt.Errorf("read input: %w", err)
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		if err := c.take(line); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
}

// take handles one message: notifications and initialize at once and in order,
// everything else aside.
func (c *conn) take(line []byte) error {
	var m envelope
	if err := json.Unmarshal(line, &m); err != nil {
		return c.reply(c.handle(c.input, nil, line)) // which says what is wrong
	}
	request := len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null"))
	switch {
	case m.Result != nil || m.Error != nil:
		return nil // an answer; this server asks the CLI nothing
	case m.Method == "notifications/cancelled":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			c.out.cancel(string(p.ID), bridge.ErrWithdrawn)
		}
		return nil
	case !request:
		return c.reply(c.handle(c.input, nil, line))
	}

	ctx, cancel := context.WithCancelCause(c.parent(m))
	r := c.out.begin(string(m.ID), cancel)
	if r == nil {
		cancel(nil)
		c.server.log.Warn("a request came twice; the first one goes on", slog.String("method", m.Method))
		return nil
	}
	if m.Method == string(mcpgo.MethodToolsCall) {
		ctx = context.WithValue(ctx, callKey{}, c.newCall(r, m.Params))
	}
	serve := func() {
		defer cancel(nil)
		c.serve(ctx, r, m, line)
	}
	if m.Method == string(mcpgo.MethodInitialize) {
		serve() // what follows may depend on it
	} else {
		c.aside(serve)
	}
	return nil
}

// parent is the context of a request: a tool call decides by itself what the
// end of input means to it, all else ends then.
func (c *conn) parent(m envelope) context.Context {
	if m.Method == string(mcpgo.MethodToolsCall) {
		return c.base
	}
	return c.input
}

// aside runs a request on its own goroutine, unless the connection is over.
func (c *conn) aside(serve func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.requests.Go(serve)
	}
}

func (c *conn) newCall(r *request, params json.RawMessage) *call {
	var p struct {
		Meta json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // mcp-go refuses what is malformed
	var meta struct {
		Token json.RawMessage `json:"progressToken"`
	}
	_ = json.Unmarshal(p.Meta, &meta)
	if bytes.Equal(meta.Token, []byte("null")) {
		meta.Token = nil
	}
	return &call{
		token: meta.Token, meta: p.Meta, input: c.input,
		tell: func(line []byte) error { return c.out.during(r, line) },
	}
}

// serve carries out a request and answers it.
func (c *conn) serve(ctx context.Context, r *request, m envelope, line []byte) {
	answer, err := encode(c.handle(ctx, m.ID, line), m.ID)
	if err != nil {
		c.server.log.Error("encode an answer", slog.Any("error", err))
		return
	}
	sent, err := c.out.answer(r, answer)
	if err != nil {
		// The CLI reads no more; it closes our input or ends us.
		c.server.log.Warn("answer the CLI", slog.Any("error", err))
		return
	}
	if sent && m.Method == string(mcpgo.MethodToolsList) {
		c.server.tellReady(c.base, c.cli)
	}
}

// handle has mcp-go carry out a message. A message on which it panics is
// refused and ends nothing else.
func (c *conn) handle(ctx context.Context, id json.RawMessage, line []byte) (answer mcpgo.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.Error("panic at a message", slog.Any("panic", p))
			answer = mcpgo.JSONRPCError{
				JSONRPC: mcpgo.JSONRPC_VERSION, ID: mcpgo.NewRequestId(id),
				Error: mcpgo.NewJSONRPCErrorDetails(mcpgo.INTERNAL_ERROR, "internal error", nil),
			}
		}
	}()
	return c.server.rpc.HandleMessage(ctx, line)
}

// encode gives an answer the id in the CLI's own spelling: mcp-go passes
// numbers through a float.
func encode(msg mcpgo.JSONRPCMessage, id json.RawMessage) ([]byte, error) {
	switch m := msg.(type) {
	case mcpgo.JSONRPCResponse:
		m.ID = mcpgo.NewRequestId(id)
		msg = m
	case mcpgo.JSONRPCError:
		m.ID = mcpgo.NewRequestId(id)
		msg = m
	}
	return json.Marshal(msg)
}

// reply sends what mcp-go says to a message without an id, if it says anything.
func (c *conn) reply(msg mcpgo.JSONRPCMessage) error {
	if msg == nil {
		return nil
	}
	line, err := json.Marshal(msg)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return c.out.send(line)
}

// forward sends the notifications that mcp-go makes.
func (c *conn) forward(ctx context.Context) {
	for {
		select {
		case n := <-c.cli.notifications:
			if err := c.reply(n); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// drain waits until every request has ended, or for limit.
func (c *conn) drain(limit time.Duration) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		c.requests.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
