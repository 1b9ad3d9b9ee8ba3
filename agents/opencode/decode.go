package opencode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/agents"
)

// decoder turns events into the product's. It remembers what an event alone does
// not tell: whose messages and sessions are whose, texts that are being written,
// calls that run, what was used. It belongs to the handler.
type decoder struct {
	cwd      string
	root     string          // the conversation's own session
	stopped  bool            // a person asked the running turn to stop
	roles    map[string]role // by message
	texts    *texts
	tools    map[string]*tool   // running, by id of their part
	order    []string           // of those, oldest first
	kids     map[string]string  // sub-agent's session → call that began it
	sessions map[string]session // the conversation's and its sub-agents', as last told
	open     string             // the agent's message that is being written, "" for none
	used     map[string]spent   // by message, and by session for what was before
	spoke    modelID            // the model that spoke last
	context  *int64
	windows  map[string]int64 // by "provider/model"
	window   *int64
	gone     map[string]bool   // calls that have ended
	diffs    map[string]string // of edits that were asked for, by call
	retried  string            // the retry that was last told of
}

// role is what is known of a message.
type role struct {
	user    bool
	summary bool // it sums up the conversation
}

func newDecoder(cwd string) *decoder {
	return &decoder{
		cwd: cwd, roles: map[string]role{}, texts: newTexts(), tools: map[string]*tool{}, kids: map[string]string{},
		sessions: map[string]session{}, used: map[string]spent{}, windows: map[string]int64{}, gone: map[string]bool{}, diffs: map[string]string{},
	}
}

// ours reports whether a session is the conversation's, or one of its
// sub-agents'. A server can have others, that nobody here began.
func (d *decoder) ours(id string) bool {
	_, known := d.sessions[id]
	return known
}

// parent is what marks a session's events: "" for the conversation's own, else
// the call that began the sub-agent, or its session when that is not known.
func (d *decoder) parent(id string) string {
	if id == d.root {
		return ""
	}
	if call := d.kids[id]; call != "" {
		return call
	}
	return id
}

// decode returns the events of one event. Turns and requests are not its
// business.
func (d *decoder) decode(f frame, data []byte) []agents.Event {
	read := func(into any) bool { return json.Unmarshal(f.Properties, into) == nil }
	switch f.Type {
	case "session.created", "session.updated":
		var e sessionEvent
		if !read(&e) {
			return unknown(data)
		}
		d.session(e.Info)
		return nil
	case "message.updated":
		var e messageEvent
		if !read(&e) {
			return unknown(data)
		}
		return d.message(e.Info)
	case "message.part.updated":
		var e partEvent
		if !read(&e) {
			return unknown(data)
		}
		return d.part(e.Part)
	case "message.part.delta":
		var e deltaEvent
		if !read(&e) {
			return unknown(data)
		}
		if e.Field != "text" {
			return nil
		}
		return d.texts.piece(e.Part, e.Delta)
	case "todo.updated":
		var e todoEvent
		if !read(&e) {
			return unknown(data)
		}
		return d.todo(e)
	case "session.compacted":
		var e of
		if !read(&e) || e.Session != d.root {
			return nil
		}
		return []agents.Event{agents.Notice{Level: "info", Code: "compacted", Text: name + " summed up the conversation to make room."}}
	default:
		if known(f.Type) {
			return nil
		}
		return unknown(data)
	}
}

