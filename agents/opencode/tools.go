package opencode

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/agents/filediff"
	"parley/mcp"
)

// tool is a call that runs.
type tool struct {
	session  string
	part     part
	told     bool // the person was told that it began
	known    bool // and of its input
	output   string
	redactor agents.Redactor
}

// tool takes the newest state of a call.
func (d *decoder) tool(p part) []agents.Event {
	// Not the call's own id, which some providers use again and again.
	id := p.ID
	if id == "" || d.gone[id] {
		return nil
	}
	t := d.tools[id]
	if t == nil {
		t = &tool{session: p.Session}
		d.tools[id] = t
		d.order = append(d.order, id)
	}
	t.part = p
	meta := p.metadata()
	if meta.Session != "" && p.Tool == taskTool {
		d.kids[meta.Session] = id
	}
	switch p.State.Status {
	case "running":
		events := d.begun(t, true)
		if shown := t.more(meta.Output); shown != "" {
			events = append(events, agents.ToolProgress{ID: id, Output: shown})
		}
		return events
	case "completed", "error":
		return append(d.begun(t, true), d.toolEnded(t, meta)...)
	default:
		return nil // its input is still being written
	}
}

// begun tells that a call began, and once more when its input is known.
func (d *decoder) begun(t *tool, known bool) []agents.Event {
	if t.known || t.told && !known {
		return nil
	}
	t.told, t.known = true, known
	e := agents.ToolStarted{ID: t.part.ID, Name: t.part.Tool, Kind: kindOf(t.part.Tool), Parent: d.parent(t.session)}
	if known {
		e.Title, e.Input = agents.Redact(t.part.title(d.cwd)), t.part.input()
	}
	return []agents.Event{e}
}

// asking is the id of the call that a request belongs to, which the person is
// told of before the request; "" when it is not known.
func (d *decoder) asking(from calledFrom) (id string, events []agents.Event) {
	for id, t := range d.tools {
		if t.part.Message == from.Message && t.part.CallID == from.CallID {
			return id, d.begun(t, false)
		}
	}
	return "", nil
}

// more is what has come to the output since it was last told, which is told as a
// whole each time.
func (t *tool) more(all string) string {
	if !strings.HasPrefix(all, t.output) {
		return "" // it was cut short; the end brings it
	}
	piece := all[len(t.output):]
	t.output = all
	return t.redactor.Push(piece)
}

func (d *decoder) toolEnded(t *tool, meta toolMetadata) []agents.Event {
	p, id := t.part, t.part.ID
	status, output := "ok", p.State.Output
	switch {
	case p.State.Status == "error":
		status, output = "failed", cmp.Or(p.State.Error, p.State.Output)
		if meta.Interrupted || d.stopped {
			status = "cancelled"
		}
	case p.Tool == bashTool && meta.Exit == nil && d.stopped:
		status = "cancelled"
	case p.Tool == bashTool && meta.Exit != nil && *meta.Exit != 0, p.Tool == "invalid":
		status = "failed"
	}
	var events []agents.Event
	if status == "ok" {
		for _, c := range p.changed(meta, d.diffs[id]) {
			c.ToolID = id
			events = append(events, c)
		}
	}
	if p.Tool == taskTool && meta.Session != "" {
		events = append(events, d.cut(meta.Session)...)
	}
	delete(d.diffs, id)
	return append(events, d.end(id, status, output))
}

func (d *decoder) forget(id string) {
	delete(d.tools, id)
	d.gone[id] = true // more may still be said of one that was cut off
	d.order = slices.DeleteFunc(d.order, func(other string) bool { return other == id })
}

func (d *decoder) end(id, status, output string) agents.Event {
	d.forget(id)
	return agents.ToolEnded{ID: id, Status: status, Output: agents.Redact(output)}
}

// cutTools ends calls that will get no result.
func (d *decoder) cutTools(which func(*tool) bool) []agents.Event {
	var events []agents.Event
	for _, id := range slices.Clone(d.order) {
		switch t := d.tools[id]; {
		case !which(t):
		case t.told:
			events = append(events, d.end(id, "cancelled", ""))
		default:
			d.forget(id)
		}
	}
	return events
}

// Tools of the CLI.
const (
	bashTool = "bash"
	taskTool = "task"
)

var kinds = map[string]string{
	"read": "read", "list": "search", "glob": "search", "grep": "search", "lsp": "search", "codesearch": "search",
	"edit": "edit", "multiedit": "edit", "patch": "edit", "apply_patch": "edit", "write": "write",
	bashTool: "run", "webfetch": "fetch", "websearch": "fetch", taskTool: "agent",
	"question": "ask", "todowrite": "plan", "todoread": "plan", "plan_enter": "plan", "plan_exit": "plan",
	"skill": "other", "invalid": "other", "batch": "other",
	mcp.InteractionServer + "_" + mcp.ToolUpdatePlan: "plan",
	mcp.InteractionServer + "_" + mcp.ToolClarify:    "ask",
	mcp.InteractionServer + "_" + mcp.ToolForm:       "ask",
}

