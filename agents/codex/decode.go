package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/agents"
)

// decoder turns notifications into events. It remembers what a line alone does
// not tell: texts that are being written, calls that run, whose thread is whose,
// what the session has used. It belongs to the reader.
type decoder struct {
	cwd     string
	thread  string         // the conversation's own
	said    agents.Started // as last emitted
	stopped bool           // a person asked the running turn to stop
	texts   *texts
	tools   map[string]*tool  // running, by id of the call
	order   []string          // of those, oldest first
	kids    map[string]string // sub-agent's thread → call that began it
	used    map[string]tokens // by thread
	context *int64
	window  *int64
	limit   limits
	warned  []string
}

func newDecoder(cwd string) *decoder {
	return &decoder{cwd: cwd, texts: newTexts(), tools: map[string]*tool{}, kids: map[string]string{}, used: map[string]tokens{}}
}

// parent is what marks a thread's events: "" for the conversation's own, else
// the call that began the sub-agent, or its thread when that is not known.
func (d *decoder) parent(thread string) string {
	if thread == d.thread || thread == "" || d.thread == "" {
		return ""
	}
	if call := d.kids[thread]; call != "" {
		return call
	}
	return thread
}

// decode returns the events of a notification. Turns are not its business.
func (d *decoder) decode(method string, params json.RawMessage, line []byte) []agents.Event {
	switch method {
	case "item/started", "item/completed":
		var n itemNote
		if json.Unmarshal(params, &n) != nil {
			return unknown(line)
		}
		return d.item(n, params, method == "item/completed")
	case "item/agentMessage/delta", "item/plan/delta", "item/reasoning/summaryTextDelta", "item/reasoning/textDelta",
		"item/commandExecution/outputDelta":
		var n deltaNote
		if json.Unmarshal(params, &n) != nil {
			return unknown(line)
		}
		return d.delta(method, n)
	case "item/mcpToolCall/progress":
		var n struct {
			head
			Message string `json:"message"`
		}
		if json.Unmarshal(params, &n) != nil || d.tools[n.Item] == nil {
			return nil
		}
		return []agents.Event{agents.ToolProgress{ID: n.Item, Text: agents.Redact(n.Message)}}
	case "turn/plan/updated":
		var n planNote
		if json.Unmarshal(params, &n) != nil {
			return unknown(line)
		}
		return d.plan(n)
	case "thread/tokenUsage/updated":
		var n usageNote
		if json.Unmarshal(params, &n) != nil {
			return unknown(line)
		}
		return d.usage(n)
	case "account/rateLimits/updated":
		var n limitsNote
		if json.Unmarshal(params, &n) != nil {
			return unknown(line)
		}
		return d.limit.updated(n)
	case "warning", "configWarning", "model/rerouted":
		return d.words(method, params, line)
	default:
		if known(method) {
			return nil
		}
		return unknown(line)
	}
}

