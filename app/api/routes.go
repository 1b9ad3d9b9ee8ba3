package api

import (
	"net/http"
	"reflect"

	"parley/app"
)

// Route is one call: what it takes and gives, by the names that the page's
// types have too. "" is no JSON.
type Route struct {
	Method string
	Path   string
	In     string
	Out    string
	// Doors are those that may make the call; nil is every door.
	Doors []app.By

	serve func(*handler) http.HandlerFunc
}

// Routes lists every call of the API. The documentation and the tests of the
// doors go through it, so that no call is forgotten there.
func Routes() []Route { return routes }

var routes = []Route{
	route("GET", "/api/about", (*handler).about),
	route("GET", "/api/snapshot", (*handler).snapshot),
	{Method: "GET", Path: "/api/stream", Out: "Frame", serve: func(h *handler) http.HandlerFunc { return h.stream }},
	route("GET", "/api/agents", (*handler).agents),
	route("POST", "/api/agents/refresh", (*handler).refreshAgents),
	route("POST", "/api/sessions", (*handler).createSession),
	route("GET", "/api/sessions", (*handler).sessions),
	route("GET", "/api/sessions/{id}", (*handler).session),
	route("PATCH", "/api/sessions/{id}", (*handler).changeSession),
	route("DELETE", "/api/sessions/{id}", (*handler).deleteSession),
	route("GET", "/api/sessions/{id}/events", (*handler).timeline),
	route("POST", "/api/sessions/{id}/messages", (*handler).sendMessage),
	route("PATCH", "/api/sessions/{id}/queue/{turn}", (*handler).changeQueued),
	route("DELETE", "/api/sessions/{id}/queue/{turn}", (*handler).dropQueued),
	route("POST", "/api/sessions/{id}/stop", (*handler).stop),
	route("POST", "/api/sessions/{id}/close", (*handler).close),
	route("POST", "/api/sessions/{id}/resume", (*handler).resume),
	route("GET", "/api/sessions/{id}/processes", (*handler).processes),
	route("GET", "/api/interactions", (*handler).interactions),
	route("GET", "/api/interactions/{id}", (*handler).interaction),
	route("POST", "/api/interactions/{id}/answer", (*handler).answer),
	route("POST", "/api/interactions/{id}/more-time", (*handler).moreTime),
	route("POST", "/api/interactions/{id}/typing", (*handler).typing),
	route("PUT", "/api/interactions/{id}/draft", (*handler).saveDraft),
	route("POST", "/api/interactions/{id}/seen", (*handler).seen),
	route("POST", "/api/interactions/{id}/clear", (*handler).clear),
	route("GET", "/api/settings", (*handler).settings),
	route("PUT", "/api/settings", (*handler).setSettings),
	route("GET", "/api/folders", (*handler).folders),
	route("POST", "/api/presence", (*handler).presence),
	route("GET", "/api/environment", (*handler).environment).only([]app.By{app.ByCLI}),
	{Method: "POST", Path: "/api/gateway", In: "ServeRequest", Out: "ServeReply", Doors: local,
		serve: func(h *handler) http.HandlerFunc { return h.serve }},
	route("POST", "/api/gateway/link", (*handler).link).only(local),
}

// local are the doors of this computer. A browser that was let in lets no
// further one in.
var local = []app.By{app.ByWindow, app.ByCLI}

func (r Route) only(doors []app.By) Route {
	r.Doors = doors
	return r
}

// route makes the call of one method of the handler; its body's and its
// reply's types are the method's.
func route[In, Out any](method, path string, f func(*handler, *http.Request, In) (Out, error)) Route {
	return Route{
		Method: method,
		Path:   path,
		In:     bodyName(reflect.TypeFor[In]()),
		Out:    bodyName(reflect.TypeFor[Out]()),
		serve: func(h *handler) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				var in In
				if err := readJSON(w, r, &in); err != nil {
					h.fail(w, r, err)
					return
				}
				out, err := f(h, r, in)
				if err != nil {
					h.fail(w, r, err)
					return
				}
				h.writeJSON(w, r, http.StatusOK, out)
			}
		},
	}
}

func bodyName(t reflect.Type) string {
	if t == reflect.TypeFor[Empty]() {
		return ""
	}
	return t.Name()
}
