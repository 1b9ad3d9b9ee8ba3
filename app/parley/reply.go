package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/app"
)

// newAnswer is an answer that names its question and says nothing yet.
func newAnswer(in app.Interaction, status app.AnswerStatus) app.Answer {
	a := app.Answer{InteractionID: in.ID, SessionID: in.SessionID, ToolUseID: in.ToolUseID, Status: status}
	if in.Kind == app.KindForm {
		a.Type = app.FormType
	}
	return a
}

// answerOf puts the replies to an interaction's prompts together.
func answerOf(in app.Interaction, prompts []prompt, replies []reply) app.Answer {
	a := newAnswer(in, app.StatusAnswered)
	if in.Kind == app.KindElicitation {
		a.Action = app.ActionAccept
	}
	for i, r := range replies {
		switch {
		case prompts[i].id != "":
			setField(&a, prompts[i].id, r)
		case in.Kind == app.KindApproval || in.Kind == app.KindElicitation:
			a.Action = app.Action(value(r.chosen[0]))
		default:
			a.Selected, a.Text = labels(in.Options, r.chosen), r.text
		}
	}
	return a
}

// setField answers one field: what was chosen by its value, what was typed
// apart from it.
func setField(a *app.Answer, id string, r reply) {
	for _, o := range r.chosen {
		if a.Answers == nil {
			a.Answers = map[string][]string{}
		}
		a.Answers[id] = append(a.Answers[id], value(o))
	}
	if r.text != "" {
		if a.Typed == nil {
			a.Typed = map[string]string{}
		}
		a.Typed[id] = r.text
	}
}

// labels lists what was chosen in the order of the options.
func labels(options, chosen []app.Option) []string {
	var list []string
	for _, o := range options {
		if slices.ContainsFunc(chosen, func(c app.Option) bool { return c.Label == o.Label }) {
			list = append(list, o.Label)
		}
	}
	return list
}

// value is what an option stands for.
func value(o app.Option) string { return cmp.Or(o.Value, o.Label) }

// said is what the flags of `parley answer` say.
type said struct {
	choose  texts
	set     texts // FIELD=VALUE
	text    string
	allow   string
	deny    bool
	decline bool
	dismiss bool
	reason  string
}

// answer makes the answer to an interaction, or says what is wrong with the
// flags for this kind of question.
func (s said) answer(in app.Interaction) (app.Answer, error) {
	prompts := promptsOf(in)
	switch {
	case s.dismiss:
		a := newAnswer(in, app.StatusCancelled)
		a.Message = s.text
		return a, s.only("dismiss", "text")
	case in.Kind == app.KindApproval:
		return s.decision(in)
	case s.allow != "" || s.deny:
		return app.Answer{}, usagef("This is no permission request, so --allow and --deny mean nothing here.")
	case s.decline:
		if in.Kind != app.KindElicitation {
			return app.Answer{}, usagef("Only an MCP server's request can be declined. --dismiss closes this question.")
		}
		a := newAnswer(in, app.StatusAnswered)
		a.Action = app.ActionDecline
		return a, s.only("decline")
	case prompts[0].id != "":
		return s.fields(in, prompts)
	case len(s.set) > 0:
		return app.Answer{}, usagef("This question has no fields: use --choose or --text.")
	}
	r, err := s.reply(prompts[0])
	return answerOf(in, prompts, []reply{r}), err
}

// reply is what --choose and --text say to a single prompt.
func (s said) reply(p prompt) (reply, error) {
	r := reply{text: s.text}
	for _, label := range s.choose {
		o, err := choose(p.options, label)
		if err != nil {
			return r, err
		}
		r.chosen = append(r.chosen, o)
	}
	switch {
	case len(r.chosen) == 0 && strings.TrimSpace(r.text) == "":
		return r, usagef("Say something: --choose LABEL or --text TEXT; or close it with --dismiss.")
	case len(r.chosen) > 1 && !p.multi:
		return r, usagef("Only one option can be chosen here.")
	case r.text != "" && !p.freeText:
		return r, usagef("This can't be answered with a text of your own: use --choose.")
	}
	return r, nil
}