// known reports whether a notification is understood and holds nothing that a
// person needs: new ones come with every version.
func known(method string) bool {
	switch method {
	case "item/reasoning/summaryPartAdded", "item/fileChange/outputDelta", "item/fileChange/patchUpdated",
		"item/commandExecution/terminalInteraction", "turn/diff/updated", "turn/moderationMetadata", "deprecationNotice":
		return true
	}
	for _, prefix := range []string{
		"thread/", "account/", "app/", "autoApprovalReview/", "command/", "externalAgentConfig/", "fs/", "fuzzyFileSearch/", "hook/",
		"item/autoApprovalReview/", "mcpServer/", "model/", "modelProvider/", "process/", "project/", "rawResponse", "remoteControl/",
		"skills/", "windows", // windows/ and windowsSandbox/
	} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

func (d *decoder) delta(method string, n deltaNote) []agents.Event {
	from := source{thread: n.Thread, parent: d.parent(n.Thread)}
	switch method {
	case "item/commandExecution/outputDelta":
		t := d.tools[n.Item]
		if t == nil {
			return nil
		}
		if shown := t.redactor.Push(n.Delta); shown != "" { // the whole output comes with the end
			return []agents.Event{agents.ToolProgress{ID: n.Item, Output: shown}}
		}
		return nil
	case "item/reasoning/summaryTextDelta":
		from.thought = true
		return d.texts.piece(part(n.Item, n.SummaryIndex), from, n.Delta)
	case "item/reasoning/textDelta":
		from.thought = true
		return d.texts.piece(part(n.Item+":raw", n.ContentIndex), from, n.Delta)
	default:
		return d.texts.piece(n.Item, from, n.Delta)
	}
}

func (d *decoder) plan(n planNote) []agents.Event {
	if d.parent(n.Thread) != "" {
		return nil // a sub-agent's plan is no plan of the turn
	}
	var p agents.Plan
	for _, s := range n.Plan {
		status := s.Status
		if status == "inProgress" {
			status = "in_progress"
		}
		p.Steps = append(p.Steps, agents.PlanStep{Step: agents.Redact(s.Step), Status: status})
	}
	return []agents.Event{p}
}

// usage takes over the sums of a thread; the session's are those of all its
// threads.
func (d *decoder) usage(n usageNote) []agents.Event {
	d.used[n.Thread] = n.Usage.Total
	if d.parent(n.Thread) == "" {
		last := n.Usage.Last.Total
		d.context, d.window = &last, n.Usage.Window
	}
	return []agents.Event{d.sum()}
}

func (d *decoder) sum() agents.Usage {
	var input, output, cached int64
	for _, t := range d.used {
		input += t.Input - t.Cached
		cached += t.Cached
		output += t.Output
	}
	return agents.Usage{Input: &input, Output: &output, Cached: &cached, ContextUsed: d.context, Window: d.window}
}

// server tells what became of an MCP server.
func (d *decoder) server(n serverNote) []agents.Event {
	if n.Thread != "" && d.parent(n.Thread) != "" {
		return nil // a sub-agent has servers of its own, of the same names
	}
	s := d.said
	s.Servers = slices.DeleteFunc(slices.Clone(s.Servers), func(o agents.ServerState) bool { return o.Name == n.Name })
	s.Servers = append(s.Servers, agents.ServerState{Name: n.Name, State: n.Status, Error: agents.Redact(n.Error)})
	return d.started(s)
}

func (d *decoder) started(s agents.Started) []agents.Event {
	old := d.said
	if s.NativeID == old.NativeID && s.Model == old.Model && s.Version == old.Version && slices.Equal(s.Servers, old.Servers) {
		return nil
	}
	d.said = s
	if s.NativeID == "" {
		return nil // the answer that tells it is on its way
	}
	return []agents.Event{s}
}

func (d *decoder) words(method string, params json.RawMessage, line []byte) []agents.Event {
	if method == "model/rerouted" {
		var n reroutedNote
		if json.Unmarshal(params, &n) != nil {
			return unknown(line)
		}
		return []agents.Event{agents.Notice{Level: "warning", Code: "model_fallback",
			Text: fmt.Sprintf("The provider answers with the model %s in place of %s.", n.To, n.From)}}
	}
	var n wordsNote
	if json.Unmarshal(params, &n) != nil {
		return unknown(line)
	}
	return d.warning(cmp.Or(n.Message, n.Summary), n.Details)
}

func (d *decoder) warning(text, details string) []agents.Event {
	text = agents.Redact(text)
	if text == "" || slices.Contains(d.warned, text) {
		return nil
	}
	d.warned = append(d.warned, text) // some come again with every turn
	return []agents.Event{agents.Notice{Level: "warning", Code: "warning", Text: text, Advice: agents.Redact(details)}}
}

// cut ends what a thread has left open.
func (d *decoder) cut(thread string) []agents.Event {
	return append(d.texts.cut(thread, ""), d.cutTools(func(t *tool) bool { return t.thread == thread })...)
}

// cutAll ends everything, since the CLI has ended.
func (d *decoder) cutAll() []agents.Event {
	events := d.texts.cut(d.thread, "")
	for thread := range d.kids {
		events = append(events, d.texts.cut(thread, "")...)
	}
	return append(events, d.cutTools(func(*tool) bool { return true })...)
}

// unknown keeps a line that was not understood, redacted and within bounds.
func unknown(line []byte) []agents.Event {
	const most = 64 << 10
	if len(line) > most {
		line = line[:most]
	}
	return []agents.Event{agents.Unknown{Raw: agents.Redact(strings.ToValidUTF8(string(line), "\uFFFD"))}}
}

// limits knows what the account has left.
type limits struct {
	windows []limitWindow
	warned  map[int64]bool // by time of reset
}

// nearly is the share of a limit, in percent, from which on a person is warned.
const nearly = 90

func (l *limits) updated(n limitsNote) []agents.Event {
	l.windows = nil
	for _, w := range []*limitWindow{n.Limits.Primary, n.Limits.Secondary} {
		if w != nil {
			l.windows = append(l.windows, *w)
		}
	}
	var events []agents.Event
	for _, w := range l.windows {
		if w.Used < nearly || l.warned[w.ResetAt] {
			continue
		}
		if l.warned == nil {
			l.warned = map[int64]bool{}
		}
		l.warned[w.ResetAt] = true
		notice := agents.Notice{Level: "warning", Code: "rate_limit", Text: fmt.Sprintf("The account's usage limit is nearly reached (%.0f %%).", w.Used)}
		if w.Used >= 100 {
			notice.Level, notice.Text = "error", "The account's usage limit is reached."
		}
		if w.ResetAt > 0 {
			notice.Advice = "It resets at " + time.Unix(w.ResetAt, 0).UTC().Format("15:04 MST on 2 January") + "."
		}
		events = append(events, notice)
	}
	return events
}

// resetAt is when the fullest window resets, zero when that is not known.
func (l *limits) resetAt() time.Time {
	var fullest limitWindow
	for _, w := range l.windows {
		if w.ResetAt > 0 && w.Used >= fullest.Used {
			fullest = w
		}
	}
	if fullest.ResetAt == 0 {
		return time.Time{}
	}
	return time.Unix(fullest.ResetAt, 0).UTC()
}
