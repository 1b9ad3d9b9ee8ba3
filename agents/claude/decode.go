package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/agents"
)

// decoder turns lines into events. It remembers what a line alone does not
// tell: texts that are being written, calls that run, what the session has
// used. It belongs to the reader.
type decoder struct {
	cwd      string
	said     agents.Started // as last emitted
	mode     string         // the CLI's own word, "" until it told
	stopped  bool           // a person asked the running turn to stop
	texts    *texts
	tools    map[string]*tool // running, by id of the call
	tasks    map[string]task  // running, by id of the task
	steps    []agents.PlanStep
	usage    agents.Usage
	window   int64     // of the main model, 0 until a result told
	apiError *apiError // of the running turn
	limit    rateLimit
}

// tool is a call that runs.
type tool struct {
	name   string
	parent string
	input  toolInput
	raw    json.RawMessage
}

// task is a sub-agent or a command in the background.
type task struct {
	tool       string // id of the call that began it
	background bool
}

func newDecoder(cwd string) *decoder {
	return &decoder{cwd: cwd, texts: newTexts(), tools: map[string]*tool{}, tasks: map[string]task{}}
}

// working reports whether a line shows the CLI at work on its main thread,
// which is to say within a turn.
func working(h head, line []byte) bool {
	if h.Parent != "" {
		return false
	}
	switch h.Type {
	case "assistant", "stream_event":
		return true
	case "system":
		var s struct {
			Status string `json:"status"`
		}
		return h.Subtype == "status" && json.Unmarshal(line, &s) == nil && (s.Status == "requesting" || s.Status == "compacting")
	}
	return false
}

// decode returns the events of a line. Turns and control lines are not its
// business.
func (d *decoder) decode(h head, line []byte) []agents.Event {
	switch h.Type {
	case "system":
		return d.system(h.Subtype, line)
	case "stream_event":
		var l streamLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.stream(h.Parent, l)
	case "assistant":
		var l messageLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.assistant(h.Parent, l)
	case "user":
		var l messageLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.user(h.Parent, l)
	case "rate_limit_event":
		var l noticeLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.rateLimit(l)
	case "conversation_reset":
		// After /clear. The new id comes with the next init; the one in here is
		// another.
		return []agents.Event{agents.Notice{Level: "info", Code: h.Type, Text: name + " forgot the conversation up to here."}}
	case "attachment", "keep_alive", "tool_progress", "tool_use_summary", "prompt_suggestion", "auth_status":
		return nil // nothing that a person needs
	default:
		return unknown(line)
	}
}

func (d *decoder) system(subtype string, line []byte) []agents.Event {
	switch subtype {
	case "init":
		var l initLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.init(l)
	case "task_started", "task_progress", "task_notification":
		var l taskLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.task(subtype, l)
	case "status", "api_retry", "informational", "compact_boundary", "model_fallback", "model_refusal_fallback":
		var l noticeLine
		if json.Unmarshal(line, &l) != nil {
			return unknown(line)
		}
		return d.notice(subtype, l)
	case "":
		return unknown(line)
	default:
		return nil // new ones come with every version, for hosts that ask for them
	}
}

// init tells where the conversation is. It comes with every turn; only news
// makes an event.
func (d *decoder) init(l initLine) []agents.Event {
	s := agents.Started{
		NativeID: cmp.Or(l.SessionID, d.said.NativeID), Model: l.Model, Version: cmp.Or(l.Version, d.said.Version),
	}
	for _, server := range l.Servers {
		s.Servers = append(s.Servers, agents.ServerState{Name: server.Name, State: server.Status})
	}
	for _, e := range l.ServerErrors {
		s.Servers = append(s.Servers, agents.ServerState{Name: e.Name, State: "failed", Error: e.Message})
	}
	d.mode = cmp.Or(l.Mode, d.mode)
	return d.started(s)
}

func (d *decoder) started(s agents.Started) []agents.Event {
	old := d.said
	if s.NativeID == old.NativeID && s.Model == old.Model && s.Version == old.Version && slices.Equal(s.Servers, old.Servers) {
		return nil
	}
	d.said = s
	return []agents.Event{s}
}

// assistant is one finished block of a message.
func (d *decoder) assistant(parent string, l messageLine) []agents.Event {
	if l.APIError {
		// The CLI's own words for an error of the provider. They explain the
		// result and are no message of the agent.
		d.apiError = &apiError{kind: l.Error, text: blocksText(l.Message.Content)}
		return nil
	}
	var events []agents.Event
	for _, b := range blocks(l.Message.Content) {
		switch {
		case b.Text == noContent: // of a command of the CLI that says nothing
		case b.Type == "text", b.Type == "thinking":
			events = append(events, d.texts.whole(parent, l.Message.ID, b, l.Aborted)...)
		case b.Type == "tool_use":
			events = append(events, d.toolStarted(parent, b)...)
		}
	}
	return events
}

const noContent = "(no content)"

// user brings results of calls. Texts in it are the CLI's, for its model.
func (d *decoder) user(parent string, l messageLine) []agents.Event {
	var events []agents.Event
	for _, b := range blocks(l.Message.Content) {
		if b.Type == "tool_result" {
			events = append(events, d.toolEnded(b, l.ToolResult)...)
		}
	}
	return events
}

