package acpclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
)

// imageLimit is the largest picture that is sent inside a message, in bytes;
// a larger one is sent as a link to its file.
const imageLimit = 5 << 20

// promptBlocks is the input in the protocol's blocks: the text, the files, and
// the context block at the very end.
func promptBlocks(t agents.Turn, images bool) ([]acp.ContentBlock, error) {
	blocks := []acp.ContentBlock{acp.TextBlock(t.Text)}
	for _, f := range t.Files {
		block, err := fileBlock(f, images)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	if t.Context != "" {
		blocks = append(blocks, acp.TextBlock(t.Context))
	}
	return blocks, nil
}

func fileBlock(f agents.Attachment, images bool) (acp.ContentBlock, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return acp.ContentBlock{}, fmt.Errorf("attach %s: %w", f.Name, err)
	}
	if images && strings.HasPrefix(f.Mime, "image/") && info.Size() <= imageLimit {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return acp.ContentBlock{}, fmt.Errorf("attach %s: %w", f.Name, err)
		}
		return acp.ImageBlock(base64.StdEncoding.EncodeToString(data), f.Mime), nil
	}
	link := acp.ResourceLinkBlock(f.Name, (&url.URL{Scheme: "file", Path: filepath.ToSlash(f.Path)}).String())
	if f.Mime != "" {
		link.ResourceLink.MimeType = &f.Mime
	}
	return link, nil
}

// Codes of errors that the protocol defines.
const (
	codeAuthRequired   = -32000
	codeNotFound       = -32002
	codeMethodNotFound = -32601
)

// endOf is the end of a turn in Parley's words. stopped says that a person
// asked for it: an agent may then answer with an error as well.
func (c *Conversation) endOf(result json.RawMessage, err error, stopped bool) agents.Ended {
	if err != nil {
		if stopped {
			return agents.Ended{Stop: agents.StopStopped}
		}
		p := c.turnProblem(err)
		return agents.Ended{Stop: agents.StopFailed, Problem: &p}
	}
	var answer struct {
		StopReason string `json:"stopReason"`
	}
	if json.Unmarshal(result, &answer) != nil {
		answer.StopReason = ""
	}
	ended := agents.Ended{Stop: agents.StopDone, Native: answer.StopReason}
	switch answer.StopReason {
	case "end_turn":
	case "cancelled":
		ended.Stop = agents.StopStopped
	case "max_tokens":
		ended.Stop = agents.StopLimit
		ended.Problem = &agents.Problem{Code: "limit", Title: c.name + " stopped because its answer reached the limit of tokens.",
			Advice: "Send a message to let it go on."}
	case "max_turn_requests":
		ended.Stop = agents.StopLimit
		ended.Problem = &agents.Problem{Code: "limit", Title: c.name + " stopped because the turn reached its limit of requests to the model.",
			Advice: "Send a message to let it go on."}
	case "refusal":
		ended.Stop = agents.StopRefused
		ended.Problem = &agents.Problem{Code: "refused", Title: c.name + " refused to go on.",
			Advice: "Ask in another way, or begin a new session."}
	}
	return ended
}

// turnProblem explains a turn that failed.
func (c *Conversation) turnProblem(err error) agents.Problem {
	if errors.Is(err, agents.ErrClosed) {
		return agents.Problem{Code: "exited", Title: c.name + " ended in the middle of the turn.",
			Advice: "Send the message again to start it anew."}
	}
	e, answered := errors.AsType[*replyError](err)
	if answered && e.Code == codeAuthRequired {
		return c.notLoggedIn(e)
	}
	switch p, _ := Sign(c.name, err.Error()); {
	case !answered:
	case p.Code == "not_logged_in":
		return c.notLoggedIn(e)
	case p.Code == "rate_limited", p.Code == "network": // others are about a start
		p.Evidence = err.Error()
		return p
	}
	return agents.Problem{Code: "failed", Title: c.name + " reported an error and ended the turn.",
		Advice: "Read what it said, then send the message again.", Evidence: err.Error()}
}

func (c *Conversation) notLoggedIn(err error) agents.Problem {
	return agents.Problem{Code: "not_logged_in", Title: c.name + " is not logged in.",
		Advice: loginAdvice, Command: c.login, Evidence: err.Error()}
}
