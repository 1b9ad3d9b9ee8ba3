package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/app"
)

// prompt is one question as the terminal asks it.
type prompt struct {
	id       string // of the field, "" when the interaction has none
	text     string
	options  []app.Option
	multi    bool
	freeText bool
	required bool
}

// reply is what was said to a prompt.
type reply struct {
	chosen []app.Option
	text   string
}

// promptsOf splits an interaction into the questions that are asked in turn.
func promptsOf(in app.Interaction) []prompt {
	switch {
	case in.Kind == app.KindApproval && in.Approval != nil:
		return []prompt{{text: riskWords(in.Approval) + "Allow it?", options: allowOptions(in.Approval), required: true}}
	case len(in.Questions) > 0:
		list := make([]prompt, len(in.Questions))
		for i, f := range in.Questions {
			list[i] = prompt{id: f.ID, text: fieldText(f), options: fieldOptions(f), multi: f.MultiSelect,
				freeText: f.FreeText || len(f.Options) == 0 && f.Type != app.FieldBoolean, required: f.Required}
		}
		return list
	case in.Kind == app.KindElicitation:
		return []prompt{{text: "Did you do it?", options: []app.Option{
			{Label: "Yes, done", Value: string(app.ActionAccept)}, {Label: "No", Value: string(app.ActionDecline)}}, required: true}}
	default:
		return []prompt{{text: in.Question, options: in.Options, multi: in.MultiSelect, freeText: true, required: true}}
	}
}

func fieldText(f app.Field) string {
	text := f.Question
	if f.Description != "" {
		text += "\n" + f.Description
	}
	if len(f.Default) > 0 {
		text += fmt.Sprintf("\n(proposed: %s)", strings.Join(f.Default, ", "))
	}
	return text
}

func fieldOptions(f app.Field) []app.Option {
	if f.Type == app.FieldBoolean && len(f.Options) == 0 {
		return []app.Option{{Label: "Yes", Value: "true"}, {Label: "No", Value: "false"}}
	}
	return f.Options
}

// allowOptions are what a permission can be answered with.
func allowOptions(a *app.Approval) []app.Option {
	labels := map[app.Action]string{
		app.ActionAllowOnce: "Allow once", app.ActionAllowSession: "Allow for this session", app.ActionAllowAlways: "Allow always",
	}
	var list []app.Option
	for _, scope := range a.Scopes {
		if label, ok := labels[scope]; ok {
			list = append(list, app.Option{Label: label, Value: string(scope), Description: granted(a.Grants, scope)})
		}
	}
	return append(list, app.Option{Label: "Deny", Value: string(app.ActionDeny)})
}

// granted says what an allow action would let through from then on, "" where
// that is kept by the agent's CLI in its own terms.
func granted(grants []app.Grant, scope app.Action) string {
	for _, g := range grants {
		switch {
		case g.Action != scope:
		case g.Command != "":
			return "exactly this command, in sessions that work in " + g.Folder
		default:
			return "every use of " + g.Tool + ", in sessions that work in " + g.Folder
		}
	}
	return ""
}

// riskWords say why a permission deserves a second look, "" when it doesn't.
func riskWords(a *app.Approval) string {
	words := map[app.Risk]string{
		app.RiskOutsideFolder: "it reaches outside of the session's folder", app.RiskNetwork: "it uses the network",
		app.RiskDelete: "it would delete something", app.RiskForcePush: "it would rewrite shared history",
	}
	var text strings.Builder
	for _, r := range a.Reasons {
		fmt.Fprintf(&text, "Careful: %s (%s).\n", words[r.Risk], r.Words)
	}
	return text.String()
}

// hint says what can be typed.
func (p prompt) hint() string {
	var ways []string
	switch {
	case len(p.options) > 0 && p.multi:
		ways = append(ways, "numbers such as 1,3")
	case len(p.options) > 0:
		ways = append(ways, "a number")
	}
	switch {
	case p.freeText && len(p.options) > 0:
		ways = append(ways, "an answer of your own (=4 for the text 4)")
	case p.freeText:
		ways = append(ways, "your answer")
	}
	if !p.required {
		ways = append(ways, "nothing, to leave it out")
	}
	return "  Type " + strings.Join(append(ways, "/dismiss to close it"), ", or ") + "."
}

// read takes a line. An empty one is no answer unless the prompt may be left
// out: an Enter that comes by accident decides nothing.
func (p prompt) read(line string) (reply, error) {
	text := strings.TrimSpace(line)
	if text == "" {
		if p.required {
			return reply{}, errors.New("Nothing was answered yet.")
		}
		return reply{}, nil
	}
	if len(p.options) == 0 {
		return reply{text: line}, nil
	}
	if own, ok := strings.CutPrefix(text, "="); ok && p.freeText {
		return reply{text: own}, nil
	}
	chosen, numbers, err := p.numbers(text)
	switch {
	case numbers:
		return reply{chosen: chosen}, err
	case p.freeText:
		return reply{text: line}, nil
	default:
		return reply{}, fmt.Errorf("Type a number from 1 to %d.", len(p.options))
	}
}

// numbers reads "2" or "1,3"; is reports whether the text is made of numbers.
func (p prompt) numbers(text string) (chosen []app.Option, is bool, err error) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	taken := map[int]bool{}
	for _, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false, nil
		}
		if n < 1 || n > len(p.options) {
			return nil, true, fmt.Errorf("There is no option %d.", n)
		}
		if !taken[n] {
			taken[n] = true
			chosen = append(chosen, p.options[n-1])
		}
	}
	if len(chosen) > 1 && !p.multi {
		return nil, true, errors.New("Only one of them can be chosen.")
	}
	return chosen, true, nil
}
