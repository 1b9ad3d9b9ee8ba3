package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/mcp"
)

// chat is one session of a family's agent, and what is said in it.
type chat struct {
	*claudeHome
	f      family
	served bool          // a back end of its own outlives each command
	id     app.SessionID // "" before anything was said
}

// says begins the session, or goes on with it, by a command of its own.
func (k *chat) says(cell, words string) *running {
	k.t.Helper()
	if k.id != "" {
		return k.start("sessions", "resume", string(k.id), words, "--json")
	}
	r := k.f.begin(k.claudeHome, cell, words)
	k.id = r.event(app.EventSessionCreated).SessionID
	return r
}

// serve starts the back end that outlives the commands.
func (k *chat) serve() {
	k.t.Helper()
	if !k.served {
		k.f.serves(k.claudeHome)
		k.served = true
	}
}

// rests ends the session's agent. Without a back end of its own it ended with
// its last command.
func (k *chat) rests() {
	k.t.Helper()
	if !k.served {
		return
	}
	if _, err := k.client().Close(k.t.Context(), k.id); err != nil {
		k.t.Fatal(err)
	}
	k.nothingLeft()
}

// part is a cell that needs no more than a session. Alone it has a new one; in
// the usual run the parts of a family follow each other in one, since the start
// of a CLI is what costs.
type part struct {
	name   string
	script func(f family) []fakemodel.Step
	act    func(k *chat)
}

func alone(p part) func(t *testing.T, f family) {
	return func(t *testing.T, f family) {
		p.act(&chat{claudeHome: newAgent(t, f, p.script(f)...), f: f})
	}
}

// parts are in the order in which they follow each other: the session is stopped
// last.
var parts = []part{partResumed, partRoundTrip, partNativeQuestion, partApproval, partPlan, partDismissed, partInterrupted, partStopped}

// chats are the parts that a family can have in one session: what needs a
// command line of its own has a session of its own.
func (f family) chats() []part {
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return f.impossible[p.name] != "" || f.more[p.name] != nil })
}

// cellChat is one session with all of them.
func cellChat(t *testing.T, f family) {
	var script []fakemodel.Step
	in := f.chats()
	for _, p := range in {
		script = append(script, p.script(f)...)
	}
	k := &chat{claudeHome: newAgent(t, f, script...), f: f, served: true}
	server := k.start("serve") // with the person's keys: what came with a command is gone when its agent is
	server.says(server.out, "/link/")
	for _, p := range in {
		t.Log(p.name)
		p.act(k)
	}
}

var partRoundTrip = part{
	"round trip",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that."))}
	},
	func(k *chat) {
		r := k.says("round trip", "build it")
		asked := r.asks(app.KindClarify)
		if asked.Question != "Which database?" || asked.Agent != k.f.name || asked.TimeoutMS != 300_000 {
			k.t.Errorf("asked %+v", asked)
		}
		k.run(exitDone, "answer", asked.ID, "--choose", "SQLite", "--text", "in one file")
		if got := k.reads("q1"); got.Reason != "response" || got.Response != "SQLite\nin one file" || got.ClarifyID != asked.ID {
			k.t.Errorf("the model read %+v", got)
		}
		r.done()
		if text := r.out.String() + r.err.String(); strings.Contains(text, "pctx_") {
			k.t.Error("the context id was told")
		}
	},
}

var partDismissed = part{
	"dismissed",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{f.onAsking("store it", "d1", "Which database?", "Postgres", "SQLite"), onResult("d1", fakemodel.Text("I leave it."))}
	},
	func(k *chat) {
		r := k.says("dismissed", "store it")
		k.run(exitDone, "answer", r.asks(app.KindClarify).ID, "--dismiss")
		r.done()
		k.gotNothing("d1", "dismissed")
	},
}

// partInterrupted: a stop while a question waits. It is cancelled, and the same
// process takes the next message.
var partInterrupted = part{
	"interrupt",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{f.onAsking("ask one", "s1", "Which database?", "Postgres", "SQLite"), onSaying("go on", fakemodel.Text("I go on.")),
			onResult("s1", fakemodel.Text("Withdrawn."))} // the CLI may hear of the end of its call in the moment of the stop
	},
	func(k *chat) {
		k.serve()
		r := k.says("interrupt", "ask one")
		asked := r.asks(app.KindClarify)
		if err := k.client().Stop(k.t.Context(), asked.SessionID); err != nil {
			k.t.Fatal(err)
		}
		k.stopped(r, asked)
		next := k.says("interrupt", "go on")
		next.done()
		if anew := strings.Contains(next.out.String(), string(app.EventAgentStarted)); anew != k.f.once {
			k.t.Errorf("the agent was started anew after a stop: %v", anew)
		}
	},
}

