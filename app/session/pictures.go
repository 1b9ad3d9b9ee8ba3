package session

import (
	"strings"

	"parley/agents"
	"parley/app"
)

// Pictures is what people paste into messages.
type Pictures interface {
	// Hand puts a picture where an agent that works in cwd may read it by
	// itself, and returns it with that path.
	Hand(cwd string, f app.Attachment) (app.Attachment, error)
	// Share gives the pictures of one session to another one as well.
	Share(from, to app.SessionID) error
	// Forget removes the pictures of a session.
	Forget(session app.SessionID) error
}

// withFiles is a message with its files as the agent takes them. Pictures go
// into the message where the CLI can; elsewhere they are put into the session's
// folder and named in the text, for the agent to open. It reads and writes
// files, so it does not belong on an actor's goroutine.
func (m *Manager) withFiles(msg agents.Turn, can agents.Caps, cwd string, files []app.Attachment) (agents.Turn, error) {
	var named []string
	for _, f := range files {
		if isPicture(f) && !can.Images {
			handed, err := m.cfg.Pictures.Hand(cwd, f)
			if err != nil {
				return msg, err
			}
			named = append(named, "Picture: "+handed.Path)
			continue
		}
		msg.Files = append(msg.Files, agents.Attachment{Name: f.Name, Mime: f.Mime, Path: f.Path})
	}
	if len(named) > 0 {
		msg.Text = strings.TrimSpace(msg.Text + "\n\n" + strings.Join(named, "\n"))
	}
	return msg, nil
}

func isPicture(f app.Attachment) bool { return strings.HasPrefix(f.Mime, "image/") }

// seen is an answer as an agent gets it: the pictures go along with it where the
// CLI takes any. Their paths are in its text in every case.
func seen(can agents.Caps, out app.Outcome) app.Outcome {
	if !can.Images {
		out.Files = nil
	}
	return out
}

type noPictures struct{}

func (noPictures) Hand(_ string, f app.Attachment) (app.Attachment, error) { return f, nil }
func (noPictures) Share(_, _ app.SessionID) error                          { return nil }
func (noPictures) Forget(app.SessionID) error                              { return nil }