// known reports whether an event is understood and holds nothing that a person
// needs: new ones come with every version.
func known(kind string) bool {
	switch kind {
	case "message.removed", "message.part.removed", "session.deleted", "session.diff", "session.idle", "command.executed", "file.edited",
		"global.disposed", "models-dev.refreshed":
		return true
	}
	for _, prefix := range []string{
		"server.", "installation.", "integration.", "catalog.", "reference.", "plugin.", "project.", "file.watcher.", "pty.", "lsp.",
		"mcp.", "vcs.", "workspace.", "worktree.", "tui.", "session.next.", "permission.", "question.", "storage.", "ide.", "skill.", "agent.",
	} {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// session takes what is told of a session: a sub-agent's is one whose parent is
// known.
func (d *decoder) session(s session) {
	if s.ID == d.root || d.ours(s.ID) || s.Parent != "" && d.ours(s.Parent) {
		d.sessions[s.ID] = s
	}
}

// began takes up the conversation, with what it has used before.
func (d *decoder) began(s session) {
	d.root = s.ID
	d.sessions[s.ID] = s
	d.used[s.ID] = spent{s.Tokens, s.Cost}
}

// spent is what a message used, or a session before.
type spent struct {
	tokens
	cost float64
}

// usage is the sum over the conversation and its sub-agents. The CLI's own sums
// come after the end of the turn.
func (d *decoder) usage() agents.Usage {
	var input, output, cached int64
	var cost float64
	for _, u := range d.used {
		input += u.Input + u.Cache.Write
		output += u.Output + u.Reasoning
		cached += u.Cache.Read
		cost += u.cost
	}
	return agents.Usage{Input: &input, Output: &output, Cached: &cached, CostUSD: &cost, ContextUsed: d.context, Window: d.window}
}

// summing is the CLI's own agent that sums up the conversation.
const summing = "compaction"

func (d *decoder) message(m message) []agents.Event {
	if !d.ours(m.Session) {
		return nil
	}
	d.roles[m.ID] = role{user: m.Role == "user", summary: m.Agent == summing && m.Role != "user"}
	if m.Role == "user" {
		return nil
	}
	used := spent{m.Tokens, m.Cost}
	more := d.used[m.ID] != used
	d.used[m.ID] = used
	if m.Session == d.root {
		d.spoken(m)
	}
	if !more {
		return nil
	}
	return []agents.Event{d.usage()}
}

// spoken follows the messages of the agent itself.
func (d *decoder) spoken(m message) {
	switch {
	case m.Time.Completed == 0 && m.Error == nil:
		d.open = m.ID
	case d.open == m.ID:
		d.open = ""
	}
	if m.Agent == summing {
		return // perhaps by another model
	}
	d.spoke = modelID{m.Provider, m.Model}
	if window, ok := d.windows[d.spoke.String()]; ok {
		d.window = &window
	}
	if all := m.Tokens.Input + m.Tokens.Cache.Read + m.Tokens.Cache.Write + m.Tokens.Output + m.Tokens.Reasoning; all > 0 {
		d.context = &all
	}
}

func (d *decoder) part(p part) []agents.Event {
	if !d.ours(p.Session) {
		return nil
	}
	r := d.roles[p.Message]
	switch p.Type {
	case "text", "reasoning":
		if r.user || r.summary || p.Synthetic || p.Ignored {
			return nil
		}
		d.texts.begin(p.ID, source{session: p.Session, parent: d.parent(p.Session), thought: p.Type == "reasoning"})
		if p.Time.End == 0 {
			return nil // its pieces follow
		}
		return d.texts.whole(p.ID, p.Text, d.stopped && p.Session == d.root) // a stop ends what is being written
	case "tool":
		return d.tool(p)
	case "compaction":
		if p.Session != d.root {
			return nil
		}
		return []agents.Event{agents.Notice{Level: "info", Code: "compacting", Text: name + " sums up the conversation to make room. This can take a minute."}}
	default:
		return nil // steps, snapshots and the like
	}
}

// todo takes the whole list of steps.
func (d *decoder) todo(e todoEvent) []agents.Event {
	if e.Session != d.root {
		return nil // a sub-agent's list is no plan of the turn
	}
	p := agents.Plan{Steps: []agents.PlanStep{}}
	for _, t := range e.Todos {
		if t.Status == "cancelled" {
			continue
		}
		p.Steps = append(p.Steps, agents.PlanStep{Step: agents.Redact(t.Content), Status: t.Status})
	}
	return []agents.Event{p}
}

// retry tells that the CLI tries again by itself, and when.
func (d *decoder) retry(e statusEvent) []agents.Event {
	id := fmt.Sprintf("%s %d %d", e.Session, e.Status.Attempt, e.Status.Next)
	if d.retried == id {
		return nil
	}
	d.retried = id
	p := problem(saying(e.Status.Message))
	n := agents.Notice{Level: "warning", Code: "api_retry", Text: p.Title + " Trying again.", Advice: agents.Redact(e.Status.Message)}
	if wait := time.Until(time.UnixMilli(e.Status.Next)); e.Status.Next > 0 && wait > 10*time.Second {
		n.Text = p.Title + " Trying again at " + time.UnixMilli(e.Status.Next).UTC().Format("15:04:05 MST on 2 January") + "."
	}
	return []agents.Event{n}
}

// cut ends what a session has left open; "" is all of them.
func (d *decoder) cut(session string) []agents.Event {
	return append(d.texts.cut(session), d.cutTools(func(t *tool) bool { return session == "" || t.session == session })...)
}

// busy reports whether something of the agent's own is not told to its end.
func (d *decoder) busy() bool {
	return d.open != "" || slices.ContainsFunc(d.order, func(id string) bool { return d.tools[id].session == d.root })
}

// unknown keeps an event that was not understood, redacted and within bounds.
func unknown(data []byte) []agents.Event {
	const most = 64 << 10
	if len(data) > most {
		data = data[:most]
	}
	return []agents.Event{agents.Unknown{Raw: agents.Redact(strings.ToValidUTF8(strings.TrimSpace(string(data)), "\uFFFD"))}}
}
