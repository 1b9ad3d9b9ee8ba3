package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/agents"
	"parley/agents/filediff"
)

// approval is a permission request for the person, without the diff.
func approval(r request, cwd string) agents.Interaction {
	in := readInput(r.Input)
	a := &agents.Approval{
		Tool: r.ToolName, Title: approvalTitle(r, in, cwd), Why: agents.Redact(why(r, in)),
		Path: cmp.Or(in.file(), r.BlockedPath), Command: agents.Redact(in.Command),
		Scopes: []string{"allow_once"}, Lasting: r.ToolName != planTool && !in.Unsandboxed, Input: json.RawMessage(agents.Redact(string(r.Input))),
	}
	switch {
	case a.Command != "":
		a.Detail = a.Command
	case r.ToolName == planTool:
		a.Detail = agents.Redact(in.Plan)
	default:
		a.Detail = indented(r.Input)
	}
	if len(sessionPermissions(r.Suggestions, cwd)) > 0 {
		a.Scopes = append(a.Scopes, "allow_session")
	}
	return agents.Interaction{Kind: agents.AskApproval, ToolID: r.ToolUseID, Title: a.Title, Approval: a}
}

// why is the agent's own reason, else the CLI's if it says anything.
func why(r request, in toolInput) string {
	if in.Command != "" && in.Description != "" {
		return in.Description
	}
	if reason := plain(r.Reason); reason != "This command requires approval" {
		return reason
	}
	return ""
}

func approvalTitle(r request, in toolInput, cwd string) string {
	if r.Title != "" {
		return agents.Redact(plain(r.Title))
	}
	what := toolTitle(r.ToolName, in, cwd)
	switch kind := toolKind(r.ToolName); {
	case r.ToolName == planTool:
		return "Leave plan mode and begin with the work"
	case kind == "run":
		return "Run a command"
	case kind == "edit" && what != "":
		return "Edit " + what
	case kind == "write" && what != "":
		return "Write " + what
	case kind == "read" && what != "":
		return "Read " + what
	case kind == "fetch" && what != "":
		return "Fetch " + what
	case kind == "mcp":
		server, call, _ := strings.Cut(strings.TrimPrefix(r.ToolName, mcpPrefix), "__")
		return fmt.Sprintf("Use the tool %s of the MCP server %s", call, server)
	case what != "":
		return r.ToolName + ": " + what
	default:
		return "Use the tool " + r.ToolName
	}
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

var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b[^\\[]|[\x00-\x08\x0b-\x1f\x7f]")

// plain removes terminal sequences; the CLI's reasons may carry some.
func plain(text string) string { return escapes.ReplaceAllString(text, "") }

// readLimit is the size of a file, in bytes, up to which it is read to show an
// edit in its place.
const readLimit = 1 << 20

// wouldChange is the diff of an edit that is not made yet. It reads the file; a
// file that cannot be read, or in which the text is not found, leaves the two
// texts of the call to be compared.
func wouldChange(tool string, in toolInput) string {
	var before *string
	if info, err := os.Stat(in.FilePath); err == nil && info.Mode().IsRegular() && info.Size() <= readLimit {
		if data, err := os.ReadFile(in.FilePath); err == nil {
			text := string(data)
			before = &text
		}
	}
	var diff string
	switch tool {
	case "Write":
		diff, _, _ = filediff.Unified(in.FilePath, before, in.Content)
	case "Edit", "MultiEdit":
		old, after := in.Old, in.New
		if before != nil && strings.Contains(*before, in.Old) {
			old, after = *before, replaced(*before, in.Old, in.New, in.ReplaceAll)
		}
		for _, e := range in.Edits {
			after = replaced(after, e.Old, e.New, e.ReplaceAll)
		}
		diff, _, _ = filediff.Unified(in.FilePath, &old, after)
	}
	return agents.Redact(diff)
}

func replaced(text, old, with string, all bool) string {
	n := 1
	if all {
		n = -1
	}
	if old == "" {
		return text
	}
	return strings.Replace(text, old, with, n)
}

// suggestion is a change of permissions that the CLI proposes with a request.
type suggestion struct {
	Type        string          `json:"type"` // addRules, setMode, addDirectories …
	Rules       json.RawMessage `json:"rules,omitempty"`
	Behavior    string          `json:"behavior,omitempty"`
	Mode        string          `json:"mode,omitempty"`
	Directories []string        `json:"directories,omitempty"`
	Destination string          `json:"destination"`
}

// sessionPermissions are the narrowest of the CLI's suggestions that let the
// same go through for the rest of this session: rules where it proposes any,
// and the mode that lets edits through where it proposes nothing else. Their
// own destination may be a settings file of the person or of the project, and
// those are not ours to write. A command that writes outside of the session's
// folder would be asked again in spite of a rule, so nothing is granted for it.
func sessionPermissions(suggestions []suggestion, cwd string) []suggestion {
	var rules, others []suggestion
	outside := false
	for _, s := range suggestions {
		s.Destination = "session"
		switch {
		case s.Type == "addRules" && s.Behavior == "allow":
			rules = append(rules, s)
		case s.Type == "setMode" && s.Mode == modes[agents.ModeEdits]:
			others = append(others, s)
		case s.Type == "addDirectories":
			others = append(others, s)
			for _, dir := range s.Directories {
				outside = outside || filepath.IsAbs(inside(dir, cwd))
			}
		}
	}
	switch {
	case len(rules) == 0 && slices.ContainsFunc(others, func(s suggestion) bool { return s.Type == "setMode" }):
		return others
	case outside:
		return nil
	default:
		return rules
	}
}

// approvalAnswer turns the person's outcome into the CLI's. Only a response
// that allows allows.
func approvalAnswer(r request, cwd string, o agents.Outcome) permissionAnswer {
	if o.Reason == "response" && strings.HasPrefix(o.Action, "allow_") {
		answer := permissionAnswer{Behavior: "allow", Input: r.Input}
		if o.Action == "allow_session" {
			answer.Permissions = sessionPermissions(r.Suggestions, cwd)
		}
		return answer
	}
	if r.ToolName == planTool && o.Reason == "response" {
		return permissionAnswer{Behavior: "deny", Message: withNote("The person does not approve the plan yet. Stay in plan mode, change nothing, and revise the plan.", o)}
	}
	return permissionAnswer{Behavior: "deny", Message: noPermission(o)}
}

func withNote(text string, o agents.Outcome) string {
	if o.Note == "" {
		return text
	}
	return text + " They say: " + o.Note
}

// noPermission is what the model reads in place of a result. Each end of the
// request reads differently, and none like consent.
func noPermission(o agents.Outcome) string {
	switch {
	case o.Refused != "":
		return o.Refused
	case o.Reason == "response":
		return withNote("The person refused permission for this. Do not do it, and do not do the same in another way.", o)
	case o.Reason == "dismissed":
		return "The person closed the request for permission without deciding. That is no permission: leave this undone, and say so."
	case o.Reason == "timeout":
		return "Nobody decided on the request for permission in time. That is no permission: leave this undone, and say so."
	default:
		return "The request for permission was cancelled before anybody decided. That is no permission: leave this undone."
	}
}
