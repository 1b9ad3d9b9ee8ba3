package demo

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	acp "github.com/coder/acp-go-sdk"
	"github.com/google/uuid"

	"parley/mcp"
)

// version is what the agent calls itself.
const version = "1.0.0"

// agent implements acp.Agent and acp.AgentLoader.
type agent struct {
	conn   *acp.AgentSideConnection
	out    *lines
	stderr io.Writer
	log    *slog.Logger
	pace   pace
	saved  saved
	elicit atomic.Bool   // the client can show a form; set by initialize
	crash  chan struct{} // closed by the script "crash"
	once   sync.Once     // guards the closing of crash

	mu       sync.Mutex // guards the fields below
	sessions map[string]*session
	closed   bool
}

var (
	_ acp.Agent       = (*agent)(nil)
	_ acp.AgentLoader = (*agent)(nil)
)

// Initialize implements acp.Agent.
func (a *agent) Initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.elicit.Store(p.ClientCapabilities.Elicitation != nil && p.ClientCapabilities.Elicitation.Form != nil)
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "parley-demo", Title: acp.Ptr("Parley's demo agent"), Version: version},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession: true, PromptCapabilities: acp.PromptCapabilities{Image: true},
			SessionCapabilities: acp.SessionCapabilities{Fork: &acp.SessionForkCapabilities{}},
		},
	}, nil
}

// Authenticate implements acp.Agent; there is nothing to log in to.
func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// NewSession implements acp.Agent.
func (a *agent) NewSession(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	s, err := a.begin(ctx, uuid.Must(uuid.NewV7()).String(), p.Cwd, p.McpServers, memory{})
	if err != nil {
		return acp.NewSessionResponse{}, err
	}
	if err := a.saved.write(s.id, memory{}); err != nil {
		a.log.Warn("this session cannot be resumed", slog.Any("error", err))
	}
	return acp.NewSessionResponse{SessionId: acp.SessionId(s.id), Modes: s.modes()}, nil
}

// LoadSession implements acp.AgentLoader: it says again what was said.
func (a *agent) LoadSession(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	remembered, err := a.saved.read(string(p.SessionId))
	if err != nil {
		return acp.LoadSessionResponse{}, &acp.RequestError{Code: -32002, Message: "There is no such session.", Data: err.Error()}
	}
	s, err := a.begin(ctx, string(p.SessionId), p.Cwd, p.McpServers, remembered)
	if err != nil {
		return acp.LoadSessionResponse{}, err
	}
	for _, t := range remembered.Turns {
		for _, u := range []acp.SessionUpdate{acp.UpdateUserMessageText(t.Prompt), acp.UpdateAgentMessageText(t.Said)} {
			if err := s.send(ctx, u); err != nil {
				return acp.LoadSessionResponse{}, err
			}
		}
	}
	return acp.LoadSessionResponse{Modes: s.modes()}, nil
}

// UnstableForkSession begins a session that remembers what another one does. The
// other one is only read.
func (a *agent) UnstableForkSession(ctx context.Context, p acp.UnstableForkSessionRequest) (acp.UnstableForkSessionResponse, error) {
	remembered, err := a.saved.read(string(p.SessionId))
	if err != nil {
		return acp.UnstableForkSessionResponse{}, &acp.RequestError{Code: -32002, Message: "There is no such session.", Data: err.Error()}
	}
	var servers []acp.McpServer // the others are of no use to it
	for _, s := range p.McpServers {
		servers = append(servers, acp.McpServer{Stdio: s.Stdio})
	}
	s, err := a.begin(ctx, uuid.Must(uuid.NewV7()).String(), p.Cwd, servers, remembered)
	if err != nil {
		return acp.UnstableForkSessionResponse{}, err
	}
	if err := a.saved.write(s.id, remembered); err != nil {
		return acp.UnstableForkSessionResponse{}, acp.NewInternalError(map[string]any{"error": err.Error()})
	}
	return acp.UnstableForkSessionResponse{SessionId: acp.SessionId(s.id), Modes: s.modes()}, nil
}

// begin makes a session and connects the managed server, if one was handed out.
func (a *agent) begin(ctx context.Context, id, cwd string, servers []acp.McpServer, remembered memory) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, acp.NewInvalidParams(map[string]any{"error": "cwd must be an absolute path"})
	}
	s := &session{agent: a, id: id, cwd: cwd, mode: modeAsk, memory: remembered}
	for _, server := range servers {
		if server.Stdio != nil && server.Stdio.Name == mcp.InteractionServer {
			tools, err := connect(ctx, server.Stdio, cwd, a.stderr)
			if err != nil { // as real agents do: go on without
				a.log.Warn("the MCP server did not start", slog.String("name", server.Stdio.Name), slog.Any("error", err))
			}
			s.tools = tools
		}
	}
	a.mu.Lock()
	closed, before := a.closed, a.sessions[id]
	if !closed {
		a.sessions[id] = s
	}
	a.mu.Unlock()
	if before != nil {
		before.close()
	}
	if closed {
		s.close()
		return nil, acp.NewInternalError(map[string]any{"error": "the agent is ending"})
	}
	return s, nil
}

// Prompt implements acp.Agent. The connection ends ctx on session/cancel.
func (a *agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	if !s.busy.TryLock() {
		return acp.PromptResponse{}, acp.NewInvalidRequest(map[string]any{"error": "a prompt is running"})
	}
	defer s.busy.Unlock()
	return s.prompt(ctx, p.Prompt)
}

// Cancel implements acp.Agent; the connection has ended the prompt's context.
func (a *agent) Cancel(context.Context, acp.CancelNotification) error { return nil }

// SetSessionMode implements acp.Agent.
func (a *agent) SetSessionMode(_ context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return acp.SetSessionModeResponse{}, err
	}
	if !s.setMode(string(p.ModeId)) {
		return acp.SetSessionModeResponse{}, acp.NewInvalidParams(map[string]any{"error": "no such mode"})
	}
	return acp.SetSessionModeResponse{}, nil
}

func (a *agent) session(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[string(id)]
	if s == nil {
		return nil, acp.NewInvalidParams(map[string]any{"error": fmt.Sprintf("no session %q", id)})
	}
	return s, nil
}

// close ends the servers of all sessions.
func (a *agent) close() {
	a.mu.Lock()
	sessions := a.sessions
	a.sessions, a.closed = map[string]*session{}, true
	a.mu.Unlock()
	for _, s := range sessions {
		s.close()
	}
}

// die ends the agent as a crash would.
func (a *agent) die(last string) {
	fmt.Fprintln(a.stderr, strings.TrimSpace(last))
	a.once.Do(func() { close(a.crash) })
}

// What the demo agent does not offer.

// CloseSession implements acp.Agent.
func (a *agent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionClose)
}

// ListSessions implements acp.Agent.
func (a *agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

// ResumeSession implements acp.Agent.
func (a *agent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

// SetSessionConfigOption implements acp.Agent.
func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}
