package acpclient

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/agents"
	"parley/agents/filediff"
	"parley/mcp"
)

// tool is a tool call as far as it is known. The protocol sends it in parts and
// has no name of the tool, only a title; the first title stands for the name.
type tool struct {
	name, title string
	kind        string // the protocol's
	input       string // JSON, redacted
	output      string
	path        string
	diffs       []fileDiff
	ended       bool
}

// fileDiff is an edit as the protocol tells it: whole texts. Old is nil for a
// new file.
type fileDiff struct {
	Path string  `json:"path"`
	Old  *string `json:"oldText"`
	New  string  `json:"newText"`
}

// toolUpdate is what tool_call, tool_call_update and a permission request say of
// a tool call. What is absent has not changed.
type toolUpdate struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	ToolKind  string          `json:"kind"`
	Status    string          `json:"status"`
	RawInput  json.RawMessage `json:"rawInput"`
	RawOutput json.RawMessage `json:"rawOutput"`
	Content   json.RawMessage `json:"-"` // the union's field, set by hand
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
}

// toolUpdate merges an update into its tool call. It reports false when the
// update concerns a call that nobody began.
func (d *decoder) toolUpdate(parent string, u toolUpdate) ([]agents.Event, bool) {
	t := d.tools[u.ID]
	if u.ID == "" || t == nil && (u.Title == "" || d.tools == nil) {
		return nil, false
	}
	if t != nil && t.ended {
		return nil, true // a late word on a call that is over, as after an interrupt
	}
	var events []agents.Event
	fresh := t == nil
	if fresh {
		events = d.closeSpeech(parent, false)
		t = &tool{name: u.Title}
		d.tools[u.ID] = t
		d.order = append(d.order, u.ID)
	}
	if t.describe(u) || fresh {
		events = append(events, agents.ToolStarted{
			ID: u.ID, Name: t.name, Kind: t.appKind(), Title: t.title, Input: t.rawInput(), Parent: parent,
		})
	}
	over := u.Status == "completed" || u.Status == "failed"
	events = append(events, t.progress(u, !over)...)
	if over {
		events = append(events, t.end(u, d.stopped)...)
	}
	return events, true
}

// describe takes over title, kind, input and place, and reports whether title or
// input changed.
func (t *tool) describe(u toolUpdate) bool {
	changed := false
	if title := agents.Redact(u.Title); title != "" && title != t.title {
		t.title, changed = title, true
	}
	if u.ToolKind != "" {
		t.kind = u.ToolKind
	}
	if input := compact(u.RawInput); input != "" && input != t.input {
		t.input, changed = input, true
	}
	if len(u.Locations) > 0 {
		t.path = u.Locations[0].Path
	}
	return changed
}

// rawInput is the input for an event, nil while it is not known.
func (t *tool) rawInput() json.RawMessage {
	if t.input == "" {
		return nil
	}
	return json.RawMessage(t.input)
}

// progress takes over the content, which replaces the content before. tell asks
// for an event.
func (t *tool) progress(u toolUpdate, tell bool) []agents.Event {
	text, diffs := toolContent(u.Content)
	if len(diffs) > 0 {
		t.diffs = diffs
	}
	if text == "" || text == t.output {
		return nil
	}
	more, appended := strings.CutPrefix(text, t.output)
	t.output = text
	switch {
	case !tell:
		return nil
	case appended:
		return []agents.Event{agents.ToolProgress{ID: u.ID, Output: more}}
	default:
		return []agents.Event{agents.ToolProgress{ID: u.ID, Text: text}}
	}
}

// end closes the call. stopped says that the turn is being interrupted: some
// agents call a tool failed that was only stopped.
func (t *tool) end(u toolUpdate, stopped bool) []agents.Event {
	t.ended = true
	ended := agents.ToolEnded{ID: u.ID, Status: "ok", Output: t.output}
	if ended.Output == "" {
		ended.Output = outputText(u.RawOutput)
	}
	t.output = "" // it may be long, and the call is remembered to the end of the turn
	if u.Status == "failed" {
		ended.Status = "failed"
		if stopped {
			ended.Status = "cancelled"
		}
		return []agents.Event{ended}
	}
	var events []agents.Event
	for _, d := range t.diffs {
		events = append(events, d.changed(u.ID, t.kind))
	}
	return append(events, ended)
}

// changed is the edit as an event. kind is the protocol's kind of the tool.
func (d fileDiff) changed(toolID, kind string) agents.Event {
	change := "modified"
	switch {
	case d.Old == nil:
		change = "added"
	case kind == "delete" && d.New == "":
		change = "deleted"
	}
	text, added, removed := filediff.Unified(d.Path, d.Old, d.New)
	return agents.FileChanged{Path: d.Path, Change: change, Added: added, Removed: removed, ToolID: toolID, Diff: agents.Redact(text)}
}

// appKind names the tool in Parley's words.
func (t *tool) appKind() string {
	for _, name := range []string{t.name, t.title} {
		switch {
		case strings.HasSuffix(name, mcp.ToolClarify), strings.HasSuffix(name, mcp.ToolForm):
			return "ask"
		case strings.HasSuffix(name, mcp.ToolUpdatePlan):
			return "plan"
		}
	}
	switch t.kind {
	case "read", "search", "fetch":
		return t.kind
	case "edit", "delete", "move":
		return "edit"
	case "execute":
		return "run"
	default:
		return "other"
	}
}

// toolContent separates the texts of a tool's content from its edits.
func toolContent(raw json.RawMessage) (string, []fileDiff) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return "", nil
	}
	var texts []string
	var diffs []fileDiff
	for _, item := range items {
		var c struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
			fileDiff
		}
		if json.Unmarshal(item, &c) != nil {
			continue
		}
		switch c.Type {
		case "content":
			if text := blockText(c.Content); text != "" {
				texts = append(texts, text)
			}
		case "diff":
			diffs = append(diffs, c.fileDiff)
		}
	}
	return agents.Redact(strings.Join(texts, "\n")), diffs
}

// outputText is a raw output as a person would read it.
func outputText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return agents.Redact(text)
	}
	return compact(raw)
}

// compact is JSON on one line, redacted; "" for none and for null.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil || b.String() == "null" {
		return ""
	}
	return agents.Redact(b.String())
}
