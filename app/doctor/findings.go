package doctor

import (
	"fmt"
	"strings"
	"time"

	"parley/agents"
	"parley/app"
)

// words are the sentences of a finding. In them {name} is the agent, {time} and
// {limit} are durations.
type words struct{ text, advice string }

// findings are all that the doctor says by itself; problems of an
// install speak for themselves.
var findings = map[string]words{
	"before_failed":  {"Not tried, since it needs what failed before.", ""},
	"no_local_model": {"{name} can't be pointed at a model on this computer, so this can't be tried without an account.", ""},
	"needs_login":    {"{name} comes up, and wants a login before it opens a conversation. A trial has none.", ""},
	"no_start":       {"{name} was not ready within {time}.", "Start it once in a terminal and see what it says."},
	"no_word":        {"{name} took a message and said nothing for {time}.", "Start it once in a terminal and see what it says."},
	"no_end":         {"{name} spoke and then ended its turn not within {time}.", updateIt},
	"agent_failed":   {"{name} failed.", "Start it once in a terminal and see what it says."},
	"no_answer":      {"{name} ended without a word of its model.", "Start it once in a terminal and see what it says."},

	"tools_missing": {"{name} doesn't show Parley's tools to its model, so it can't ask you.", "If a setting of its own hides MCP tools, switch that off. Otherwise " + lower(updateIt)},
	"tools_off":     {"{name} can show Parley's tools to its model, but you have switched them off, so it can't ask you.", "Switch them on:"},

	"approval_skipped": {"{name} ran a command without asking, although it was told to ask.", "See what its own settings allow, or let it work in the mode plan."},
	"approval_silent":  {"{name} waited for a permission that it never asked for, for {time}.", updateIt},
	"approval_refused": {"{name} did not ask for the permission to run a command, and did not run it.", "Its own settings may forbid that."},
	"approval_lost":    {"{name} did not go on after it was given a permission.", updateIt},

	"question_none":  {"{name}'s model asked a question, and no card came up.", updateIt},
	"question_lost":  {"A card came up, but its answer did not reach {name}'s model.", updateIt},
	"question_first": {"Not tried, since no question came up.", ""},

	"cancel_stuck":   {"{name} ignores a stop: its turn did not end within {time}.", updateIt},
	"cancel_ignored": {"{name} ignores a stop, so Parley has to end its process. The next message starts it anew.", updateIt},
	"cancel_deaf":    {"{name} takes no message after a stop.", "Close the session after a stop and open it again. " + updateIt},

	"resume_never":  {"{name} has no way to take a conversation up again.", ""},
	"resume_failed": {"{name} did not take its conversation up again after its process had ended.", updateIt},
	"resume_forgot": {"{name} starts again, but no longer knows what was said.", updateIt},

	"waits_early":      {"{name} ends a tool call after {time}, although it was told to wait {limit}. Its questions close before you see them.", updateIt},
	"waits_own":        {"{name} ends every tool call after {time}, whatever it is told. Questions that wait longer are lost.", "Answer within that time. " + updateIt},
	"waits_unmeasured": {"{name} let a question wait for {time} and would have gone on. Whether it does so for an hour was not tried.", ""},
	"waits_override":   {"Questions of {name} wait {time} at most, because of your override in mcp-overrides.jsonc. Its cards show that limit.", ""},

	"left_processes": {"{name} left processes behind.", "End them, and start Parley anew: it ends what it can prove to be its own."},
	"left_files":     {"{name} left files of Parley's behind.", "Start Parley anew: it removes them."},
}

const updateIt = "Bring it up to date."

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// find makes a finding. The first time is the one that its sentence names, the
// second its limit.
func (t *trial) find(code string, times ...time.Duration) *app.Finding {
	w, ok := findings[code]
	if !ok {
		panic("doctor: no finding " + code) // a mistake of ours
	}
	f := &app.Finding{Code: code, Advice: w.advice}
	for i, d := range times {
		*[]*int64{&f.MS, &f.LimitMS}[i] = d.Milliseconds()
	}
	f.Text = strings.NewReplacer("{name}", t.name, "{time}", amount(f.MS), "{limit}", amount(f.LimitMS)).Replace(w.text)
	switch {
	case code == "tools_off":
		f.Command = "parley mcp enable parley-interaction --agent " + t.patient.family()
	case strings.HasSuffix(strings.ToLower(w.advice), lower(updateIt)):
		f.Command = t.patient.adapter.Info().InstallCmd
	}
	return f
}

// amount is a duration for a sentence.
func amount(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
}

// problem is a finding of an install, in its family's words.
func problem(p agents.Problem) *app.Finding {
	return &app.Finding{Code: p.Code, Text: p.Title, Advice: p.Advice, Command: p.Command, Detail: p.Evidence}
}

// gaveUp is a finding of an agent that failed, in its family's words unless its
// advice is to send the message again: a trial has no session to go on with.
func (t *trial) gaveUp(p app.Problem) *app.Finding {
	switch p.Code {
	case "not_started", "exited", "failed", "rate_limited", "overloaded", "network":
		f := t.find("agent_failed")
		f.Detail = strings.TrimSpace(p.Title + "\n" + p.Evidence)
		return f
	case "not_logged_in":
		return t.find("needs_login")
	}
	return &app.Finding{Code: p.Code, Text: p.Title, Advice: p.Advice, Command: p.Command, Detail: p.Evidence}
}