func (d *decoder) toolStarted(parent string, b content) []agents.Event {
	if b.ID == "" {
		return nil
	}
	t := d.tools[b.ID]
	if t == nil {
		t = &tool{name: b.Name, parent: parent}
		d.tools[b.ID] = t
	}
	e := agents.ToolStarted{ID: b.ID, Name: b.Name, Kind: toolKind(b.Name), Parent: parent}
	if len(b.Input) > 0 && string(b.Input) != "{}" {
		t.input, t.raw = readInput(b.Input), b.Input
		e.Input = json.RawMessage(agents.Redact(string(b.Input)))
	}
	e.Title = toolTitle(b.Name, t.input, d.cwd)
	return []agents.Event{e}
}

func (d *decoder) toolEnded(b content, result json.RawMessage) []agents.Event {
	t := d.tools[b.ToolUseID]
	if t == nil {
		return nil // of a call in an earlier process
	}
	delete(d.tools, b.ToolUseID)
	ended := agents.ToolEnded{ID: b.ToolUseID, Status: "ok", Output: resultText(b.Content)}
	var events []agents.Event
	if b.IsError {
		ended.Status = "failed"
		if d.stopped || strings.HasPrefix(ended.Output, rejectedText) {
			ended.Status = "cancelled"
		}
	} else {
		if change, ok := fileChanged(b.ToolUseID, t.name, t.input, result); ok {
			events = append(events, change)
		}
		if t.parent == "" && d.taskList(t, result) {
			events = append(events, agents.Plan{Steps: slices.Clone(d.steps)})
		}
	}
	events = append(events, d.cutTools(func(_ string, child *tool) bool { return child.parent == b.ToolUseID })...)
	return append(events, ended)
}

// rejectedText begins what the CLI puts in place of the result of a call that
// was stopped.
const rejectedText = "The user doesn't want to proceed with this tool use."

// cutTools ends calls that will get no result.
func (d *decoder) cutTools(which func(id string, t *tool) bool) []agents.Event {
	var ids []string
	for id, t := range d.tools {
		if which(id, t) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var events []agents.Event
	for _, id := range ids {
		delete(d.tools, id)
		events = append(events, agents.ToolEnded{ID: id, Status: "cancelled"})
	}
	return events
}

// task follows a sub-agent or a background command.
func (d *decoder) task(subtype string, l taskLine) []agents.Event {
	switch subtype {
	case "task_started":
		d.tasks[l.ID] = task{tool: l.ToolID, background: l.Background}
		return nil
	case "task_progress":
		if d.tools[l.ToolID] == nil {
			return nil
		}
		return []agents.Event{agents.ToolProgress{ID: l.ToolID, Text: agents.Redact(l.Description)}}
	}
	t := d.tasks[l.ID]
	delete(d.tasks, l.ID)
	var events []agents.Event
	if t.tool != "" {
		events = d.texts.cut(t.tool)
		events = append(events, d.cutTools(func(_ string, child *tool) bool { return child.parent == t.tool })...)
	}
	if !t.background {
		return events // its result comes as that of the call
	}
	return append(events, agents.Notice{Level: "info", Code: "background_task",
		Text: fmt.Sprintf("Background work ended (%s): %s", l.Status, agents.Redact(l.Summary))})
}

// callOf is the call that began the sub-agent with this id, or the id itself
// when it is not known.
func (d *decoder) callOf(agentID string) string {
	if t, ok := d.tasks[agentID]; ok && t.tool != "" {
		return t.tool
	}
	return agentID
}

// settle ends what is left open when one of the CLI's turns ends. Calls of
// sub-agents that go on in the background stay. deferred is the call that the
// turn ended for, "" usually; it is over as far as the agent is concerned.
func (d *decoder) settle(deferred string) []agents.Event {
	events := d.texts.cut("")
	if d.tools[deferred] != nil {
		delete(d.tools, deferred)
		events = append(events, agents.ToolEnded{ID: deferred, Status: "ok"})
	}
	alive := map[string]bool{}
	for _, t := range d.tasks {
		if t.background {
			alive[t.tool] = true
		}
	}
	d.apiError = nil
	return append(events, d.cutTools(func(_ string, t *tool) bool { return t.parent == "" || !alive[t.parent] })...)
}

// cutAll ends everything, since the CLI has ended.
func (d *decoder) cutAll() []agents.Event {
	events := d.texts.cut("")
	for _, t := range d.tasks {
		events = append(events, d.texts.cut(t.tool)...)
	}
	return append(events, d.cutTools(func(string, *tool) bool { return true })...)
}

// unknown keeps a line that was not understood, redacted and within bounds.
func unknown(line []byte) []agents.Event {
	const most = 64 << 10
	if len(line) > most {
		line = line[:most]
	}
	return []agents.Event{agents.Unknown{Raw: agents.Redact(strings.ToValidUTF8(string(line), "\uFFFD"))}}
}

// blocks reads the content of a message, which is a text or blocks.
func blocks(raw json.RawMessage) []content {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []content{{Type: "text", Text: text}}
	}
	var out []content
	_ = json.Unmarshal(raw, &out) // blocks of another shape stay empty and are passed over
	return out
}

func blocksText(raw json.RawMessage) string {
	var texts []string
	for _, b := range blocks(raw) {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}
