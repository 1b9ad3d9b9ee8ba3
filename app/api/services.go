package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"parley/app"
)

// Sessions runs conversations. Errors carry the codes of package app; an
// unknown session or turn is app.CodeNotFound.
type Sessions interface {
	Create(ctx context.Context, s app.NewSession) (app.Session, error)
	Change(ctx context.Context, id app.SessionID, c app.SessionChange) (app.Session, error)
	// Send returns the turn that the message became, or will become when queued.
	Send(ctx context.Context, id app.SessionID, in app.Input) (turn app.TurnID, queued bool, err error)
	ChangeQueued(ctx context.Context, id app.SessionID, turn app.TurnID, text *string, index *int) error
	DropQueued(ctx context.Context, id app.SessionID, turn app.TurnID) error
	// Stop asks the running turn to end and returns at once.
	Stop(ctx context.Context, id app.SessionID) error
	Close(ctx context.Context, id app.SessionID) error
	Resume(ctx context.Context, id app.SessionID) error
	// Fork returns a session that begins with a copy of this one's conversation.
	Fork(ctx context.Context, id app.SessionID) (app.Session, error)
	Delete(ctx context.Context, id app.SessionID) error
	Processes(id app.SessionID) ([]app.Process, error)
	// Live is the text that streams now and is in no durable event yet.
	Live(id app.SessionID) []app.Event
}

// Desk is where interactions are answered. An unknown id is app.CodeNotFound,
// one that is settled already app.CodeAlreadyResolved.
type Desk interface {
	Get(ctx context.Context, id string) (app.Interaction, error)
	Answer(ctx context.Context, a app.Answer) (app.Reply, error)
	MoreTime(ctx context.Context, id string) (app.Interaction, error)
	Typing(ctx context.Context, id string) (app.Interaction, error)
	// SaveDraft returns the draft that is kept then: another one when its revision
	// is not lower, nil when the interaction can't be answered any more.
	SaveDraft(ctx context.Context, id string, d app.Draft) (*app.Draft, error)
	Seen(ctx context.Context, id string) error
	// Noticed returns those of the ids whose questions wait and that nobody has
	// told of before, and marks them as told of. Unknown ids are left out.
	Noticed(ctx context.Context, ids []string) ([]string, error)
	Clear(ctx context.Context, id string) error
}

// Records reads what is stored. Every answer is one consistent state.
type Records interface {
	Session(ctx context.Context, id app.SessionID) (app.Session, error)
	Sessions(ctx context.Context) ([]app.Session, error)
	// Events pages through a session's durable events in rising order: those
	// below before (0: no bound) and above after, the newest limit of them
	// unless only after is given. through is the number the page is true for.
	Events(ctx context.Context, id app.SessionID, before, after int64, limit int) (events []app.Event, through int64, more bool, err error)
	Interactions(ctx context.Context, f app.InteractionFilter) ([]app.Interaction, error)
	// History reads a page of all that was ever asked, newest first. A cursor
	// that is none is app.CodeInvalidArgument.
	History(ctx context.Context, f app.HistoryFilter) (app.HistoryPage, error)
	// Rules are the permissions that were given for good, newest first.
	Rules(ctx context.Context) ([]app.Rule, error)
	// RevokeRule forgets one. An unknown id is app.CodeNotFound.
	RevokeRule(ctx context.Context, id string) error
	Snapshot(ctx context.Context) (app.Snapshot, error)
}

// Agents finds the installed agents. The first look may take seconds; later
// ones are answered from memory until refresh.
type Agents interface {
	Agents(ctx context.Context, refresh bool) (AgentList, error)
}

// Doctor tries agents.
type Doctor interface {
	// Report is what was found, and what goes on.
	Report(ctx context.Context) (app.DoctorReport, error)
	// Start begins a run with the families, or with all that can be started; it
	// goes on by itself. A second one at the same time is app.CodeAlreadyPending.
	Start(ctx context.Context, families []string) (app.DoctorReport, error)
	// Stop ends the run, if one goes on, and returns when nothing of it is left.
	Stop(ctx context.Context) error
}

// Settings keeps the person's preferences.
type Settings interface {
	Get() app.Settings
	// Set checks the whole before any of it is taken.
	Set(ctx context.Context, s app.Settings) (app.Settings, error)
}

// Outputs are the outputs of tools that are too long for a page of the timeline.
type Outputs interface {
	// Open opens one; the caller closes it. app.CodeNotFound when it is not kept.
	Open(session app.SessionID, id string) (*os.File, error)
}

// Pictures keeps what people paste into messages and answers.
type Pictures interface {
	// Save keeps a picture; name is only shown. app.CodeInvalidArgument and
	// app.CodePayloadTooLarge say what is wrong with it.
	Save(session app.SessionID, name string, data []byte) (app.Attachment, error)
	// Open finds it again by the last part of its path, with its type.
	Open(session app.SessionID, file string) (io.ReadSeekCloser, string, error)
	// Hand puts it where an agent that works in cwd may read it by itself.
	Hand(cwd string, f app.Attachment) (app.Attachment, error)
}

// Subscription is one client's place in the stream of events.
type Subscription interface {
	// Next waits for events. resync says that some were lost: the subscription
	// is then of no more use. It returns an error when ctx or the bus has ended.
	Next(ctx context.Context) (batch []app.Event, resync bool, err error)
	Close()
}

// Gateway serves the page to browsers.
type Gateway interface {
	// Serve listens and calls opened with where; it serves api until ctx ends.
	// A second one at the same time is app.CodeAlreadyPending.
	Serve(ctx context.Context, api http.Handler, r ServeRequest, opened func(ServeReply)) error
	// Link makes a fresh one-time link; app.CodeNotFound when nothing is served.
	Link() (ServeReply, error)
}

// Config is what the API stands on. All fields but Environ, Gateway, Presence,
// Gate, Now and Log must be set.
type Config struct {
	Sessions Sessions
	Desk     Desk
	Records  Records
	Agents   Agents
	Doctor   Doctor
	Settings Settings
	Pictures Pictures
	Outputs  Outputs
	// Subscribe gives the present and the events that follow it, without gap or
	// overlap.
	Subscribe func(snapshot func() (app.Snapshot, error)) (app.Snapshot, Subscription, error)
	// Branch is the git branch that a folder is on, "" when there is none.
	Branch func(folder string) string
	// Environ is the person's environment, as an agent gets it; nil is empty.
	Environ func(ctx context.Context) []string
	// Secrets is nil where their list can't be used.
	Secrets Secrets
	// MCP decides which servers agents get.
	MCP MCP
	// Profiles are named sets of what agents start with.
	Profiles Profiles
	// Gateway is nil in a program that holds no page.
	Gateway Gateway
	// Presence hears where the person is looking, or is nil.
	Presence func(Presence)
	// Gate refuses calls once the back end closes; nil never does.
	Gate *Gate
	// About is fixed but for its Now.
	About About
	Now   func() time.Time // nil is time.Now
	Log   *slog.Logger     // nil is slog.Default
}
