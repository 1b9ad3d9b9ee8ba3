// Package probe tries a configured MCP server as an agent would: it starts it,
// asks what it offers, and ends it with all that it started, in bounded time. It
// knows no agent and no product. Try may be called from any goroutine.
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"parley/agents/proc"
	"parley/mcp"
)

// DefaultLimit is how long a server may take to come up and answer. Runners
// such as npx fetch a program at its first start.
const DefaultLimit = 60 * time.Second

// Config is how a server is tried.
type Config struct {
	Env     []string      // "NAME=value", of the agent; the server's own lie over it
	Dir     string        // folder of a server that has none of its own; "" is ours
	Shim    string        // path of parley-run, "" finds it
	Limit   time.Duration // 0 is DefaultLimit
	Version string        // of the program, for the server
}

// Tool is one tool of a server.
type Tool struct{ Name, Description string }

// Result is what a server said. It holds what was learnt before an error too.
type Result struct {
	Server    string // its own name and version
	Tools     []Tool
	Prompts   []string
	Resources []string
	Stderr    string // its last words
	Took      time.Duration
}

// Try starts the server, or calls it, and lists what it offers. When it
// returns, nothing that it started is left. The error is a clause for a person
// and may hold what the server said.
func Try(ctx context.Context, s mcp.Spec, cfg Config) (Result, error) {
	limit := cfg.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var r Result
	err := try(ctx, s, cfg, &r)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not answer within %s", limit)
	}
	r.Took = time.Since(begin)
	return r, err
}

func try(ctx context.Context, s mcp.Spec, cfg Config, r *Result) (err error) {
	var link transport.Interface
	ended := func() {} // waits for a process that has closed its output, to learn how it ended
	switch s.Transport {
	case mcp.Stdio:
		env := slices.Clone(cfg.Env)
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			env = append(env, name+"="+s.Env[name])
		}
		dir := s.Cwd
		if dir == "" {
			dir = cfg.Dir
		}
		p, err := proc.Start(proc.Spec{
			Argv: append([]string{s.Command}, s.Args...), Env: env, Dir: dir, Shim: cfg.Shim,
			Ladder: proc.Ladder{Input: time.Second, Term: time.Second, Rest: 200 * time.Millisecond},
		})
		if err != nil {
			return fmt.Errorf("it could not be started: %w", err)
		}
		// The end of the process ends what waits for it.
		alive, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			<-p.Done()
			exit := p.Exit()
			how := fmt.Sprintf("with code %d", exit.Code)
			if exit.Signal != "" {
				how = "by " + exit.Signal
			}
			cancel(fmt.Errorf("it ended %s before it had answered", how))
		}()
		ctx = alive
		ended = func() {
			wait := time.NewTimer(time.Second)
			defer wait.Stop()
			select {
			case <-gone:
			case <-wait.C:
			}
		}
		defer func() {
			p.Stop(context.WithoutCancel(ctx))
			<-gone
			r.Stderr = p.Tail()
		}()
		link = transport.NewIO(p.Stdout(), p.Stdin(), io.NopCloser(strings.NewReader("")))
	case mcp.HTTP:
		link, err = transport.NewStreamableHTTP(s.URL, transport.WithHTTPHeaders(s.Headers))
	case mcp.SSE:
		link, err = transport.NewSSE(s.URL, transport.WithHeaders(s.Headers))
	default:
		return fmt.Errorf("it has the unknown transport %q", s.Transport)
	}
	if err != nil {
		return fmt.Errorf("it cannot be called: %w", err)
	}
	c := client.NewClient(link, client.WithLegacyProtocolOnly()) // as agents greet today
	defer c.Close()
	if err := ask(ctx, c, cfg.Version, r); err != nil {
		ended()
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return nil
}

// ask greets the server and lists what it offers.
func ask(ctx context.Context, c *client.Client, version string, r *Result) error {
	if err := c.Start(ctx); err != nil {
		return fmt.Errorf("it cannot be reached: %w", err)
	}
	hello := mcpgo.InitializeRequest{}
	hello.Params.ProtocolVersion = mcpgo.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "parley-test", Version: version}
	greeting, err := c.Initialize(ctx, hello)
	if err != nil {
		return fmt.Errorf("it does not greet as an MCP server: %w", err)
	}
	r.Server = strings.TrimSpace(greeting.ServerInfo.Name + " " + greeting.ServerInfo.Version)
	able := greeting.Capabilities
	if able.Tools != nil {
		list, err := c.ListTools(ctx, mcpgo.ListToolsRequest{})
		if err != nil {
			return fmt.Errorf("it cannot list its tools: %w", err)
		}
		for _, t := range list.Tools {
			r.Tools = append(r.Tools, Tool{t.Name, t.Description})
		}
	}
	if able.Prompts != nil {
		list, err := c.ListPrompts(ctx, mcpgo.ListPromptsRequest{})
		if err != nil {
			return fmt.Errorf("it cannot list its prompts: %w", err)
		}
		for _, p := range list.Prompts {
			r.Prompts = append(r.Prompts, p.Name)
		}
	}
	if able.Resources != nil {
		list, err := c.ListResources(ctx, mcpgo.ListResourcesRequest{})
		if err != nil {
			return fmt.Errorf("it cannot list its resources: %w", err)
		}
		for _, res := range list.Resources {
			r.Resources = append(r.Resources, res.URI)
		}
	}
	return nil
}
