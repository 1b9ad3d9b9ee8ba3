package acpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
	"parley/mcp"
	"parley/mcp/inject"
)

// Config is what a family says about its agent.
type Config struct {
	Name     string // for sentences: "Demo agent"
	Version  string // of Parley, told to the agent
	LoginCmd string // a command that logs in, or ""
	// Modes maps permission modes to the agent's own. "" is the mode that the
	// agent starts in. A mode that is absent cannot be had.
	Modes map[agents.Mode]string
	// Extension is what its vendor adds to the protocol.
	Extension Extension
}

// opening is what session/new, session/load and session/resume answer. Answers
// are read with types of our own: the SDK's refuse an answer as a whole when a
// part of it that nobody needs here has another shape.
type opening struct {
	SessionID string `json:"sessionId"`
	Models    *struct {
		Current   string `json:"currentModelId"`
		Available []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
	} `json:"models"`
	Modes *struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Config []configOption `json:"configOptions"`
}

// configOption is a setting that the agent offers, found by its category.
type configOption struct {
	ID       string `json:"id"`
	Category string `json:"category"`
}

// Categories of options.
const (
	categoryModel  = "model"
	categoryEffort = "thought_level"
)

// greeting is the agent's answer to initialize.
type greeting struct {
	Version int `json:"protocolVersion"`
	Agent   struct {
		Version string `json:"version"`
	} `json:"agentInfo"`
	Able struct {
		Load   bool `json:"loadSession"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		MCP struct {
			HTTP bool `json:"http"`
			SSE  bool `json:"sse"`
		} `json:"mcpCapabilities"`
		Session struct {
			Resume *struct{} `json:"resume"`
			Fork   *struct{} `json:"fork"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
}

// Open begins a conversation: it greets the agent, opens or resumes the session
// with the managed servers, and sets model and mode. host hears what the agent
// says from then on. When it fails, the agent's input has been ended.
func Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host, cfg Config) (*Conversation, error) {
	c := &Conversation{
		peer: newPeer(), in: conn.In, host: host, name: cfg.Name, login: cfg.LoginCmd, modes: cfg.Modes,
		decoder: &decoder{open: map[string]*speech{}},

		extension: cfg.Extension, ready: make(chan struct{}),
	}
	go c.peer.Write(conn.In)
	go c.peer.read(conn.Out, c)
	if err := c.open(ctx, spec, cfg.Version, conn.Done); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return c, nil
}

func (c *Conversation) open(ctx context.Context, spec agents.SessionSpec, version string, gone <-chan struct{}) error {
	var hello greeting
	err := c.peer.call(ctx, acp.AgentMethodInitialize, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber,
		ClientInfo:      &acp.Implementation{Name: "parley", Title: acp.Ptr("Parley"), Version: version},
		ClientCapabilities: acp.ClientCapabilities{ // neither files nor terminals: the agent has its own
			Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}, Url: &acp.ElicitationUrlCapabilities{}},
		},
	}, &hello, nil)
	if err != nil {
		return c.problem("greet", err)
	}
	if hello.Version != acp.ProtocolVersionNumber {
		return &agents.PlanError{Problem: agents.Problem{Code: "too_old",
			Title:  fmt.Sprintf("%s speaks version %d of ACP, and Parley speaks version %d.", c.name, hello.Version, acp.ProtocolVersionNumber),
			Advice: "Bring both up to date."}}
	}
	c.images = hello.Able.Prompt.Image

	answer, err := c.openSession(ctx, spec, hello)
	if err != nil {
		return err
	}
	if err := c.setModel(ctx, spec, answer); err != nil {
		return err
	}
	if err := c.setMode(ctx, spec.Mode, answer); err != nil {
		return err
	}
	return c.awaitReady(ctx, gone)
}

