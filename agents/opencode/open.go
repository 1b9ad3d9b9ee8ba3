package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/agents"
	"parley/agents/jsonl"
)

// openLimit is how long the CLI may take to get ready. It takes about three
// seconds on an idle machine, and half a minute on a very busy one.
const openLimit = 3 * time.Minute

// Open implements agents.Adapter.
func (adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	password, err := os.ReadFile(filepath.Join(spec.RunDir, passwordFile))
	if err != nil {
		return nil, fmt.Errorf("read the server's password: %w", err)
	}
	o := &output{host: host, address: make(chan string, 1), ended: make(chan struct{})}
	go o.read(conn)
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	base, err := o.wait(ctx)
	if err != nil {
		conn.In.Close()
		return nil, err
	}
	c := newConversation(conn, newServer(base, string(password)), spec, host)
	if err := c.open(ctx, spec); err != nil {
		_ = c.Close(ctx) // what matters is why it did not open
		return nil, failure(err)
	}
	return c, nil
}

// output is what the program prints: first where it listens, then hardly
// anything.
type output struct {
	agents.Opening
	host    agents.Host
	address chan string // capacity 1
	ended   chan struct{}
}

func (o *output) read(conn agents.Conn) {
	defer close(o.ended)
	jsonl.NewReader(conn.Out).Each(func(line jsonl.Line) {
		if found := listening.FindSubmatch(line.Data); found != nil && !o.Up() {
			o.Opened()
			o.address <- string(found[1])
			return
		}
		o.Hear(line.Data)
		for _, e := range unknown(line.Data) {
			o.host.Emit(e)
		}
	}, func(*jsonl.TooLongError) {})
}

// wait waits for the address.
func (o *output) wait(ctx context.Context) (string, error) {
	select {
	case base := <-o.address:
		return base, nil
	case <-o.ended:
	case <-ctx.Done():
	}
	heard := o.Heard()
	if p, known := explain(heard); known {
		return "", &agents.PlanError{Problem: p}
	}
	if heard != "" {
		return "", agents.Garbage(name, "opencode", heard)
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("wait for the server of %s: %w", name, context.Cause(ctx))
	}
	return "", fmt.Errorf("wait for the server of %s: %w", name, agents.ErrClosed)
}

// config is what Parley reads of the person's configuration.
type config struct {
	Model        string `json:"model"`
	DefaultAgent string `json:"default_agent"`
}

// primary is one of the agents that the CLI has.
type primary struct {
	Name       string `json:"name"`
	Mode       string `json:"mode"` // primary, subagent, all
	Hidden     bool   `json:"hidden"`
	Permission []rule `json:"permission"`
}

// planAgent is the CLI's own agent that makes plans.
const planAgent = "plan"

// open begins the conversation or takes it up.
func (c *conversation) open(ctx context.Context, spec agents.SessionSpec) error {
	var health struct {
		Version string `json:"version"`
	}
	if err := c.server.call(ctx, http.MethodGet, "/global/health", nil, &health); err != nil {
		return err
	}
	var own config
	if err := c.server.call(ctx, http.MethodGet, "/config", nil, &own); err != nil {
		return err
	}
	var known []primary
	if err := c.server.call(ctx, http.MethodGet, "/agent", nil, &known); err != nil {
		return err
	}
	if err := c.commandsOf(ctx); err != nil {
		return err
	}
	c.windowsOf(ctx)
	c.model = modelOf(cmp.Or(spec.Model, own.Model))
	agent := c.choose(known, own.DefaultAgent)
	c.agent = agent.Name
	if err := c.listen(ctx); err != nil {
		return err
	}
	s, err := c.session(ctx, spec, conversationRules(c.mode, spec.Catalog, agent.Permission))
	if err != nil {
		return err
	}
	started := agents.Started{NativeID: s.ID, Model: c.model.String(), Version: cmp.Or(health.Version, s.Version)}
	c.mu.Lock()
	c.native = s.ID
	c.mu.Unlock()
	// Told by the handler, once it knows whose events are ours.
	ready := make(chan struct{})
	c.later(func() {
		c.decoder.began(s)
		c.host.Emit(started)
		close(ready)
	})
	select {
	case <-ready:
	case <-c.ended:
		return agents.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	go c.serversOf(spec, started)
	return nil
}

// choose is the agent of the CLI that the conversation is held with.
func (c *conversation) choose(known []primary, preferred string) primary {
	names := []string{preferred, "build"}
	if c.mode == agents.ModePlan {
		names = slices.Insert(names, 0, planAgent)
	}
	for _, want := range names {
		if i := slices.IndexFunc(known, func(p primary) bool { return p.Name == want && p.Mode != "subagent" }); i >= 0 {
			return known[i]
		}
	}
	if i := slices.IndexFunc(known, func(p primary) bool { return p.Mode != "subagent" && !p.Hidden }); i >= 0 {
		return known[i]
	}
	return primary{} // the CLI chooses
}

// session begins a conversation or finds the one that is taken up. A title keeps
// the CLI from asking a model for one; the first message gives a better one.
func (c *conversation) session(ctx context.Context, spec agents.SessionSpec, rules []rule) (session, error) {
	var s session
	body := struct {
		Title string `json:"title,omitempty"`
		Rules []rule `json:"permission"`
	}{Rules: rules}
	if spec.NativeID == "" {
		body.Title = "Session of " + filepath.Base(spec.Cwd)
		c.untitled = true
		err := c.server.call(ctx, http.MethodPost, "/session", body, &s)
		if err == nil && s.ID == "" {
			err = errors.New("the answer names no conversation")
		}
		return s, err
	}
	id := spec.NativeID
	if spec.Fork {
		if err := c.server.call(ctx, http.MethodPost, sessionPath(id, "/fork"), struct{}{}, &s); err != nil {
			return s, lost(err)
		}
		id = s.ID
	}
	return s, lost(c.server.call(ctx, http.MethodPatch, sessionPath(id, ""), body, &s))
}

// lost explains a refusal of a conversation that the CLI does not have.
func lost(err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusBadRequest) {
		return &agents.PlanError{Problem: sessionLost(refused.Body)}
	}
	return err
}

