package question

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/app"
	"parley/mcp"
)

// Limits of an answer, in characters and pieces. They are far above what a
// person types and keep a broken client from filling the record.
const (
	maxText  = 100_000
	maxNote  = 4_000
	maxFiles = 20
	maxParts = 1_000 // choices
)

// judge turns what a person said into an outcome, if it fits what was asked. An
// answer of blanks only is a dismissal. fitted is the answer with what counts
// of it, choices in the order of the options.
func (d *Desk) judge(in app.Interaction, a app.Answer) (out app.Outcome, fitted app.Answer, err error) {
	fitted = a
	if err := sizesFit(a); err != nil {
		return out, fitted, err
	}
	switch a.Status {
	case app.StatusAnswered:
	case app.StatusCancelled:
		return d.dismissed(a), fitted, nil
	default:
		return out, fitted, invalid("status", "answered or cancelled", string(a.Status), "The answer does not say whether it answers or closes.")
	}
	out = d.ended(app.ReasonResponse, app.CausePerson)
	out.By, out.Files = a.By, a.Files
	switch {
	case in.Kind == app.KindApproval:
		err = judgeApproval(in, a, &out)
	case in.Kind == app.KindElicitation:
		err = judgeElicitation(in, &fitted, &out)
	case len(in.Questions) > 0:
		err = judgeFields(in, &fitted, &out)
	default:
		err = judgeQuestion(in, &fitted, &out)
	}
	if err != nil {
		return out, fitted, err
	}
	// A form whose questions may all be left out is answered by sending it.
	if out.Action == "" && empty(out) && in.Kind != app.KindForm {
		if field := unread(in, a); field != "" {
			return out, fitted, invalid(field, "nothing", "", "This says something that does not answer such a question. To close it without an answer, say so.")
		}
		return d.dismissed(a), fitted, nil
	}
	return out, fitted, nil
}

func (d *Desk) dismissed(a app.Answer) app.Outcome {
	out := d.ended(app.ReasonDismissed, app.CausePerson)
	out.By = a.By
	return out
}

// unread is the part of an answer that says something and is not read for such an
// interaction, "" when there is none. Beside an answer it does no harm; alone it is
// no wish to close.
func unread(in app.Interaction, a app.Answer) string {
	switch {
	case a.Action != "":
		return "action"
	case len(in.Questions) == 0 && len(a.Answers) > 0:
		return "answers"
	case len(in.Questions) == 0 && len(a.Typed) > 0:
		return "typed"
	case a.Reason != "":
		return "reason"
	case a.Message != "":
		return "message"
	}
	return ""
}

func empty(out app.Outcome) bool {
	return len(out.Selected) == 0 && out.Text == "" && len(out.Answers) == 0 && len(out.Files) == 0
}

// judgeQuestion reads the answer to one question: choices, typed text or both.
func judgeQuestion(in app.Interaction, a *app.Answer, out *app.Outcome) error {
	chosen, err := choose(in.Options, a.Selected, in.MultiSelect, "selected")
	if err != nil {
		return err
	}
	out.Selected, out.Text = labels(chosen), typed(a.Text)
	out.Response = lines(out.Selected, out.Text, a.Files)
	a.Selected, a.Text = out.Selected, out.Text
	return nil
}

// judgeApproval reads a decision. What the CLI can't carry out is refused
// instead of being taken for something else.
func judgeApproval(in app.Interaction, a app.Answer, out *app.Outcome) error {
	actions := []app.Action{app.ActionDeny}
	if in.Approval != nil {
		actions = append(slices.Clone(in.Approval.Scopes), app.ActionDeny)
	}
	if !slices.Contains(actions, a.Action) {
		return invalid("action", list(actions), string(a.Action), "This request can't be answered that way.")
	}
	out.Action, out.Note = a.Action, typed(a.Reason)
	if out.Note == "" {
		out.Note = typed(a.Text)
	}
	return nil
}

