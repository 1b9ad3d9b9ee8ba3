package codex

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
	thread string
	kid    string // thread of the sub-agent that the call began, "" for all others
	item   item   // as it started
	// redactor keeps a context id that comes in two pieces from being shown.
	redactor agents.Redactor
}

// item takes a thing that began or ended.
func (d *decoder) item(n itemNote, params json.RawMessage, done bool) []agents.Event {
	it := n.Body
	from := source{thread: n.Thread, parent: d.parent(n.Thread)}
	switch it.Type {
	case "userMessage", "hookPrompt":
		return nil
	case "agentMessage", "plan":
		if !done {
			// A message into the turn makes the CLI leave the one that it is writing
			// and begin another; it says no more of the first.
			return d.texts.cutOthers(n.Thread, it.ID)
		}
		return d.texts.whole(it.ID, from, it.Text, false)
	case "reasoning":
		if !done {
			return nil
		}
		from.thought = true
		var events []agents.Event
		for i, summary := range it.Summary {
			events = append(events, d.texts.whole(part(it.ID, i), from, summary, false)...)
		}
		return append(events, d.texts.cut(n.Thread, it.ID)...) // raw reasoning, whose pieces are all there is
	case "contextCompaction":
		if !done {
			return []agents.Event{agents.Notice{Level: "info", Code: "compacting", Text: name + " sums up the conversation to make room. This can take a minute."}}
		}
		return []agents.Event{agents.Notice{Level: "info", Code: "compacted", Text: name + " summed up the conversation to make room."}}
	case "enteredReviewMode", "exitedReviewMode":
		return nil // the review itself comes as a message
	case "subAgentActivity":
		return d.subAgent(n, done)
	case "commandExecution", "fileChange", "mcpToolCall", "dynamicToolCall", "collabAgentToolCall", "webSearch", "imageView", "imageGeneration":
		if !done {
			return d.toolStarted(n.Thread, it)
		}
		return d.toolEnded(n.Thread, it)
	default:
		if !done {
			return nil
		}
		return unknown(params)
	}
}

// subAgent follows the life of a sub-agent in newer versions: the call that
// began it runs as long as its turn does.
func (d *decoder) subAgent(n itemNote, done bool) []agents.Event {
	if done || n.Body.Kind != "started" {
		return nil
	}
	d.kids[n.Body.Agent] = n.Body.ID
	events := d.toolStarted(n.Thread, n.Body)
	d.tools[n.Body.ID].kid = n.Body.Agent
	return events
}

// kidEnded ends the call that began a sub-agent, since its turn is over.
func (d *decoder) kidEnded(thread, status string) []agents.Event {
	events := d.cut(thread)
	call := d.kids[thread]
	if t := d.tools[call]; t != nil && t.kid == thread {
		events = append(events, d.ended(call, map[string]string{"completed": "ok", "interrupted": "cancelled"}[status], ""))
	}
	return events
}

func (d *decoder) toolStarted(thread string, it item) []agents.Event {
	if it.ID == "" {
		return nil
	}
	if d.tools[it.ID] == nil {
		d.order = append(d.order, it.ID)
	}
	d.tools[it.ID] = &tool{thread: thread, item: it}
	return []agents.Event{agents.ToolStarted{
		ID: it.ID, Name: it.toolName(), Kind: it.toolKind(), Title: agents.Redact(it.title(d.cwd)), Input: it.input(), Parent: d.parent(thread),
	}}
}

func (d *decoder) toolEnded(thread string, it item) []agents.Event {
	var events []agents.Event
	t := d.tools[it.ID]
	if t == nil {
		if d.stopped && thread == d.thread {
			return nil // a late word on a call of a turn that was stopped
		}
		events = d.toolStarted(thread, it)
	} else if it.Type == "fileChange" || it.Type == "webSearch" {
		events = d.toolStarted(t.thread, it) // what it became is known only now
	}
	if it.Type == "collabAgentToolCall" && it.Tool == "spawnAgent" {
		for _, kid := range it.Receivers {
			d.kids[kid] = it.ID
		}
	}
	status := map[string]string{"failed": "failed", "declined": "cancelled", "interrupted": "cancelled"}[it.Status]
	if it.Type == "commandExecution" && it.ExitCode != nil && *it.ExitCode != 0 {
		status = "failed"
	}
	if status == "" {
		status = "ok"
		for _, c := range it.changed() {
			c.ToolID = it.ID
			events = append(events, c)
		}
	}
	if status == "failed" && d.stopped {
		status = "cancelled"
	}
	return append(events, d.ended(it.ID, status, it.output()))
}

func (d *decoder) ended(id, status, output string) agents.Event {
	delete(d.tools, id)
	d.order = slices.DeleteFunc(d.order, func(other string) bool { return other == id })
	if status == "" {
		status = "failed"
	}
	return agents.ToolEnded{ID: id, Status: status, Output: agents.Redact(output)}
}

// cutTools ends calls that will get no result. A sub-agent that goes on is no
// failure of the call that began it.
func (d *decoder) cutTools(which func(*tool) bool) []agents.Event {
	var events []agents.Event
	for _, id := range slices.Clone(d.order) {
		switch t := d.tools[id]; {
		case !which(t):
		case t.kid != "" && !d.stopped:
			events = append(events, d.ended(id, "ok", ""))
		default:
			events = append(events, d.ended(id, "cancelled", ""))
		}
	}
	return events
}

