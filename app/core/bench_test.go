package core_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/asker"
	"parley/app/apptest/backend"
	"parley/app/core"
	"parley/app/paths"
	"parley/build/figures"
)

// BenchmarkCallToCard measures from a tool call, written to the real parley-mcp
// as an agent's client writes it, until a subscriber on the socket has read the
// question: parley-mcp, socket, desk, record, bus, stream. In turns with it, one
// message to a socket and back with one commit to a record between.
//
//	go test -run - -bench CallToCard -benchtime 1000x -timeout 30m ./app/core
//
// The agent has told of its tool call before, as agents do. A stream sends a
// client at most 30 frames a second. "quiet" lets 50 ms pass before each call,
// so that the question finds the stream free; "busy" calls as soon as the answer
// before has come, so that it waits for its frame.
func BenchmarkCallToCard(b *testing.B) {
	b.Run("quiet", func(b *testing.B) { callToCard(b, "quiet stream", true, 50*time.Millisecond) })
	b.Run("busy", func(b *testing.B) { callToCard(b, "busy stream", true, 0) })
}

// BenchmarkUnannouncedCallToCard is the same for an agent that tells of no tool
// call: the question is held for a moment, since what the agent said before
// it belongs on the card.
func BenchmarkUnannouncedCallToCard(b *testing.B) {
	callToCard(b, "quiet stream, the agent tells of no tool call", false, 50*time.Millisecond)
}

func callToCard(b *testing.B, how string, announced bool, quiet time.Duration) {
	a := newAsked(b, announced)
	base := newEcho(b)
	table := figures.New("A tool call until its question is at a subscriber ("+how+")",
		"what", "runs", "median ms", "p99 ms", "more than the echo, median ms", "ratio of medians")
	var shown, returned, echoed figures.Sample
	for b.Loop() {
		echoed = append(echoed, base.run(b))
		time.Sleep(quiet) // is part of what is measured, see above
		call, back := a.ask(b)
		shown, returned = append(shown, call), append(returned, back)
	}
	for _, r := range []struct {
		name string
		s    figures.Sample
	}{{"tool call → question at the subscriber", shown}, {"answer → tool result at the client", returned}, {"socket echo and one commit", echoed}} {
		table.Row(r.name, len(r.s), r.s.Median(), r.s.Quantile(0.99), r.s.Median()-echoed.Median(), r.s.Median()/echoed.Median())
	}
	table.Print(b)
}

// asked is an agent's place and the questions as a subscriber reads them.
type asked struct {
	*asker.Asker
	client *api.Client
	cards  chan card
}

type card struct {
	app.Interaction
	at time.Time
}

// newAsked opens a back end in which one agent asks.
func newAsked(b *testing.B, announced bool) *asked {
	b.Helper()
	dirs := apptest.Home(b)
	if err := os.WriteFile(dirs.Settings(), []byte(`{"deadline_s":86400,"max_wait_s":86400}`), 0o600); err != nil {
		b.Fatal(err) // the agent's own wait outlasts the measuring
	}
	programs := asker.Listen(b, apptest.Programs(b, "parley", "parley-mcp", "parley-run"))
	c := open(b, dirs, programs.Dir)
	a := &asked{client: c, cards: make(chan card, 16)}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	began := make(chan struct{})
	go func() {
		defer close(ended)
		err := c.Stream(ctx, func(f api.Frame) error {
			if f.Snapshot != nil {
				close(began)
			}
			for _, e := range f.Events {
				if in, ok := apptest.Data[app.Interaction](e); ok && e.Type == app.InteractionEvent(in.Kind, app.StepRequested) {
					a.cards <- card{in, time.Now()}
				}
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			b.Error("the stream ended:", err)
		}
	}()
	b.Cleanup(func() { cancel(); <-ended })
	<-began
	a.Asker = asker.Start(b, c, programs, announced)
	return a
}

// open is backend.Open with other programs.
func open(b testing.TB, dirs paths.Dirs, bin string) *api.Client {
	b.Helper()
	cfg := backend.Config(b, dirs)
	cfg.Log = nil
	cfg.Getenv = func(name string) string { return map[string]string{"PARLEY_BIN_DIR": bin}[name] }
	back, err := core.Open(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), apptest.Patience)
		defer cancel()
		if err := back.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	return api.Dial(dirs.Socket())
}

// card waits for the next question.
func (a *asked) card(b *testing.B) card {
	b.Helper()
	select {
	case c := <-a.cards:
		return c
	case <-time.After(apptest.Patience):
		b.Fatal("the question did not come")
		return card{}
	}
}

// ask asks and answers one question, and returns how long each way took, in ms.
func (a *asked) ask(b *testing.B) (shown, returned float64) {
	b.Helper()
	called := a.Ask("Which of the two?", "The first", "The second")
	c := a.card(b)
	answered := time.Now()
	if _, err := a.client.Answer(ctx, app.Answer{InteractionID: c.ID, Status: app.StatusAnswered, Selected: []string{"The first"}}); err != nil {
		b.Fatal(err)
	}
	if line := a.Result(); !strings.Contains(line, "The first") {
		b.Fatalf("the tool returned %s", line)
	}
	return float64(c.at.Sub(called)) / 1e6, float64(time.Since(answered)) / 1e6
}

// echo is what no way from a program into a record and to another can beat: a
// message over a socket, one commit, and a message back.
type echo struct {
	conn net.Conn
	back *bufio.Reader
}

func newEcho(b *testing.B) *echo {
	b.Helper()
	dir, err := os.MkdirTemp("", "echo") // short, since a socket lies in it
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	// As the record is opened by app/store, whose driver this is.
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "echo.db")+
		"?_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=1000&_foreign_keys=on&_txlock=immediate&_stmt_cache_size=64")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE said (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"); err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serveEcho(ln, db) }()
	conn, err := net.Dial("unix", filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = conn.Close()
		_ = ln.Close()
		if err := <-served; err != nil {
			b.Error(err)
		}
	})
	return &echo{conn, bufio.NewReader(conn)}
}

// serveEcho serves one connection until it ends.
func serveEcho(ln net.Listener, db *sql.DB) error {
	conn, err := ln.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = db.Exec("INSERT INTO said (text) VALUES (?)", line) // its own transaction
		}
		if err == nil {
			_, err = io.WriteString(conn, line)
		}
		if err != nil {
			return err
		}
	}
}

func (e *echo) run(b *testing.B) float64 {
	b.Helper()
	began := time.Now()
	if _, err := io.WriteString(e.conn, strings.Repeat("x", 300)+"\n"); err != nil {
		b.Fatal(err)
	}
	if _, err := e.back.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	return float64(time.Since(began)) / 1e6
}
