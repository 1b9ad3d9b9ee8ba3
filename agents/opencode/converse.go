package opencode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/agents"
)

// conversation is a live conversation. It implements agents.Agent.
type conversation struct {
	conn      agents.Conn
	server    *server
	host      agents.Host
	mode      agents.Mode
	effort    string
	agent     string   // of the CLI
	commands  []string // of the CLI
	listening bool     // there is a handler; set by Open

	ctx    context.Context // of everything said to the server; ends with the conversation
	cancel context.CancelCauseFunc
	frames chan received
	calls  chan func()   // done by the handler, in order with the events
	ended  chan struct{} // closed when the handler has ended
	asks   agents.Requests

	decoder *decoder    // the handler's
	fault   *fault      // the handler's: why the turn will end, nil until the CLI told
	settle  *time.Timer // the handler's, see settleTime

	mu       sync.Mutex // guards the fields below
	native   string     // the CLI's id of the conversation
	model    modelID    // last used or wished for
	untitled bool       // it has no title of its own yet
	turn     *turn      // nil when none is open
	closed   bool       // by Close
	over     bool       // the CLI has ended
}

// turn is the open turn as Parley sees it.
type turn struct {
	requested bool // a Prompt has a part in it
	begun     bool // the CLI works on it
	stopped   bool // a person asked it to stop
	owed      bool // it is one of the CLI's commands, whose answer comes at its end
	answered  bool // it was owed, and has its answer
	idle      bool // the CLI says that it is done, but not yet how all of it ended
}

type received struct {
	frame
	data []byte
}

var _ agents.Agent = (*conversation)(nil)

var errInTurn = errors.New("the agent is still in a turn")

