package codex

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
)

// approvalRequest asks whether a command may run or a patch be made.
type approvalRequest struct {
	head
	Reason  string          `json:"reason"`
	Command string          `json:"command"`
	Cwd     string          `json:"cwd"`
	Actions []commandAction `json:"commandActions"`
	// Decisions are the CLI's offers: texts, and objects for those that it would
	// write into a file of rules. Older versions don't say.
	Decisions []json.RawMessage `json:"availableDecisions"`
	Network   *struct {
		Host     string `json:"host"`
		Protocol string `json:"protocol"`
	} `json:"networkApprovalContext"`
	GrantRoot string `json:"grantRoot"` // of a patch: a folder that it wants to write in for the session
}

type decision struct {
	Decision string `json:"decision"` // accept, acceptForSession, decline, cancel
}

// approval is a permission request for the person. started is the call as it
// began.
func approval(r approvalRequest, started item, cwd string) agents.Interaction {
	a := &agents.Approval{Why: agents.Redact(r.Reason), Scopes: []string{"allow_once"}}
	offers := func(word string) bool {
		return r.Decisions == nil || slices.ContainsFunc(r.Decisions, func(d json.RawMessage) bool { return string(d) == `"`+word+`"` })
	}
	if offers("acceptForSession") {
		a.Scopes = append(a.Scopes, "allow_session")
	}
	switch {
	case started.Type == "fileChange":
		a.Tool, a.Title = patchTool, "Edit "+started.title(cwd)
		a.Path = r.GrantRoot
		// A card has room for one path, by which is judged what may be remembered.
		a.Lasting = r.GrantRoot == "" && len(started.Changes) == 1
		if len(started.Changes) == 1 {
			a.Path = cmp.Or(r.GrantRoot, started.Changes[0].Path)
		}
		for _, c := range started.changed() {
			a.Diff += c.Diff
		}
		a.Input = started.input()
	case r.Network != nil && r.Command == "":
		a.Tool, a.Title = commandTool, "Reach "+r.Network.Host+" over the network"
		a.Detail = r.Network.Protocol + "://" + r.Network.Host
	default:
		shown := item{Type: "commandExecution", Command: cmp.Or(r.Command, started.Command), Cwd: cmp.Or(r.Cwd, started.Cwd)}
		a.Tool, a.Title = commandTool, "Run a command"
		// The whole of what runs: the CLI's own summary of a command leaves out the
		// steps before the last.
		whole, ok := script(shown.Command)
		if !ok {
			whole = shown.Command
		}
		a.Command = agents.Redact(whole)
		a.Lasting = r.Network == nil && whole != "" && filepath.Clean(cmp.Or(shown.Cwd, cwd)) == filepath.Clean(cwd)
		a.Detail, a.Path, a.Input = a.Command, shown.Cwd, shown.input()
	}
	return agents.Interaction{Kind: agents.AskApproval, ToolID: r.Item, Title: a.Title, Approval: a}
}

// decided is the person's outcome in the CLI's words. Only a response that
// allows allows.
func decided(o agents.Outcome) string {
	switch {
	case o.Reason != "response":
	case o.Action == "allow_once":
		return "accept"
	case o.Action == "allow_session":
		return "acceptForSession"
	}
	return "decline"
}

// permissionsRequest asks for more than the sandbox allows.
type permissionsRequest struct {
	head
	Reason      string          `json:"reason"`
	Permissions json.RawMessage `json:"permissions"`
}

type permissionsAnswer struct {
	Permissions json.RawMessage `json:"permissions"` // what is granted
	Scope       string          `json:"scope"`       // turn, session
}

func morePermissions(r permissionsRequest) agents.Interaction {
	a := &agents.Approval{
		Tool: "request_permissions", Title: "Get more permissions", Why: agents.Redact(r.Reason), Detail: indented(r.Permissions),
		Scopes: []string{"allow_once", "allow_session"}, Input: json.RawMessage(agents.Redact(string(r.Permissions))),
	}
	return agents.Interaction{Kind: agents.AskApproval, ToolID: r.Item, Title: a.Title, Approval: a}
}

func grant(r permissionsRequest, o agents.Outcome) permissionsAnswer {
	answer := permissionsAnswer{Permissions: json.RawMessage("{}"), Scope: "turn"}
	if o.Reason == "response" && strings.HasPrefix(o.Action, "allow_") {
		answer.Permissions = r.Permissions
		if o.Action == "allow_session" {
			answer.Scope = "session"
		}
	}
	return answer
}

// elicitationRequest is the question of an MCP server, or asks whether one of its
// tools may run.
type elicitationRequest struct {
	head
	Server  string          `json:"serverName"`
	Mode    string          `json:"mode"` // form, url
	Message string          `json:"message"`
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"requestedSchema"`
	Meta    struct {
		Kind   string          `json:"codex_approval_kind"`
		Tool   string          `json:"tool_name"`
		Params json.RawMessage `json:"tool_params"`
		// Persist are the longer terms that it offers: session, always.
		Persist json.RawMessage `json:"persist"`
	} `json:"_meta"`
}

const toolApproval = "mcp_tool_call"

type elicitationAnswer struct {
	Action  string           `json:"action"` // accept, decline, cancel
	Content any              `json:"content"`
	Meta    *elicitationMeta `json:"_meta"`
}

type elicitationMeta struct {
	Persist string `json:"persist"`
}

func mcpApproval(r elicitationRequest) agents.Interaction {
	a := &agents.Approval{
		Tool: mcpPrefix + r.Server + "__" + r.Meta.Tool, Title: "Use the tool " + r.Meta.Tool + " of the MCP server " + r.Server,
		Detail: indented(r.Meta.Params), Scopes: []string{"allow_once"}, Lasting: true, Input: json.RawMessage(agents.Redact(string(r.Meta.Params))),
	}
	if strings.Contains(string(r.Meta.Persist), `"session"`) {
		a.Scopes = append(a.Scopes, "allow_session")
	}
	return agents.Interaction{Kind: agents.AskApproval, Title: a.Title, Server: r.Server, Approval: a}
}

func mcpDecided(o agents.Outcome) elicitationAnswer {
	if o.Reason != "response" || !strings.HasPrefix(o.Action, "allow_") {
		return notAccepted(o)
	}
	answer := elicitationAnswer{Action: "accept", Content: struct{}{}}
	if o.Action == "allow_session" {
		answer.Meta = &elicitationMeta{Persist: "session"}
	}
	return answer
}

// notAccepted tells a refusal from an end without a decision.
func notAccepted(o agents.Outcome) elicitationAnswer {
	if o.Reason == "response" || o.Refused != "" {
		return elicitationAnswer{Action: "decline"}
	}
	return elicitationAnswer{Action: "cancel"}
}

// whyNot is what the model reads beside a refusal: the CLI itself says only that
// the person rejected it, whatever happened. "" where there is nothing to add.
func whyNot(in agents.Interaction, o agents.Outcome) string {
	if in.Kind != agents.AskApproval {
		return ""
	}
	switch {
	case o.Refused != "":
		return o.Refused
	case o.Reason == "response" && o.Action == "deny" && o.Note != "":
		return "The person refused permission for this. They say: " + o.Note
	case o.Reason == "dismissed":
		return "The person closed the request for permission without deciding. That is no permission: leave this undone, and say so."
	case o.Reason == "timeout":
		return "Nobody decided on the request for permission in time. That is no permission: leave this undone, and say so."
	}
	return ""
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
