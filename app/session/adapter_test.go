package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/agents"
	"parley/mcp"
	"parley/mcp/bridge"
)

// adapter speaks to the scripted agent. It keeps what it was asked to do, so
// that a test can look.
type adapter struct {
	family  agents.Family
	program string

	mu       sync.Mutex
	specs    []agents.SessionSpec
	creds    []bridge.Credential
	turns    []agents.Turn
	problem  *agents.Problem // of the next plans
	listed   func(bridge.Credential)
	renames  bool // it takes a new id whenever it is started
	forks    bool // it can fork
	once     bool // a process answers one message
	lateID   bool // it tells the id of a fork with the end of the first turn
	openHook func()
	// interrupted hears of each interrupt, nil when nobody listens.
	interrupted chan struct{}
	// heed holds each interrupt up until it is closed, nil when none is.
	heed chan struct{}
	// stopWithin is how long a stop may take.
	stopWithin time.Duration
	// sent runs when a prompt has been written and before it is said to be.
	sent func(agents.Turn)
	// approval makes the request of an id, nil for one to run rm.
	approval func(id string) *agents.Approval
}

func (ad *adapter) Info() agents.Info {
	return agents.Info{
		Family: ad.family, Name: "Scripted", Mark: "Sc", StopWithin: ad.stopWithin,
		Caps: agents.Caps{Resume: true, Fork: ad.forks, Steer: true, Interrupt: true, Modes: []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull}},
	}
}

func (ad *adapter) Inspect(context.Context, agents.Run, string, []string) agents.Install {
	return agents.Install{Family: ad.family, Path: ad.program, Version: "1.0"}
}

func (ad *adapter) Plan(in agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	ad.mu.Lock()
	defer ad.mu.Unlock()
	if spec.Mode == agents.ModeFull && spec.Root {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{Code: "refused_mode", Title: "Not as root."}}
	}
	if ad.problem != nil {
		return agents.Launch{}, &agents.PlanError{Problem: *ad.problem}
	}
	native := spec.NativeID
	if native == "" || ad.renames || spec.Fork {
		native = "native-" + filepath.Base(spec.RunDir)
	}
	return agents.Launch{
		Argv: []string{in.Path, "--secret=hush"}, Dir: spec.Cwd, Connect: agents.ConnectStdio, Masked: []string{"hush"},
		Env:   append(spec.Env, "PARLEY_TEST_NATIVE_ID="+native),
		Files: []agents.File{{Path: filepath.Join(spec.RunDir, "sub", "config.json"), Data: []byte("{}")}},
		Once:  ad.once,
	}, nil
}

func (ad *adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	return agents.Problem{Code: "exited", Title: "The scripted agent has ended.", Advice: "Send again.", Evidence: strings.TrimSpace(tail)}
}

func (ad *adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	var cred bridge.Credential
	for _, s := range spec.Catalog {
		if s.Name == mcp.InteractionServer {
			data, err := os.ReadFile(s.Env[mcp.EnvRunCredential])
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(data, &cred); err != nil {
				return nil, err
			}
		}
	}
	ad.mu.Lock()
	ad.specs = append(ad.specs, spec)
	ad.creds = append(ad.creds, cred)
	hook, listed := ad.openHook, ad.listed
	ad.mu.Unlock()
	if hook != nil {
		hook()
	}
	c := &conversation{ad: ad, host: host, in: json.NewEncoder(conn.In), close: conn.In.Close, opened: make(chan struct{}), late: ad.lateID && spec.Fork}
	c.asks, c.endAsks = context.WithCancelCause(context.Background())
	go c.read(bufio.NewReader(conn.Out))
	select {
	case <-c.opened:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if listed != nil {
		listed(cred)
	}
	return c, nil
}

func (ad *adapter) lastTurn() agents.Turn {
	ad.mu.Lock()
	defer ad.mu.Unlock()
	return ad.turns[len(ad.turns)-1]
}

func (ad *adapter) lastSpec() agents.SessionSpec {
	ad.mu.Lock()
	defer ad.mu.Unlock()
	return ad.specs[len(ad.specs)-1]
}

func (ad *adapter) lastCredential() bridge.Credential {
	ad.mu.Lock()
	defer ad.mu.Unlock()
	return ad.creds[len(ad.creds)-1]
}

func (ad *adapter) launches() int {
	ad.mu.Lock()
	defer ad.mu.Unlock()
	return len(ad.specs)
}

// toAgent is a line to the agent, fromAgent one of it.
type toAgent struct {
	Op      string
	Text    string
	Context string
	ID      string
	Outcome json.RawMessage
}

type fromAgent struct {
	Kind   string
	ID     string
	Text   string
	Parent string
	Done   bool
	Stop   string
	Own    bool // with ended: of a turn that it began by itself
}

// conversation is the live side of it.
type conversation struct {
	ad     *adapter
	host   agents.Host
	close  func() error
	opened chan struct{}
	late   bool   // see adapter.lateID
	native string // the reader's: the id that is told late

	asks    context.Context
	endAsks context.CancelCauseFunc

	mu      sync.Mutex
	in      *json.Encoder
	running bool
}

func (c *conversation) write(m toAgent) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Op == "prompt" {
		c.running = true
	}
	return c.in.Encode(m)
}