// kindOf is what a tool does. The CLI's own have no underscore but for those
// above; what has one belongs to an MCP server.
func kindOf(tool string) string {
	if kind := kinds[tool]; kind != "" {
		return kind
	}
	if strings.Contains(tool, "_") {
		return "mcp"
	}
	return "other"
}

func (p part) metadata() toolMetadata {
	var m toolMetadata
	_ = json.Unmarshal(p.State.Metadata, &m) // that of other tools has other shapes
	return m
}

// toolInput is what tools are called with.
type toolInput struct {
	Command     string `json:"command"`
	FilePath    string `json:"filePath"`
	Path        string `json:"path"`
	Pattern     string `json:"pattern"`
	URL         string `json:"url"`
	Query       string `json:"query"`
	Description string `json:"description"`
	Content     string `json:"content"`
	Question    string `json:"question"`
	Explanation string `json:"explanation"`
	Name        string `json:"name"`
	Tool        string `json:"tool"`
}

func (p part) title(cwd string) string {
	var in toolInput
	_ = json.Unmarshal(p.State.Input, &in) // what has another shape has no title of its own
	switch p.Tool {
	case bashTool:
		return in.Command
	case taskTool:
		return in.Description
	case "webfetch":
		return in.URL
	case "skill":
		return in.Name
	case "invalid":
		return in.Tool
	}
	if in.FilePath != "" {
		return inside(in.FilePath, cwd)
	}
	if in.Pattern != "" {
		return in.Pattern
	}
	if text := cmp.Or(in.Question, in.Explanation, in.Query); text != "" {
		return text
	}
	return cmp.Or(inside(in.Path, cwd), p.State.Title)
}

// input is what the call was made with, nil when nothing is known of it.
func (p part) input() json.RawMessage {
	if len(p.State.Input) == 0 || string(p.State.Input) == "null" {
		return nil
	}
	return json.RawMessage(agents.Redact(string(p.State.Input)))
}

// changed are the changes that a call made to files. asked is the diff that was
// shown when permission was asked for: what writes a whole file tells no other.
func (p part) changed(meta toolMetadata, asked string) []agents.FileChanged {
	var in toolInput
	_ = json.Unmarshal(p.State.Input, &in) // as above
	switch {
	case len(meta.Files) > 0:
		var out []agents.FileChanged
		for _, f := range meta.Files {
			c := agents.FileChanged{
				Path: cmp.Or(f.Move, f.Path), Change: map[string]string{"add": "added", "delete": "deleted"}[f.Type],
				Added: f.Additions, Removed: f.Deletions, Diff: plainDiff(cmp.Or(f.Patch, f.Diff)),
			}
			if c.Change == "" {
				c.Change = "modified"
			}
			out = append(out, c)
		}
		return out
	case kindOf(p.Tool) == "edit" && in.FilePath != "":
		c := agents.FileChanged{Path: in.FilePath, Change: "modified", Diff: plainDiff(meta.Diff)}
		c.Added, c.Removed = filediff.Count(c.Diff)
		return []agents.FileChanged{c}
	case kindOf(p.Tool) == "write" && in.FilePath != "":
		c := agents.FileChanged{Path: in.FilePath, Change: "modified", Diff: plainDiff(cmp.Or(meta.Diff, asked)), Added: -1, Removed: -1}
		if meta.Exists != nil && !*meta.Exists {
			c.Change = "added"
			c.Diff, c.Added, c.Removed = filediff.Unified(in.FilePath, nil, in.Content)
			c.Diff = agents.Redact(c.Diff)
		} else if c.Diff != "" {
			c.Added, c.Removed = filediff.Count(c.Diff)
		}
		return []agents.FileChanged{c}
	}
	return nil
}

// plainDiff is a diff of the CLI in the form of all others: without the lines
// that its library puts above, and with the sides named.
func plainDiff(diff string) string {
	if at := strings.Index(diff, "--- "); at > 0 && strings.HasPrefix(diff, "Index: ") {
		diff = diff[at:]
	}
	if rest, ok := strings.CutPrefix(diff, "--- /"); ok {
		diff = "--- a/" + strings.Replace(rest, "\n+++ /", "\n+++ b/", 1)
	}
	return agents.Redact(diff)
}

// inside is a path as the person reads it: without the session's folder where
// it lies in it.
func inside(path, cwd string) string {
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsAbs(path) && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
