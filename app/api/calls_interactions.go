package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"parley/app"
)

func (h *handler) interactions(r *http.Request, _ Empty) (InteractionList, error) {
	state := app.InteractionState(cmp.Or(r.URL.Query().Get("state"), string(app.InteractionsAll)))
	switch state {
	case app.InteractionsWaiting, app.InteractionsMovedOn, app.InteractionsAll:
	default:
		return InteractionList{}, &app.Error{Code: app.CodeInvalidArgument, Message: "There is no such part of the inbox.",
			Field: "state", Limit: "waiting, moved_on or all", Got: string(state)}
	}
	limit, err := number(r, "limit", 0)
	if err != nil {
		return InteractionList{}, err
	}
	list, err := h.Records.Interactions(r.Context(), app.InteractionFilter{
		State: state, SessionID: r.URL.Query().Get("session"), Limit: int(limit),
	})
	return InteractionList{Interactions: h.inbox(list)}, err
}

func (h *handler) interaction(r *http.Request, _ Empty) (app.Interaction, error) {
	in, err := h.Desk.Get(r.Context(), r.PathValue("id"))
	return h.atNow(in), err
}

func (h *handler) answer(r *http.Request, a app.Answer) (app.Reply, error) {
	id := r.PathValue("id")
	if a.InteractionID != "" && a.InteractionID != id {
		return app.Reply{}, &app.Error{Code: app.CodeInvalidArgument, Field: "interaction_id",
			Message: "The answer names another question than the address."}
	}
	a.InteractionID = id
	a.By = doorOf(r.Context())
	if err := h.handFiles(r, &a); err != nil {
		return app.Reply{}, err
	}
	return h.Desk.Answer(r.Context(), a)
}

func (h *handler) moreTime(r *http.Request, _ Empty) (app.Interaction, error) {
	in, err := h.Desk.MoreTime(r.Context(), r.PathValue("id"))
	return h.atNow(in), err
}

func (h *handler) typing(r *http.Request, _ Empty) (app.Interaction, error) {
	in, err := h.Desk.Typing(r.Context(), r.PathValue("id"))
	return h.atNow(in), err
}

func (h *handler) saveDraft(r *http.Request, d app.Draft) (DraftReply, error) {
	kept, err := h.Desk.SaveDraft(r.Context(), r.PathValue("id"), d)
	if err != nil {
		return DraftReply{}, err
	}
	same, err := sameJSON(kept, &d)
	return DraftReply{Saved: same, Draft: kept}, err
}

// sameJSON compares as a client would: an empty list that is left out is equal
// to none.
func sameJSON(a, b any) (bool, error) {
	x, err1 := json.Marshal(noNilLists(a))
	y, err2 := json.Marshal(noNilLists(b))
	return bytes.Equal(x, y), firstOf(err1, err2)
}

func (h *handler) seen(r *http.Request, _ Empty) (Empty, error) {
	return Empty{}, h.Desk.Seen(r.Context(), r.PathValue("id"))
}

func (h *handler) clear(r *http.Request, _ Empty) (Empty, error) {
	return Empty{}, h.Desk.Clear(r.Context(), r.PathValue("id"))
}

// inbox brings interactions into the order of the inbox: what waits by the
// time left, then the rest, newest first.
func (h *handler) inbox(list []app.Interaction) []app.Interaction {
	list = slices.Clone(list)
	for i := range list {
		list[i] = h.atNow(list[i])
	}
	slices.SortStableFunc(list, func(a, b app.Interaction) int {
		switch {
		case a.Waiting() && b.Waiting():
			return cmp.Or(byDeadline(a, b), cmp.Compare(a.RequestedAt, b.RequestedAt))
		case a.Waiting():
			return -1
		case b.Waiting():
			return 1
		default:
			return cmp.Compare(b.RequestedAt, a.RequestedAt)
		}
	})
	return list
}

// byDeadline puts what has no limit behind what has one.
func byDeadline(a, b app.Interaction) int {
	if (a.DeadlineAt == 0) != (b.DeadlineAt == 0) {
		if a.DeadlineAt == 0 {
			return 1
		}
		return -1
	}
	return cmp.Compare(a.DeadlineAt, b.DeadlineAt)
}

// atNow makes the time left that of the moment of sending.
func (h *handler) atNow(in app.Interaction) app.Interaction {
	in.RemainingTimeoutMS = 0
	if in.Waiting() && in.DeadlineAt > 0 {
		in.RemainingTimeoutMS = max(0, in.DeadlineAt-h.Now().UnixMilli())
	}
	return in
}
