package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/mcp"
)

// release is the form that the script "form" shows when it is given none.
const release = `{"questions":[
	{"id":"branch","question":"Which branch should the release come from?","input_type":"choice",
	 "options":[{"label":"main","value":"main","recommended":true},{"label":"stable","value":"stable"}]},
	{"id":"checks","question":"Which checks should run before it?","input_type":"choice","multi_select":true,"required":false,
	 "options":["unit tests","browser tests","lint"],"default":["unit tests"]},
	{"id":"note","question":"What should the note say?","input_type":"text","required":false,"placeholder":"one sentence"}
]}`

// form shows a form. The run is stopped for it, so that nothing after the call
// is reached unless the form was refused.
func (r *run) form() error {
	_, given, _ := strings.Cut(r.text, " ")
	if strings.TrimSpace(given) == "" {
		given = release
	}
	var args map[string]any
	if err := json.Unmarshal([]byte(given), &args); err != nil {
		return r.say("What stands behind `form` is no JSON object, so I show nothing.")
	}
	if !r.tools.offers(mcp.ToolForm) {
		return r.say("I can't show you a form here.")
	}
	if err := r.say("There are a few things to decide.\n\n"); err != nil {
		return err
	}
	shown, refusal, err := r.callTool(mcp.ToolForm, args, nil)
	if err != nil || shown {
		return err
	}
	return r.say("The form was refused. " + refusal)
}

// afterForm says how a form of an earlier run ended, when the prompt tells it,
// and leaves the rest of the prompt to be played.
func (r *run) afterForm() error {
	before, block, ok := strings.Cut(r.text, "<"+mcp.FormTag+">")
	if !ok {
		return nil
	}
	block, rest, _ := strings.Cut(block, "</"+mcp.FormTag+">")
	r.text = strings.TrimSpace(before + rest)
	var end struct {
		Reason string `json:"reason"`
	}
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if json.Unmarshal([]byte(line), &end) == nil && end.Reason != "" {
			return r.say(fmt.Sprintf("The form ended without an answer (%s), so I leave undone what it was about.\n\n", end.Reason))
		}
		return r.say("You answered the form: `" + line + "`\n\n")
	}
	return r.say("I was told of a form without being told how it ended.\n\n")
}
