package agenttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/agents"
)

// Case is a family in the suite: its adapter, a real or scripted program of it,
// and prompts that make it do what the suite looks at. A prompt that is "" says
// that this family cannot do it; why is said in the family's own test.
type Case struct {
	Adapter agents.Adapter
	// Install is the program, as Inspect would report it.
	Install agents.Install
	// Spec returns what a session starts with. It is called for each process.
	Spec func(t *testing.T) agents.SessionSpec
	// Context is a context block that goes along with every prompt, "" for none.
	Context string

	Say, Said string // a prompt that is answered in words, and the words
	Tool      string // a prompt that makes the agent use a tool
	Ask       string // a prompt that makes it ask for permission
	Allowed   string // part of what it says when it got the permission
	Denied    string // part of what it says when it did not
	Endless   string // a prompt that it works on until it is interrupted
	Garbage   string // a prompt in whose turn it prints lines that are no protocol
	Crash     string // a prompt in whose turn its process ends
}

// Conform runs the suite.
func Conform(t *testing.T, c Case) {
	leaks := goleak.IgnoreCurrent()
	t.Run("one conversation", c.talks)
	t.Run("is resumed", c.resumed)
	t.Run("is forked", func(t *testing.T) {
		Long(t)
		c.forked(t)
	})
	t.Run("survives garbage", c.garbage)
	t.Run("ends in the middle", c.crashes)
	t.Run("refuses what is over", c.over)
	goleak.VerifyNone(t, leaks)
}

// talk is one conversation of the suite.
type talk struct {
	c     Case
	t     *testing.T
	host  *Host
	child *Child
	agent agents.Agent
	turns int
}

// start plans, starts and opens, as the owner of a session does.
func (c Case) start(t *testing.T, native string) *talk {
	t.Helper()
	spec := c.Spec(t)
	spec.NativeID = native
	return c.open(t, spec)
}

// open is start for what a session starts with.
func (c Case) open(t *testing.T, spec agents.SessionSpec) *talk {
	t.Helper()
	launch, err := c.Adapter.Plan(c.Install, spec)
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{c: c, t: t, host: NewHost(t), child: StartChild(t, launch)}
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	defer cancel()
	k.agent, err = c.Adapter.Open(ctx, k.child.Conn, spec, k.host)
	if err != nil {
		t.Fatalf("open: %v; on stderr:\n%s", err, k.child.Tail())
	}
	t.Cleanup(func() {
		if err := k.agent.Close(context.Background()); err != nil && !errors.Is(err, agents.ErrClosed) {
			t.Errorf("Close: %v", err)
		}
		k.child.Wait()
		CheckEvents(t, k.host.Events())
	})
	return k
}

// begin sends a prompt and returns how many events came before.
func (k *talk) begin(text string) int {
	k.t.Helper()
	n := len(k.host.Events())
	k.turns++
	turn := agents.Turn{ID: fmt.Sprintf("turn-%d", k.turns), Text: text, Context: k.c.Context}
	if err := k.agent.Prompt(k.t.Context(), turn); err != nil {
		k.t.Fatal(err)
	}
	return n
}

// turn sends a prompt and returns the events of its turn.
func (k *talk) turn(text string) []agents.Event {
	k.t.Helper()
	return k.host.EndOfTurn(k.begin(text))
}

func (k *talk) ended(events []agents.Event, want agents.Stop) agents.Ended {
	k.t.Helper()
	ended := events[len(events)-1].(agents.Ended)
	if ended.Stop != want {
		k.t.Errorf("the turn ended as %q (%+v), want %q:\n%s", ended.Stop, ended.Problem, want, Describe(events))
	}
	return ended
}

// talks is all that one process does in a row, as it does for a person. What
// follows a turn that failed would prove nothing.
func (c Case) talks(t *testing.T) {
	k := c.start(t, "")
	for _, turn := range []struct {
		name string
		run  func(k *talk, t *testing.T)
	}{
		{"says and ends", c.says},
		{"uses a tool", c.usesTool},
		{"asks", c.asks},
		{"is interrupted and goes on", c.interrupted},
		{"is interrupted while it asks", c.interruptedAsking},
	} {
		if !k.sub(t, turn.name, func(t *testing.T) { turn.run(k, t) }) {
			return
		}
	}
}

