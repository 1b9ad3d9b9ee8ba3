package api

import (
	"context"
	"net/http"

	"parley/app"
)

// DoorHeader lets a window that is attached to another program's back end say
// at the socket that it is a window. No other door reads it.
const DoorHeader = "Parley-Door"

type doorKey struct{}

// Door lets everyone in who comes through h as by. Who may come through is
// decided before: by the window's own process, the socket's peer check, the
// browser's cookie.
func Door(h http.Handler, by app.By) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), doorKey{}, by)))
	})
}

// SocketDoor is the door of the unix socket, where every peer runs as the same
// person: the command line, unless an attached window says that it is one.
func SocketDoor(h http.Handler) http.Handler {
	window, cli := Door(h, app.ByWindow), Door(h, app.ByCLI)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(DoorHeader) == string(app.ByWindow) {
			window.ServeHTTP(w, r)
			return
		}
		cli.ServeHTTP(w, r)
	})
}

// doorOf tells through which door a request came, "" when through none.
func doorOf(ctx context.Context) app.By {
	by, _ := ctx.Value(doorKey{}).(app.By)
	return by
}
