package session

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/agents"
	"parley/app"
	"parley/app/mask"
	"parley/mcp"
)

const (
	// maxUnknowns bounds how many lines that were not understood one agent may
	// put into the record.
	maxUnknowns = 500
	// maxTail is how much of a tool's streamed output is remembered, for agents
	// that do not repeat it at the end.
	maxTail = 256 << 10
)

// stream is a text that is being written.
type stream struct {
	thought  bool
	id       string
	parent   string
	turn     app.TurnID
	redactor agents.Redactor
	text     strings.Builder // what was shown so far
	since    int64
}

// toolCall is a tool that is at work.
type toolCall struct {
	turn   app.TurnID
	since  int64
	stream *mask.Stream // of its output; nil until there is any
	form   bool         // it calls the form tool
	offset int          // bytes of output shown so far
	tail   []byte       // end of the output, in case the agent doesn't repeat it
}

// heard turns what an agent does into facts and transient events.
func (a *actor) heard(l *live, ev agents.Event) {
	switch ev := ev.(type) {
	case agents.Started:
		a.heardStarted(l, ev)
	case agents.TurnBegan:
		a.turnBegan(l, ev.Reason)
	case agents.Text:
		a.heardText(false, ev.MessageID, ev.Text, ev.Parent, ev.Done, ev.Partial)
	case agents.Thought:
		a.heardText(true, ev.MessageID, ev.Text, ev.Parent, ev.Done, false)
	case agents.ToolStarted:
		a.heardToolStarted(ev)
	case agents.ToolProgress:
		a.heardToolProgress(ev)
	case agents.ToolEnded:
		a.heardToolEnded(ev)
	case agents.FileChanged:
		a.fact(app.EventFileChanged, app.FileChanged{
			Path: a.relative(ev.Path), Change: app.FileChange(ev.Change),
			Added: ev.Added, Removed: ev.Removed, ToolID: ev.ToolID, Diff: redact(ev.Diff),
		})
	case agents.Plan:
		a.heardPlan(ev)
	case agents.Usage:
		a.usage = appUsage(&ev)
		a.transient(app.EventUsageUpdated, *a.usage)
	case agents.CallLost:
		a.callLost(l)
	case agents.Notice:
		a.notice(app.NoticeLevel(ev.Level), ev.Code, ev.Text, ev.Advice)
	case agents.Unknown:
		if l.unknowns++; l.unknowns <= maxUnknowns {
			a.fact(app.EventUnknown, app.Unknown{Raw: redact(ev.Raw)})
		}
		if !l.ready {
			l.greeting = lastLines(l.greeting + "\n" + redact(ev.Raw))
		}
	case agents.Ended:
		a.turnEnded(l, ev)
	}
}

func (a *actor) heardStarted(l *live, ev agents.Started) {
	if ev.NativeID != "" && ev.NativeID != a.session.NativeID && ev.NativeID != a.session.ForkNative {
		a.update(func(s *app.Session) { s.NativeID, s.ForkNative = ev.NativeID, "" })
	}
	if l.grant == nil || l.serverSaid {
		return
	}
	for _, s := range ev.Servers {
		if s.Name != mcp.InteractionServer {
			continue
		}
		switch s.State {
		case "failed", "disabled", "error":
			l.serverSaid = true
			text := "The agent has not taken Parley's tools (" + s.State + "), so it cannot ask you in mid-work."
			if s.Error != "" {
				text += " It says: " + s.Error
			}
			a.notice(app.LevelWarning, "tools_missing", text, "Close the session and open it again.")
		}
	}
}

func (a *actor) heardText(thought bool, id, text, parent string, done, partial bool) {
	delta, completed := app.EventMessageDelta, app.EventMessageCompleted
	if thought {
		delta, completed = app.EventReasoningDelta, app.EventReasoningCompleted
	}
	s := a.stream(thought, id, parent)
	if !done {
		a.show(s, delta, s.redactor.Push(text))
		return
	}
	a.streams = slices.DeleteFunc(a.streams, func(x *stream) bool { return x == s })
	whole := redact(text)
	if whole == "" {
		whole = redact(s.text.String() + s.redactor.Flush())
	}
	a.completeText(s, completed, whole, partial)
}

// completeText stores a text as a whole.
func (a *actor) completeText(s *stream, t app.EventType, whole string, partial bool) {
	if strings.TrimSpace(whole) == "" {
		return
	}
	if !s.thought && s.parent == "" {
		a.lastSaid = lastLines(whole)
	}
	a.out.fact(s.turn, t, app.MessageText{
		MessageID: s.id, Text: whole, ParentToolID: s.parent, Partial: partial, DurationMS: a.since(s.since),
	})
}

// stream finds the text with that id or begins it.
func (a *actor) stream(thought bool, id, parent string) *stream {
	for _, s := range a.streams {
		if s.thought == thought && s.id == id {
			return s
		}
	}
	s := &stream{thought: thought, id: id, parent: parent, turn: a.turnID(), since: a.now()}
	a.streams = append(a.streams, s)
	return s
}

