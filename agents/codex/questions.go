package codex

import (
	"slices"
	"strings"

	"parley/agents"
	"parley/agents/elicit"
)

// questions are the CLI's own for the person.
type questions struct {
	head
	Questions []question `json:"questions"`
}

type question struct {
	ID       string `json:"id"`
	Header   string `json:"header"`
	Question string `json:"question"`
	Other    bool   `json:"isOther"` // something else than the options may be said
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

const recommended = "(recommended)"

func nativeQuestion(r questions) agents.Interaction {
	in := agents.Interaction{Kind: agents.AskNative, ToolID: r.Item, Title: agents.Redact(r.Questions[0].Question)}
	for _, q := range r.Questions {
		f := agents.Field{ID: q.ID, Question: agents.Redact(q.Question), Header: agents.Redact(q.Header), Type: "choice", Required: true, FreeText: true}
		if len(q.Options) == 0 {
			f.Type = "text"
		}
		for _, o := range q.Options {
			option := agents.Option{Label: agents.Redact(o.Label), Value: o.Label, Description: agents.Redact(o.Description)}
			if label := strings.TrimSpace(o.Label); strings.HasSuffix(strings.ToLower(label), recommended) {
				option.Label, option.Recommended = strings.TrimSpace(label[:len(label)-len(recommended)]), true
			}
			f.Options = append(f.Options, option)
		}
		in.Fields = append(in.Fields, f)
	}
	return in
}

// answers is what the CLI's tool gives its model.
type answers struct {
	Answers map[string]answerList `json:"answers"`
}

type answerList struct {
	Answers []string `json:"answers"`
}

// typedPrefix is how the CLI itself marks what a person typed.
const typedPrefix = "user_note: "

// answersTo gives the answers back. Without one the model reads, in its place,
// why there is none: the CLI's answer has no room for that elsewhere, and an
// empty one would read as if the person had nothing to say.
func answersTo(r questions, fields []agents.Field, o agents.Outcome) answers {
	out := answers{Answers: map[string]answerList{}}
	said := false
	if o.Reason == "response" {
		for _, f := range fields {
			list := answerList{Answers: []string{}}
			for _, given := range o.Answers[f.ID] {
				given = strings.TrimSpace(given)
				value := elicit.Value(f, given)
				switch {
				case value == "":
				case slices.ContainsFunc(f.Options, func(opt agents.Option) bool { return opt.Value == value }):
					list.Answers = append(list.Answers, value)
				default:
					list.Answers = append(list.Answers, typedPrefix+value)
				}
			}
			said = said || len(list.Answers) > 0
			out.Answers[f.ID] = list
		}
	}
	if said {
		return out
	}
	if o.Reason == "response" {
		o = agents.Outcome{Reason: "dismissed"}
	}
	for _, q := range r.Questions {
		out.Answers[q.ID] = answerList{Answers: []string{"(no answer) " + o.NoAnswer()}}
	}
	return out
}
