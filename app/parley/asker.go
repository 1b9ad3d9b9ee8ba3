package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"parley/app"
)

// asker asks in the terminal, one question at a time. The agent's words and a
// question's end may come while it waits for a line; whoever runs it passes
// lines and ends to it. Without a terminal it asks nothing.
type asker struct {
	p       *program
	typed   chan typedLine // nil without a terminal; closed at its end
	queue   []app.Interaction
	prompts []prompt  // of the first in the queue
	replies []reply   // to the prompts before the open one
	shown   time.Time // when the open prompt came up
	invited bool      // the line on the screen is the one to type in
	cut     bool      // a question ended elsewhere, perhaps in the middle of a line
}

// typedLine is a line and when it was read.
type typedLine struct {
	text string
	at   time.Time
}

// aheadLines is how many lines are read while nobody takes them.
const aheadLines = 64

func (p *program) newAsker(here bool) *asker {
	a := &asker{p: p}
	if here {
		a.typed = make(chan typedLine, aheadLines)
		go readLines(p.In, a.typed)
	}
	return a
}

// readLines passes lines on until the input ends. It is left behind, waiting
// for a line, when the program ends first.
func readLines(in io.Reader, to chan<- typedLine) {
	defer close(to)
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return // a line without its end was not sent off
		}
		to <- typedLine{strings.TrimRight(line, "\r\n"), time.Now()}
	}
}

// here reports whether questions are asked here.
func (a *asker) here() bool { return a.typed != nil }

func (a *asker) lines() <-chan typedLine { return a.typed }

// waiting reports whether a question is open here.
func (a *asker) waiting() bool { return len(a.queue) > 0 }

// add asks a question, after those before it.
func (a *asker) add(in app.Interaction) {
	if !a.here() || slices.ContainsFunc(a.queue, func(o app.Interaction) bool { return o.ID == in.ID }) {
		return
	}
	a.queue = append(a.queue, in)
	if len(a.queue) == 1 {
		a.open()
	}
}

// drop forgets a question that was settled, here or elsewhere.
func (a *asker) drop(id string) {
	for i, in := range a.queue {
		if in.ID != id {
			continue
		}
		if i == 0 && len(a.replies) < len(a.prompts) {
			a.cut = true
			a.untype()
		}
		a.queue = append(a.queue[:i:i], a.queue[i+1:]...)
		if i == 0 && len(a.queue) > 0 {
			a.open()
		}
		return
	}
}

// untype throws away what was typed and not sent off. It was for a question that
// has ended, or for none: it must not become the answer to the next one, nor a
// command of the shell that this program returns to.
func (a *asker) untype() {
	if tty, ok := a.p.In.(*os.File); ok && a.here() {
		untype(tty)
	}
}

// finish ends the asking.
func (a *asker) finish() {
	if a.cut {
		a.untype()
	}
}

// hangUp stops asking: nobody can type any more.
func (a *asker) hangUp() {
	a.leave()
	for _, in := range a.queue {
		a.p.say("%s", plain(asked(in)))
	}
	a.typed, a.queue = nil, nil
}

// open shows the first question of the queue.
func (a *asker) open() {
	in := a.queue[0]
	a.prompts, a.replies = promptsOf(in), nil
	a.leave()
	a.untype()
	a.p.say("")
	a.p.say("? %s asks in %s", plain(in.Agent), plain(in.Cwd))
	// A form has no question but those of its prompts.
	if text := whatIsAsked(in); text != a.prompts[0].text && (len(in.Questions) == 0 || text != in.Questions[0].Question) {
		a.p.say("%s", indent(plain(text), quote))
	}
	a.show()
}

// again asks the open question anew, after its answer was refused.
func (a *asker) again() {
	if a.waiting() {
		a.open()
	}
}

// show prints the open prompt.
func (a *asker) show() {
	pr := a.prompts[len(a.replies)]
	a.p.say("%s", indent(plain(pr.text), quote))
	for i, o := range pr.options {
		a.p.say("%s", strings.TrimRight(plain(optionLine(fmt.Sprintf("  %2d) ", i+1), o)), "\n"))
	}
	a.shown = time.Now() // before the invitation to type, so that who follows it is heard
	a.p.say("%s", pr.hint())
	a.invite()
}

// invite begins the line to type in, while a prompt is open.
func (a *asker) invite() {
	if a.waiting() && len(a.replies) < len(a.prompts) && !a.invited {
		fmt.Fprint(a.p.Err, "> ")
		a.invited = true
	}
}

// leave ends the line to type in before anything else is printed.
func (a *asker) leave() {
	if a.invited {
		fmt.Fprintln(a.p.Err)
		a.invited = false
	}
}

// line takes a line. It returns the answer once it is whole, else nil. A line
// that was typed before its question came up decides nothing.
func (a *asker) line(l typedLine) *app.Answer {
	a.invited = false // Enter ended it
	if !a.waiting() || len(a.replies) >= len(a.prompts) {
		return nil
	}
	if l.at.Before(a.shown) {
		a.invite()
		return nil
	}
	in, text := a.queue[0], l.text
	if strings.TrimSpace(text) == "/dismiss" {
		a.replies = make([]reply, len(a.prompts)) // nothing more is asked of it
		answer := newAnswer(in, app.StatusCancelled)
		return &answer
	}
	r, err := a.prompts[len(a.replies)].read(text)
	if err != nil {
		a.p.say("  %s", err)
		a.invite()
		return nil
	}
	a.replies = append(a.replies, r)
	if len(a.replies) < len(a.prompts) {
		a.show()
		return nil
	}
	answer := answerOf(in, a.prompts, a.replies)
	return &answer
}