func (c *conversation) read(r *bufio.Reader) {
	defer c.endAsks(agents.ErrClosed)
	var once sync.Once
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			c.mu.Lock()
			running := c.running
			c.mu.Unlock()
			if running {
				c.host.Emit(agents.Ended{Stop: agents.StopFailed, Problem: &agents.Problem{Code: "exited", Title: "The output ended."}})
			}
			return
		}
		var m fromAgent
		if err := json.Unmarshal(line, &m); err != nil {
			c.host.Emit(agents.Unknown{Raw: string(line)})
			continue
		}
		switch m.Kind {
		case "started":
			if c.late {
				c.native = m.ID
			} else {
				c.host.Emit(agents.Started{NativeID: m.ID, Version: "1.0"})
			}
			once.Do(func() { close(c.opened) })
		case "text":
			c.host.Emit(agents.Text{MessageID: m.ID, Text: m.Text, Done: m.Done, Parent: m.Parent})
		case "tool":
			c.host.Emit(agents.ToolStarted{ID: m.ID, Name: "Write", Kind: "write", Title: "a.txt", Input: json.RawMessage(`{"a":1}`), Parent: m.Parent})
		case "toolout":
			c.host.Emit(agents.ToolProgress{ID: m.ID, Output: m.Text})
		case "toolend":
			c.host.Emit(agents.ToolEnded{ID: m.ID, Status: "ok", Output: m.Text})
		case "approve", "native", "elicit":
			go c.ask(m)
		case "began":
			c.mu.Lock()
			c.running = true
			c.mu.Unlock()
			c.host.Emit(agents.TurnBegan{Reason: m.Text})
		case "ended":
			c.mu.Lock()
			c.running = false
			c.mu.Unlock()
			if c.late {
				c.host.Emit(agents.Started{NativeID: c.native, Version: "1.0"})
			}
			ev := agents.Ended{Stop: agents.Stop(m.Stop), Unrequested: m.Own}
			if m.Text != "" {
				ev.Problem = &agents.Problem{Code: m.Text, Title: "Its own problem."}
			}
			c.host.Emit(ev)
		}
	}
}

func (c *conversation) ask(m fromAgent) {
	in := agents.Interaction{Kind: agents.AskApproval, ToolID: m.ID, Parent: m.Parent, Title: "May I?"}
	switch m.Kind {
	case "approve":
		in.Approval = &agents.Approval{Tool: "Bash", Title: "Run a command", Command: "rm -rf /somewhere", Scopes: []string{"allow_once"}}
		if c.ad.approval != nil {
			in.Approval = c.ad.approval(m.ID)
		}
	case "elicit":
		in.Kind, in.Server = agents.AskElicitation, "shop"
		in.Fields = []agents.Field{{ID: "q", Question: "Size", Type: "integer"}}
	case "native":
		in.Kind = agents.AskNative
		in.Fields = []agents.Field{{ID: "q", Question: "Which?", Type: "choice", Options: []agents.Option{{Label: "A"}, {Label: "B"}}, FreeText: true}}
	}
	out := c.host.Ask(c.asks, in)
	data, _ := json.Marshal(out)
	c.write(toAgent{Op: "answer", ID: m.ID, Outcome: data}) // an agent that is gone gets none
}

func (c *conversation) Prompt(_ context.Context, t agents.Turn) error {
	c.ad.mu.Lock()
	c.ad.turns = append(c.ad.turns, t)
	sent := c.ad.sent
	c.ad.mu.Unlock()
	err := c.write(toAgent{Op: "prompt", Text: t.Text, Context: t.Context})
	if sent != nil {
		sent(t)
	}
	return err
}

func (c *conversation) Steer(_ context.Context, t agents.Turn) error {
	return c.write(toAgent{Op: "steer", Text: t.Text})
}

func (c *conversation) Interrupt(context.Context) error {
	if c.ad.heed != nil {
		<-c.ad.heed
	}
	err := c.write(toAgent{Op: "interrupt"})
	if c.ad.interrupted != nil {
		c.ad.interrupted <- struct{}{}
	}
	return err
}

func (c *conversation) SetMode(context.Context, agents.Mode) error { return agents.ErrUnsupported }

func (c *conversation) Close(context.Context) error { return c.close() }
