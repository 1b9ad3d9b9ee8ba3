package session

import (
	"iter"
	"runtime/debug"
	"strings"
	"time"

	"parley/app"
)

// Outputs keeps what is too long for the record.
type Outputs interface {
	// Keep writes the pieces of a text and returns an id for them, and how many
	// bytes they are. When it returns, they are kept whole.
	Keep(session app.SessionID, pieces iter.Seq[string]) (id string, size int64, err error)
	// Share gives all that is kept of one session to another one as well.
	Share(from, to app.SessionID) error
	// Forget removes all that is kept of a session.
	Forget(session app.SessionID) error
}

// keepLong has a long output kept whole beside the record, before the event
// that tells of it is stored; the event holds both its ends. An output that
// cannot be kept is cut all the same: the turn goes on.
func (a *actor) keepLong(d *app.ToolCompleted) {
	if a.m.cfg.Outputs == nil || len(d.Output) <= app.MaxPart {
		return
	}
	if len(d.Output) > bigOutput {
		time.AfterFunc(givenBack, debug.FreeOSMemory)
	}
	id, size, err := a.m.cfg.Outputs.Keep(a.id, pieces(d.Output, a.out.hide))
	if err != nil {
		a.log.Warn("an output is recorded in part only", "bytes", len(d.Output), "error", err)
	} else {
		d.OutputID, d.OutputBytes = id, size
	}
	d.Output, d.Truncated = app.HeadAndTail(d.Output)
}

// A big output was in memory a few times over: as the agent's line, decoded, and as
// text. By itself Go keeps such memory for minutes, in case it comes again; a back
// end that stays up all day gives it back once the event is on its way.
const (
	bigOutput = 8 << 20 // bytes
	givenBack = 2 * time.Second
)

// forgetOutputs removes what was kept of a session.
func (m *Manager) forgetOutputs(id app.SessionID) error {
	if m.cfg.Outputs == nil {
		return nil
	}
	return m.cfg.Outputs.Forget(id)
}

// pieceSize is about how much of an output is looked through for secrets at
// once, in bytes: a copy of all of it would double what a long one takes.
const pieceSize = 64 << 10

// pieces cuts a text at the ends of lines and hides what is secret in each
// piece. A line without an end for a mebibyte is cut anyway.
func pieces(text string, hide func(string) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			end := min(pieceSize, len(text))
			if end < len(text) {
				window := text[end:min(len(text), 1<<20)]
				if line := strings.IndexByte(window, '\n'); line >= 0 {
					end += line + 1
				} else {
					end += len(window)
				}
			}
			if !yield(hide(text[:end])) {
				return
			}
			text = text[end:]
		}
	}
}
