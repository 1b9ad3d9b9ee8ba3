package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"parley/mcp"
)

// scripts by the first word of the prompt.
var scripts = map[string]func(*run) error{
	"approve": (*run).approve,
	"elicit":  (*run).elicit,
	"form":    (*run).form,
	"read":    (*run).readOnly,
	"say":     (*run).repeat,
	"ask":     (*run).several,
	"output":  (*run).flood,
	"plans":   (*run).planAnew,
	"long":    (*run).long,
	"slow":    (*run).slow,
	"quiet":   (*run).quiet,
	"garbage": (*run).garbage,
	"crash":   (*run).crash,
}

// play runs the script of the prompt.
func (r *run) play() error {
	if err := r.afterForm(); err != nil || r.text == "" {
		return err
	}
	word, _, _ := strings.Cut(r.text, " ")
	if script, ok := scripts[strings.ToLower(word)]; ok {
		return script(r)
	}
	if r.files > 0 {
		if err := r.say(fmt.Sprintf("I see that you attached files (%d). I'm a script and can't look into them.\n\n", r.files)); err != nil {
			return err
		}
	}
	path := filepath.Join(r.cwd, pageName)
	if page, ok := readText(path); ok && strings.Contains(page, pageMark) {
		return r.paragraph(path, page)
	}
	return r.greeting()
}

// approve asks for permission to run a harmless command, and runs it.
func (r *run) approve() error {
	argv := []string{"uname", "-a"}
	if runtime.GOOS == "windows" {
		argv = []string{"cmd", "/c", "ver"}
	}
	line := strings.Join(argv, " ")
	if r.currentMode() == modePlan {
		return r.say("In plan mode I run nothing. I would run `" + line + "`.")
	}
	if err := r.say("I'd like to know what computer this is.\n\n"); err != nil {
		return err
	}
	input := map[string]any{"command": line, "description": "Show the system's name"}
	c, err := r.begin(acp.ToolKindExecute, line, input, "")
	if err != nil {
		return err
	}
	allowed, err := r.mayRun(c, line, input)
	if err != nil {
		return err
	}
	if !allowed {
		if err := c.end(acp.ToolCallStatusFailed, output("The person did not allow it.")); err != nil {
			return err
		}
		return r.say("You did not allow `" + line + "`, so I did not run it.")
	}
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = r.cwd
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = fmt.Appendf(out, "%v\n", err)
		if err := c.end(acp.ToolCallStatusFailed, output(string(out))); err != nil {
			return err
		}
		return r.say("`" + line + "` failed.")
	}
	if err := c.end(acp.ToolCallStatusCompleted, output(string(out))); err != nil {
		return err
	}
	return r.say("You allowed `" + line + "`, and it said:\n\n    " + string(bytes.TrimSpace(out)))
}

