package api_test

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

var update = flag.Bool("update", false, "write the table of calls into docs/api.md")

const (
	docsFile   = "../../docs/api.md"
	tableBegin = "<!-- calls: go test ./app/api -update -->\n"
	tableEnd   = "<!-- end of calls -->\n"
)

var doors = []app.By{app.ByWindow, app.ByBrowser, app.ByCLI}

// The documentation lists every call with the doors that are open to it.
func TestDocsListEveryCall(t *testing.T) {
	text, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), tableBegin)
	table, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", docsFile)
	}
	want := callTable()
	if *update {
		if err := os.WriteFile(docsFile, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("%s is out of date: run go test ./app/api -update", docsFile)
	}
}

func callTable() string {
	var b strings.Builder
	b.WriteString("| call | takes → gives | window | browser | command line | agent | does |\n|---|---|---|---|---|---|---|\n")
	for _, r := range api.Routes() {
		shapes := strings.TrimSpace(r.In + " → " + r.Out)
		if r.In == "" && r.Out == "" {
			shapes = ""
		}
		fmt.Fprintf(&b, "| `%s %s` | %s |", r.Method, r.Path, shapes)
		for _, by := range doors {
			fmt.Fprintf(&b, " %s |", mark(open(r, by)))
		}
		fmt.Fprintf(&b, " no | %s |\n", r.Does)
	}
	return b.String()
}

func open(r api.Route, by app.By) bool { return r.Doors == nil || slices.Contains(r.Doors, by) }

func mark(open bool) string {
	if open {
		return "yes"
	}
	return "no"
}

// What the table says is what the doors do.
func TestDoorsAreAsListed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a stream ends at once
	for _, r := range api.Routes() {
		for _, by := range doors {
			w := newWorld()
			w.subs <- newSubscription()
			rec := httptest.NewRecorder()
			api.Door(api.New(w.config(t)), by).ServeHTTP(rec, httptest.NewRequestWithContext(ctx, r.Method, r.Path, strings.NewReader("{}")))
			if refused := rec.Code == 403; refused == open(r, by) {
				t.Errorf("%s %s at the door %s: status %d", r.Method, r.Path, by, rec.Code)
			}
		}
	}
}
