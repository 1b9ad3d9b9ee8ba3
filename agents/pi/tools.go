package pi

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/agents/filediff"
	"parley/mcp"
	"parley/mcp/inject"
)

// tool is a call that runs.
type tool struct {
	name   string
	in     toolInput
	before *string // of a file that it changes: its text, nil when there was none
	shown  string  // of its output
	// redactor keeps a context id that comes in two pieces from being shown.
	redactor agents.Redactor
}

// toolInput is what the inputs of the CLI's tools have in common.
type toolInput struct {
	Path        string `json:"path"`
	Content     string `json:"content"` // write
	Command     string `json:"command"` // bash
	Pattern     string `json:"pattern"` // grep, find
	Query       string `json:"query"`
	Question    string `json:"question"` // ours
	Explanation string `json:"explanation"`
	Edits       []edit `json:"edits"` // edit; in older versions the two texts stand alone
	edit
}

type edit struct {
	Old string `json:"oldText"`
	New string `json:"newText"`
}

func readInput(raw json.RawMessage) toolInput {
	var in toolInput
	_ = json.Unmarshal(raw, &in) // a field of another shape stays empty, the others are read
	return in
}

// kinds groups the CLI's tools. What is not here is "mcp" or "other".
var kinds = map[string]string{
	"read": "read", "grep": "search", "find": "search", "ls": "search", "tool_search": "search",
	"edit": "edit", "write": "write", "bash": "run", "powershell": "run", "codemode": "run",
}

var ours = inject.ToolPrefix(string(agents.Pi))

const mcpPrefix = "mcp__"

func toolKind(tool string) string {
	if kind, ok := kinds[tool]; ok {
		return kind
	}
	if own, ok := strings.CutPrefix(tool, ours); ok {
		if own == mcp.ToolUpdatePlan {
			return "plan"
		}
		return "ask"
	}
	if strings.HasPrefix(tool, mcpPrefix) {
		return "mcp"
	}
	return "other"
}

// toolTitle is a call's main argument, "" when it has none that says more than
// the tool's name.
func toolTitle(tool string, in toolInput, cwd string) string {
	title := ""
	switch toolKind(tool) {
	case "read", "edit", "write":
		title = inside(in.Path, cwd)
	case "search":
		title = cmp.Or(in.Pattern, in.Query, inside(in.Path, cwd))
		if in.Path != "" && in.Pattern != "" {
			title += " in " + inside(in.Path, cwd)
		}
	case "run":
		title = in.Command
	case "ask":
		title = in.Question
	case "plan":
		title = in.Explanation
	case "mcp":
		server, call := serverTool(tool)
		title = server + ": " + call
	}
	return agents.Redact(title)
}

// serverTool takes the name of an MCP server's tool apart.
func serverTool(tool string) (server, call string) {
	server, call, _ = strings.Cut(strings.TrimPrefix(tool, mcpPrefix), "__")
	return server, call
}

func (d *decoder) toolStarted(n toolNote) []agents.Event {
	if n.ID == "" {
		return nil
	}
	t := &tool{name: n.Name, in: readInput(n.Args)}
	if changesFile(n.Name) {
		t.before = textOf(absolute(t.in.Path, d.cwd))
	}
	if d.tools[n.ID] == nil {
		d.order = append(d.order, n.ID)
	}
	d.tools[n.ID] = t
	return []agents.Event{agents.ToolStarted{
		ID: n.ID, Name: n.Name, Kind: toolKind(n.Name), Title: toolTitle(n.Name, t.in, d.cwd), Input: redacted(n.Args),
	}}
}

// toolProgress shows what is new. The CLI tells the whole each time, or its end
// where it is long; progress of an MCP server is a remark.
func (d *decoder) toolProgress(n toolNote) []agents.Event {
	t := d.tools[n.ID]
	text := n.Partial.Content.texts()
	if t == nil || text == "" || text == t.shown {
		return nil
	}
	if toolKind(t.name) != "run" {
		t.shown = text
		return []agents.Event{agents.ToolProgress{ID: n.ID, Text: agents.Redact(text)}}
	}
	more, ok := strings.CutPrefix(text, t.shown)
	if !ok {
		more = afterOverlap(t.shown, text)
	}
	t.shown = text
	if more = t.redactor.Push(more); more == "" {
		return nil
	}
	return []agents.Event{agents.ToolProgress{ID: n.ID, Output: more}}
}

// overlapLimit is how much of an output, in bytes, is compared to find where the
// newer goes on.
const overlapLimit = 4 << 10

// afterOverlap is what text has behind the end of shown, all of it when the two
// have nothing in common.
func afterOverlap(shown, text string) string {
	tail := shown[max(0, len(shown)-overlapLimit):]
	if at := strings.LastIndex(text, tail); tail != "" && at >= 0 {
		return text[at+len(tail):]
	}
	return text
}

func (d *decoder) toolEnded(n toolNote) []agents.Event {
	t := d.tools[n.ID]
	if t == nil {
		return nil // cut with its turn
	}
	status := "ok"
	switch {
	case n.IsError && d.stopped:
		status = "cancelled"
	case n.IsError:
		status = "failed"
	}
	var events []agents.Event
	if change, ok := t.changed(d.cwd); ok && !n.IsError {
		change.ToolID = n.ID
		events = append(events, change)
	}
	return append(events, d.ended(n.ID, status, n.Result.Content.texts()))
}

func (d *decoder) ended(id, status, output string) agents.Event {
	delete(d.tools, id)
	d.order = slices.DeleteFunc(d.order, func(other string) bool { return other == id })
	return agents.ToolEnded{ID: id, Status: status, Output: agents.Redact(output)}
}

func changesFile(tool string) bool { return tool == "edit" || tool == "write" }

// changed is the change that a call made to its file, by the file as it is now.
func (t *tool) changed(cwd string) (agents.FileChanged, bool) {
	if !changesFile(t.name) || t.in.Path == "" {
		return agents.FileChanged{}, false
	}
	path := absolute(t.in.Path, cwd)
	change := agents.FileChanged{Path: path, Change: "modified", Added: -1, Removed: -1}
	after := textOf(path)
	if after == nil {
		return change, true
	}
	if t.before == nil {
		change.Change = "added"
	}
	change.Diff, change.Added, change.Removed = filediff.Unified(path, t.before, *after)
	change.Diff = agents.Redact(change.Diff)
	return change, true
}

// readLimit is the size of a file, in bytes, up to which it is read to show an
// edit in its place.
const readLimit = 1 << 20

// textOf is the text of a file, nil when there is none or it is too long.
func textOf(path string) *string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > readLimit {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	text := string(data)
	return &text
}

// absolute is a path as the CLI takes it: relative ones begin in its folder.
func absolute(path, cwd string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}

// inside is a path as the person reads it: without the session's folder where
// it lies in it.
func inside(path, cwd string) string {
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsAbs(path) && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

func redacted(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return json.RawMessage(agents.Redact(string(raw)))
}
