package demo

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	acp "github.com/coder/acp-go-sdk"

	"parley/mcp"
)

// The page that the main script writes. The mark tells it from a file of the
// person's, which is never touched.
const (
	pageName = "hello.html"
	pageMark = `<meta name="generator" content="Parley demo agent">`
)

// question is what the main script asks.
const question = "Which greeting should the page use?"

// choices are its proposals.
var choices = []map[string]any{
	{"label": "Hello, world!", "description": "Short, and everybody knows it.", "recommended": true},
	{"label": "Good day", "description": "A little more formal, for visitors you don't know."},
	{"label": "Welcome back", "description": "For people who have been here before."},
}

// steps of the plan.
var steps = []string{"Look at what is in the folder", "Ask which greeting to use", "Write " + pageName, "Check the page"}

// greeting is the main script: look, ask, write, check.
func (r *run) greeting() error {
	path := filepath.Join(r.cwd, pageName)
	if _, err := os.Lstat(path); err == nil {
		return r.say("There is a " + pageName + " here that I did not write, so I leave it alone. Give me another folder, or move the file away, and I'll start anew.")
	}
	answer, late := r.lateAnswer()
	if err := r.think("The person wants to see how this works: " + shorten(r.text, 60) + ". A small page is enough for that. What it says is theirs to decide, so I'll ask instead of guessing."); err != nil {
		return err
	}
	if err := r.plan(0); err != nil {
		return err
	}
	if err := r.say("I'll make a small page. First I look at what is here.\n\n"); err != nil {
		return err
	}
	if err := r.lookAround(); err != nil {
		return err
	}
	if err := r.plan(1); err != nil {
		return err
	}
	if late {
		if err := r.say("Your answer came after I had moved on, and I use it now.\n\n"); err != nil {
			return err
		}
	} else {
		var err error
		if answer, err = r.askForGreeting(); err != nil || answer == "" {
			return err
		}
	}
	r.memory.Unanswered = false
	return r.writePage(path, answer)
}

// askForGreeting returns the answer. Without one it says what is left undone and
// returns "".
func (r *run) askForGreeting() (string, error) {
	if err := r.say("How the page greets people is your decision.\n\n"); err != nil {
		return "", err
	}
	var got struct {
		Reason   string   `json:"reason"`
		Selected []string `json:"selected"`
		Text     string   `json:"text"`
	}
	// Saved before the question is put: who is killed while it waits must know the
	// late answer for one.
	r.memory.Unanswered = true
	r.remember()
	asked, refusal, err := r.mcp(mcp.ToolClarify, map[string]any{"question": question, "header": "Greeting", "options": choices}, &got)
	if err != nil {
		return "", err
	}
	r.memory.Unanswered = asked && got.Reason != "response"
	switch {
	case refusal != "":
		return "", r.say("I could not ask you: " + refusal + " So I did not write " + pageName + ".")
	case !asked:
		return "", r.say("I can't ask you here, and I don't choose for you. So I did not write " + pageName + ".")
	}
	switch got.Reason {
	case "response":
		if answer := cmp.Or(strings.TrimSpace(got.Text), strings.Join(got.Selected, ", ")); answer != "" {
			return answer, nil
		}
		return "", r.say("Your answer was empty, so I did not write " + pageName + ".")
	case "dismissed":
		return "", r.say("You closed the question, so I did not write " + pageName + " and changed nothing. Send me another message and I'll ask again.")
	case "timeout":
		return "", r.say("Nobody answered in time, so I did not write " + pageName + " and changed nothing. You can still answer: I'll take it as your next message.")
	default:
		return "", r.say("The question was cancelled, so I did not write " + pageName + " and changed nothing.")
	}
}

// lateAnswer finds the answer in a prompt that quotes the question: after a
// question that nobody answered, an answer may still come as a message.
func (r *run) lateAnswer() (string, bool) {
	_, rest, quoted := strings.Cut(r.text, question)
	if !r.memory.Unanswered || !quoted {
		return "", false
	}
	var answer string
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(strings.Trim(line, "”\"\n ")); line != "" {
			answer = line // typed text comes after what was chosen
		}
	}
	return answer, answer != ""
}

// plan tells where the work stands; step current is in progress, those before it
// are done. It is no reason to stop when the plan cannot be told.
func (r *run) plan(current int) error {
	plan := make([]map[string]any, len(steps))
	for i, step := range steps {
		status := "pending"
		switch {
		case i < current:
			status = "completed"
		case i == current:
			status = "in_progress"
		}
		plan[i] = map[string]any{"id": fmt.Sprint(i + 1), "step": step, "status": status}
	}
	_, _, err := r.mcp(mcp.ToolUpdatePlan, map[string]any{"plan": plan}, nil)
	return err
}

