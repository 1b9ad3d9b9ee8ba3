package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/agents"
	"parley/agents/jsonl"
	"parley/mcp"
	"parley/mcp/inject"
)

// openLimit is how long the CLI may take to get ready, its MCP servers
// included. It takes about a second on an idle machine.
const openLimit = 60 * time.Second

// Open implements agents.Adapter.
func (a adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	if conn.Once {
		return openExec(conn, spec, host)
	}
	c := &conversation{
		peer: newPeer(), host: host, decoder: newDecoder(spec.Cwd), mode: cmp.Or(spec.Mode, agents.ModeAsk),
		free: freeTools(spec.Catalog), starting: map[string]bool{}, served: make(chan struct{}, 1),
	}
	for _, s := range spec.Catalog {
		if !s.Managed { // a required one is waited for by the CLI
			c.starting[s.Name] = true
		}
	}
	o := &opening{c: c}
	go c.peer.Write(conn.In)
	go func() {
		jsonl.NewReader(conn.Out).Each(o.take, o.skipped)
		c.ended()
	}()

	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	err := c.open(ctx, a.version, spec)
	if err == nil {
		err = c.awaitServers(ctx)
	}
	if err == nil {
		o.Opened()
		return c, nil
	}
	_ = c.Close(ctx) // what matters is why it did not open
	return nil, o.failure(err)
}

type initialize struct {
	Client struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	Capabilities struct {
		Experimental bool `json:"experimentalApi"`
	} `json:"capabilities"`
}

// threadOpen begins a conversation or takes one up. The sandbox is the narrowest
// here and set with each turn: with a wider one the CLI would write into the
// person's configuration that it trusts the folder.
type threadOpen struct {
	Thread       string          `json:"threadId,omitempty"`
	Cwd          string          `json:"cwd"`
	Model        string          `json:"model,omitempty"`
	Policy       approvals       `json:"approvalPolicy"`
	Sandbox      string          `json:"sandbox"`
	Config       json.RawMessage `json:"config"`
	ExcludeTurns bool            `json:"excludeTurns,omitempty"`
}

