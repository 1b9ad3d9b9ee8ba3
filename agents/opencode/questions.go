package opencode

import (
	"slices"
	"strconv"
	"strings"

	"parley/agents"
	"parley/agents/elicit"
)

const recommended = "(recommended)"

func nativeQuestion(e questionEvent) agents.Interaction {
	in := agents.Interaction{Kind: agents.AskNative, Title: agents.Redact(e.Questions[0].Question)}
	for i, q := range e.Questions {
		f := agents.Field{
			ID: strconv.Itoa(i), Question: agents.Redact(q.Question), Header: agents.Redact(q.Header), Type: "choice",
			Multi: q.Multiple, Required: true, FreeText: true, // what the person types is always taken
		}
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

// answers are the answers to questions, in their order.
type answers struct {
	Answers [][]string `json:"answers"`
}

// answersTo gives the answers back. Without one the model reads, in its place,
// why there is none: an empty one would read as if the person had nothing to
// say.
func answersTo(fields []agents.Field, o agents.Outcome) answers {
	out := answers{Answers: make([][]string, len(fields))}
	said := false
	for i, f := range fields {
		out.Answers[i] = []string{}
		if o.Reason != "response" {
			continue
		}
		for _, given := range o.Answers[f.ID] {
			if value := elicit.Value(f, strings.TrimSpace(given)); value != "" && !slices.Contains(out.Answers[i], value) {
				out.Answers[i] = append(out.Answers[i], value)
				said = true
			}
		}
	}
	if said {
		return out
	}
	if o.Reason == "response" {
		o = agents.Outcome{Reason: "dismissed"}
	}
	for i := range out.Answers {
		out.Answers[i] = []string{"(no answer) " + o.NoAnswer()}
	}
	return out
}