// partStopped: the session is closed while a question waits. Nothing of its tree
// is left.
var partStopped = part{
	"stop",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{f.onAsking("ask another", "s2", "Which database?", "Postgres", "SQLite"), onResult("s2", fakemodel.Text("Withdrawn."))}
	},
	func(k *chat) {
		k.serve()
		r := k.says("stop", "ask another")
		asked := r.asks(app.KindClarify)
		if tree := k.tree(); count(tree)["parley-mcp"] != 1 || count(tree)[k.f.program] == 0 {
			k.t.Fatalf("the tree is %v", tree)
		}
		k.rests()
		r.code()
		kept, err := k.client().Interaction(k.t.Context(), asked.ID)
		if err != nil || kept.Outcome == nil || kept.Outcome.Reason != app.ReasonCancelled {
			k.t.Errorf("recorded %+v, %v", kept.Outcome, err)
		}
	},
}

// partResumed: a session is taken up by another process of the CLI, which can
// ask again.
var partResumed = part{
	"resume",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{onSaying("remember a plum", fakemodel.Text("I do.")), f.onAsking("what was it", "r1", "Which plum?", "Red", "Blue"),
			onResult("r1", fakemodel.Text("That one."))}
	},
	func(k *chat) {
		k.says("resume", "remember a plum").done()
		k.rests()
		if k.served { // and is closed
			if _, err := k.client().Resume(k.t.Context(), k.id); err != nil {
				k.t.Fatal(err)
			}
		}
		second := k.says("resume", "what was it")
		k.run(exitDone, "answer", second.asks(app.KindClarify).ID, "--choose", "Blue")
		second.done()
		if got := k.reads("r1"); got.Response != "Blue" {
			k.t.Errorf("the model read %+v", got)
		}
		if r := k.asked("what was it"); !strings.Contains(r.Everything(), "remember a plum") {
			k.t.Error("the model no longer knows what was said")
		}
	},
}

var partNativeQuestion = part{
	"native question",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{onSaying("which colour", f.native("n1", "Which colour?", "Red", "Blue")), onResult("n1", fakemodel.Text("Blue it is.")),
			onSaying("which door", f.native("n2", "Which door?", "Left", "Right")), onResult("n2", fakemodel.Text("None then."))}
	},
	func(k *chat) {
		k.serve()
		r := k.says("native question", "which colour")
		k.run(exitDone, "answer", r.asks(app.KindNative).ID, "--choose", "Blue")
		r.done()
		if told := k.told("n1").Text; !strings.Contains(told, "Blue") || strings.Contains(told, "Red") {
			k.t.Errorf("told %q", told)
		}
		r = k.says("native question", "which door")
		k.run(exitDone, "answer", r.asks(app.KindNative).ID, "--dismiss")
		r.done()
		told := k.told("n2").Text
		namesNone(k.t, told, "Left", "Right")
		requests := k.model.Requests() // where the tool's result has no room for it, a message says why
		if last := requests[len(requests)-1]; !strings.Contains(told+last.Everything(), "without answering") {
			k.t.Errorf("told %q", told)
		}
	},
}

var partApproval = part{
	"approval",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{onSaying("make it", f.command("p1", cmp.Or(f.make, "touch made"))), onResult("p1", fakemodel.Text("Made.")),
			onSaying("remove it", f.command("p2", "rm made")), onResult("p2", fakemodel.Text("Left."))}
	},
	func(k *chat) {
		k.serve()
		r := k.says("approval", "make it")
		asked := r.asks(app.KindApproval)
		if asked.Approval == nil || !k.f.blind && asked.Approval.Command != cmp.Or(k.f.make, "touch made") {
			k.t.Fatalf("asked %+v", asked.Approval)
		}
		k.run(exitDone, "answer", asked.ID, "--allow", "once")
		r.done()
		made := filepath.Join(k.work, "made")
		if _, err := os.Stat(made); err != nil {
			k.t.Errorf("the command did not run: %v, told %q", err, k.told("p1").Text)
		}
		r = k.says("approval", "remove it")
		k.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--deny", "--reason", "it is precious")
		r.done()
		if _, err := os.Stat(made); err != nil {
			k.t.Error("a refused command ran")
		}
		requests := k.model.Requests()
		last := requests[len(requests)-1]
		if told, _ := last.ToolResult("p2"); !k.f.blind && !strings.Contains(told.Text+last.Everything(), "it is precious") {
			k.t.Errorf("the model does not know why: %q", told.Text)
		}
	},
}

var partPlan = part{
	"plan",
	func(f family) []fakemodel.Step {
		return []fakemodel.Step{{When: fakemodel.UserSays("plan it"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			return f.use("l1", mcp.InteractionServer, mcp.ToolUpdatePlan, map[string]any{"context_id": contextOf(r), "plan": []any{
				map[string]any{"id": "a", "step": "Look", "status": "completed"}, map[string]any{"id": "b", "step": "Do", "status": "in_progress"}}})
		}}, onResult("l1", fakemodel.Text("Planned."))}
	},
	func(k *chat) {
		r := k.says("plan", "plan it")
		told := *r.event(app.EventPlanUpdated).Data.(*app.Plan)
		r.done()
		if len(told.Steps) != 2 || told.Steps[1].Step != "Do" || told.Steps[1].Status != app.StepInProgress {
			k.t.Errorf("plan %+v, the model read %q", told, k.told("l1").Text)
		}
	},
}
