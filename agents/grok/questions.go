package grok

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/agents/elicit"
)

// elicitation is a form or a link of an MCP server.
func elicitation(params json.RawMessage) (agents.Interaction, acpclient.Answer, error) {
	var e struct {
		ToolID  string          `json:"toolCallId"`
		Server  string          `json:"serverName"`
		Message string          `json:"message"`
		Mode    string          `json:"mode"` // form, url
		URL     string          `json:"url"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	in := agents.Interaction{Kind: agents.AskElicitation}
	answer := func(o agents.Outcome) any { return elicited(in, o) }
	if err := json.Unmarshal(params, &e); err != nil {
		return in, answer, err
	}
	in.ToolID, in.Server, in.Title = e.ToolID, e.Server, agents.Redact(e.Message)
	if e.Mode == "url" {
		in.URL = e.URL
		return in, answer, elicit.Link(e.URL)
	}
	var err error
	in.Fields, err = elicit.Fields(e.Schema)
	return in, answer, err
}

// elicitAnswer is the CLI's shape; MCP's own counts as cancelled there.
type elicitAnswer struct {
	Outcome string         `json:"outcome"` // accept, decline, cancel
	Content map[string]any `json:"content,omitempty"`
}

// elicited turns the outcome into an answer. Only a response that accepts carries
// content.
func elicited(in agents.Interaction, o agents.Outcome) elicitAnswer {
	switch {
	case o.Reason == "response" && o.Action == "accept":
		content, err := elicit.Content(in, o.Answers)
		if err != nil { // it must not be taken for an answer
			return elicitAnswer{Outcome: "cancel"}
		}
		return elicitAnswer{Outcome: "accept", Content: content}
	case o.Reason == "response" || o.Refused != "":
		return elicitAnswer{Outcome: "decline"}
	default:
		return elicitAnswer{Outcome: "cancel"}
	}
}

// asked is a question of the CLI's own.
type asked struct {
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
	Multi bool `json:"multiSelect"`
}

// questions are those of the CLI's tool. They have no ids: an answer goes by the
// question's text.
func questions(params json.RawMessage) (agents.Interaction, acpclient.Answer, error) {
	var q struct {
		ToolID    string  `json:"toolCallId"`
		Questions []asked `json:"questions"`
	}
	in := agents.Interaction{Kind: agents.AskNative}
	answer := func(o agents.Outcome) any { return answered(q.Questions, in.Fields, o) }
	if err := json.Unmarshal(params, &q); err != nil {
		return in, answer, err
	}
	if len(q.Questions) == 0 {
		return in, answer, errors.New("it asks nothing")
	}
	in.ToolID, in.Title = q.ToolID, agents.Redact(q.Questions[0].Question)
	for i, a := range q.Questions {
		f := agents.Field{ID: strconv.Itoa(i + 1), Question: agents.Redact(a.Question), Type: "choice", Multi: a.Multi, Required: true, FreeText: true}
		if len(a.Options) == 0 {
			f.Type = "text"
		}
		for _, o := range a.Options {
			f.Options = append(f.Options, option(o.Label, o.Description, o.Preview))
		}
		in.Fields = append(in.Fields, f)
	}
	return in, answer, nil
}

const recommended = "(recommended)"

func option(label, description, preview string) agents.Option {
	o := agents.Option{Label: agents.Redact(label), Value: label, Description: agents.Redact(description), Preview: agents.Redact(preview)}
	if text := strings.TrimSpace(o.Label); strings.HasSuffix(strings.ToLower(text), recommended) {
		o.Label, o.Recommended = strings.TrimSpace(text[:len(text)-len(recommended)]), true
	}
	return o
}

// answers is the CLI's shape for the answers to its questions.
type answers struct {
	Outcome string              `json:"outcome"` // accepted; declined and cancelled end the turn
	Answers map[string][]string `json:"answers"`
}

// answered gives the answers back. Without one the model reads, in its place, why
// there is none: the CLI's other outcomes have no room for that.
func answered(asks []asked, fields []agents.Field, o agents.Outcome) answers {
	out := answers{Outcome: "accepted", Answers: map[string][]string{}}
	if o.Reason == "response" {
		for i, f := range fields {
			said := asks[i].Question
			for _, given := range o.Answers[f.ID] {
				if value := elicit.Value(f, strings.TrimSpace(given)); value != "" && !slices.Contains(out.Answers[said], value) {
					out.Answers[said] = append(out.Answers[said], value)
				}
			}
		}
		if len(out.Answers) > 0 {
			return out
		}
		o = agents.Outcome{Reason: "dismissed"}
	}
	for _, a := range asks {
		out.Answers[a.Question] = []string{"(no answer) " + o.NoAnswer()}
	}
	return out
}

// planAnswer is the CLI's shape for the end of its plan mode.
type planAnswer struct {
	Outcome  string `json:"outcome"` // approved, cancelled
	Feedback string `json:"feedback,omitempty"`
}

// exitPlan asks whether the agent may leave plan mode with its plan.
func exitPlan(params json.RawMessage) (agents.Interaction, acpclient.Answer, error) {
	var p struct {
		ToolID string `json:"toolCallId"`
		Plan   string `json:"planContent"`
	}
	err := json.Unmarshal(params, &p)
	in := agents.Interaction{Kind: agents.AskApproval, ToolID: p.ToolID, Title: "Leave plan mode and begin with the work", Approval: &agents.Approval{
		Tool: "exit_plan_mode", Title: "Leave plan mode and begin with the work", Detail: agents.Redact(p.Plan), Scopes: []string{"allow_once"},
	}}
	return in, func(o agents.Outcome) any {
		if o.Reason == "response" && o.Action == "allow_once" {
			return planAnswer{Outcome: "approved"}
		}
		return planAnswer{Outcome: "cancelled", Feedback: o.Note}
	}, err
}
