package servers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailscale/hujson"

	"parley/app/apptest"
	"parley/app/servers"
	"parley/build/figures"
	"parley/mcp"
	"parley/mcp/override"
)

// BenchmarkTwoHundred measures 200 servers for nine agents and three profiles: all
// that the MCP page asks for when it is opened; an edit by Parley until it is in
// force; and an edit by somebody else until whoever listens knows what is in force
// now. Each is paired with something that has to be done in any case: writing the
// same answers as JSON, or reading and parsing the same file.
//
//	go test -run - -bench TwoHundred -benchtime 20x ./app/servers
func BenchmarkTwoHundred(b *testing.B) {
	w := newCrowd(b)
	table := figures.New("200 MCP servers, nine agents, three profiles", "what", "runs", "median ms", "p99 ms", "ratio", "beside")
	var view, viewed, edit, edited, seen, read figures.Sample
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		answers := w.views(b)
		view.AddSince(began)
		began = time.Now()
		if _, err := json.Marshal(answers); err != nil {
			b.Fatal(err)
		}
		viewed.AddSince(began)

		began = time.Now()
		timeout := fmt.Sprintf(`"%dm"`, 1+n%50)
		st, err := w.file.Edit(b.Context(), "", override.Set(timeout, "servers", "server-100", "timeout"))
		if err != nil || len(st.Config.Servers) != 200 {
			b.Fatal(err)
		}
		edit.AddSince(began)
		edited.AddSince(w.parse(b))
		w.drain()

		text := strings.Replace(string(st.Text), timeout, fmt.Sprintf(`"%ds"`, 100+n), 1)
		began = time.Now()
		if err := os.WriteFile(w.path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		w.hears(b, text)
		seen.AddSince(began)
		read.AddSince(w.parse(b))
	}
	for _, row := range []struct {
		what         string
		ours, beside figures.Sample
		besides      string
	}{
		{"all views of the page", view, viewed, "the same answers as JSON"},
		{"an edit by Parley, proved and written", edit, edited, "reading and parsing the file"},
		{"an edit by another program, until it is in force (the watch waits for 150 ms of quiet)", seen, read, "reading and parsing the file"},
	} {
		table.Row(row.what, len(row.ours), row.ours.Median(), row.ours.Quantile(0.99), row.ours.Over(row.beside).Median(), row.besides)
	}
	table.Print(b)
}

// crowd is a Parley with many servers.
type crowd struct {
	path    string
	file    *override.File
	s       *servers.Servers
	changes <-chan override.State
}

var crowdAgents = []string{"claude", "codex", "opencode", "grok", "pi", "dsh", "acp", "chat", "demo"}

func newCrowd(b *testing.B) *crowd {
	b.Helper()
	dir := b.TempDir()
	var text strings.Builder
	text.WriteString("{\n  \"servers\": {\n")
	for i := range 200 {
		fmt.Fprintf(&text, "    \"server-%d\": { \"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": { \"KEY\": \"${env:KEY}\" } }, // one of many\n", i)
	}
	text.WriteString("  },\n}\n")
	w := &crowd{path: filepath.Join(dir, "mcp-overrides.jsonc")}
	if err := os.WriteFile(w.path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	var err error
	if w.file, err = override.Open(override.Config{Path: w.path, State: b.TempDir()}); err != nil {
		b.Fatal(err)
	}
	trust, err := servers.OpenTrust(filepath.Join(b.TempDir(), "trusted.json"))
	if err != nil {
		b.Fatal(err)
	}
	w.s = servers.New(servers.Config{
		File: w.file, Path: w.path, Agents: func() []string { return crowdAgents }, MCP: "/opt/parley-mcp", Limits: mcp.DefaultLimits, Trust: trust,
		Env: func(context.Context) []string { return []string{"HOME=" + dir} },
	})
	var stop func()
	_, w.changes, stop = w.file.Subscribe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = w.file.Serve(ctx) }() // until it is cancelled
	b.Cleanup(func() { stop(); cancel(); <-ended })
	return w
}

// views are all that the page asks for.
func (w *crowd) views(b *testing.B) (out []any) {
	b.Helper()
	for _, agent := range crowdAgents {
		for _, profile := range []string{"default", "work", "private"} {
			e, err := w.s.Effective(b.Context(), agent, profile, "")
			if err != nil || len(e.Servers) != 201 {
				b.Fatal(err, len(e.Servers))
			}
			out = append(out, e)
		}
	}
	return out
}

// parse reads and parses the file as any reader of it must, and returns when it
// began.
func (w *crowd) parse(b *testing.B) time.Time {
	b.Helper()
	began := time.Now()
	text, err := os.ReadFile(w.path)
	if err == nil {
		_, err = hujson.Parse(text)
	}
	if err != nil {
		b.Fatal(err)
	}
	return began
}

// drain takes the news of Parley's own edit.
func (w *crowd) drain() {
	select {
	case <-w.changes:
	default:
	}
}

// hears waits until the text is in force. A text that was seen half written is
// broken, and the whole one follows.
func (w *crowd) hears(b *testing.B, text string) {
	b.Helper()
	limit := time.After(apptest.Patience)
	for {
		select {
		case st := <-w.changes:
			if string(st.Text) == text && !st.Broken() {
				return
			}
		case <-limit:
			b.Fatal("the change was not seen")
		}
	}
}
