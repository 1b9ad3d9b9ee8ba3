package pi_test

import (
	"context"
	"errors"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
)

// askingExtension is one as a person writes it: a tool and a command that ask over
// Pi's own dialogs.
const askingExtension = `export default (pi) => {
	pi.registerTool({
		name: "ask_person", label: "Ask", description: "Ask the person.", parameters: { type: "object", properties: {} },
		async execute(_id, _params, _signal, _update, ctx) {
			const said = await ctx.ui.select("Which door?", ["Left", "Right"]);
			return { content: [{ type: "text", text: said === undefined ? "nothing" : "took " + said }], details: {} };
		},
	});
	pi.registerCommand("dialogs", { description: "Asks everything.", handler: async (_args, ctx) => {
		const sure = await ctx.ui.confirm("Sure?", "It cannot be undone.");
		const name = await ctx.ui.input("Your name?", "as you sign");
		const text = await ctx.ui.editor("The text?", "Dear all");
		const late = await ctx.ui.select("Quick?", ["Yes", "No"], { timeout: 50 });
		ctx.ui.notify(JSON.stringify({ sure, name, text, late: late ?? null }), "warning");
	} });
};`

// Dialogs of a person's extensions are cards. Each answer reaches its extension;
// where there is none the model hears why.
func TestDialogs(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{extension: askingExtension, mode: agents.ModeFull},
		says("which", call("d1", "ask_person", map[string]any{})), then("d1", fakemodel.Text("Right it is.")),
		says("again", call("d2", "ask_person", map[string]any{})),
		says("closed the question", fakemodel.Text("None then.")),
	)
	l.Prompt("which")
	asked := l.Host.NextAsk()
	f := asked.Fields[0]
	if asked.Kind != agents.AskNative || asked.Title != "Which door?" || f.Type != "choice" || f.FreeText || len(f.Options) != 2 || f.Options[1].Label != "Right" {
		t.Errorf("asked %+v", asked.Interaction)
	}
	asked.Answer(answer("Right"))
	l.Done()
	live.WantIn(t, "told", l.Told("d1").Text, "took Right")

	l.Prompt("again")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
	if got := agenttest.Said(l.Done()); got != "None then." {
		t.Errorf("said %q", got)
	}
	live.WantIn(t, "told", l.Told("d2").Text, "nothing")

	l.Prompt("/dialogs")
	sure := l.Host.NextAsk()
	if sure.Fields[0].Type != "boolean" || sure.Fields[0].Description != "It cannot be undone." {
		t.Errorf("asked %+v", sure.Interaction)
	}
	sure.Answer(answer("true"))
	l.Host.NextAsk().Answer(answer("Ada"))
	text := l.Host.NextAsk()
	if text.Fields[0].Default[0] != "Dear all" {
		t.Errorf("asked %+v", text.Interaction)
	}
	text.Answer(answer("Dear Ada"))
	late := l.Host.NextAsk() // its extension waits for no answer
	events := l.Done()
	notice, _ := agenttest.Find[agents.Notice](events)
	if want := `{"sure":true,"name":"Ada","text":"Dear Ada","late":null}`; notice.Text != want || notice.Level != "warning" {
		t.Errorf("the extension got %+v", notice)
	}
	<-late.Ctx.Done()
	if cause := context.Cause(late.Ctx); !errors.Is(cause, agents.ErrWithdrawn) && !errors.Is(cause, agents.ErrTurnEnded) {
		t.Errorf("withdrawn because of %v", cause)
	}
}

func answer(words string) agents.Outcome {
	return agents.Outcome{Reason: "response", Answers: map[string][]string{"answer": {words}}}
}