func newConversation(conn agents.Conn, s *server, spec agents.SessionSpec, host agents.Host) *conversation {
	c := &conversation{
		conn: conn, server: s, host: host, mode: cmp.Or(spec.Mode, agents.ModeAsk), effort: spec.Effort,
		frames: make(chan received), calls: make(chan func()), ended: make(chan struct{}),
		decoder: newDecoder(spec.Cwd), settle: time.NewTimer(time.Hour),
	}
	c.settle.Stop()
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// modelID names a model as the CLI does.
type modelID struct {
	Provider string `json:"providerID"`
	Model    string `json:"modelID"`
}

// modelOf reads "provider/model"; a model's name may hold slashes of its own.
func modelOf(text string) modelID {
	provider, model, _ := strings.Cut(text, "/")
	if model == "" {
		return modelID{}
	}
	return modelID{provider, model}
}

// String is the model as the person writes it, "" for none.
func (m modelID) String() string {
	if m.Model == "" {
		return ""
	}
	return m.Provider + "/" + m.Model
}

// input is a message for the CLI.
type input struct {
	Parts   []inputPart `json:"parts"`
	Model   *modelID    `json:"model,omitempty"`
	Agent   string      `json:"agent,omitempty"`
	Variant string      `json:"variant,omitempty"` // the effort
}

// command is one of the CLI's own commands.
type command struct {
	Command   string      `json:"command"`
	Arguments string      `json:"arguments"`
	Model     string      `json:"model,omitempty"`
	Agent     string      `json:"agent,omitempty"`
	Variant   string      `json:"variant,omitempty"`
	Parts     []inputPart `json:"parts,omitempty"` // files alone
}

// compactCommand is the one command of the terminal's that the server has as a
// request of its own.
const compactCommand = "/compact"

// Prompt begins a turn. It returns once the CLI has taken the message.
func (c *conversation) Prompt(ctx context.Context, t agents.Turn) error {
	parts, err := inputParts(t)
	if err != nil {
		return err
	}
	c.mu.Lock()
	switch {
	case c.over || c.closed:
		err = closed("send a message")
	case c.turn == nil:
		c.turn = &turn{}
	case c.turn.requested:
		err = errInTurn
	}
	if err != nil {
		c.mu.Unlock()
		return err
	}
	open := c.turn
	open.requested = true
	model, untitled := c.model, c.untitled
	c.untitled = false
	c.mu.Unlock()

	if untitled && t.Text != "" {
		c.entitle(t.Text)
	}
	word, arguments, _ := strings.Cut(t.Text, " ")
	switch {
	case t.Text == compactCommand && len(t.Files) == 0:
		go c.run(open, "/summarize", model)
		return nil
	case strings.HasPrefix(word, "/") && slices.Contains(c.commands, word[1:]):
		go c.run(open, "/command", command{
			Command: word[1:], Arguments: arguments, Model: model.String(), Agent: c.agent, Variant: c.effort,
			Parts: slices.DeleteFunc(parts, func(p inputPart) bool { return p.Type != "file" }),
		})
		return nil
	}
	if err := c.send(ctx, parts, model); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.turn != open {
			return nil // it has its end already
		}
		c.turn = nil
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// send gives the CLI a message; one that comes into a turn is read by the model
// with its next request.
func (c *conversation) send(ctx context.Context, parts []inputPart, model modelID) error {
	in := input{Parts: parts, Agent: c.agent, Variant: c.effort}
	if model.Model != "" {
		in.Model = &model
	}
	return c.server.call(ctx, http.MethodPost, sessionPath(c.nativeID(), "/prompt_async"), in, nil)
}

// run has the CLI do something of its own, whose answer comes at its end. It
// fails the turn when the CLI would not.
func (c *conversation) run(open *turn, what string, body any) {
	c.mu.Lock()
	open.owed = true
	c.mu.Unlock()
	err := c.server.call(c.ctx, http.MethodPost, sessionPath(c.nativeID(), what), body, nil)
	c.later(func() {
		c.mu.Lock()
		stands := c.turn == open
		open.owed, open.answered = false, true
		begun, idle := open.begun, open.idle
		c.mu.Unlock()
		refused, ok := errors.AsType[*refusal](err)
		switch {
		case !stands:
		case ok && !begun:
			f := saying(refused.Body)
			c.fault = &f
			c.finish()
		case begun && !idle:
			c.settle.Reset(trailTime) // the events trail the answer
		default:
			c.settle.Reset(settleTime) // there was nothing to do, or what is left of it is on its way
		}
	})
}

// titleLength is the longest title, in characters.
const titleLength = 60

// entitle names the conversation in the CLI's own list by what was said first.
func (c *conversation) entitle(text string) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > titleLength {
		line = string(runes[:titleLength-1]) + "…"
	}
	body := struct {
		Title string `json:"title"`
	}{line}
	go func() {
		_ = c.server.call(c.ctx, http.MethodPatch, sessionPath(c.nativeID(), ""), body, nil) // the old title will do
	}()
}

// Steer puts a message into the running turn: the model reads it with its next
// request. It returns when the CLI has taken it.
func (c *conversation) Steer(ctx context.Context, t agents.Turn) error {
	parts, err := inputParts(t)
	if err != nil {
		return err
	}
	c.mu.Lock()
	open, over, model := c.turn, c.over || c.closed, c.model
	c.mu.Unlock()
	switch {
	case over:
		return closed("send a message")
	case open == nil:
		return errors.New("no turn is under way")
	}
	if err := c.send(ctx, parts, model); err != nil {
		return fmt.Errorf("send a message into the turn: %w", err)
	}
	return nil
}

// Interrupt asks the running turn to stop. Without one it does nothing.
func (c *conversation) Interrupt(ctx context.Context) error {
	c.mu.Lock()
	if c.over || c.closed {
		c.mu.Unlock()
		return closed("interrupt")
	}
	if c.turn == nil {
		c.mu.Unlock()
		return nil
	}
	c.turn.stopped = true
	begun := c.turn.begun
	c.mu.Unlock()
	if !begun {
		return nil // once it has
	}
	return c.abort(ctx)
}

func (c *conversation) abort(ctx context.Context) error {
	return c.server.call(ctx, http.MethodPost, sessionPath(c.nativeID(), "/abort"), nil, nil)
}

// SetMode changes the permission mode. The rules of a mode hold for sub-agents
// as well, which have them from the start of the CLI alone.
func (c *conversation) SetMode(_ context.Context, m agents.Mode) error {
	if m == c.mode {
		return nil
	}
	return agents.ErrUnsupported
}

// closeLimit is how long the CLI may take to let go of its servers.
const closeLimit = 2 * time.Second

// Close has the CLI end its MCP servers and ends its input. The CLI itself goes
// on listening until its owner ends it.
func (c *conversation) Close(ctx context.Context) error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return nil
	}
	c.asks.WithdrawAll(agents.ErrClosed)
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	_ = c.server.call(ctx, http.MethodPost, "/instance/dispose", nil, nil) // its owner ends it in any case
	c.cancel(agents.ErrClosed)
	if c.listening {
		<-c.ended
	}
	_ = c.conn.In.Close() // it may have ended with the CLI
	return nil
}

// read reads events until there are no more, and hands them to the handler.
func (c *conversation) read(stream io.ReadCloser, connected chan struct{}) {
	defer stream.Close()
	defer close(c.frames)
	readEvents(stream, func(f frame, data []byte) {
		if connected != nil && f.Type == "server.connected" {
			close(connected)
			connected = nil
		}
		c.frames <- received{f, data}
	}, func(data []byte) {
		c.frames <- received{data: data}
	}, func(err error) {
		c.later(func() {
			c.host.Emit(agents.LineTooLong(err))
		})
	})
}

// handleAll handles events and whatever has to happen between them.
func (c *conversation) handleAll() {
	defer close(c.ended)
	for {
		select {
		case r, more := <-c.frames:
			if !more {
				c.isOver()
				return
			}
			c.handle(r)
		case do := <-c.calls:
			do()
		case <-c.settle.C:
			c.settled()
		}
	}
}

// later has the handler do something between events; when it has ended, nobody
// needs it.
func (c *conversation) later(do func()) {
	select {
	case c.calls <- do:
	case <-c.ended:
	}
}

func (c *conversation) nativeID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.native
}

func (c *conversation) emit(events []agents.Event) {
	for _, e := range events {
		c.host.Emit(e)
	}
}

func decode(raw json.RawMessage, into any) bool { return json.Unmarshal(raw, into) == nil }

func closed(while string) error { return fmt.Errorf("%s: %w", while, agents.ErrClosed) }
