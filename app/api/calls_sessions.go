package api

import (
	"errors"
	"net/http"
	"strconv"

	"parley/app"
)

// Pages of a timeline.
const (
	defaultPage = 200
	maxPage     = 1000
)

func (h *handler) createSession(r *http.Request, n NewSession) (app.Session, error) {
	if len(n.Env) > 0 && doorOf(r.Context()) != app.ByCLI {
		return app.Session{}, &app.Error{Code: app.CodeForbidden, Field: "env",
			Message: "Only the command line may hand over environment variables."}
	}
	s, err := h.Sessions.Create(r.Context(), app.NewSession{
		Agent: n.Agent, Cwd: n.Cwd, Model: n.Model, Effort: n.Effort, Mode: n.Mode,
		Profile: n.Profile, Title: n.Title, Env: n.Env, Fast: n.Fast,
	})
	if err != nil || n.Prompt == "" {
		return s, err
	}
	if _, _, err := h.Sessions.Send(r.Context(), s.ID, app.Input{Text: n.Prompt, Attachments: n.Attachments}); err != nil {
		// The caller still has the prompt and tries again: leave no empty session.
		if derr := h.Sessions.Delete(r.Context(), s.ID); derr != nil {
			err = errors.Join(err, derr)
		}
		return app.Session{}, err
	}
	return h.Records.Session(r.Context(), s.ID)
}

func (h *handler) sessions(r *http.Request, _ Empty) (SessionList, error) {
	list, err := h.Records.Sessions(r.Context())
	return SessionList{Sessions: list}, err
}

func (h *handler) session(r *http.Request, _ Empty) (app.Session, error) {
	return h.Records.Session(r.Context(), r.PathValue("id"))
}

func (h *handler) changeSession(r *http.Request, c SessionChange) (app.Session, error) {
	return h.Sessions.Change(r.Context(), r.PathValue("id"), app.SessionChange(c))
}

func (h *handler) deleteSession(r *http.Request, _ Empty) (Empty, error) {
	return Empty{}, h.Sessions.Delete(r.Context(), r.PathValue("id"))
}

// timeline reads the stored events first: what ends while the live text is
// read then comes over the stream, and is never shown twice or lost.
func (h *handler) timeline(r *http.Request, _ Empty) (Timeline, error) {
	before, err1 := number(r, "before", 0)
	after, err2 := number(r, "after", 0)
	limit, err3 := number(r, "limit", defaultPage)
	if err := firstOf(err1, err2, err3); err != nil {
		return Timeline{}, err
	}
	id := r.PathValue("id")
	events, through, more, err := h.Records.Events(r.Context(), id, before, after, min(max(int(limit), 1), maxPage))
	if err != nil {
		return Timeline{}, err
	}
	return Timeline{Events: events, Through: through, More: more, Live: h.Sessions.Live(id)}, nil
}

func (h *handler) sendMessage(r *http.Request, m NewMessage) (MessageReply, error) {
	if m.How != "" && m.How != HowQueue && m.How != HowSteer {
		return MessageReply{}, &app.Error{Code: app.CodeInvalidArgument, Message: "A message is queued or steers.",
			Field: "how", Limit: "queue or steer", Got: string(m.How)}
	}
	turn, queued, err := h.Sessions.Send(r.Context(), r.PathValue("id"),
		app.Input{Text: m.Text, Attachments: m.Attachments, Steer: m.How == HowSteer})
	return MessageReply{TurnID: turn, Queued: queued}, err
}

func (h *handler) changeQueued(r *http.Request, c QueueChange) (app.Session, error) {
	id := r.PathValue("id")
	if err := h.Sessions.ChangeQueued(r.Context(), id, r.PathValue("turn"), c.Text, c.Index); err != nil {
		return app.Session{}, err
	}
	return h.Records.Session(r.Context(), id)
}

func (h *handler) dropQueued(r *http.Request, _ Empty) (app.Session, error) {
	id := r.PathValue("id")
	if err := h.Sessions.DropQueued(r.Context(), id, r.PathValue("turn")); err != nil {
		return app.Session{}, err
	}
	return h.Records.Session(r.Context(), id)
}

func (h *handler) stop(r *http.Request, _ Empty) (Empty, error) {
	return Empty{}, h.Sessions.Stop(r.Context(), r.PathValue("id"))
}

func (h *handler) close(r *http.Request, _ Empty) (app.Session, error) {
	id := r.PathValue("id")
	if err := h.Sessions.Close(r.Context(), id); err != nil {
		return app.Session{}, err
	}
	return h.Records.Session(r.Context(), id)
}

func (h *handler) resume(r *http.Request, _ Empty) (app.Session, error) {
	id := r.PathValue("id")
	if err := h.Sessions.Resume(r.Context(), id); err != nil {
		return app.Session{}, err
	}
	return h.Records.Session(r.Context(), id)
}

func (h *handler) fork(r *http.Request, _ Empty) (app.Session, error) {
	return h.Sessions.Fork(r.Context(), r.PathValue("id"))
}

func (h *handler) processes(r *http.Request, _ Empty) (ProcessList, error) {
	list, err := h.tree(r.Context(), r.PathValue("id"))
	return ProcessList{Processes: list}, err
}

// number reads a query parameter.
func number(r *http.Request, name string, otherwise int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, &app.Error{Code: app.CodeInvalidArgument, Message: name + " is not a number.",
			Field: name, Limit: "a whole number, not negative", Got: text}
	}
	return n, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
