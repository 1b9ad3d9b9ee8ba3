package session_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/agents/registry"
	"parley/app"
	"parley/mcp"
	"parley/mcp/inject"
)

var update = flag.Bool("update", false, "write the tables into docs/sessions.md")

const (
	scopeDocs  = "../../docs/sessions.md"
	scopeBegin = "<!-- scopes: go test ./app/session -run Scope -update -->\n"
	scopeEnd   = "<!-- end of scopes -->\n"
)

// The documentation holds the tables as the code has them.
func TestScopeTablesAreAsWritten(t *testing.T) {
	var b strings.Builder
	b.WriteString("| kind of session | plan | may ask |\n|---|---|---|\n")
	for _, s := range app.Scopes() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", s.Kind, yes(s.Plan), yes(s.Ask))
	}
	b.WriteString("\n| family | our tools, as its model sees them |\n|---|---|\n")
	for _, a := range registry.All(registry.Programs{}) {
		if a.Info().WhenFound {
			continue // spelled as acp is
		}
		family := string(a.Info().Family)
		var names []string
		for _, tool := range (mcp.Offer{Ask: true, Plan: true}).Tools() {
			names = append(names, "`"+inject.ToolPrefix(family)+tool+"`")
		}
		fmt.Fprintf(&b, "| %s | %s |\n", family, strings.Join(names, ", "))
	}
	text, err := os.ReadFile(scopeDocs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), scopeBegin)
	table, after, ok2 := strings.Cut(rest, scopeEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the tables", scopeDocs)
	}
	t.Log("\n" + b.String())
	if *update {
		if err := os.WriteFile(scopeDocs, []byte(before+scopeBegin+b.String()+scopeEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if table != b.String() {
		t.Errorf("%s is out of date: run go test ./app/session -run Scope -update", scopeDocs)
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// What a kind may not do is not handed out, and the endpoints refuse it.
func TestScopesHold(t *testing.T) {
	for _, scope := range app.Scopes() {
		t.Run(string(scope.Kind), func(t *testing.T) {
			w := newWorld(t)
			s := w.create(app.NewSession{Kind: scope.Kind})
			turn := w.send(s.ID, "say m x")
			w.ended(turn)
			launch, err := w.m.LaunchByToken(w.ad.lastCredential().Token)
			if err != nil {
				t.Fatal(err)
			}
			if launch.MayAsk != scope.Ask || launch.MayPlan != scope.Plan {
				t.Fatalf("the launch may %+v", launch)
			}
			text := w.ad.lastTurn().Context
			if got := strings.Contains(text, mcp.ToolClarify); got != scope.Ask {
				t.Errorf("the turn's block tells of asking: %v", got)
			}
			if got := strings.Contains(text, mcp.ToolUpdatePlan); got != scope.Plan {
				t.Errorf("the turn's block tells of plans: %v", got)
			}
			if !scope.Ask {
				if a := <-w.clarify(context.Background(), launch.ID, "pctx_"+strings.Repeat("x", 43), ""); app.ErrorCode(a.err) != app.CodeContextUnavailable {
					t.Errorf("asking: %v", a.err)
				}
			}
			if !scope.Plan {
				if _, err := w.m.UpdatePlan(t.Context(), launch.ID, "x", "", "", nil); app.ErrorCode(err) != app.CodeContextUnavailable {
					t.Errorf("planning: %v", err)
				}
			}
		})
	}
}