// listen begins to read what happens. It returns once nothing more is missed.
func (c *conversation) listen(ctx context.Context) error {
	stream, err := c.server.events(c.ctx)
	if err != nil {
		return err
	}
	connected := make(chan struct{})
	go c.read(stream, connected)
	go c.handleAll()
	c.listening = true
	select {
	case <-connected:
		return nil
	case <-c.ended:
		return agents.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// commandsOf asks for the CLI's own commands, the person's among them.
func (c *conversation) commandsOf(ctx context.Context) error {
	var commands []struct {
		Name string `json:"name"`
	}
	if err := c.server.call(ctx, http.MethodGet, "/command", nil, &commands); err != nil {
		return err
	}
	for _, command := range commands {
		c.commands = append(c.commands, command.Name)
	}
	return nil
}

// windowsOf asks how much each model takes. Nothing depends on it.
func (c *conversation) windowsOf(ctx context.Context) {
	var answer struct {
		Providers []struct {
			ID     string `json:"id"`
			Models map[string]struct {
				Limit struct {
					Context int64 `json:"context"`
				} `json:"limit"`
			} `json:"models"`
		} `json:"providers"`
	}
	if c.server.call(ctx, http.MethodGet, "/config/providers", nil, &answer) != nil {
		return
	}
	for _, p := range answer.Providers {
		for id, m := range p.Models {
			if m.Limit.Context > 0 {
				c.decoder.windows[p.ID+"/"+id] = m.Limit.Context
			}
		}
	}
}

// serversOf tells what became of the MCP servers, and takes away those of the
// person where they are to be left out. The CLI answers once it has tried all.
func (c *conversation) serversOf(spec agents.SessionSpec, started agents.Started) {
	var states map[string]mcpState
	if c.server.call(c.ctx, http.MethodGet, "/mcp", nil, &states) != nil {
		return // the tools that are missing are noticed elsewhere
	}
	for name, state := range states {
		ours := false
		for _, s := range spec.Catalog {
			ours = ours || s.Name == name
		}
		if !ours && !spec.OwnServers && state.Status == "connected" {
			_ = c.server.call(c.ctx, http.MethodPost, "/mcp/"+url.PathEscape(name)+"/disconnect", nil, nil) // it stays, and its state is told
			state = mcpState{Status: "disabled"}
		}
		started.Servers = append(started.Servers, agents.ServerState{Name: name, State: state.Status, Error: agents.Redact(state.Error)})
	}
	if len(started.Servers) == 0 {
		return
	}
	slices.SortFunc(started.Servers, func(a, b agents.ServerState) int { return strings.Compare(a.Name, b.Name) })
	c.later(func() { c.host.Emit(started) })
}

// failure explains why the conversation did not open.
func failure(err error) error {
	if refused, ok := errors.AsType[*agents.PlanError](err); ok {
		return refused
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		if p, known := explain(refused.Body); known {
			return &agents.PlanError{Problem: p}
		}
		return &agents.PlanError{Problem: agents.Problem{Code: "broken",
			Title: name + " did not begin the conversation.", Advice: "Read what it said.", Evidence: agents.LastLines(refused.Error())}}
	}
	return fmt.Errorf("greet %s: %w", name, err)
}