// fields is what --set says; a lone field may be answered without its name.
func (s said) fields(in app.Interaction, prompts []prompt) (app.Answer, error) {
	if len(prompts) == 1 && len(s.set) == 0 {
		r, err := s.reply(prompts[0])
		return answerOf(in, prompts, []reply{r}), err
	}
	if len(s.choose) > 0 || s.text != "" {
		return app.Answer{}, usagef("This has several fields: use --set FIELD=VALUE with %s.", fieldNames(prompts))
	}
	if len(s.set) == 0 {
		return app.Answer{}, usagef("Say something: --set FIELD=VALUE with %s; or close it with --dismiss.", fieldNames(prompts))
	}
	replies := make([]reply, len(prompts))
	for _, set := range s.set {
		name, text, ok := strings.Cut(set, "=")
		i := slices.IndexFunc(prompts, func(p prompt) bool { return p.id == name })
		if !ok || i < 0 {
			return app.Answer{}, usagef("--set %q names no field of this form; there are %s.", set, fieldNames(prompts))
		}
		if err := replies[i].add(prompts[i], text); err != nil {
			return app.Answer{}, err
		}
	}
	return answerOf(in, prompts, replies), nil
}

// add puts one more value into the reply to a field.
func (r *reply) add(p prompt, text string) error {
	o, err := choose(p.options, text)
	switch {
	case err == nil:
		r.chosen = append(r.chosen, o)
		if len(r.chosen) > 1 && !p.multi {
			return usagef("Only one option can be chosen for %s.", p.id)
		}
	case !p.freeText:
		return err
	default:
		r.text = text
	}
	return nil
}

func fieldNames(prompts []prompt) string {
	names := make([]string, len(prompts))
	for i, p := range prompts {
		names[i] = p.id
	}
	return strings.Join(names, ", ")
}

// choose finds an option by its label, else by its value: people read labels, and
// the label of one option may be the value of another. Without regard to case when
// that leaves one.
func choose(options []app.Option, name string) (app.Option, error) {
	for _, part := range []func(app.Option) string{func(o app.Option) string { return o.Label }, value} {
		if i := slices.IndexFunc(options, func(o app.Option) bool { return part(o) == name }); i >= 0 {
			return options[i], nil
		}
	}
	var like []app.Option
	for _, o := range options {
		if strings.EqualFold(o.Label, name) {
			like = append(like, o)
		}
	}
	if len(like) == 1 {
		return like[0], nil
	}
	var known []string
	for _, o := range options {
		known = append(known, fmt.Sprintf("%q", oneLine(o.Label, 80)))
	}
	if len(known) == 0 {
		return app.Option{}, usagef("This question has no options: use --text.")
	}
	return app.Option{}, usagef("There is no option %q; there are %s.", name, strings.Join(known, ", "))
}

// decision answers a permission request.
func (s said) decision(in app.Interaction) (app.Answer, error) {
	a := newAnswer(in, app.StatusAnswered)
	switch {
	case s.deny && s.allow != "":
		return a, usagef("--allow and --deny can't both be meant.")
	case s.deny:
		a.Action, a.Reason = app.ActionDeny, s.reason
		return a, s.only("deny", "reason")
	case s.allow == "":
		return a, usagef("This is a permission request: answer it with --allow once|session|always or --deny.")
	}
	a.Action = app.Action("allow_" + strings.ToLower(s.allow))
	var can []string
	for _, scope := range in.Approval.Scopes {
		can = append(can, strings.TrimPrefix(string(scope), "allow_"))
	}
	if !slices.Contains(in.Approval.Scopes, a.Action) {
		return a, usagef("This agent can't allow it %q; it can %s.", s.allow, strings.Join(can, ", "))
	}
	return a, s.only("allow")
}

// only refuses flags that would be lost beside those that were taken.
func (s said) only(taken ...string) error {
	for name, given := range map[string]bool{
		"choose": len(s.choose) > 0, "set": len(s.set) > 0, "text": s.text != "", "allow": s.allow != "",
		"deny": s.deny, "decline": s.decline, "dismiss": s.dismiss, "reason": s.reason != "",
	} {
		if given && !slices.Contains(taken, name) {
			return usagef("--%s and --%s don't go together.", taken[0], name)
		}
	}
	return nil
}