// mayRun asks the person, except in full mode. Only a clear yes is one.
func (r *run) mayRun(c *call, line string, input any) (bool, error) {
	if r.currentMode() == modeFull {
		return true, nil
	}
	answer, err := r.agent.conn.RequestPermission(r.ctx, acp.RequestPermissionRequest{
		SessionId: acp.SessionId(r.id),
		ToolCall:  acp.ToolCallUpdate{ToolCallId: c.id, Title: &line, Kind: acp.Ptr(acp.ToolKindExecute), RawInput: input},
		Options: []acp.PermissionOption{
			{OptionId: "yes", Name: "Run it", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: "no", Name: "Don't run it", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	if err != nil {
		return false, err
	}
	return answer.Outcome.Selected != nil && answer.Outcome.Selected.OptionId == "yes", nil
}

// elicit asks with a form over ACP instead of the managed server.
func (r *run) elicit() error {
	if !r.agent.elicit.Load() {
		return r.say("This client can't show a form, so I ask nothing.")
	}
	if err := r.say("A form tells me more than one question.\n\n"); err != nil {
		return err
	}
	answer, err := r.agent.conn.UnstableCreateElicitation(r.ctx, acp.UnstableCreateElicitationRequest{Form: &acp.UnstableCreateElicitationForm{
		Message: "How shall the page look?",
		RequestedSchema: acp.UnstableElicitationSchema{
			Type:     acp.UnstableElicitationSchemaTypeObject,
			Required: []string{"title"},
			Properties: map[string]any{
				"title":  map[string]any{"type": "string", "title": "Title of the page", "minLength": 1},
				"colour": map[string]any{"type": "string", "title": "Colour", "enum": []string{"red", "green", "blue"}},
				"footer": map[string]any{"type": "boolean", "title": "With a footer", "default": false},
			},
		},
	}})
	switch {
	case err != nil:
		return err
	case answer.Accept != nil:
		return r.say(fmt.Sprintf("You filled in the form: title %v, colour %v, footer %v.",
			answer.Accept.Content["title"], answer.Accept.Content["colour"], answer.Accept.Content["footer"]))
	case answer.Decline != nil:
		return r.say("You declined the form, so I leave everything as it is.")
	default:
		return r.say("The form was closed without an answer, so I leave everything as it is.")
	}
}

func (r *run) readOnly() error {
	if err := r.lookAround(); err != nil {
		return err
	}
	return r.say("I have read it.")
}

func (r *run) repeat() error {
	_, text, _ := strings.Cut(r.text, " ")
	return r.say(text)
}

// count is the number behind the script's name, from 1 to most.
func (r *run) count(otherwise, most int) int {
	var n int
	_, rest, _ := strings.Cut(r.text, " ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		return otherwise
	}
	return min(max(n, 1), most)
}

// several asks one question after the other.
func (r *run) several() error {
	n, answered := r.count(3, 1000), 0
	for i := range n {
		var got struct {
			Reason string `json:"reason"`
		}
		asked, refusal, err := r.mcp(mcp.ToolClarify, map[string]any{"question": fmt.Sprintf("Question %d of %d: go on?", i+1, n)}, &got)
		if err != nil {
			return err
		}
		if !asked {
			return r.say(strings.TrimSpace("I can't ask you here. " + refusal))
		}
		if got.Reason == "response" {
			answered++
		}
	}
	return r.say(fmt.Sprintf("You answered %d of %d questions.", answered, n))
}

// flood has a tool put out as many MiB as the prompt says, in numbered lines.
func (r *run) flood() error {
	size := r.count(1, 60) << 20
	c, err := r.begin(acp.ToolKindExecute, "Print many lines", map[string]any{"bytes": size}, "")
	if err != nil {
		return err
	}
	var text strings.Builder
	text.Grow(size)
	for i := 1; text.Len() < size; i++ {
		fmt.Fprintf(&text, "line %d of a long output\n", i)
	}
	if err := c.end(acp.ToolCallStatusCompleted, output(text.String()[:size])); err != nil {
		return err
	}
	return r.say("That was all of it.")
}

// planAnew makes as many plans as the prompt says, of twenty steps and of three
// by turns. Each step holds the words behind the number, and which plan it is of.
func (r *run) planAnew() error {
	words := strings.Fields(r.text)
	text := strings.Join(words[min(2, len(words)):], " ")
	n := r.count(50, 1000)
	for i := 1; i <= n; i++ {
		size := 3
		if i%2 == 1 {
			size = 20
		}
		plan := make([]map[string]any, size)
		for j := range plan {
			plan[j] = map[string]any{"id": fmt.Sprint(j + 1), "step": fmt.Sprintf("%s plan %d step %d", text, i, j+1), "status": "pending"}
		}
		plan[0]["status"] = "in_progress"
		if taken, refusal, err := r.mcp(mcp.ToolUpdatePlan, map[string]any{"plan": plan}, nil); err != nil || !taken {
			return errors.Join(err, r.say("I can't plan here. "+refusal))
		}
		if err := wait(r.ctx, time.Second/50); err != nil {
			return err
		}
	}
	return r.say(fmt.Sprintf("These were %d plans.", n))
}

func (r *run) long() error {
	for i := range 200 {
		if err := r.say(fmt.Sprintf("Paragraph %d. It is one of many, so that a long answer can be scrolled, searched and copied while it grows.\n\n", i+1)); err != nil {
			return err
		}
	}
	return r.tellUsage()
}

// idle is how long the scripts last that wait to be stopped.
const idle = 10 * time.Minute

func (r *run) slow() error {
	for i := range int(idle / time.Second) {
		if err := r.say(fmt.Sprintf("%d… ", i+1)); err != nil {
			return err
		}
		if err := wait(r.ctx, time.Second); err != nil {
			return err
		}
	}
	return r.say("Nobody stopped me.")
}

func (r *run) quiet() error {
	if err := wait(r.ctx, idle); err != nil {
		return err
	}
	return r.say("That was ten minutes of silence.")
}

// garbage prints what a careless program prints on its standard output.
func (r *run) garbage() error {
	if err := r.say("Before the noise. "); err != nil {
		return err
	}
	for _, line := range []string{
		"npm warn deprecated something@1.0.0",
		"\x1b[?2004h\x1b[31mred\x1b[0m",
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + r.id + `","update":{"sessionUpdate":"hologram"}}}`,
		`{"type":null}`,
		`[1,2,3]`,
		`{"cut off`,
		"\xff\xfe\x00",
	} {
		if _, err := r.agent.out.Write([]byte(line + "\n")); err != nil {
			return err
		}
	}
	return r.say("After the noise.")
}

func (r *run) crash() error {
	if err := r.say("I am in the middle of a sen"); err != nil {
		return err
	}
	r.agent.die("demo: crashed, because the prompt asked for it")
	<-r.ctx.Done()
	return errors.New("crashed")
}
