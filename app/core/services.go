package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/thejerf/suture/v4"

	"parley/app"
	"parley/app/bus"
	"parley/app/childapi"
	"parley/mcp/override"
)

// serve starts the tree of services and has Close end it. The socket listens
// when serve returns.
func (a *App) serve(conf childapi.Config, keep *keeper, more ...suture.Service) error {
	path := a.cfg.Dirs.Socket()
	ln, err := childapi.Listen(path)
	if err != nil {
		return err
	}
	tree := suture.New("parley", suture.Spec{EventHook: logEvents(a.log), Timeout: 5 * time.Second})
	tree.Add(keep)
	for _, s := range more {
		tree.Add(s)
	}
	tree.Add(&socket{server: childapi.New(conf), path: path, first: ln})
	tree.Add(a.overrides)
	ctx, end := context.WithCancel(context.Background())
	ended := tree.ServeBackground(ctx)
	a.closing(func(wait context.Context) error {
		end()
		select {
		case err := <-ended:
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		case <-wait.Done():
			return fmt.Errorf("end the services: %w", context.Cause(wait))
		}
	})
	return nil
}

// fileTeller tells everybody who looks that the override file has changed.
type fileTeller struct {
	file   *override.File
	events *bus.Bus
	now    func() time.Time
}

// Serve implements suture.Service.
func (f *fileTeller) Serve(ctx context.Context) error {
	_, changes, stop := f.file.Subscribe()
	defer stop()
	for {
		select {
		case st := <-changes:
			f.events.Publish(app.Event{
				At: f.now().UnixMilli(), Type: app.EventMCPChanged,
				Data: app.MCPChanged{Revision: st.Revision, InForce: string(st.Force)},
			})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// String names the service in a log.
func (f *fileTeller) String() string { return "changes of the MCP overrides" }

// socket is the control socket as a service: after a failure it listens anew.
type socket struct {
	server *childapi.Server
	path   string
	first  net.Listener // nil once served
}

// Serve implements suture.Service.
func (s *socket) Serve(ctx context.Context) error {
	ln := s.first
	s.first = nil
	if ln == nil {
		var err error
		if ln, err = childapi.Listen(s.path); err != nil {
			return err
		}
	}
	return s.server.Serve(ctx, ln)
}

// String names the service in the log.
func (s *socket) String() string { return "control socket" }

func logEvents(log *slog.Logger) suture.EventHook {
	return func(e suture.Event) {
		level := slog.LevelWarn
		if e.Type() == suture.EventTypeResume {
			level = slog.LevelInfo
		}
		log.Log(context.Background(), level, "service", "event", e.String())
	}
}
