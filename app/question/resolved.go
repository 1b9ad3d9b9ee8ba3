package question

import (
	"fmt"

	"parley/app"
)

// Resolved is the error of a call that comes after an interaction was settled:
// app.CodeAlreadyResolved, with what was accepted.
type Resolved struct {
	Outcome app.Outcome
	Late    *app.Late // the late answer, or nil
	err     *app.Error
}

// Error implements error.
func (r *Resolved) Error() string { return r.err.Error() }

// Unwrap returns the *app.Error with the sentence for a person.
func (r *Resolved) Unwrap() error { return r.err }

// resolved says what became of a settled interaction.
func resolved(in app.Interaction) error {
	r := &Resolved{Outcome: *in.Outcome, Late: in.Late, err: &app.Error{Code: app.CodeAlreadyResolved}}
	switch {
	case in.Late != nil:
		r.err.Message = "This was answered already; the answer went to the agent as a message."
	case in.Outcome.Reason == app.ReasonResponse:
		r.err.Message = "This was answered already" + door(in.Outcome.By) + "."
	case in.Outcome.Reason == app.ReasonDismissed:
		r.err.Message = "This was closed without an answer" + door(in.Outcome.By) + "."
	case in.Kind.AnswersLate():
		r.err.Message = "The agent has moved on, so this can't be answered any more."
	default:
		r.err.Message = "This request is over. The agent did not get the permission or the input it asked for."
	}
	return r
}

func door(by app.By) string {
	switch by {
	case app.ByWindow:
		return " in the window"
	case app.ByBrowser:
		return " in the browser"
	case app.ByCLI:
		return " on the command line"
	case app.ByHook:
		return " by a hook"
	case app.ByRule:
		return " by a permission given before"
	case app.ByNative:
		return " in the agent's own interface"
	}
	return ""
}

// invalid refuses an argument of an answer.
func invalid(field, limit, got, format string, args ...any) error {
	const most = 80
	if r := []rune(got); len(r) > most {
		got = string(r[:most]) + "…"
	}
	return &app.Error{Code: app.CodeInvalidArgument, Message: fmt.Sprintf(format, args...), Field: field, Limit: limit, Got: got}
}
