package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/agents/agenttest/leaks"
	"parley/agents/proc"
	"parley/app"
	"parley/app/apptest"
	"parley/app/bus"
	"parley/app/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is the service on a real bus, with real commands.
type world struct {
	t       *testing.T
	bus     *bus.Bus
	dir     string
	mu      sync.Mutex
	command []string
	log     bytes.Buffer
	ran     chan struct{} // one for each command that has ended
	stop    func()
	seq     int64
	looked  chan struct{} // one for each look at the settings
}

func newWorld(t *testing.T, limit time.Duration) *world {
	leaks.Each(t)
	w := &world{t: t, bus: bus.New(0), dir: t.TempDir(), ran: make(chan struct{}, 1000), looked: make(chan struct{}, 1000)}
	runner := proc.Runner{Shim: apptest.Program(t, "parley-run"), Limit: limit}
	listening := make(chan struct{}, 10)
	c := hook.New(hook.Config{
		Command: func() []string {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.looked <- struct{}{}
			return w.command
		},
		Env: func(context.Context) []string { return []string{"PATH=" + os.Getenv("PATH"), "DIR=" + w.dir} },
		Run: func(ctx context.Context, argv, env []string, input []byte) ([]byte, []byte, int, error) {
			defer func() { w.ran <- struct{}{} }()
			r := runner
			r.Input = input
			return r.Run(ctx, argv, env)
		},
		Record: func(_ context.Context, id string) (app.Interaction, error) {
			if id == "gone" {
				return app.Interaction{}, errors.New("gone")
			}
			return app.Interaction{ID: id, Question: "Which?", Outcome: &app.Outcome{Reason: app.ReasonTimeout}}, nil
		},
		Subscribe: func() (hook.Events, error) {
			_, s, err := w.bus.Subscribe(func() (app.Snapshot, error) { return app.Snapshot{}, nil })
			listening <- struct{}{}
			return s, err
		},
		Log: slog.New(slog.NewTextHandler(writer{w}, nil)),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx) }()
	<-listening
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		w.bus.Close()
	})
	t.Cleanup(w.stop)
	return w
}

type writer struct{ w *world }

func (l writer) Write(b []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.log.Write(b)
}

func (w *world) logged() string { w.mu.Lock(); defer w.mu.Unlock(); return w.log.String() }

func (w *world) runs(argv ...string) { w.mu.Lock(); defer w.mu.Unlock(); w.command = argv }

// wait waits until n commands have ended.
func (w *world) wait(n int) {
	w.t.Helper()
	for range n {
		select {
		case <-w.ran:
		case <-time.After(2 * time.Minute):
			w.t.Fatalf("a command has not ended; the log: %s", w.logged())
		}
	}
}

func (w *world) publish(d app.EventData) {
	w.seq++
	w.bus.Publish(app.Event{Seq: w.seq, SessionID: "s", Data: d})
}

func (w *world) asked(id string) {
	w.publish(app.Interaction{ID: id, SessionID: "s", Question: "Which?", Draft: &app.Draft{Text: "half"}})
}

func (w *world) resolved(id string, by app.By) {
	w.publish(app.InteractionResolved{InteractionID: id, Outcome: app.Outcome{By: by}})
}

func (w *world) lines(name string) []string {
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return strings.Fields(string(data))
}

const note = `read -r line; echo "$line" >> "$DIR/input"; echo "$PARLEY_EVENT:$PARLEY_INTERACTION:$PARLEY_SESSION" >> "$DIR/events"; echo noted`

func TestRunsInTheOrderOfEvents(t *testing.T) {
	w := newWorld(t, 0)
	w.asked("unheard") // no command is set
	<-w.looked
	w.runs("/bin/sh", "-c", note)
	w.asked("a")
	w.resolved("a", app.ByWindow)
	w.asked("b")
	w.resolved("b", app.ByCLI)
	w.resolved("ruled", app.ByRule)
	w.resolved("gone", app.ByWindow)
	w.publish(app.Notice{})
	w.asked("c")
	w.wait(5)
	want := []string{"requested:a:s", "resolved:a:", "requested:b:s", "resolved:b:", "requested:c:s"}
	if d := cmp.Diff(want, w.lines("events")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	data, err := os.ReadFile(filepath.Join(w.dir, "input"))
	if err != nil {
		t.Fatal(err)
	}
	var m hook.Message
	if err := json.Unmarshal(bytes.Split(data, []byte("\n"))[1], &m); err != nil || m.Event != "resolved" || m.Interaction.Outcome.Reason != app.ReasonTimeout {
		t.Errorf("it read %+v, %v", m, err)
	}
	if bytes.Contains(data, []byte("half")) {
		t.Error("a draft was handed out")
	}
	w.stop()
	if !strings.Contains(w.logged(), "said=noted") {
		t.Errorf("its output is not in the log: %s", w.logged())
	}
}

// A command that fails, can't be started, reads nothing or never ends holds up
// nobody, and is said.
func TestBadCommands(t *testing.T) {
	big := strings.Repeat("x", 1<<20) // more than a pipe holds
	for name, c := range map[string]struct {
		argv []string
		want string
	}{
		"fails":       {[]string{"/bin/sh", "-c", "echo no >&2; exit 3"}, "code=3"},
		"missing":     {[]string{"/nowhere/program"}, "did not finish"},
		"never ends":  {[]string{"/bin/sh", "-c", "sleep 1000 & sleep 1000"}, "did not finish"},
		"reads not":   {[]string{"/bin/true"}, ""},
		"leaves some": {[]string{"/bin/sh", "-c", "sleep 1000 & echo $! > $DIR/left"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 2*time.Second)
			w.runs(c.argv...)
			w.publish(app.Interaction{ID: "a", Question: big})
			w.wait(1)
			w.runs("/bin/sh", "-c", note)
			w.asked("next")
			w.wait(1)
			w.stop()
			if c.want != "" && !strings.Contains(w.logged(), c.want) {
				t.Errorf("the log lacks %q: %s", c.want, w.logged())
			}
			if got := w.lines("events"); len(got) != 1 {
				t.Errorf("the next was told of %v", got)
			}
			for _, pid := range w.lines("left") {
				if _, err := os.Stat("/proc/" + pid); err == nil {
					t.Errorf("process %s was left", pid)
				}
			}
		})
	}
}
