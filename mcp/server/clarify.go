package server

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"parley/mcp"
	"parley/mcp/bridge"
)

//go:embed clarify.md
var clarifyText string

//go:embed clarify.schema.json
var clarifySchema string

var clarifyTool = tool{
	name:        mcp.ToolClarify,
	title:       "Ask the person",
	description: clarifyText,
	schema:      clarifySchema,
	hints: hints{
		// It changes no file, but it is not read-only in the sense CLIs use the
		// word: Claude Code runs read-only tools of one message in parallel, so
		// a command could run before the answer that decides about it, and of
		// two questions the second would be refused.
		readOnly: false,
		// Nothing is deleted or overwritten. Codex lets a tool run without
		// approval only if this and openWorld are false.
		destructive: false,
		// Asking twice bothers a person twice.
		idempotent: false,
		// It talks to the program on this computer and to nobody else.
		openWorld: false,
	},
	offered: func(o mcp.Offer) bool { return o.Ask },
	call:    clarify,
}

// clarifyResult is what the model reads. Note is "" for an answer.
type clarifyResult struct {
	bridge.ClarifyResult
	Note string `json:"note,omitempty"`

	shown []bridge.Picture // beside the text, which names their files
}

// maxShown bounds one picture in a result, in bytes; models read no larger one.
const maxShown = 5 << 20

// content is the pictures as the protocol carries them. One that cannot be read
// is left out: the text names its file.
func (r clarifyResult) content() []mcpgo.Content {
	var out []mcpgo.Content
	for _, p := range r.shown {
		info, err := os.Stat(p.Path)
		if err != nil || info.Size() > maxShown {
			continue
		}
		if data, err := os.ReadFile(p.Path); err == nil {
			out = append(out, mcpgo.NewImageContent(base64.StdEncoding.EncodeToString(data), p.Mime))
		}
	}
	return out
}

// notes say for each end without an answer that it is no approval. They differ,
// so that a model can tell them apart, and repeat no choice.
var notes = map[string]string{
	"dismissed": "The person closed the question without answering it. That is not approval, and nothing was chosen. " +
		"Leave undone what depended on the answer, and say so.",
	"timeout": "Nobody answered in time; the person may not have seen the question. That is not approval, and nothing was chosen. " +
		"Go on only with what does not depend on the answer. An answer may still come as a later message.",
	"cancelled": "The question was withdrawn before anybody answered it, because the turn, the session or the connection ended. " +
		"That is not approval, and nothing was chosen. Stop what depended on the answer.",
}

func clarify(ctx context.Context, s *Server, c *call, args arguments) (any, error) {
	q, err := question(args)
	if err != nil {
		return nil, err
	}
	q.Meta = string(c.meta)
	res, err := s.ask(ctx, c, q)
	switch {
	case errors.Is(err, bridge.ErrGone), errors.Is(err, errInputEnded):
		res = bridge.ClarifyResult{Reason: "cancelled"}
	case errors.Is(err, errCallLimit):
		res = bridge.ClarifyResult{Reason: "timeout"}
	case err != nil:
		return nil, err
	}
	return answer(res)
}

// ask waits for the end of the question, of the CLI's input, or of the time
// that the app grants to a call.
func (s *Server) ask(ctx context.Context, c *call, q bridge.ClarifyRequest) (bridge.ClarifyResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.input, func() { cancel(errInputEnded) })()
	defer s.reportProgress(ctx, c)()

	hello, err := s.greet(ctx)
	if err != nil {
		return bridge.ClarifyResult{}, err
	}
	if limit := time.Duration(hello.CallLimitMS) * time.Millisecond; limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, limit, errCallLimit)
		defer stop()
	}
	return s.app.Clarify(ctx, q)
}

var (
	// errInputEnded ends a question because the CLI closed our input.
	errInputEnded = errors.New("the input ended")
	// errCallLimit ends a call that the app should have ended long ago.
	errCallLimit = errors.New("the call's time limit passed")
)

// question reads and checks the arguments.
func question(args arguments) (bridge.ClarifyRequest, error) {
	q := bridge.ClarifyRequest{
		ContextID:   args.required("context_id"),
		Question:    args.required("question"),
		Header:      args.text("header"),
		MultiSelect: args.flag("multi_select"),
	}
	choices, options := args.texts("choices"), args.objects("options")
	if len(choices) > 0 && len(options) > 0 {
		args.refuse("choices", "left out when options are given", "both choices and options")
	}
	for _, text := range choices {
		q.FromChoices = true
		q.Options = append(q.Options, bridge.Option{Label: text})
	}
	for _, o := range options {
		q.Options = append(q.Options, bridge.Option{
			Label:       o.required("label"),
			Description: o.text("description"),
			Recommended: o.flag("recommended"),
			Preview:     o.text("preview"),
		})
	}
	if err := args.problem(); err != nil {
		return bridge.ClarifyRequest{}, err
	}
	return q.Checked()
}

// answer shapes the result. Only an answer carries content, whatever came.
func answer(res bridge.ClarifyResult) (clarifyResult, error) {
	out := clarifyResult{ClarifyResult: res, Note: notes[res.Reason]}
	if res.Reason != "response" {
		if out.Note == "" {
			return clarifyResult{}, fmt.Errorf("unknown reason %q", res.Reason)
		}
		out.Response, out.Selected, out.Text, out.Pictures = "", nil, "", nil
	}
	out.shown, out.Pictures = out.Pictures, nil
	if out.Selected == nil {
		out.Selected = []string{}
	}
	return out, nil
}