// awaitReady waits for the tools of the MCP servers, where the agent says when
// they are there.
func (c *Conversation) awaitReady(ctx context.Context, gone <-chan struct{}) error {
	if c.extension.Ready == "" {
		return nil
	}
	limit := time.NewTimer(readyWait)
	defer limit.Stop()
	select {
	case <-c.ready:
	case <-limit.C:
	case <-gone:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// openSession begins a new session or takes up an old one. Resuming is asked for
// before loading, which sends all that was said once more.
func (c *Conversation) openSession(ctx context.Context, spec agents.SessionSpec, hello greeting) (opening, error) {
	var answer opening
	servers, err := c.servers(spec.Catalog, hello.Able.MCP.HTTP, hello.Able.MCP.SSE)
	if err != nil {
		return answer, err
	}
	meta := c.extension.Meta
	started := func() { // on the reader's goroutine: no later line comes first
		id := cmp.Or(answer.SessionID, spec.NativeID)
		c.decoder.session = id
		c.mu.Lock()
		c.session, c.replaying = id, false
		closed := c.closed
		c.mu.Unlock()
		if closed { // nobody waits for it any more
			return
		}
		event := agents.Started{NativeID: id, Model: spec.Model, Version: hello.Agent.Version}
		if answer.Models != nil {
			event.Model = cmp.Or(event.Model, answer.Models.Current)
		}
		if answer.Modes != nil {
			c.decoder.mode = answer.Modes.Current
		}
		c.host.Emit(event)
	}
	if spec.NativeID == "" {
		err := c.peer.call(ctx, acp.AgentMethodSessionNew, acp.NewSessionRequest{Meta: meta, Cwd: spec.Cwd, McpServers: servers}, &answer, started)
		if err != nil {
			return answer, c.problem("open a session with", err)
		}
		if answer.SessionID == "" {
			return answer, c.problem("open a session with", errors.New("it gave the session no id"))
		}
		return answer, nil
	}

	id := acp.SessionId(spec.NativeID)
	if spec.Fork {
		if hello.Able.Session.Fork == nil {
			return answer, &agents.PlanError{Problem: agents.Problem{Code: "cannot_fork", Title: c.name + " cannot fork a conversation."}}
		}
		err := c.peer.call(ctx, acp.AgentMethodSessionFork,
			acp.LoadSessionRequest{Meta: meta, SessionId: id, Cwd: spec.Cwd, McpServers: servers}, &answer, started) // they have the same shape
		if err == nil && answer.SessionID == "" {
			err = errors.New("it gave the copy no id")
		}
		return answer, c.resumeProblem(err)
	}
	if hello.Able.Session.Resume != nil {
		err := c.peer.call(ctx, acp.AgentMethodSessionResume,
			acp.ResumeSessionRequest{Meta: meta, SessionId: id, Cwd: spec.Cwd, McpServers: servers}, &answer, started)
		if e, ok := errors.AsType[*replyError](err); !ok || e.Code != codeMethodNotFound || !hello.Able.Load {
			return answer, c.resumeProblem(err)
		}
	}
	if !hello.Able.Load {
		return answer, &agents.PlanError{Problem: agents.Problem{Code: "cannot_resume",
			Title:  c.name + " cannot continue an earlier session.",
			Advice: "Begin a new session."}}
	}
	c.mu.Lock()
	c.replaying = true
	c.mu.Unlock()
	err = c.peer.call(ctx, acp.AgentMethodSessionLoad,
		acp.LoadSessionRequest{Meta: meta, SessionId: id, Cwd: spec.Cwd, McpServers: servers}, &answer, started)
	return answer, c.resumeProblem(err)
}

// lostSession is how agents say that they do not have a session. The protocol's
// own code is one that many do not use.
var lostSession = regexp.MustCompile(`(?i)not found|no such|unknown|does(n't| not) exist`)

// resumeProblem explains why a session was not taken up again.
func (c *Conversation) resumeProblem(err error) error {
	if e, ok := errors.AsType[*replyError](err); ok && (e.Code == codeNotFound || e.Code != codeAuthRequired && lostSession.MatchString(e.Error())) {
		return &agents.PlanError{Problem: agents.Problem{Code: "session_lost",
			Title:  c.name + " no longer has this conversation.",
			Advice: "Send the message again to begin a new one.", Evidence: e.Error()}}
	}
	return c.problem("resume the session of", err)
}

// problem explains a failed step of the opening; nil stays nil.
func (c *Conversation) problem(step string, err error) error {
	e, answered := errors.AsType[*replyError](err)
	switch {
	case err == nil:
		return nil
	case answered && e.Code == codeAuthRequired:
		return &agents.PlanError{Problem: c.notLoggedIn(e)}
	case answered:
		return &agents.PlanError{Problem: agents.Problem{Code: "broken",
			Title: fmt.Sprintf("Parley could not %s %s.", step, c.name), Advice: "Read what the agent said.", Evidence: e.Error()}}
	default:
		return fmt.Errorf("%s %s: %w", step, c.name, err)
	}
}

// servers is the catalogue in the protocol's shape. What the agent cannot reach
// is left out with a notice.
func (c *Conversation) servers(catalog mcp.Catalog, http, sse bool) ([]acp.McpServer, error) {
	entries, err := inject.ACP(catalog)
	if err != nil {
		return nil, err
	}
	servers := []acp.McpServer{}
	for i, s := range entries {
		switch {
		case s.Transport == mcp.Stdio:
			servers = append(servers, acp.McpServer{Stdio: &acp.McpServerStdio{Name: s.Name, Command: s.Command, Args: s.Args, Env: variables(s.Env)}})
			if catalog[i].Cwd != "" && s.Command == catalog[i].Command { // nothing goes there first
				c.host.Emit(agents.Notice{Level: "warning", Code: "mcp_folder_ignored",
					Text: fmt.Sprintf("%s starts the MCP server “%s” in the session's folder: ACP has no other.", c.name, s.Name)})
			}
		case s.Transport == mcp.HTTP && http:
			servers = append(servers, acp.McpServer{Http: &acp.McpServerHttpInline{Name: s.Name, Url: s.URL, Headers: headers(s.Headers), Type: "http"}})
		case s.Transport == mcp.SSE && sse:
			servers = append(servers, acp.McpServer{Sse: &acp.McpServerSseInline{Name: s.Name, Url: s.URL, Headers: headers(s.Headers), Type: "sse"}})
		default:
			c.host.Emit(agents.Notice{Level: "warning", Code: "mcp_transport_unsupported",
				Text: fmt.Sprintf("%s does not get the MCP server “%s”: it cannot reach servers over %s.", c.name, s.Name, s.Transport)})
		}
	}
	return servers, nil
}

func variables(pairs []inject.Pair) []acp.EnvVariable {
	list := []acp.EnvVariable{}
	for _, p := range pairs {
		list = append(list, acp.EnvVariable{Name: p.Name, Value: p.Value})
	}
	return list
}

func headers(pairs []inject.Pair) []acp.HttpHeader {
	list := []acp.HttpHeader{}
	for _, p := range pairs {
		list = append(list, acp.HttpHeader{Name: p.Name, Value: p.Value})
	}
	return list
}

// setModel chooses model and effort, by whichever way the agent offers.
func (c *Conversation) setModel(ctx context.Context, spec agents.SessionSpec, answer opening) error {
	switch {
	case spec.Model == "":
	case answer.option(categoryModel) != "":
		if err := c.setOption(ctx, answer.option(categoryModel), spec.Model); err != nil {
			return c.problem("choose the model of", err)
		}
	case answer.Models != nil:
		err := c.peer.call(ctx, acp.AgentMethodSessionSetModel, acp.UnstableSetSessionModelRequest{
			SessionId: acp.SessionId(c.sessionID()), ModelId: acp.UnstableModelId(spec.Model)}, nil, nil)
		if err != nil {
			return c.problem("choose the model of", err)
		}
	default:
		c.host.Emit(agents.Notice{Level: "warning", Code: "model_ignored",
			Text: fmt.Sprintf("%s offers no choice of model, so it uses its own.", c.name)})
	}
	switch option := answer.option(categoryEffort); {
	case spec.Effort == "":
		return nil
	case option != "":
		return c.problem("choose the effort of", c.setOption(ctx, option, spec.Effort))
	default:
		c.host.Emit(agents.Notice{Level: "warning", Code: "effort_ignored",
			Text: fmt.Sprintf("%s offers no choice of effort, so it uses its own.", c.name)})
		return nil
	}
}

// option finds an option by its category, "" when the agent has none.
func (o opening) option(category string) string {
	for _, option := range o.Config {
		if option.Category == category {
			return option.ID
		}
	}
	return ""
}

func (c *Conversation) setOption(ctx context.Context, option, value string) error {
	return c.peer.call(ctx, acp.AgentMethodSessionSetConfigOption, acp.SetSessionConfigOptionRequest{
		ValueId: &acp.SetSessionConfigOptionValueId{
			SessionId: acp.SessionId(c.sessionID()), ConfigId: acp.SessionConfigId(option), Value: acp.SessionConfigValueId(value),
		},
	}, nil, nil)
}

// setMode sets the permission mode. A mode that the agent does not offer is an
// error: a person who asked for "read only" must not get something else.
func (c *Conversation) setMode(ctx context.Context, m agents.Mode, answer opening) error {
	native := c.modes[m]
	if native == "" || answer.Modes != nil && answer.Modes.Current == native {
		return nil
	}
	offered := c.extension.UnlistedModes
	if answer.Modes != nil {
		for _, mode := range answer.Modes.Available {
			offered = offered || mode.ID == native
		}
	}
	if !offered {
		return &agents.PlanError{Problem: agents.Problem{Code: "refused_mode",
			Title:  fmt.Sprintf("%s does not offer its mode “%s”, which Parley's mode “%s” stands for.", c.name, native, m),
			Advice: "Choose another permission mode."}}
	}
	err := c.peer.call(ctx, acp.AgentMethodSessionSetMode,
		acp.SetSessionModeRequest{SessionId: acp.SessionId(c.sessionID()), ModeId: acp.SessionModeId(native)},
		nil, func() { c.decoder.mode = native })
	return c.problem("set the mode of", err)
}
