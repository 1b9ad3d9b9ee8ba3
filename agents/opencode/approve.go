package opencode

import (
	"cmp"
	"encoding/json"
	"strings"

	"parley/agents"
)

// permissionMetadata is what a request tells beside what it would touch.
type permissionMetadata struct {
	Command     string `json:"command"`
	FilePath    string `json:"filepath"`
	ParentDir   string `json:"parentDir"`
	Diff        string `json:"diff"`
	URL         string `json:"url"`
	Query       string `json:"query"`
	Description string `json:"description"`
	Agent       string `json:"subagent_type"`
}

// approval is a permission request for the person. call is the call that it is
// for, as far as it is known.
func approval(e permissionEvent, call part, cwd string) agents.Interaction {
	var m permissionMetadata
	_ = json.Unmarshal(e.Metadata, &m) // that of other permissions has other shapes
	what := agents.Redact(strings.Join(e.Patterns, "\n"))
	a := &agents.Approval{Tool: cmp.Or(call.Tool, e.Permission), Lasting: true, Scopes: []string{"allow_once"}, Input: call.input()}
	if a.Input == nil && len(e.Metadata) > 0 {
		a.Input = json.RawMessage(agents.Redact(string(e.Metadata)))
	}
	switch e.Permission {
	case bashTool:
		a.Title, a.Command = "Run a command", agents.Redact(cmp.Or(m.Command, what))
		a.Detail = a.Command
	case "edit":
		a.Path = cmp.Or(m.FilePath, what)
		a.Title, a.Diff = "Edit "+inside(a.Path, cwd), plainDiff(m.Diff)
	case "read":
		a.Title, a.Path = "Read "+inside(cmp.Or(m.FilePath, what), cwd), cmp.Or(m.FilePath, what)
	case "external_directory":
		// The call may be any: that is allowed once, and by this name.
		a.Tool, a.Path = e.Permission, cmp.Or(m.FilePath, m.ParentDir, what)
		a.Title, a.Detail = "Reach outside of the folder: "+a.Path, cmp.Or(agents.Redact(m.Command), what)
		a.Lasting = false
	case "doom_loop":
		a.Title, a.Detail, a.Lasting = "Make the same call once more", a.Tool, false
	case taskTool:
		a.Title, a.Detail = "Have a sub-agent work: "+cmp.Or(m.Agent, what), agents.Redact(m.Description)
	case "webfetch", "websearch", "codesearch":
		a.Title, a.Detail = "Reach the network", agents.Redact(cmp.Or(m.URL, m.Query, what))
	default:
		a.Tool, a.Title = e.Permission, "Use the tool "+e.Permission
		a.Detail = indented(a.Input)
	}
	return agents.Interaction{Kind: agents.AskApproval, Title: a.Title, Approval: a}
}

// decision answers a request for permission.
type decision struct {
	Reply   string `json:"reply"` // once, reject
	Message string `json:"message,omitempty"`
}

// decided is the person's outcome in the CLI's words. Only a response that allows
// allows. A refusal has a reason in every case: without one the CLI would end the
// turn.
func decided(o agents.Outcome) decision {
	switch {
	case o.Reason == "response" && o.Action == "allow_once":
		return decision{Reply: "once"}
	case o.Refused != "":
		return decision{"reject", o.Refused}
	case o.Reason == "response" && o.Note != "":
		return decision{"reject", o.Note}
	case o.Reason == "response":
		return decision{"reject", "The person refused permission for this. Leave it undone, or find another way."}
	case o.Reason == "dismissed":
		return decision{"reject", "The person closed the request for permission without deciding. That is no permission: leave this undone, and say so."}
	case o.Reason == "timeout":
		return decision{"reject", "Nobody decided on the request for permission in time. That is no permission: leave this undone, and say so."}
	}
	return decision{"reject", "The request for permission was cancelled before anybody decided. That is no permission: leave this undone."}
}

// indented is JSON as a person reads it.
func indented(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return agents.Redact(string(raw))
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return agents.Redact(string(raw))
	}
	return agents.Redact(string(out))
}
