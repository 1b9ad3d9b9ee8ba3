// Package server is the MCP server that agent CLIs start: its tools, what they
// say to a model, and the stdio connection they are called over. It knows the
// app only through the bridge's wire and never imports it. Every request is
// served on a goroutine of its own, so that a question that waits for a person
// holds up nothing; one lock orders what goes to the CLI.
package server

import (
	"context"
	"log/slog"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"parley/mcp"
	"parley/mcp/bridge"
)

// App is what the server needs of the app: bridge.Client, or Refuse.
type App interface {
	Hello(ctx context.Context, version string) (bridge.HelloReply, error)
	Ready(ctx context.Context, r bridge.ReadyRequest) error
	Clarify(ctx context.Context, q bridge.ClarifyRequest) (bridge.ClarifyResult, error)
	Form(ctx context.Context, f bridge.FormRequest) (bridge.FormReply, error)
	Plan(ctx context.Context, p bridge.PlanRequest) (bridge.PlanReply, error)
}

// Config is what a server is made of. All fields are needed.
type Config struct {
	App     App
	Offer   mcp.Offer
	Version string // of the program
	Log     *slog.Logger
}

// Server is one server for one CLI.
type Server struct {
	app     App
	offer   mcp.Offer
	version string
	log     *slog.Logger
	rpc     *mcpserver.MCPServer
	hello   greeting
}

// New makes a server. It does not talk to the app yet.
func New(c Config) *Server {
	s := &Server{app: c.App, offer: c.Offer, version: c.Version, log: c.Log}
	s.hello.turn = make(chan struct{}, 1)
	hooks := &mcpserver.Hooks{}
	hooks.AddBeforeListTools(func(ctx context.Context, _ any, _ *mcpgo.ListToolsRequest) {
		if cli, ok := mcpserver.ClientSessionFromContext(ctx).(*session); ok {
			cli.SetProtocolVersion(mcpserver.RequestProtocolVersion(ctx))
		}
	})
	s.rpc = mcpserver.NewMCPServer(mcp.InteractionServer, c.Version,
		mcpserver.WithTitle("Parley"),
		mcpserver.WithInstructions(c.Offer.Instructions()),
		// With this capability Claude Code keeps one subscription open; without
		// it the subscription would end at once and be asked for again.
		mcpserver.WithToolCapabilities(true),
		mcpserver.WithToolFilter(s.onlyOffered),
		mcpserver.WithHooks(hooks),
	)
	s.register()
	return s
}

// greeting is the exchange of versions: once per process, and again after it
// failed.
type greeting struct {
	turn  chan struct{}      // holding it is the right to use reply
	reply *bridge.HelloReply // nil until it succeeded
}

// greet returns the app's hello. It waits for an exchange under way.
func (s *Server) greet(ctx context.Context) (bridge.HelloReply, error) {
	select {
	case s.hello.turn <- struct{}{}:
		defer func() { <-s.hello.turn }()
	case <-ctx.Done():
		return bridge.HelloReply{}, context.Cause(ctx)
	}
	if s.hello.reply == nil {
		reply, err := s.app.Hello(ctx, s.version)
		if err != nil {
			return bridge.HelloReply{}, err
		}
		s.hello.reply = &reply
	}
	return *s.hello.reply, nil
}

// tellReady tells the app that the CLI knows the tools: the first prompt of a
// session waits for it.
func (s *Server) tellReady(ctx context.Context, cli *session) {
	err := s.app.Ready(ctx, bridge.ReadyRequest{
		Tools:      s.offer.Tools(),
		Protocol:   cli.ProtocolVersion(),
		ClientName: cli.GetClientInfo().Name,
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("tell the app that the tools were listed", slog.Any("error", err))
	}
}

// Refuse is an App that refuses every call with err: without a usable
// credential the server still starts and lists its tools, so that no CLI hangs
// on it, and says at the call what is wrong.
func Refuse(err error) App { return refusing{err} }

type refusing struct{ err error }

func (r refusing) Hello(context.Context, string) (bridge.HelloReply, error) {
	return bridge.HelloReply{}, r.err
}
func (r refusing) Ready(context.Context, bridge.ReadyRequest) error { return nil }
func (r refusing) Clarify(context.Context, bridge.ClarifyRequest) (bridge.ClarifyResult, error) {
	return bridge.ClarifyResult{}, r.err
}
func (r refusing) Form(context.Context, bridge.FormRequest) (bridge.FormReply, error) {
	return bridge.FormReply{}, r.err
}
func (r refusing) Plan(context.Context, bridge.PlanRequest) (bridge.PlanReply, error) {
	return bridge.PlanReply{}, r.err
}
