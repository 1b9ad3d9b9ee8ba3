package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"parley/agents"
	"parley/agents/elicit"
)

// question is one question of the CLI's own asking tool.
type question struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Multi    bool   `json:"multiSelect"`
	Kind     string `json:"kind"` // newer versions: "", choice, text, number
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
	Placeholder string   `json:"placeholder"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
}

type questions struct {
	Title     string     `json:"title"`
	Questions []question `json:"questions"`
}

// native is the CLI's own question for the person; false when there is nothing
// in it that could be shown.
func native(r request) (agents.Interaction, bool) {
	var q questions
	if json.Unmarshal(r.Input, &q) != nil || len(q.Questions) == 0 {
		return agents.Interaction{}, false
	}
	in := agents.Interaction{Kind: agents.AskNative, ToolID: r.ToolUseID, Title: agents.Redact(cmp.Or(q.Title, q.Questions[0].Question))}
	for i, question := range q.Questions {
		in.Fields = append(in.Fields, question.field(fieldID(i)))
	}
	return in, true
}

func fieldID(i int) string { return fmt.Sprintf("q%d", i+1) }

const recommended = "(recommended)"

func (q question) field(id string) agents.Field {
	f := agents.Field{
		ID: id, Question: agents.Redact(q.Question), Header: agents.Redact(q.Header), Type: "choice",
		Multi: q.Multi, Required: true, FreeText: true, Minimum: q.Min, Maximum: q.Max,
	}
	switch {
	case q.Kind == "number":
		f.Type, f.FreeText = "number", false
	case len(q.Options) == 0:
		f.Type = "text"
	}
	for _, o := range q.Options {
		option := agents.Option{Label: agents.Redact(o.Label), Value: o.Label, Description: agents.Redact(o.Description), Preview: agents.Redact(o.Preview)}
		if label := strings.TrimSpace(o.Label); strings.HasSuffix(strings.ToLower(label), recommended) {
			option.Label, option.Recommended = strings.TrimSpace(label[:len(label)-len(recommended)]), true
		}
		f.Options = append(f.Options, option)
	}
	return f
}

// nativeAnswer gives the answers back by question. Without an answer the call
// is refused: an allowed call without answers would read as if the person had
// said something.
func nativeAnswer(r request, fields []agents.Field, o agents.Outcome) permissionAnswer {
	if o.Reason != "response" {
		return permissionAnswer{Behavior: "deny", Message: o.NoAnswer()}
	}
	var q questions
	var input map[string]json.RawMessage
	if json.Unmarshal(r.Input, &q) != nil || json.Unmarshal(r.Input, &input) != nil {
		return permissionAnswer{Behavior: "deny", Message: agents.Outcome{Reason: "cancelled"}.NoAnswer()}
	}
	answers := map[string]string{}
	for i, f := range fields {
		if text := answerText(f, o.Answers[f.ID]); text != "" {
			answers[q.Questions[i].Question] = text
		}
	}
	if len(answers) == 0 {
		return permissionAnswer{Behavior: "deny", Message: agents.Outcome{Reason: "dismissed"}.NoAnswer()}
	}
	given, err := json.Marshal(answers)
	if err != nil {
		return permissionAnswer{Behavior: "deny", Message: agents.Outcome{Reason: "cancelled"}.NoAnswer()}
	}
	input["answers"] = given
	updated, err := json.Marshal(input)
	if err != nil {
		return permissionAnswer{Behavior: "deny", Message: agents.Outcome{Reason: "cancelled"}.NoAnswer()}
	}
	return permissionAnswer{Behavior: "allow", Input: updated}
}

// answerText joins what was chosen and typed the way the CLI does: with a comma,
// and what itself holds one in quotes.
func answerText(f agents.Field, given []string) string {
	var parts []string
	for _, g := range given {
		if value := elicit.Value(f, strings.TrimSpace(g)); value != "" {
			parts = append(parts, value)
		}
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	for i, p := range parts {
		if strings.Contains(p, ", ") || strings.Contains(p, `"`) {
			if quoted, err := json.Marshal(p); err == nil {
				parts[i] = string(quoted)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// subagentRefusal is what a sub-agent reads that wants to ask.
const subagentRefusal = "A sub-agent may not ask the person. Give the question back to the agent that started you."

// elicitation is the question of an MCP server; the error says why it cannot be
// asked.
func elicitation(r request) (agents.Interaction, error) {
	in := agents.Interaction{Kind: agents.AskElicitation, Title: agents.Redact(r.Message), Server: r.Server}
	if r.Mode == "url" {
		in.URL = r.URL
		return in, elicit.Link(r.URL)
	}
	fields, err := elicit.Fields(r.Schema)
	in.Fields = fields
	return in, err
}

// elicited turns the outcome into the answer for the server. The error says
// which answer does not fit; the request is cancelled then.
func elicited(in agents.Interaction, o agents.Outcome) (elicitationAnswer, error) {
	switch {
	case o.Reason == "response" && o.Action == "accept":
		content, err := elicit.Content(in, o.Answers)
		if err != nil {
			return elicitationAnswer{Action: "cancel"}, err
		}
		return elicitationAnswer{Action: "accept", Content: content}, nil
	case o.Reason == "response", o.Refused != "":
		return elicitationAnswer{Action: "decline"}, nil
	default:
		return elicitationAnswer{Action: "cancel"}, nil
	}
}
