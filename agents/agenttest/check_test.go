package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
)

// recorder is a test that only notes its errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestCheckEvents breaks each rule once: a check that cannot fail is none.
func TestCheckEvents(t *testing.T) {
	id := "pctx_" + strings.Repeat("a", 43)
	for _, tt := range []struct {
		name   string
		events []agents.Event
		says   string // "" for events that are right
	}{
		{"all right", []agents.Event{
			agents.Text{MessageID: "1", Text: "a"}, agents.Text{MessageID: "1", Text: "b"}, agents.Text{MessageID: "1", Text: "ab", Done: true},
			agents.Thought{MessageID: "2", Text: "whole", Done: true},
			agents.ToolStarted{ID: "t"}, agents.ToolStarted{ID: "t"}, agents.ToolProgress{ID: "t"}, agents.ToolEnded{ID: "t", Status: "ok"},
			agents.Ended{Stop: agents.StopFailed, Problem: &agents.Problem{Title: "why"}},
		}, ""},
		{"no id", []agents.Event{agents.Text{Text: "a"}}, "without an id"},
		{"lost piece", []agents.Event{agents.Text{MessageID: "1", Text: "a"}, agents.Text{MessageID: "1", Text: "ab", Done: true}}, "add up to"},
		{"after the end", []agents.Event{agents.Text{MessageID: "1", Done: true}, agents.Text{MessageID: "1", Text: "b"}}, "after its end"},
		{"open message", []agents.Event{agents.Text{MessageID: "1", Text: "a"}, agents.Ended{}}, "is open"},
		{"open tool", []agents.Event{agents.ToolStarted{ID: "t"}, agents.Ended{}}, "still runs"},
		{"tool again", []agents.Event{agents.ToolStarted{ID: "t"}, agents.ToolEnded{ID: "t", Status: "ok"}, agents.ToolStarted{ID: "t"}}, "starts after its end"},
		{"end of nothing", []agents.Event{agents.ToolEnded{ID: "t", Status: "ok"}}, "did not run"},
		{"progress of nothing", []agents.Event{agents.ToolProgress{ID: "t"}}, "does not run"},
		{"odd status", []agents.Event{agents.ToolStarted{ID: "t"}, agents.ToolEnded{ID: "t", Status: "great"}}, `as "great"`},
		{"no reason", []agents.Event{agents.Ended{Stop: agents.StopFailed}}, "nobody says why"},
		{"context id", []agents.Event{agents.Unknown{Raw: id}}, "gives a context id away"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{TB: t}
			agenttest.CheckEvents(r, tt.events)
			switch {
			case tt.says == "" && len(r.errors) > 0:
				t.Errorf("complains: %q", r.errors)
			case tt.says != "" && !strings.Contains(strings.Join(r.errors, "\n"), tt.says):
				t.Errorf("complains %q, want %q", r.errors, tt.says)
			}
		})
	}
}

func TestHostKeepsWhatCameBeforeAQuestion(t *testing.T) {
	host := agenttest.NewHost(t)
	host.Emit(agents.Unknown{Raw: "1"})
	answered := make(chan agents.Outcome)
	go func() { answered <- host.Ask(t.Context(), agents.Interaction{Title: "?"}) }()
	asked := host.NextAsk()
	host.Emit(agents.Unknown{Raw: "2"})
	if len(asked.Before) != 1 || len(host.Events()) != 2 {
		t.Errorf("before: %v, all: %v", asked.Before, host.Events())
	}
	asked.Answer(agents.Outcome{Reason: "dismissed"})
	if o := <-answered; o.Reason != "dismissed" {
		t.Errorf("answered %+v", o)
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { answered <- host.Ask(ctx, agents.Interaction{}) }()
	asked = host.NextAsk()
	withdrawn := errors.New("withdrawn")
	cancel(withdrawn)
	if o := <-answered; o.Reason != "cancelled" || !errors.Is(context.Cause(asked.Ctx), withdrawn) {
		t.Errorf("answered %+v because of %v", o, context.Cause(asked.Ctx))
	}
}