// sub runs a part of t in which the conversation is the part's.
func (k *talk) sub(t *testing.T, name string, run func(t *testing.T)) bool {
	defer func(t *testing.T) { k.t, k.host.t = t, t }(k.t)
	return t.Run(name, func(t *testing.T) {
		k.t, k.host.t = t, t
		run(t)
	})
}

func (c Case) says(k *talk, t *testing.T) {
	for range 2 { // a conversation has more than one turn
		events := k.turn(c.Say)
		k.ended(events, agents.StopDone)
		if said := Said(events); !strings.Contains(said, c.Said) {
			t.Errorf("said %q, want %q in it", said, c.Said)
		}
	}
	if started, ok := Find[agents.Started](k.host.Events()); !ok || started.NativeID == "" {
		t.Errorf("started %+v", started)
	}
}

func (c Case) usesTool(k *talk, t *testing.T) {
	if c.Tool == "" {
		t.Skip("this family shows no tools")
	}
	events := k.turn(c.Tool)
	k.ended(events, agents.StopDone)
	tool, ok := Find[agents.ToolStarted](events)
	if !ok || tool.ID == "" || tool.Name == "" || tool.Kind == "" {
		t.Errorf("tool %+v", tool)
	}
	if ended, _ := Find[agents.ToolEnded](events); ended.Status != "ok" {
		t.Errorf("tool ended %+v", ended)
	}
}

func (c Case) asks(k *talk, t *testing.T) {
	if c.Ask == "" {
		t.Skip("this family asks for no permission")
	}
	for _, tt := range []struct {
		name    string
		outcome agents.Outcome
		says    string
	}{
		{"allowed", agents.Outcome{Reason: "response", Action: "allow_once"}, c.Allowed},
		{"denied", agents.Outcome{Reason: "response", Action: "deny"}, c.Denied},
		{"dismissed", agents.Outcome{Reason: "dismissed"}, c.Denied},
		{"timed out", agents.Outcome{Reason: "timeout"}, c.Denied},
	} {
		k.sub(t, tt.name, func(t *testing.T) {
			n := k.begin(c.Ask)
			asked := k.host.NextAsk()
			if asked.Kind != agents.AskApproval || asked.Approval == nil || asked.Approval.Tool == "" || len(asked.Approval.Scopes) == 0 {
				t.Errorf("asked %+v with %+v", asked.Interaction, asked.Approval)
			}
			if started := All[agents.ToolStarted](asked.Before[n:]); asked.ToolID != "" && len(started) == 0 {
				t.Errorf("asked about the tool %s before it was told of", asked.ToolID)
			}
			asked.Answer(tt.outcome)
			events := k.host.EndOfTurn(n)
			if said := Said(events); !strings.Contains(said, tt.says) {
				t.Errorf("said %q, want %q in it", said, tt.says)
			}
		})
	}
}

func (c Case) interrupted(k *talk, t *testing.T) {
	if c.Endless == "" {
		t.Skip("this family has no endless prompt")
	}
	n := k.begin(c.Endless)
	k.host.Until("sign of work", func(all []agents.Event) bool { return len(all) > n })
	if err := k.agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.ended(k.host.EndOfTurn(n), agents.StopStopped)
	events := k.turn(c.Say)
	k.ended(events, agents.StopDone)
	if said := Said(events); !strings.Contains(said, c.Said) {
		t.Errorf("after the interrupt it said %q, want %q in it", said, c.Said)
	}
}

func (c Case) interruptedAsking(k *talk, t *testing.T) {
	if c.Ask == "" {
		t.Skip("this family asks for no permission")
	}
	n := k.begin(c.Ask)
	asked := k.host.NextAsk()
	if err := k.agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.ended(k.host.EndOfTurn(n), agents.StopStopped)
	if cause := context.Cause(asked.Ctx); !errors.Is(cause, agents.ErrTurnStopped) {
		t.Errorf("the question was withdrawn because of %v", cause)
	}
	k.ended(k.turn(c.Say), agents.StopDone)
}

