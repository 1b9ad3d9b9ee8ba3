package doctor

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"time"

	"parley/agents"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// model is the model that agents under trial talk to. It knows what each prompt
// of a trial wants, and notes when it called and when it heard the result. It may
// be used from any goroutine.
type model struct {
	*fakemodel.Server
	local agents.LocalModel

	mu     sync.Mutex // guards the fields below
	called map[string]time.Time
	heard  map[string]heard
	more   chan struct{} // closed with each change
}

// heard is the result of a call as the model reads it.
type heard struct {
	at   time.Time
	part fakemodel.Part
}

func newModel(s *fakemodel.Server, local agents.LocalModel) *model {
	m := &model{
		Server: s, local: local,
		called: map[string]time.Time{}, heard: map[string]heard{}, more: make(chan struct{}),
	}
	// First what is only said: a conversation in which a call was stopped may bring
	// its result once more, beside the next prompt.
	m.says(promptHello, "Hello.")
	m.says(promptAfterStop, "I go on.")
	m.says(promptResume, "I am back.")
	// Some run touch unasked, as harmless, and some ask for a path outside besides.
	tool, command := local.Command("cp " + givenFile + " " + madeFile)
	m.calls(promptCommand, callCommand, tool, func(fakemodel.Request) (string, map[string]any) { return tool, command }, fakemodel.Text("Made."))
	m.asks(promptQuestion, callQuestion, "Does this card come up? (Parley's doctor asks, and answers by itself.)", fakemodel.Text("Thank you."))
	// Who goes on in spite of a stop waits here for ever. Its call ends in the same
	// moment, so that some ask once more in good faith; those let it be.
	m.asks(promptStop, callStop, "Will this be stopped? (Parley's doctor asks.)", fakemodel.Reply{Until: make(chan struct{})})
	m.asks(promptWait, callWait, "How long does this wait? (Parley's doctor asks.)", fakemodel.Text("So long."))
	m.Add(fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Nothing.")}) // titles and the like
	return m
}

// What a trial says to the agent, so that each stands in no other, and the calls
// that its model makes of it.
const (
	promptHello     = "Parley's doctor: say hello."
	promptCommand   = "Parley's doctor: make the file."
	promptQuestion  = "Parley's doctor: ask something."
	promptStop      = "Parley's doctor: ask and be stopped."
	promptAfterStop = "Parley's doctor: go on after the stop."
	promptResume    = "Parley's doctor: are you back?"
	promptWait      = "Parley's doctor: ask and wait."

	callCommand  = "doctor_command"
	callQuestion = "doctor_question"
	callStop     = "doctor_stop"
	callWait     = "doctor_wait"

	givenFile = "given-by-parley-doctor"
	madeFile  = "made-by-parley-doctor"
	choiceYes = "Yes"
)

// says has the model answer a prompt with a text. A CLI may ask more than once,
// and for a title beside.
func (m *model) says(prompt, text string) {
	m.Add(fakemodel.Step{When: fakemodel.UserSays(prompt), Times: fakemodel.Always, Reply: fakemodel.Text(text)})
}

// calls has it answer a prompt with a call, and the call's result with then. Where the tool is not offered it only talks: so do requests for a title.
func (m *model) calls(prompt, id, tool string, call func(fakemodel.Request) (string, map[string]any), then fakemodel.Reply) {
	offered := func(r fakemodel.Request) bool { return fakemodel.UserSays(prompt)(r) && m.offered(r, tool) }
	m.Add(
		fakemodel.Step{When: fakemodel.HasResult(id), Times: fakemodel.Always,
			Answer: func(r fakemodel.Request) fakemodel.Reply {
				part, _ := r.ToolResult(id)
				m.note(func() {
					if _, again := m.heard[id]; !again {
						m.heard[id] = heard{time.Now(), part}
					}
				})
				return then
			}},
		fakemodel.Step{When: offered, Times: fakemodel.Always, Answer: func(r fakemodel.Request) fakemodel.Reply {
			m.note(func() { m.called[id] = time.Now() })
			name, input := call(r)
			return fakemodel.Blocks(fakemodel.ToolUseOf(id, name, input))
		}},
		fakemodel.Step{When: fakemodel.UserSays(prompt), Times: fakemodel.Always, Reply: fakemodel.Text("There is no such tool.")},
	)
}

// asks has it ask the person when it reads a prompt.
func (m *model) asks(prompt, id, question string, then fakemodel.Reply) {
	tool := m.local.Tool(mcp.InteractionServer, mcp.ToolClarify)
	m.calls(prompt, id, tool, func(r fakemodel.Request) (string, map[string]any) {
		input := map[string]any{"context_id": contextOf(r), "question": question, "choices": []string{choiceYes, "No"}}
		if m.local.Through != nil {
			return m.local.Through(tool, input)
		}
		return tool, input
	}, then)
}

// offered reports whether a request offers a tool: among its tools, or by its name
// where MCP tools are called through another one.
func (m *model) offered(r fakemodel.Request, tool string) bool {
	if _, ok := r.Tool(tool); ok || m.local.Through == nil {
		return ok
	}
	through, _ := m.local.Through(tool, nil)
	_, ok := r.Tool(through)
	return ok && strings.Contains(string(r.Raw), tool)
}

func (m *model) note(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	close(m.more)
	m.more = make(chan struct{})
}

// calledAt is when it made a call, zero when it has not.
func (m *model) calledAt(id string) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.called[id]
}

// result is what it read of a call, false when it read nothing yet.
func (m *model) result(id string) (heard, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.heard[id]
	return h, ok
}

// hears waits for the result of a call; false when none comes within limit.
func (m *model) hears(ctx context.Context, limit time.Duration, id string) (heard, bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		m.mu.Lock()
		h, ok := m.heard[id]
		more := m.more
		m.mu.Unlock()
		if ok {
			return h, true
		}
		select {
		case <-more:
		case <-timer.C:
			return heard{}, false
		case <-ctx.Done():
			return heard{}, false
		}
	}
}

// sees is how many of the tools of ours it was offered with a prompt, the most
// of all requests that brought it.
func (m *model) sees(prompt string, tools []string) int {
	most := 0
	for _, r := range m.Requests() {
		if !fakemodel.UserSays(prompt)(r) {
			continue
		}
		n := 0
		for _, tool := range tools {
			if m.offered(r, m.local.Tool(mcp.InteractionServer, tool)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// knows reports whether a request that brought a prompt brought earlier words as
// well.
func (m *model) knows(prompt, earlier string) bool {
	for _, r := range m.Requests() {
		if fakemodel.UserSays(prompt)(r) && strings.Contains(r.Everything(), earlier) {
			return true
		}
	}
	return false
}

var contextIDs = regexp.MustCompile(`context_id="([^"]+)"`)

// contextOf is the context id in the newest input, "" when there is none.
func contextOf(r fakemodel.Request) string {
	found := contextIDs.FindAllStringSubmatch(r.LastUserText(), -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}