// show sends a piece of a text that is being written.
func (a *actor) show(s *stream, t app.EventType, piece string) {
	if piece == "" {
		return
	}
	d := app.Delta{MessageID: s.id, Offset: s.text.Len(), Text: piece, ParentToolID: s.parent}
	s.text.WriteString(piece)
	a.out.transient(app.Event{At: a.now(), SessionID: a.id, TurnID: s.turn, Type: t, Data: d})
}

// cutTexts stores what was written so far of texts that will not be finished.
func (a *actor) cutTexts() {
	streams := a.streams
	a.streams = nil
	for _, s := range streams {
		completed := app.EventMessageCompleted
		if s.thought {
			completed = app.EventReasoningCompleted
		}
		a.completeText(s, completed, redact(s.text.String()+s.redactor.Flush()), true)
	}
}

func (a *actor) heardToolStarted(ev agents.ToolStarted) {
	call, again := a.tools[ev.ID]
	if !again {
		call = &toolCall{turn: a.turnID(), since: a.now(), form: isFormTool(ev.Name)}
		a.tools[ev.ID] = call
	}
	if t := a.turn; t != nil && t.form != nil && t.formItem == "" && call.form {
		t.formItem = ev.ID // it came before its place in the stream
	}
	kind := app.ToolKind(ev.Kind)
	if kind == "" {
		kind = app.ToolOther
	}
	if a.turn != nil {
		a.turn.origins.began(ev.ID, ev.Parent, kind)
	}
	a.out.fact(call.turn, app.EventToolStarted, app.ToolStarted{
		ToolID: ev.ID, Name: ev.Name, Kind: kind, Title: redact(ev.Title), Input: redact(string(ev.Input)), ParentToolID: ev.Parent,
	})
}

func (a *actor) heardToolProgress(ev agents.ToolProgress) {
	call, ok := a.tools[ev.ID]
	if !ok {
		return
	}
	if call.stream == nil {
		call.stream = a.m.cfg.Secrets.Stream()
	}
	piece := call.stream.Push(ev.Output)
	text := redact(ev.Text)
	if piece == "" && text == "" {
		return
	}
	a.transient(app.EventToolProgress, app.ToolProgress{ToolID: ev.ID, Text: text, Output: piece, Offset: call.offset})
	call.keep(piece)
}

// keep remembers the end of a tool's output.
func (c *toolCall) keep(piece string) {
	c.offset += len(piece)
	c.tail = append(c.tail, piece...)
	if len(c.tail) > 2*maxTail {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-maxTail:]...)
	}
}

func (a *actor) heardToolEnded(ev agents.ToolEnded) {
	if t := a.turn; t != nil && (t.form != nil && ev.ID == t.formItem || t.told != nil && ev.ID == t.told.form.ToolUseID) {
		return // a form's item ends with the turn that shows it, whatever the CLI says of the call
	}
	call, ok := a.tools[ev.ID]
	if !ok {
		call = &toolCall{turn: a.turnID(), since: a.now()}
	}
	delete(a.tools, ev.ID)
	if a.turn != nil {
		a.turn.origins.ended(ev.ID)
	}
	a.completeTool(ev.ID, call, app.ToolStatus(ev.Status), ev.Output)
}

func (a *actor) completeTool(id string, call *toolCall, status app.ToolStatus, output string) {
	truncated := false
	if output == "" && call.stream != nil {
		call.keep(call.stream.Flush())
		output = strings.ToValidUTF8(string(call.tail), "")
		truncated = call.offset > len(call.tail)
	}
	d := app.ToolCompleted{ToolID: id, Status: status, Output: redact(output), Truncated: truncated, DurationMS: a.since(call.since)}
	a.keepLong(&d)
	a.out.fact(call.turn, app.EventToolCompleted, d)
}

// cutTools ends the tools of a turn that ended without them.
func (a *actor) cutTools(turn app.TurnID) {
	for id, call := range a.tools {
		if call.turn == turn {
			delete(a.tools, id)
			a.completeTool(id, call, app.ToolCancelled, "")
		}
	}
}

// heardPlan shows the CLI's own task list like one of ours.
func (a *actor) heardPlan(ev agents.Plan) {
	if a.turn == nil || len(ev.Steps) == 0 {
		return
	}
	steps := nativeSteps(ev.Steps)
	a.flush()
	plan, err := a.m.cfg.Plans.Update(a.ctx, a.id, a.turn.row.ID, "", steps)
	if err != nil {
		a.log.Warn("store the agent's own plan", "error", err)
		return
	}
	a.turn.plan = plan
}

// relative is a path as the person reads it: inside the session's folder
// without that folder.
func (a *actor) relative(path string) string {
	if !filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	rel, err := filepath.Rel(a.session.Cwd, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
