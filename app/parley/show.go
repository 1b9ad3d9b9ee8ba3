package main

import (
	"fmt"
	"strings"

	"parley/app"
)

// envelopes prints each event as one line of JSON.
func (p *program) envelopes(e app.Event) error { return p.line(e) }

// pretty prints a turn for reading: the agent's words on standard output,
// everything else on standard error.
type pretty struct {
	p   *program
	ask *asker // shows questions itself where it asks them
	// told is how many bytes of each message were printed; the completed message
	// tells the rest, whatever deltas were lost.
	told map[string]int
	open string // id of the message that was printed last
	line bool   // the last line of standard output is not ended
	over bool   // the newest form has ended
}

func (p *program) pretty(ask *asker) *pretty {
	return &pretty{p: p, ask: ask, told: map[string]int{}}
}

// show prints an event. What comes while a question is open here gets lines of its
// own, and the line to type in comes again below them.
func (o *pretty) show(e app.Event) error {
	err := o.print(e)
	switch e.Data.(type) {
	case *app.Delta, *app.Interaction, *app.InteractionResolved: // more follows
	default:
		o.ask.invite()
	}
	return err
}

func (o *pretty) print(e app.Event) error {
	switch d := e.Data.(type) {
	case *app.Delta:
		if e.Type == app.EventMessageDelta && d.ParentToolID == "" {
			return o.text(d.MessageID, d.Offset, d.Text)
		}
	case *app.MessageText:
		if e.Type == app.EventMessageCompleted && d.ParentToolID == "" {
			return o.whole(d.MessageID, d.Text)
		}
	case *app.ToolStarted:
		return o.tool(d)
	case *app.ToolCompleted:
		if d.Status == app.ToolFailed {
			return o.aside("  failed: %s", oneLine(d.Output, 200))
		}
	case *app.FileChanged:
		return o.aside("  %s %s (+%d −%d)", d.Change, oneLine(d.Path, 200), max(d.Added, 0), max(d.Removed, 0))
	case *app.Plan:
		if n, step, ok := d.Current(); ok {
			return o.aside("  step %d of %d: %s", n, len(d.Steps), oneLine(step.Step, 200))
		}
	case *app.Interaction:
		o.over = o.over && d.Kind != app.KindForm
		if o.ask.here() {
			return o.endLine("")
		}
		return o.aside("%s", asked(*d))
	case *app.InteractionResolved:
		o.over = o.over || d.Kind == app.KindForm
		return o.aside("%s", settled(d.Outcome))
	case *app.Notice:
		return o.aside("! %s", strings.TrimSpace(d.Text+" "+d.Advice))
	case *app.TurnEnded:
		return o.ended(d)
	}
	return nil
}

// text prints what is new of a piece that stands at a byte of its message.
func (o *pretty) text(id string, offset int, text string) error {
	told := o.told[id]
	if offset > told || offset+len(text) <= told {
		return nil // a piece before it was lost, or it is old
	}
	if err := o.endLine(id); err != nil {
		return err
	}
	o.ask.leave()
	o.told[id] = offset + len(text)
	o.open, o.line = id, !strings.HasSuffix(text, "\n")
	_, err := fmt.Fprint(o.p.Out, plain(text[told-offset:]))
	return err
}

func (o *pretty) whole(id, text string) error {
	if err := o.text(id, 0, text); err != nil {
		return err
	}
	return o.endLine("")
}

// endLine ends the line of an open message before anything but its own text.
func (o *pretty) endLine(but string) error {
	if o.open == but || !o.line {
		return nil
	}
	o.open, o.line = "", false
	_, err := fmt.Fprintln(o.p.Out)
	return err
}

// tool tells of a tool call. Plans and questions have a telling of their own.
func (o *pretty) tool(d *app.ToolStarted) error {
	switch {
	case d.Kind == app.ToolPlan || d.Kind == app.ToolAsk:
		return nil
	case d.Title == d.Name:
		return o.aside("· %s", oneLine(d.Name, 100))
	}
	return o.aside("· %s %s", d.Name, oneLine(d.Title, 100))
}

func (o *pretty) aside(format string, args ...any) error {
	if err := o.endLine(""); err != nil {
		return err
	}
	o.ask.leave()
	o.p.say("%s", plain(fmt.Sprintf(format, args...)))
	return nil
}

func (o *pretty) ended(d *app.TurnEnded) error {
	switch d.Status {
	case app.TurnCompleted:
		return o.endLine("")
	case app.TurnDeferred:
		if o.over || o.ask.waiting() { // it was quicker, or is asked here
			return nil
		}
		return o.aside("A form waits for its answer; the agent goes on with it.")
	case app.TurnInterrupted:
		return o.aside("Stopped.")
	}
	if d.Problem == nil {
		return o.aside("The turn failed: %s", d.StopReason)
	}
	text := strings.TrimSpace(d.Problem.Title + " " + d.Problem.Advice)
	if d.Problem.Command != "" {
		text += "\n  " + d.Problem.Command
	}
	if d.Problem.Evidence != "" {
		text += "\n" + indent(d.Problem.Evidence, "  | ")
	}
	return o.aside("%s", text)
}
