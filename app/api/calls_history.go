package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"parley/app"
)

// Pages of the history.
const (
	historyPage    = 50
	maxHistoryPage = 200
)

func (h *handler) history(r *http.Request, _ Empty) (app.HistoryPage, error) {
	f, err := historyFilter(r)
	if err != nil {
		return app.HistoryPage{}, err
	}
	limit, err := number(r, "limit", historyPage)
	if err != nil {
		return app.HistoryPage{}, err
	}
	f.Limit = min(max(int(limit), 1), maxHistoryPage)
	return h.Records.History(r.Context(), f)
}

// historyFilter reads the filters of the history from an address.
func historyFilter(r *http.Request) (app.HistoryFilter, error) {
	q := r.URL.Query()
	since, err1 := number(r, "since", 0)
	until, err2 := number(r, "until", 0)
	f := app.HistoryFilter{
		Search: q.Get("q"), SessionID: q.Get("session"), Agent: q.Get("agent"), Kind: app.Kind(q.Get("kind")),
		End: app.HistoryEnd(q.Get("end")), Since: since, Until: until, Cursor: q.Get("cursor"),
	}
	return f, firstOf(err1, err2,
		among("kind", f.Kind, "", app.KindClarify, app.KindForm, app.KindApproval, app.KindElicitation, app.KindNative),
		among("end", f.End, "", app.HistoryResponse, app.HistoryDismissed, app.HistoryTimeout, app.HistoryCancelled,
			app.HistoryWaiting, app.HistoryLate))
}

// export writes the whole of what the filters choose as a file. It reads page by
// page, so that its size in memory doesn't grow with the history.
func (h *handler) export(w http.ResponseWriter, r *http.Request) {
	f, err := historyFilter(r)
	format := r.URL.Query().Get("format")
	if err = firstOf(err, among("format", format, "md", "json")); err != nil {
		h.fail(w, r, err)
		return
	}
	f.Limit = maxHistoryPage
	page, err := h.Records.History(r.Context(), f)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	now := h.Now()
	kind := "text/markdown; charset=utf-8"
	if format == "json" {
		kind = "application/json"
	}
	head := w.Header()
	head.Set("Content-Type", kind)
	head.Set("Content-Disposition", `attachment; filename="parley-decisions-`+now.Format("2006-01-02")+"."+format+`"`)
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	log := decisionLog(w, format, now)
	for err == nil {
		if err = log.add(page.Interactions); err != nil || page.Next == "" {
			break
		}
		f.Cursor = page.Next
		page, err = h.Records.History(r.Context(), f)
	}
	if err == nil {
		err = log.end()
	}
	if err != nil {
		// The head is out: only a broken connection tells that this is not all.
		h.Log.Warn("an export was cut off", "err", err)
		panic(http.ErrAbortHandler)
	}
}

func (h *handler) rules(r *http.Request, _ Empty) (RuleList, error) {
	list, err := h.Records.Rules(r.Context())
	return RuleList{Rules: list}, err
}

func (h *handler) revokeRule(r *http.Request, _ Empty) (Empty, error) {
	return Empty{}, h.Records.RevokeRule(r.Context(), r.PathValue("id"))
}

func (h *handler) noticed(r *http.Request, n NoticeClaim) (NoticeClaim, error) {
	ids, err := h.Desk.Noticed(r.Context(), n.Interactions)
	return NoticeClaim{Interactions: ids}, err
}

// among refuses a parameter that is none of the values that it may have.
func among[T ~string](name string, got T, allowed ...T) error {
	if slices.Contains(allowed, got) {
		return nil
	}
	return &app.Error{Code: app.CodeInvalidArgument, Message: fmt.Sprintf("%s can't be %q.", name, got), Field: name,
		Limit: strings.Trim(fmt.Sprint(allowed), "[] "), Got: string(got)}
}
