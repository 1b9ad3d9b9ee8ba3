package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"parley/app"
)

// maxBody is the most that a call may send, in bytes. A pasted log fits; a
// picture goes by its path.
const maxBody = 8 << 20

// readJSON reads a body strictly: one value, no unknown field. A type without
// fields wants no body and takes an empty object too.
func readJSON[T any](w http.ResponseWriter, r *http.Request, into *T) error {
	_, wantsNone := any(*into).(Empty)
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if errors.Is(err, io.EOF) {
		if wantsNone {
			return nil
		}
		return app.Errorf(app.CodeInvalidArgument, "This call needs a JSON body.")
	}
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err == nil {
			return app.Errorf(app.CodeInvalidArgument, "The body holds more than one JSON value.")
		}
	}
	return badBody(err)
}

func badBody(err error) error {
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &app.Error{Code: app.CodePayloadTooLarge, Message: "The body is too long: at most 8 MiB.",
			Limit: "8 MiB", Err: tooLong}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return &app.Error{Code: app.CodeInvalidArgument, Message: "The body is no JSON object.", Limit: "an object", Got: wrong.Value, Err: err}
		}
		return &app.Error{Code: app.CodeInvalidArgument, Message: "A field of the body has the wrong type: " + wrong.Field + ".",
			Field: wrong.Field, Limit: wrong.Type.String(), Got: wrong.Value, Err: err}
	}
	return &app.Error{Code: app.CodeInvalidArgument, Message: "The body is not the JSON that this call takes: " + err.Error() + ".", Err: err}
}

func (h *handler) writeJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(noNilLists(v))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if _, err := w.Write(append(body, '\n')); err != nil {
		h.Log.Debug("a reply did not arrive", "path", r.URL.Path, "err", err)
	}
}

// fail maps an error to its answer. Only here are errors of calls logged, and
// only those that are no person's fault.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(context.Cause(r.Context()), errClosing) {
		err = errClosing // the call was cut short; how that shows further in says nothing
	}
	status := app.ErrorCode(err).Status()
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		h.Log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	body := Conflict{Error: app.Wire(err)}
	if app.ErrorCode(err) == app.CodeAlreadyResolved {
		body = h.accepted(r, body)
	}
	h.writeJSON(w, r, status, body)
}

// accepted adds what settled the interaction that a call came too late for.
func (h *handler) accepted(r *http.Request, c Conflict) Conflict {
	in, err := h.Desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		h.Log.Warn("the accepted answer could not be read", "interaction", r.PathValue("id"), "err", err)
		return c
	}
	c.Outcome, c.Late = in.Outcome, in.Late
	return c
}