func judgeElicitation(in app.Interaction, a *app.Answer, out *app.Outcome) error {
	switch a.Action {
	case app.ActionDecline:
		out.Action, out.Note = a.Action, typed(a.Reason)
		a.Selected, a.Text, a.Answers, a.Typed = nil, "", nil, nil
		return nil
	case app.ActionAccept:
		out.Action = a.Action
		return judgeFields(in, a, out)
	}
	return invalid("action", "accept or decline", string(a.Action), "The answer neither accepts nor declines.")
}

// place finds the option that an answer names, by its value before any label: the
// label of one option may be the value of another. -1 is none.
func place(options []app.Option, said string) int {
	i := slices.IndexFunc(options, func(o app.Option) bool { return value(o) == said })
	if i < 0 {
		i = slices.IndexFunc(options, func(o app.Option) bool { return o.Label == said })
	}
	return i
}

// choose finds the options that were chosen, by value or label, in their own
// order.
func choose(options []app.Option, selected []string, multi bool, field string) ([]app.Option, error) {
	var places []int
	for _, s := range selected {
		i := place(options, s)
		if i < 0 {
			return nil, invalid(field, "one of the offered labels", s, "This choice is not among those that were offered.")
		}
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	if len(places) > 1 && !multi {
		return nil, invalid(field, "at most one", strings.Join(selected, ", "), "Only one of the choices can be taken.")
	}
	slices.Sort(places)
	chosen := make([]app.Option, 0, len(places))
	for _, i := range places {
		chosen = append(chosen, options[i])
	}
	return chosen, nil
}

func labels(chosen []app.Option) []string {
	out := make([]string, 0, len(chosen))
	for _, o := range chosen {
		out = append(out, o.Label)
	}
	return out
}

// lines is an answer as one text: what was chosen, what was typed, and where
// the files lie, one a line.
func lines(selected []string, text string, files []app.Attachment) string {
	all := slices.Clone(selected)
	if text != "" {
		all = append(all, text)
	}
	for _, f := range files {
		all = append(all, f.Path)
	}
	return strings.Join(all, "\n")
}

// typed is what a person typed, without the space around it; "" when nothing of
// it can be seen.
func typed(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if mcp.Blank(s) {
		return ""
	}
	return s
}

func sizesFit(a app.Answer) error {
	for _, t := range []struct {
		field, text string
		most        int
	}{{"text", a.Text, maxText}, {"reason", a.Reason, maxNote}, {"message", a.Message, maxText}} {
		if err := textFits(t.field, t.text, t.most); err != nil {
			return err
		}
	}
	for id, t := range a.Typed {
		if err := textFits("typed."+id, t, maxText); err != nil {
			return err
		}
	}
	parts := len(a.Selected)
	for id, values := range a.Answers {
		parts += len(values)
		if err := textFits("answers."+id, strings.Join(values, ""), maxText); err != nil {
			return err
		}
	}
	if parts > maxParts {
		return invalid("selected", "at most "+number(maxParts), number(parts), "There are too many choices in this answer.")
	}
	if len(a.Files) > maxFiles {
		return invalid("files", "at most 20", "", "There are too many files in this answer.")
	}
	return nil
}

func textFits(field, text string, most int) error {
	if n := utf8.RuneCountInString(strings.TrimSpace(text)); n > most {
		return invalid(field, "at most "+number(most)+" characters", number(n)+" characters", "The text is too long: it has %d characters, %d are possible.", n, most)
	}
	return nil
}

// draftFits holds a draft to the size of the answer that it may become.
func draftFits(draft app.Draft) error {
	if err := textFits("selected", strings.Join(draft.Selected, ""), maxText); err != nil {
		return err
	}
	return sizesFit(app.Answer{Selected: draft.Selected, Text: draft.Text, Answers: draft.Answers, Typed: draft.Typed})
}

func list(actions []app.Action) string {
	words := make([]string, 0, len(actions))
	for _, a := range actions {
		words = append(words, string(a))
	}
	return strings.Join(words, ", ")
}