// open greets the CLI and begins or takes up the conversation.
func (c *conversation) open(ctx context.Context, version string, spec agents.SessionSpec) error {
	var hello initialize
	hello.Client.Name, hello.Client.Title, hello.Client.Version = "parley", "Parley", cmp.Or(version, "dev")
	hello.Capabilities.Experimental = true // sandbox, approvals and mode of a turn are among that
	if err := c.peer.call(ctx, "initialize", hello, nil); err != nil {
		return err
	}
	c.peer.notify("initialized")
	// First, since with a configuration that it cannot read the CLI goes on with
	// its defaults.
	config, err := c.config(ctx, spec)
	if err != nil {
		return err
	}
	if err := c.loggedIn(ctx); err != nil {
		return err
	}
	open := threadOpen{
		Thread: spec.NativeID, Cwd: spec.Cwd, Model: spec.Model, Policy: modes[c.mode].policy, Sandbox: "read-only",
		Config: config, ExcludeTurns: spec.NativeID != "",
	}
	method := "thread/start"
	switch {
	case spec.Fork:
		method = "thread/fork"
	case spec.NativeID != "":
		method = "thread/resume"
	}
	opened := make(chan error, 1)
	err = c.peer.request(method, open, func(raw json.RawMessage, err error) {
		if err == nil {
			err = c.threadOpened(raw)
		}
		opened <- err
	})
	if err != nil {
		return err
	}
	select {
	case err := <-opened:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// threadOpened runs on the reader's goroutine, before any line after the answer.
func (c *conversation) threadOpened(raw json.RawMessage) error {
	var answer threadAnswer
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Thread.ID == "" {
		return fmt.Errorf("the answer names no conversation: %s", raw[:min(len(raw), 200)])
	}
	c.mu.Lock()
	c.thread, c.model, c.effort = answer.Thread.ID, answer.Model, answer.Effort
	c.mu.Unlock()
	d := c.decoder
	d.thread = answer.Thread.ID
	said := d.said
	said.NativeID, said.Model, said.Version = answer.Thread.ID, answer.Model, answer.Thread.Version
	c.emit(d.started(said))
	return nil
}

// loggedIn asks whether the CLI has what its provider needs; no model is asked.
func (c *conversation) loggedIn(ctx context.Context) error {
	var answer struct {
		Account *struct{} `json:"account"`
		Needed  bool      `json:"requiresOpenaiAuth"`
	}
	err := c.peer.call(ctx, "account/read", struct {
		Refresh bool `json:"refreshToken"`
	}{}, &answer)
	if _, refused := errors.AsType[*replyError](err); refused {
		return nil // it does not tell, and the first turn will
	}
	if err == nil && answer.Needed && answer.Account == nil {
		return &agents.PlanError{Problem: agents.Problem{
			Code: "not_logged_in", Title: name + " is not logged in.",
			Advice: "Log in once in a terminal, then try again.", Command: loginCommand,
		}}
	}
	return err
}

// config is what this conversation changes of the person's configuration: the
// MCP servers that it gets beside theirs, and the effort.
func (c *conversation) config(ctx context.Context, spec agents.SessionSpec) (json.RawMessage, error) {
	var answer struct {
		Config struct {
			Servers  map[string]json.RawMessage `json:"mcp_servers"`
			Writable writable                   `json:"sandbox_workspace_write"`
			Features struct {
				CodeMode json.RawMessage `json:"code_mode"`
			} `json:"features"`
		} `json:"config"`
	}
	err := c.peer.call(ctx, "config/read", struct {
		Layers bool   `json:"includeLayers"`
		Cwd    string `json:"cwd"`
	}{Cwd: spec.Cwd}, &answer)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.writable = answer.Config.Writable
	c.mu.Unlock()
	var own inject.CodexOwn
	if !spec.OwnServers {
		for server := range answer.Config.Servers {
			own.LeaveOut = append(own.LeaveOut, server)
		}
		slices.Sort(own.LeaveOut)
	}
	var codeMode struct {
		Direct []string `json:"direct_only_tool_namespaces"`
	}
	if json.Unmarshal(answer.Config.Features.CodeMode, &codeMode) == nil { // it may be a plain switch
		own.Direct = codeMode.Direct
	}
	raw, err := inject.Codex(spec.Catalog, own)
	if err != nil || spec.Effort == "" {
		return raw, err
	}
	var config map[string]any
	if err := json.Unmarshal(raw, &config); err != nil {
		return nil, err
	}
	config["model_reasoning_effort"] = spec.Effort
	return json.Marshal(config)
}

// freeTools are the tools that need no permission, as "server/tool".
func freeTools(servers mcp.Catalog) []string {
	var free []string
	for _, s := range servers {
		for _, tool := range s.AutoAllow {
			free = append(free, s.Name+"/"+tool)
		}
	}
	return free
}

// opening listens while the CLI starts: what it prints then that is not its
// protocol explains why it cannot be used.
type opening struct {
	agents.Opening
	c *conversation
}

// take takes a line.
func (o *opening) take(line jsonl.Line) {
	var m message
	if line.JSON && json.Unmarshal(line.Data, &m) == nil {
		o.c.handle(m, line.Data)
	} else {
		o.other(line.Data)
	}
}

// other takes a line that is no message.
func (o *opening) other(line []byte) {
	o.Hear(line)
	o.c.emit(unknown(line))
}

func (o *opening) skipped(err *jsonl.TooLongError) {
	o.c.host.Emit(agents.LineTooLong(err))
}

// failure explains why the conversation did not open.
func (o *opening) failure(err error) error {
	if refused, ok := errors.AsType[*agents.PlanError](err); ok {
		return refused
	}
	heard := o.Heard()
	said := ""
	if reply, ok := errors.AsType[*replyError](err); ok {
		said = agents.Redact(reply.Message)
	}
	switch {
	case said != "":
		if p, known := explain(said); known {
			return &agents.PlanError{Problem: p}
		}
		return &agents.PlanError{Problem: agents.Problem{Code: "broken",
			Title: name + " did not begin the conversation.", Advice: "Read what it said.", Evidence: agents.LastLines(said)}}
	case heard != "":
		return agents.Garbage(name, "codex", heard)
	default:
		return fmt.Errorf("greet %s: %w", name, err)
	}
}
