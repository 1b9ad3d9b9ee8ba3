package pi

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/agents/filediff"
	"parley/mcp/inject"
)

// gate decides which calls of tools need a person.
type gate struct {
	cwd  string
	free []string // tools of ours that need no permission, as the CLI spells them
}

func newGate(spec agents.SessionSpec) gate {
	g := gate{cwd: spec.Cwd}
	for _, s := range spec.Catalog {
		for _, tool := range s.AutoAllow {
			g.free = append(g.free, mcpPrefix+inject.CodexName(s.Name)+"__"+tool)
		}
	}
	return g
}

// looks are tools that change nothing. codemode runs scripts that reach nothing
// but other tools, and each of their calls comes here too.
var looks = []string{"read", "grep", "find", "ls", "tool_search", "codemode"}

const noEdits = "This session is in plan mode, in which no file may be changed. Present the plan; the person can leave plan mode."

// decide settles a call by the mode alone, or reports false: then a person
// decides.
func (g gate) decide(mode agents.Mode, call gateCall) (gateAnswer, bool) {
	allowed := gateAnswer{Allow: true}
	switch {
	case slices.Contains(g.free, call.Tool), slices.Contains(looks, call.Tool), mode == agents.ModeFull:
		return allowed, true
	case mode == agents.ModePlan && changesFile(call.Tool):
		return gateAnswer{Reason: noEdits}, true
	case mode == agents.ModeEdits && changesFile(call.Tool) && g.within(readInput(call.Input).Path):
		return allowed, true
	default:
		return gateAnswer{}, false
	}
}

// within reports whether a file lies in the session's folder, wherever links
// lead, and does not steer programs: the names of those begin with a dot.
func (g gate) within(path string) bool {
	if path == "" {
		return false
	}
	cwd, err := filepath.EvalSymlinks(g.cwd)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(cwd, resolved(absolute(path, g.cwd)))
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}

// resolved follows links as far as the path exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir, name := filepath.Split(path)
	if dir = filepath.Clean(dir); dir == path {
		return path
	}
	return filepath.Join(resolved(dir), name)
}

// approval is a permission request for the person.
func approval(call gateCall, cwd string) agents.Interaction {
	in := readInput(call.Input)
	a := &agents.Approval{
		Tool: call.Tool, Title: approvalTitle(call.Tool, in, cwd), Scopes: []string{"allow_once"}, Lasting: true,
		Command: agents.Redact(in.Command), Input: redacted(call.Input),
	}
	if in.Path != "" {
		a.Path = absolute(in.Path, cwd)
	}
	switch {
	case a.Command != "":
		a.Detail = a.Command
	case changesFile(call.Tool):
		a.Diff = wouldChange(call.Tool, in, a.Path)
	default:
		a.Detail = indented(call.Input)
	}
	out := agents.Interaction{Kind: agents.AskApproval, ToolID: call.ID, Title: a.Title, Approval: a}
	if toolKind(call.Tool) == "mcp" {
		out.Server, _ = serverTool(call.Tool)
	}
	return out
}

func approvalTitle(tool string, in toolInput, cwd string) string {
	what := toolTitle(tool, in, cwd)
	switch kind := toolKind(tool); {
	case kind == "run":
		return "Run a command"
	case kind == "edit" && what != "":
		return "Edit " + what
	case kind == "write" && what != "":
		return "Write " + what
	case kind == "mcp":
		server, call := serverTool(tool)
		return "Use the tool " + call + " of the MCP server " + server
	default:
		return "Use the tool " + tool
	}
}

// wouldChange is the diff of an edit that is not made yet. Where the file cannot
// be read, or the text is not found, the texts of the call are compared.
func wouldChange(tool string, in toolInput, path string) string {
	before := textOf(path)
	var diff string
	if tool == "write" {
		diff, _, _ = filediff.Unified(path, before, in.Content)
		return agents.Redact(diff)
	}
	edits := in.Edits
	if len(edits) == 0 {
		edits = []edit{in.edit}
	}
	old, after := edits[0].Old, edits[0].Old
	if before != nil && strings.Contains(*before, edits[0].Old) {
		old, after = *before, *before
	}
	for _, e := range edits {
		if e.Old != "" {
			after = strings.Replace(after, e.Old, e.New, 1)
		}
	}
	diff, _, _ = filediff.Unified(path, &old, after)
	return agents.Redact(diff)
}

// permitted is the person's outcome for our extension. Only a response that
// allows allows.
func permitted(o agents.Outcome) gateAnswer {
	if o.Reason == "response" && strings.HasPrefix(o.Action, "allow_") {
		return gateAnswer{Allow: true}
	}
	return gateAnswer{Reason: noPermission(o)}
}

// noPermission is what the model reads in place of a result. Each end of the
// request reads differently, and none like consent.
func noPermission(o agents.Outcome) string {
	switch {
	case o.Refused != "":
		return o.Refused
	case o.Reason == "response" && o.Note != "":
		return "The person refused permission for this. Do not do it, and do not do the same in another way. They say: " + o.Note
	case o.Reason == "response":
		return "The person refused permission for this. Do not do it, and do not do the same in another way."
	case o.Reason == "dismissed":
		return "The person closed the request for permission without deciding. That is no permission: leave this undone, and say so."
	case o.Reason == "timeout":
		return "Nobody decided on the request for permission in time. That is no permission: leave this undone, and say so."
	default:
		return "The request for permission was cancelled before anybody decided. That is no permission: leave this undone."
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