// Tools as the CLI's model knows them.
const (
	commandTool = "exec_command"
	patchTool   = "apply_patch"
)

const mcpPrefix = "mcp__"

func (it item) toolName() string {
	switch it.Type {
	case "commandExecution":
		return commandTool
	case "fileChange":
		return patchTool
	case "mcpToolCall":
		return mcpPrefix + it.Server + "__" + it.Tool
	case "collabAgentToolCall", "dynamicToolCall":
		return it.Tool
	case "subAgentActivity":
		return "spawn_agent"
	case "webSearch":
		return "web_search"
	case "imageView":
		return "view_image"
	default:
		return it.Type
	}
}

func (it item) toolKind() string {
	switch it.Type {
	case "commandExecution":
		return commandKind(it.Actions)
	case "fileChange":
		return "edit"
	case "mcpToolCall":
		if it.Server != mcp.InteractionServer {
			return "mcp"
		}
		if it.Tool == mcp.ToolUpdatePlan {
			return "plan"
		}
		return "ask"
	case "collabAgentToolCall", "subAgentActivity":
		return "agent"
	case "webSearch":
		return "fetch"
	case "imageView":
		return "read"
	default:
		return "other"
	}
}

// commandKind is what a command does when all its parts do the same.
func commandKind(actions []commandAction) string {
	kind := ""
	for _, a := range actions {
		k := map[string]string{"read": "read", "listFiles": "search", "search": "search"}[a.Type]
		if k == "" || kind != "" && k != kind {
			return "run"
		}
		kind = k
	}
	return cmp.Or(kind, "run")
}

func (it item) title(cwd string) string {
	switch it.Type {
	case "commandExecution":
		return it.plainCommand()
	case "fileChange":
		var paths []string
		for _, c := range it.Changes {
			paths = append(paths, inside(c.Path, cwd))
		}
		return strings.Join(paths, ", ")
	case "mcpToolCall":
		var in struct {
			Question    string `json:"question"`
			Explanation string `json:"explanation"`
		}
		_ = json.Unmarshal(it.Arguments, &in) // what has another shape has no title of its own
		if it.Server == mcp.InteractionServer {
			return cmp.Or(in.Question, in.Explanation)
		}
		return it.Server + ": " + it.Tool
	case "collabAgentToolCall":
		return it.Prompt
	case "subAgentActivity":
		return it.AgentPath
	case "webSearch":
		return it.Query
	case "imageView":
		return inside(it.Path, cwd)
	default:
		return ""
	}
}

// plainCommand is a command without the shell that runs it.
func (it item) plainCommand() string {
	var parts []string
	for _, a := range it.Actions {
		parts = append(parts, a.Command)
	}
	if len(parts) == 1 && parts[0] != "" {
		return parts[0]
	}
	return it.Command
}

// input is what the call was made with, nil when nothing is known of it.
func (it item) input() json.RawMessage {
	var in any
	switch it.Type {
	case "commandExecution":
		in = map[string]string{"command": it.Command, "cwd": it.Cwd}
	case "fileChange":
		in = it.Changes
	case "mcpToolCall", "dynamicToolCall":
		if len(it.Arguments) == 0 || string(it.Arguments) == "null" {
			return nil
		}
		return json.RawMessage(agents.Redact(string(it.Arguments)))
	case "collabAgentToolCall":
		in = map[string]string{"prompt": it.Prompt}
	default:
		return nil
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil
	}
	return json.RawMessage(agents.Redact(string(raw)))
}

// output is the result of a call as a person reads it.
func (it item) output() string {
	if it.Error != nil && it.Error.Message != "" {
		return it.Error.Message
	}
	if it.Type == "commandExecution" {
		return it.Output
	}
	var result struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(it.Result, &result) != nil {
		return ""
	}
	var texts []string
	for _, c := range result.Content {
		switch c.Type {
		case "text":
			texts = append(texts, c.Text)
		case "image":
			texts = append(texts, "(a picture)")
		}
	}
	return strings.Join(texts, "\n")
}

// changed are the changes that a patch made.
func (it item) changed() []agents.FileChanged {
	if it.Type != "fileChange" {
		return nil
	}
	var out []agents.FileChanged
	for _, c := range it.Changes {
		change := agents.FileChanged{Path: c.Path, Change: "modified", Diff: c.Diff}
		empty := ""
		if it.noDiffs {
			change.Change = cmp.Or(map[string]string{"add": "added", "delete": "deleted"}[c.Kind.Type], change.Change)
			change.Added, change.Removed = -1, -1
			out = append(out, change)
			continue
		}
		switch c.Kind.Type {
		case "add":
			change.Change = "added"
			change.Diff, change.Added, change.Removed = filediff.Unified(c.Path, nil, c.Diff)
		case "delete":
			change.Change = "deleted"
			change.Diff, change.Added, change.Removed = filediff.Unified(c.Path, &c.Diff, empty)
		default:
			if c.Kind.Move != "" {
				change.Path = c.Kind.Move
			}
			path := strings.TrimPrefix(c.Path, "/")
			change.Diff = "--- a/" + path + "\n+++ b/" + strings.TrimPrefix(change.Path, "/") + "\n" + c.Diff
			change.Added, change.Removed = filediff.Count(change.Diff)
		}
		change.Diff = agents.Redact(change.Diff)
		out = append(out, change)
	}
	return out
}

// inside is a path as the person reads it: without the session's folder where
// it lies in it.
func inside(path, cwd string) string {
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsAbs(path) && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
