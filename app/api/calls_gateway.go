package api

import (
	"net/http"

	"parley/app"
)

var errNoGateway = app.Errorf(app.CodeCapabilityMissing, "This program can't serve the page.")

// serve serves the page to browsers until the caller hangs up, so that the
// listener can't outlive the command that wanted it.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	var in ServeRequest
	if err := readJSON(w, r, &in); err != nil {
		h.fail(w, r, err)
		return
	}
	if h.Gateway == nil {
		h.fail(w, r, errNoGateway)
		return
	}
	open := false
	err := h.Gateway.Serve(r.Context(), h, in, func(reply ServeReply) {
		open = true
		h.writeJSON(w, r, http.StatusOK, reply)
		if err := http.NewResponseController(w).Flush(); err != nil {
			h.Log.Error("the link did not reach the caller", "err", err)
		}
	})
	switch {
	case err != nil && !open:
		h.fail(w, r, err)
	case err != nil:
		h.Log.Error("serving the page ended", "err", err)
	}
}

func (h *handler) link(*http.Request, Empty) (ServeReply, error) {
	if h.Gateway == nil {
		return ServeReply{}, errNoGateway
	}
	return h.Gateway.Link()
}
