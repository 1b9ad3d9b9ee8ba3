package api

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/app"
	"parley/app/mask"
)

// decisions writes a decision log: every question with its answer, who gave it,
// when, and why.
type decisions struct {
	w      io.Writer
	json   bool
	now    time.Time
	begun  bool
	number int
}

// decisionLog begins a log of a format, "md" or "json", of what was true at now.
func decisionLog(w io.Writer, format string, now time.Time) *decisions {
	return &decisions{w: mask.Writer(w), json: format == "json", now: now}
}

// add writes a few, in the order in which they come.
func (d *decisions) add(list []app.Interaction) error {
	if err := d.begin(); err != nil {
		return err
	}
	for _, in := range list {
		in.Draft = nil // what was not sent is no decision
		var err error
		if d.json {
			err = d.addJSON(in)
		} else {
			_, err = io.WriteString(d.w, decision(in))
		}
		if err != nil {
			return err
		}
		d.number++
	}
	return nil
}

func (d *decisions) begin() error {
	if d.begun {
		return nil
	}
	d.begun = true
	head := fmt.Sprintf("# Decisions\n\nAs of %s, newest first.\n", d.now.Format(time.DateTime))
	if d.json {
		head = fmt.Sprintf("{\"version\": 1, \"at\": %d, \"decisions\": [", d.now.UnixMilli())
	}
	_, err := io.WriteString(d.w, head)
	return err
}

func (d *decisions) addJSON(in app.Interaction) error {
	text, err := json.Marshal(noNilLists(in))
	if err != nil {
		return err
	}
	comma := ",\n"
	if d.number == 0 {
		comma = "\n"
	}
	_, err = io.WriteString(d.w, comma+string(text))
	return err
}

// end completes the log.
func (d *decisions) end() error {
	tail := fmt.Sprintf("\n%d in all.\n", d.number)
	if d.json {
		tail = "\n]}\n"
	}
	_, err := io.WriteString(d.w, tail)
	return err
}

// decision is one question with what became of it.
func decision(in app.Interaction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s · %s\n\n", moment(in.RequestedAt), clean(cut(headline(in), 80)))
	fmt.Fprintf(&b, "%s (%s) in %s", clean(in.Agent), in.Kind, code(in.Cwd))
	if in.Branch != "" {
		fmt.Fprintf(&b, " on %s", code(in.Branch))
	}
	if in.SessionTitle != "" {
		fmt.Fprintf(&b, ", session “%s”", clean(in.SessionTitle))
	}
	if in.PlanStep != "" {
		fmt.Fprintf(&b, ", step %s", clean(in.PlanStep))
	}
	b.WriteString("\n\n")
	writeAsked(&b, in)
	writeEnd(&b, in)
	return b.String()
}

// headline is what is asked, in one text.
func headline(in app.Interaction) string {
	switch {
	case in.Approval != nil && in.Approval.Command != "":
		return in.Approval.Command
	case in.Approval != nil:
		return in.Approval.Title
	case in.Question != "":
		return in.Question
	case len(in.Questions) > 0:
		return in.Questions[0].Question
	}
	return in.URL
}

func writeAsked(b *strings.Builder, in app.Interaction) {
	if a := in.Approval; a != nil {
		b.WriteString(quote(strings.TrimSpace(a.Title + "\n" + a.Detail)))
		for _, r := range a.Reasons {
			fmt.Fprintf(b, "- risk: %s (%s)\n", strings.ReplaceAll(string(r.Risk), "_", " "), code(r.Words))
		}
	} else {
		b.WriteString(quote(in.Question))
	}
	if in.URL != "" {
		fmt.Fprintf(b, "Link: %s\n", code(in.URL))
	}
	out := in.Outcome
	var selected []string
	if out != nil {
		selected = out.Selected
	}
	if in.Late != nil {
		selected = in.Late.Selected
	}
	writeOptions(b, in.Options, selected)
	for _, f := range in.Questions {
		if f.Question != in.Question {
			b.WriteString(quote(f.Question))
		}
		writeOptions(b, f.Options, answersTo(in, f.ID))
	}
}

// answersTo are the answers to one field.
func answersTo(in app.Interaction, id string) []string {
	switch {
	case in.Late != nil:
		return in.Late.Answers[id]
	case in.Outcome != nil:
		return in.Outcome.Answers[id]
	}
	return nil
}

func writeOptions(b *strings.Builder, options []app.Option, chosen []string) {
	for _, o := range options {
		mark := " "
		if slices.Contains(chosen, o.Label) || o.Value != "" && slices.Contains(chosen, o.Value) {
			mark = "x"
		}
		fmt.Fprintf(b, "- [%s] %s", mark, clean(o.Label))
		if o.Recommended {
			b.WriteString(" (recommended)")
		}
		if o.Description != "" {
			b.WriteString(": " + clean(o.Description))
		}
		b.WriteString("\n")
	}
}

func writeEnd(b *strings.Builder, in app.Interaction) {
	out := in.Outcome
	if out == nil {
		b.WriteString("\nStill waits for an answer.\n")
		return
	}
	words := map[app.Reason]string{
		app.ReasonResponse: "Answered", app.ReasonDismissed: "Closed without an answer",
		app.ReasonTimeout: "Not answered in time", app.ReasonCancelled: "Cancelled before it was answered",
	}[out.Reason]
	if out.Action != "" {
		words = "Decided: " + strings.ReplaceAll(string(out.Action), "_", " ")
	}
	fmt.Fprintf(b, "\n**%s**%s, %s", words, doorWords(out.By), moment(out.ResolvedAt))
	if out.Reason == app.ReasonCancelled {
		fmt.Fprintf(b, " (%s)", strings.ReplaceAll(string(out.Cause), "_", " "))
	}
	b.WriteString("\n\n" + quote(out.Response))
	if out.Note != "" {
		b.WriteString("Reason given:\n\n" + quote(out.Note))
	}
	if l := in.Late; l != nil {
		fmt.Fprintf(b, "**Answered late**%s, %s, sent as a message\n\n%s", doorWords(l.By), moment(l.AnsweredAt), quote(l.Response))
	}
}

func doorWords(by app.By) string {
	switch by {
	case "":
		return ""
	case app.ByRule:
		return " by a permission given before"
	case app.ByCLI:
		return " on the command line"
	case app.ByNative:
		return " in the agent's own interface"
	}
	return " in the " + string(by)
}

func moment(ms int64) string { return time.UnixMilli(ms).Format(time.DateTime) }

// quote sets an agent's or a person's text apart, line by line, so that it can't
// pass for a part of the log.
func quote(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("> " + clean(line) + "\n")
	}
	return b.String() + "\n"
}

// code is a text as code, on one line.
func code(text string) string {
	return "`" + strings.ReplaceAll(printable(text), "`", "'") + "`"
}

// clean is a text on one line that Markdown takes for text.
func clean(text string) string {
	return strings.NewReplacer("<", "&lt;", "[", `\[`, "]", `\]`, "`", "\\`", "*", `\*`, "_", `\_`, "#", `\#`).Replace(printable(text))
}

// printable leaves out what can't be seen and could deceive.
func printable(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)
	}), " ")
}

func cut(text string, n int) string {
	if r := []rune(strings.TrimSpace(text)); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return strings.TrimSpace(text)
}
