package server

import (
	"sync"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// session is the CLI as mcp-go knows it: who it is and where notifications of
// mcp-go's own go. mcp-go's stdio session is one global per process, which
// tests of two servers would share.
type session struct {
	notifications chan mcpgo.JSONRPCNotification

	mu           sync.Mutex // guards the fields below
	initialized  bool
	protocol     string
	client       mcpgo.Implementation
	capabilities mcpgo.ClientCapabilities
}

func newSession() *session {
	// Only acknowledgements of subscriptions go through here, one a request.
	return &session{notifications: make(chan mcpgo.JSONRPCNotification, 100)}
}

func (s *session) SessionID() string                                     { return "stdio" }
func (s *session) NotificationChannel() chan<- mcpgo.JSONRPCNotification { return s.notifications }

func (s *session) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initialized = true
}

func (s *session) Initialized() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.initialized
}

func (s *session) SetProtocolVersion(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.protocol = v
}

// ProtocolVersion is the version that initialize agreed on, or that the request
// for the tools carried when the CLI came by server/discover.
func (s *session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.protocol
}

func (s *session) SetClientInfo(c mcpgo.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = c
}

func (s *session) GetClientInfo() mcpgo.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

func (s *session) SetClientCapabilities(c mcpgo.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = c
}

func (s *session) GetClientCapabilities() mcpgo.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

var _ mcpserver.SessionWithClientInfo = (*session)(nil)