func (c Case) resumed(t *testing.T) {
	if !c.Adapter.Info().Caps.Resume {
		t.Skip("this family cannot resume")
	}
	var native string
	t.Run("before", func(t *testing.T) {
		k := c.start(t, "")
		k.ended(k.turn(c.Say), agents.StopDone)
		native = k.native()
	})
	k := c.start(t, native)
	events := k.turn(c.Say)
	k.ended(events, agents.StopDone)
	if said := Said(k.host.Events()); strings.Count(said, c.Said) != 1 {
		t.Errorf("after the resume it said %q, want %q in it once", said, c.Said)
	}
}

// forked has a conversation copied while its own process goes on, and takes the
// copy up again.
func (c Case) forked(t *testing.T) {
	if !c.Adapter.Info().Caps.Fork {
		t.Skip("this family cannot fork")
	}
	k := c.start(t, "")
	k.ended(k.turn(c.Say), agents.StopDone)
	origin := k.native()
	spec := c.Spec(t)
	spec.NativeID, spec.Fork = origin, true
	var fork string
	k.sub(t, "the copy", func(t *testing.T) {
		copied := c.open(t, spec)
		k.ended(k.turn(c.Say), agents.StopDone)
		copied.ended(copied.turn(c.Say), agents.StopDone)
		fork = copied.native()
		if now := k.native(); fork == origin || now != origin {
			t.Errorf("the copy is %s, the other one was %s and is %s", fork, origin, now)
		}
	})
	t.Run("the copy, taken up", func(t *testing.T) {
		again := c.start(t, fork)
		again.ended(again.turn(c.Say), agents.StopDone)
		if now := again.native(); now != fork {
			t.Errorf("it is %s, not %s", now, fork)
		}
	})
}

// native is the CLI's own id of the conversation.
func (k *talk) native() string {
	k.t.Helper()
	started := All[agents.Started](k.host.Events())
	if len(started) == 0 || started[len(started)-1].NativeID == "" {
		k.t.Fatalf("the conversation has no id: %+v", started)
	}
	return started[len(started)-1].NativeID
}

func (c Case) garbage(t *testing.T) {
	if c.Garbage == "" {
		t.Skip("this program prints no garbage")
	}
	k := c.start(t, "")
	events := k.turn(c.Garbage)
	k.ended(events, agents.StopDone)
	if len(All[agents.Unknown](events)) == 0 {
		t.Errorf("nothing is unknown:\n%s", Describe(events))
	}
	k.ended(k.turn(c.Say), agents.StopDone)
}

func (c Case) crashes(t *testing.T) {
	end := func(t *testing.T, prompt string, then func(k *talk, n int)) *talk {
		k := c.start(t, "")
		n := k.begin(prompt)
		then(k, n)
		k.ended(k.host.EndOfTurn(n), agents.StopFailed) // CheckEvents wants the reason
		return k
	}
	if c.Crash != "" {
		t.Run("by itself", func(t *testing.T) {
			k := end(t, c.Crash, func(*talk, int) {})
			if p := c.Adapter.Diagnose(k.child.Wait(), k.child.Tail()); p.Code == "" || p.Title == "" || p.Advice == "" {
				t.Errorf("diagnosed as %+v", p)
			}
		})
	}
	if c.Endless != "" {
		t.Run("killed", func(t *testing.T) {
			end(t, c.Endless, func(k *talk, n int) {
				k.host.Until("sign of work", func(all []agents.Event) bool { return len(all) > n })
				k.child.Kill()
			})
		})
	}
}

// over prompts an agent whose process has ended. The end of its output may trail
// that, so the first prompts may still be taken; each then has an end.
func (c Case) over(t *testing.T) {
	k := c.start(t, "")
	k.child.Kill()
	k.child.Wait()
	var err error
	for range 100 {
		n := len(k.host.Events())
		if err = k.agent.Prompt(t.Context(), agents.Turn{ID: "over", Text: c.Say}); err != nil {
			break
		}
		k.ended(k.host.EndOfTurn(n), agents.StopFailed)
	}
	if !errors.Is(err, agents.ErrClosed) {
		t.Errorf("a prompt to an agent that has ended: %v", err)
	}
}
