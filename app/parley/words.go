package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"parley/app"
	"parley/app/api"
)

// asked is a question as the terminal shows it, with its provenance and every
// option, and how to answer it from elsewhere.
func asked(in app.Interaction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "? %s asks in %s", oneLine(in.Agent, 40), oneLine(cmp.Or(in.Cwd, "no folder"), 400))
	if in.DeadlineAt > 0 {
		fmt.Fprintf(&b, ", until %s", time.UnixMilli(in.DeadlineAt).Format(time.TimeOnly))
	}
	b.WriteString("\n" + indent(whatIsAsked(in), quote) + "\n")
	for _, o := range in.Options {
		b.WriteString(optionLine("  - ", o))
	}
	for _, f := range in.Questions {
		b.WriteString(indent(f.ID+": "+f.Question, quote) + "\n")
		for _, o := range f.Options {
			b.WriteString(optionLine("    - ", o))
		}
	}
	fmt.Fprintf(&b, "  parley answer %s %s", in.ID, howToAnswer(in))
	return b.String()
}

// quote begins each line of a question's text, so that none of them can pass for
// an option or a line of ours.
const quote = "  | "

// whatIsAsked is the question in one text.
func whatIsAsked(in app.Interaction) string {
	if a := in.Approval; a != nil {
		title, detail := cmp.Or(a.Title, a.Tool), cmp.Or(a.Diff, a.Detail)
		if title == detail {
			return title
		}
		return strings.TrimSpace(title + "\n" + detail)
	}
	text := in.Question
	if text == "" && len(in.Questions) > 0 {
		text = in.Questions[0].Question
	}
	if in.URL != "" {
		text += "\n" + in.URL
	}
	return text
}

// optionLine is an option behind a mark that begins with a space. A star stands
// there for what the agent recommends: a label can't put one so far left.
func optionLine(mark string, o app.Option) string {
	inner := strings.Repeat(" ", len(mark))
	line := o.Label
	if o.Recommended {
		mark = "★" + mark[1:]
	}
	if o.Description != "" {
		line += "\n" + o.Description
	}
	return mark + strings.TrimPrefix(indent(line, inner), inner) + "\n"
}

// howToAnswer is an example of flags for a kind of question.
func howToAnswer(in app.Interaction) string {
	switch {
	case in.Kind == app.KindApproval:
		return "--allow once | --deny"
	case len(in.Questions) > 0:
		return "--set " + oneLine(in.Questions[0].ID, 100) + "=…"
	case in.URL != "":
		return "--text done | --decline"
	case len(in.Options) > 0:
		return "--choose LABEL | --text …"
	default:
		return "--text …"
	}
}

// settled says how a question ended.
func settled(o app.Outcome) string {
	switch o.Reason {
	case app.ReasonResponse:
		said := cmp.Or(o.Response, string(o.Action), "an answer")
		return fmt.Sprintf("  answered%s: %s", by(o.By), oneLine(said, 200))
	case app.ReasonDismissed:
		return fmt.Sprintf("  closed%s without an answer", by(o.By))
	case app.ReasonTimeout:
		return "  nobody answered in time"
	default:
		return "  withdrawn: " + because(o.Cause)
	}
}

// because says why a question was withdrawn.
func because(c app.Cause) string {
	switch c {
	case app.CauseTurnEnded:
		return "the turn ended"
	case app.CauseTurnStopped:
		return "the turn was stopped"
	case app.CauseNewTurn:
		return "the next turn began"
	case app.CauseSessionClosed:
		return "the session was closed"
	case app.CauseQuit:
		return "Parley was quit"
	case app.CauseMCPCancelled, app.CauseAgentWithdrew:
		return "the agent took it back"
	case app.CauseConnectionClosed:
		return "the agent's connection ended"
	case app.CauseRestart:
		return "Parley ended unexpectedly"
	default:
		return string(c)
	}
}

// by names the door of an answer.
func by(door app.By) string {
	switch door {
	case app.ByWindow:
		return " in the window"
	case app.ByBrowser:
		return " in a browser"
	case app.ByCLI:
		return " on the command line"
	case "":
		return ""
	default:
		return " by " + string(door)
	}
}

// settledBefore says who was first.
func settledBefore(r *api.Resolved) string {
	switch {
	case r.Late != nil:
		return fmt.Sprintf("This was answered late%s at %s: %s", by(r.Late.By),
			time.UnixMilli(r.Late.AnsweredAt).Format(time.TimeOnly), oneLine(r.Late.Response, 200))
	case r.Outcome == nil:
		return plain(app.ErrorMessage(r.Err))
	default:
		return fmt.Sprintf("This was settled before, at %s:\n%s",
			time.UnixMilli(r.Outcome.ResolvedAt).Format(time.TimeOnly), plain(settled(*r.Outcome)))
	}
}

// left is the time that is left, in words.
func left(in app.Interaction) string {
	if in.DeadlineAt == 0 {
		return "no limit"
	}
	d := time.Duration(in.RemainingTimeoutMS) * time.Millisecond
	if d >= time.Hour {
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
