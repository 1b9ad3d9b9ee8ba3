package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"parley/mcp"
)

// Permission modes, under Parley's own names.
const (
	modePlan  = "plan"  // changes nothing
	modeAsk   = "ask"   // asks before a command
	modeEdits = "edits" // asks before a command
	modeFull  = "full"  // asks nothing
)

// session is one conversation.
type session struct {
	agent *agent
	id    string
	cwd   string
	tools *tools     // the managed server, nil without one
	busy  sync.Mutex // held while a prompt runs; a second prompt is refused

	memory memory // belongs to the running prompt

	mu   sync.Mutex // guards mode
	mode string
}

func (s *session) modes() *acp.SessionModeState {
	state := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(s.currentMode())}
	for _, id := range []string{modePlan, modeAsk, modeEdits, modeFull} {
		state.AvailableModes = append(state.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(id), Name: id})
	}
	return state
}

func (s *session) currentMode() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

func (s *session) setMode(mode string) bool {
	switch mode {
	case modePlan, modeAsk, modeEdits, modeFull:
	default:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
	return true
}

func (s *session) close() { s.tools.close() }

func (s *session) send(ctx context.Context, u acp.SessionUpdate) error {
	return s.agent.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: acp.SessionId(s.id), Update: u})
}

// run is one prompt.
type run struct {
	*session
	ctx     context.Context
	text    string // as the person typed it
	files   int    // attached
	context string // the context id of this prompt, "" when nobody can be asked
	said    strings.Builder
	calls   int
	words   int // said and thought, which stand for tokens
}

// prompt runs the script that a prompt asks for.
func (s *session) prompt(ctx context.Context, blocks []acp.ContentBlock) (acp.PromptResponse, error) {
	r := &run{session: s, ctx: ctx}
	r.read(blocks)
	err := r.play()
	s.memory.Turns = append(s.memory.Turns, turn{Prompt: r.text, Said: r.said.String()})
	s.remember()
	switch {
	case ctx.Err() != nil:
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	case err != nil:
		return acp.PromptResponse{}, err
	}
	input := len(strings.Fields(r.text))
	return acp.PromptResponse{
		StopReason: acp.StopReasonEndTurn,
		Usage:      &acp.Usage{InputTokens: input, OutputTokens: r.words, TotalTokens: input + r.words},
	}, nil
}

// remember saves what a restart must not lose.
func (s *session) remember() {
	if err := s.agent.saved.write(s.id, s.memory); err != nil && !errors.Is(err, errUnsaved) {
		s.agent.log.Warn("this session cannot be resumed", slog.Any("error", err))
	}
}

var contextID = regexp.MustCompile(`context_id="(pctx_[A-Za-z0-9_-]+)"`)

// read separates what a person typed from the context block, of which the
// newest counts. An id from an earlier prompt is never used.
func (r *run) read(blocks []acp.ContentBlock) {
	var typed []string
	for _, b := range blocks {
		switch {
		case b.Text == nil:
			r.files++
		case strings.Contains(b.Text.Text, "<"+mcp.ContextTag+">"):
			if all := contextID.FindAllStringSubmatch(b.Text.Text, -1); all != nil {
				r.context = all[len(all)-1][1]
			}
		default:
			typed = append(typed, b.Text.Text)
		}
	}
	r.text = strings.TrimSpace(strings.Join(typed, "\n"))
}

// pace makes the agent as quick as a person reads, or as quick as a test.
type pace struct{ fast bool }

// pause waits, and returns early with the reason when ctx ends.
func (p pace) pause(ctx context.Context, d time.Duration) error {
	if p.fast {
		d = 0
	}
	return wait(ctx, d)
}

// wait is a pause that is part of a script's meaning and not of its pace.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// say streams a text in pieces of a few words.
func (r *run) say(text string) error {
	r.said.WriteString(text)
	return r.stream(text, acp.UpdateAgentMessageText)
}

func (r *run) think(text string) error { return r.stream(text, acp.UpdateAgentThoughtText) }

func (r *run) stream(text string, update func(string) acp.SessionUpdate) error {
	for _, piece := range pieces(text) {
		if err := r.agent.pace.pause(r.ctx, 45*time.Millisecond); err != nil {
			return err
		}
		if err := r.send(r.ctx, update(piece)); err != nil {
			return err
		}
	}
	r.words += len(strings.Fields(text))
	return nil
}

// pieces cuts a text after every third word.
func pieces(text string) []string {
	var out []string
	start, words := 0, 0
	for i := 1; i < len(text); i++ {
		if isSpace(text[i]) || !isSpace(text[i-1]) {
			continue
		}
		if words++; words == 3 {
			out = append(out, text[start:i])
			start, words = i, 0
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' }

// call is a tool call that the client sees.
type call struct {
	run *run
	id  acp.ToolCallId
}

// begin announces a tool call and lets it run.
func (r *run) begin(kind acp.ToolKind, title string, input any, path string) (*call, error) {
	r.calls++
	c := &call{r, acp.ToolCallId(fmt.Sprintf("call-%d-%d", len(r.memory.Turns)+1, r.calls))}
	opts := []acp.ToolCallStartOpt{acp.WithStartKind(kind), acp.WithStartStatus(acp.ToolCallStatusPending), acp.WithStartRawInput(input)}
	if path != "" {
		opts = append(opts, acp.WithStartLocations([]acp.ToolCallLocation{{Path: path}}))
	}
	if err := r.send(r.ctx, acp.StartToolCall(c.id, title, opts...)); err != nil {
		return nil, err
	}
	if err := r.agent.pace.pause(r.ctx, 350*time.Millisecond); err != nil {
		return nil, err
	}
	return c, c.update(acp.WithUpdateStatus(acp.ToolCallStatusInProgress))
}

func (c *call) update(opts ...acp.ToolCallUpdateOpt) error {
	return c.run.send(c.run.ctx, acp.UpdateToolCall(c.id, opts...))
}

// end closes the call with what it gave.
func (c *call) end(status acp.ToolCallStatus, content ...acp.ToolCallContent) error {
	return c.update(acp.WithUpdateStatus(status), acp.WithUpdateContent(content))
}

func output(text string) acp.ToolCallContent { return acp.ToolContent(acp.TextBlock(text)) }

// mcp calls a tool of the managed server that needs this prompt's context id. It
// reports false when the tool is not there or nobody may be asked in this turn.
// refusal is the server's reason when it refused the call.
func (r *run) mcp(name string, args map[string]any, result any) (done bool, refusal string, err error) {
	if r.context == "" || !r.tools.offers(name) {
		return false, "", nil
	}
	args["context_id"] = r.context
	return r.callTool(name, args, result)
}

// callTool calls a tool of the managed server, shown to the client like any other.
func (r *run) callTool(name string, args map[string]any, result any) (done bool, refusal string, err error) {
	c, err := r.begin(acp.ToolKindOther, name, args, "")
	if err != nil {
		return false, "", err
	}
	text, structured, failed, err := r.tools.call(r.ctx, string(c.id), name, args)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return false, "", err
	case err != nil:
		return false, err.Error(), c.end(acp.ToolCallStatusFailed, output(err.Error()))
	case failed:
		return false, text, c.end(acp.ToolCallStatusFailed, output(text))
	}
	if err := c.end(acp.ToolCallStatusCompleted, output(text)); err != nil {
		return false, "", err
	}
	if result != nil {
		if structured == nil {
			structured = []byte(text)
		}
		if err := json.Unmarshal(structured, result); err != nil {
			return false, "the result of " + name + " is no JSON", nil
		}
	}
	return true, "", nil
}
