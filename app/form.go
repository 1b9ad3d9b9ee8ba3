package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// FormType is the type of a form's payload and of every answer to one. It is
// also the name of the tool.
const FormType = "interactive_form_question"

// FormPayload is the render payload of a form's tool item. A form is rendered
// from it only when Type is FormType and there are questions; never from the
// tool's raw input.
type FormPayload struct {
	Type      string    `json:"type"`
	AskID     string    `json:"ask_id"`      // the interaction
	ToolUseID string    `json:"tool_use_id"` // the CLI's own id of the call, else AskID
	TaskID    SessionID `json:"task_id"`
	SubtaskID TurnID    `json:"subtask_id"`
	Questions []Field   `json:"questions"`
}

// Payload is what a form's tool item carries.
func (i Interaction) Payload() FormPayload {
	return FormPayload{
		Type: FormType, AskID: i.ID, ToolUseID: i.ToolUseID, TaskID: i.SessionID, SubtaskID: i.RunID, Questions: i.Questions,
	}
}

// FormCall is what a call of the form tool comes to. Answer is nil while the
// form waits; when the CLI makes the call again after the answer, it is that
// answer as the model gets it, and Note says it once more in words.
type FormCall struct {
	AskID  string
	Answer json.RawMessage
	Note   string
}

// FormAnswer is what the agent gets for an answered form: of one question
// {"answer":["v"]} or {"answer":"text"}, of several {"answers":{"id":["v"],
// "note":""}}. Typed text stands among the values and is repeated under
// "typed". A question that was left out is there, empty.
func FormAnswer(questions []Field, out Outcome) json.RawMessage {
	values := make(map[string]any, len(questions))
	typed := map[string]string{}
	for _, f := range questions {
		given := out.Answers[f.ID]
		if f.Type != FieldChoice {
			values[f.ID] = strings.Join(given, "\n")
			continue
		}
		values[f.ID] = append([]string{}, given...) // never null
		if t := out.Typed[f.ID]; t != "" {
			typed[f.ID] = t
		}
	}
	var answer any = struct {
		Answers map[string]any    `json:"answers"`
		Typed   map[string]string `json:"typed,omitempty"`
	}{values, typed}
	if len(questions) == 1 {
		id := questions[0].ID
		answer = struct {
			Answer any    `json:"answer"`
			Typed  string `json:"typed,omitempty"`
		}{values[id], typed[id]}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(fmt.Sprintf("plain data can't be encoded: %v", err))
	}
	return text
}

// FormSummary is an answered form for a reader: each question with the labels
// that were chosen and what was typed.
func FormSummary(questions []Field, out Outcome) string {
	var b strings.Builder
	for _, f := range questions {
		fmt.Fprintf(&b, "%s\n", f.Question)
		given := out.Answers[f.ID]
		if len(given) == 0 {
			b.WriteString("- (left out)\n")
		}
		for _, v := range given {
			switch i := slices.IndexFunc(f.Options, func(o Option) bool { return o.Value == v }); {
			case v == out.Typed[f.ID] && f.Type == FieldChoice:
				fmt.Fprintf(&b, "- %s (typed)\n", v)
			case i >= 0:
				fmt.Fprintf(&b, "- %s\n", f.Options[i].Label)
			default:
				fmt.Fprintf(&b, "- %s\n", v)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