// lookAround reads the first readable text of the folder, or lists the folder
// when there is none.
func (r *run) lookAround() error {
	entries, err := os.ReadDir(r.cwd)
	if err != nil {
		return r.say("I can't read the folder: " + plain(err) + "\n\n")
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
			continue
		}
		if text, ok := readText(filepath.Join(r.cwd, e.Name())); ok {
			return r.showFile(filepath.Join(r.cwd, e.Name()), text)
		}
	}
	c, err := r.begin(acp.ToolKindRead, "List the folder", map[string]any{"path": r.cwd}, r.cwd)
	if err != nil {
		return err
	}
	listing := strings.Join(names, "\n")
	if len(names) == 0 {
		listing = "The folder is empty."
	}
	return c.end(acp.ToolCallStatusCompleted, output(listing))
}

// showFile shows that a file was read.
func (r *run) showFile(path, text string) error {
	c, err := r.begin(acp.ToolKindRead, "Read "+filepath.Base(path), map[string]any{"path": path}, path)
	if err != nil {
		return err
	}
	if err := r.agent.pace.pause(r.ctx, 300*time.Millisecond); err != nil {
		return err
	}
	return c.end(acp.ToolCallStatusCompleted, output(text))
}

// readLimit is the size of a file that the agent reads, in bytes.
const readLimit = 32 << 10

func readText(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > readLimit {
		return "", false
	}
	data, err := os.ReadFile(path)
	if err != nil || !utf8.Valid(data) || slices.Contains(data, 0) {
		return "", false
	}
	return string(data), true
}

// writePage writes the page and checks it.
func (r *run) writePage(path, greeting string) error {
	if r.currentMode() == modePlan {
		return r.say("In plan mode I change nothing. I would write " + pageName + " with “" + greeting + "”.")
	}
	if err := r.plan(2); err != nil {
		return err
	}
	line := html.EscapeString(strings.Join(strings.Fields(greeting), " "))
	page := "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + pageMark +
		"\n<title>" + line + "</title>\n</head>\n<body>\n<h1>" + line + "</h1>\n</body>\n</html>\n"
	if done, err := r.writeFile(path, nil, page); err != nil || !done {
		return err
	}
	if err := r.plan(3); err != nil {
		return err
	}
	written, ok := readText(path)
	if !ok || written != page {
		return r.say("What is in " + pageName + " now is not what I wrote. Please have a look.")
	}
	if err := r.showFile(path, written); err != nil {
		return err
	}
	if err := r.plan(len(steps)); err != nil {
		return err
	}
	if err := r.say("Done: `" + pageName + "` greets people with “" + greeting + "”. Send me another message and I'll add it to the page."); err != nil {
		return err
	}
	return r.tellUsage()
}

// writeFile writes a file and shows the edit. It reports false when that failed,
// after saying so.
func (r *run) writeFile(path string, before *string, after string) (bool, error) {
	c, err := r.begin(acp.ToolKindEdit, "Write "+filepath.Base(path), map[string]any{"path": path, "content": after}, path)
	if err != nil {
		return false, err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if before == nil {
		flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL // somebody else's file is not overwritten
	}
	if err := write(path, flags, after); err != nil {
		if err := c.end(acp.ToolCallStatusFailed, output(plain(err))); err != nil {
			return false, err
		}
		return false, r.say("I could not write " + filepath.Base(path) + ": " + plain(err))
	}
	diff := acp.ToolDiffContent(path, after)
	diff.Diff.OldText = before
	return true, c.end(acp.ToolCallStatusCompleted, diff)
}

func write(path string, flags int, text string) error {
	f, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// plain is a file error without its path, as a sentence.
func plain(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return err.Error() + "."
}

// paragraph is the follow-up: what the person says goes into the page.
func (r *run) paragraph(path, page string) error {
	if err := r.think("The page is there. The person said something new, so I add it."); err != nil {
		return err
	}
	if err := r.showFile(path, page); err != nil {
		return err
	}
	if r.currentMode() == modePlan {
		return r.say("In plan mode I change nothing. I would add your message to " + pageName + ".")
	}
	added := "<p>" + html.EscapeString(strings.Join(strings.Fields(r.text), " ")) + "</p>\n"
	after := strings.Replace(page, "</body>", added+"</body>", 1)
	if done, err := r.writeFile(path, &page, after); err != nil || !done {
		return err
	}
	if err := r.say("I added your message to `" + pageName + "` as a paragraph."); err != nil {
		return err
	}
	return r.tellUsage()
}

// contextWindow is what the agent says it could take in, in words.
const contextWindow = 8000

// tellUsage tells what was used: a word stands for a token, and it costs
// nothing.
func (r *run) tellUsage() error {
	used := r.words + len(strings.Fields(r.text))
	for _, t := range r.memory.Turns {
		used += len(strings.Fields(t.Prompt)) + len(strings.Fields(t.Said))
	}
	return r.send(r.ctx, acp.SessionUpdate{UsageUpdate: &acp.SessionUsageUpdate{
		Used: used, Size: contextWindow, Cost: &acp.Cost{Amount: 0, Currency: "USD"},
	}})
}

func shorten(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
