package codex

import (
	"cmp"
	"encoding/json"
	"strings"

	"parley/agents"
	"parley/agents/jsonl"
)

// execLine is a line of `codex exec --json`, as far as Parley reads it.
type execLine struct {
	Type    string   `json:"type"`
	Thread  string   `json:"thread_id"` // thread.started
	Item    execItem `json:"item"`      // item.started, item.updated, item.completed
	Message string   `json:"message"`   // error
	Usage   struct { // turn.completed; of the whole conversation
		Input  int64 `json:"input_tokens"`
		Cached int64 `json:"cached_input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
	Error turnError `json:"error"` // turn.failed
}

// execItem is the item of the app server in other words. Its id counts from 0 in
// every process.
type execItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Status  string `json:"status"` // in_progress, completed, failed, declined
	Text    string `json:"text"`
	Message string `json:"message"` // of a warning

	Command  string `json:"command"`
	Output   string `json:"aggregated_output"`
	ExitCode *int   `json:"exit_code"`

	Changes []struct {
		Path string `json:"path"`
		Kind string `json:"kind"` // add, delete, update
	} `json:"changes"`

	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`

	Prompt    string   `json:"prompt"`
	Receivers []string `json:"receiver_thread_ids"`
	Query     string   `json:"query"`

	Steps []struct {
		Text string `json:"text"`
		Done bool   `json:"completed"`
	} `json:"items"` // of a to-do list
}

var execTypes = map[string]string{
	"agent_message": "agentMessage", "reasoning": "reasoning", "command_execution": "commandExecution", "file_change": "fileChange",
	"mcp_tool_call": "mcpToolCall", "collab_tool_call": "collabAgentToolCall", "web_search": "webSearch",
}

// take takes a line.
func (x *execution) take(line jsonl.Line) {
	var l execLine
	if !line.JSON || json.Unmarshal(line.Data, &l) != nil {
		x.emit(unknown(line.Data))
		return
	}
	switch l.Type {
	case "thread.started":
		x.threadStarted(l.Thread)
	case "turn.started":
	case "item.started", "item.updated", "item.completed":
		x.emit(x.item(l.Item, l.Type, line.Data))
	case "error":
		if strings.HasPrefix(l.Message, "Reconnecting") { // it tries again by itself
			p := problem(turnError{Message: l.Message}, &x.decoder.limit)
			x.emit([]agents.Event{agents.Notice{Level: "warning", Code: "api_retry", Text: p.Title + " Trying again.", Advice: agents.Redact(l.Message)}})
			return
		}
		x.failure = &turnError{Message: l.Message}
	case "turn.completed":
		x.decoder.used[x.decoder.thread] = tokens{Input: l.Usage.Input, Cached: l.Usage.Cached, Output: l.Usage.Output}
		x.finish(agents.Ended{Stop: agents.StopDone, Native: "completed"})
	case "turn.failed":
		if l.Error.Message == "" && x.failure != nil {
			l.Error = *x.failure
		}
		p := problem(l.Error, &x.decoder.limit)
		x.finish(agents.Ended{Stop: stopOf(p), Problem: &p, Native: "failed"})
	default:
		x.emit(unknown(line.Data))
	}
}

// threadStarted notes the conversation. One that it does not have the CLI
// silently replaces by a new one.
func (x *execution) threadStarted(thread string) {
	x.decoder.thread = thread
	x.emit(x.decoder.started(agents.Started{NativeID: thread, Model: x.model}))
	if x.native != "" && thread != x.native {
		x.emit([]agents.Event{agents.Notice{Level: "warning", Code: "new_conversation",
			Text:   name + " no longer has this conversation and began a new one.",
			Advice: "What was said so far stays here; the agent doesn't know it any more."}})
	}
}

// item has the decoder take an item in the app server's words.
func (x *execution) item(from execItem, stage string, line []byte) []agents.Event {
	d := x.decoder
	switch from.Type {
	case "todo_list":
		var n planNote
		n.Thread = d.thread
		for _, s := range from.Steps {
			step := struct {
				Step   string `json:"step"`
				Status string `json:"status"`
			}{s.Text, "pending"}
			if s.Done {
				step.Status = "completed"
			}
			n.Plan = append(n.Plan, step)
		}
		return d.plan(n)
	case "error":
		return d.warning(from.Message, "")
	}
	to := item{
		Type: execTypes[from.Type], ID: x.id(from.ID), Status: from.Status, Text: from.Text,
		Command: from.Command, Cwd: d.cwd, Output: from.Output, ExitCode: from.ExitCode,
		Server: cmp.Or(x.names[from.Server], from.Server), Tool: from.Tool, Arguments: from.Arguments, Result: from.Result, Error: from.Error,
		Prompt: from.Prompt, Receivers: from.Receivers, Query: from.Query, noDiffs: true,
	}
	if plain, ok := script(from.Command); ok {
		to.Actions = []commandAction{{Command: plain}}
	}
	switch {
	case to.Type == "":
		if stage != "item.completed" {
			return nil
		}
		return unknown(line)
	case stage == "item.updated":
		return nil // what is new comes with the end
	case from.Type == "reasoning":
		to.Summary = []string{from.Text}
	case from.Tool == "spawn_agent":
		to.Tool = "spawnAgent"
	}
	for _, c := range from.Changes {
		change := fileChange{Path: c.Path}
		change.Kind.Type = c.Kind
		to.Changes = append(to.Changes, change)
	}
	note := itemNote{Body: to}
	note.Thread = d.thread
	return d.item(note, line, stage == "item.completed")
}

// id makes an item's id one of its own in the whole session.
func (x *execution) id(item string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.turn + ":" + item
}

func (x *execution) emit(events []agents.Event) {
	for _, e := range events {
		x.host.Emit(e)
	}
}
