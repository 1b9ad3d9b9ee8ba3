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
	Does   string // in words
	In     string
	Out    string
	// Doors are those that may make the call; nil is every door.
	Doors []app.By
	// Stays says that the call stays open until its caller or the back end goes.
	Stays bool

	serve func(*handler) http.HandlerFunc
}

// Routes lists every call of the API. The documentation and the tests of the
// doors go through it, so that no call is forgotten there.
func Routes() []Route { return routes }

var routes = []Route{
	route("GET", "/api/about", "which back end answers, and where it keeps things", (*handler).about),
	route("GET", "/api/snapshot", "the present: sessions, open questions, plans", (*handler).snapshot),
	{Method: "GET", Path: "/api/stream", Out: "Frame", Stays: true, Does: "server-sent events: the present first, then what happens", serve: func(h *handler) http.HandlerFunc { return h.stream }},
	route("GET", "/api/agents", "what is installed; the first call looks, later ones remember", (*handler).agents),
	route("POST", "/api/agents/refresh", "looks for agents anew", (*handler).refreshAgents),
	route("GET", "/api/doctor", "what the doctor found of agents, and how far a run has come", (*handler).doctor),
	route("POST", "/api/doctor", "has it try agents, none for all that can be started; `GET` tells how far it is", (*handler).startDoctor),
	route("DELETE", "/api/doctor", "ends the run; nothing of it is left when this returns", (*handler).stopDoctor),
	route("POST", "/api/sessions", "starts a session, with a first message or without", (*handler).createSession),
	route("GET", "/api/sessions", "all sessions, newest first", (*handler).sessions),
	route("GET", "/api/sessions/{id}", "one session", (*handler).session),
	route("PATCH", "/api/sessions/{id}", "changes title, mode or model", (*handler).changeSession),
	route("DELETE", "/api/sessions/{id}", "forgets a session here; the agent's own files stay", (*handler).deleteSession),
	route("GET", "/api/sessions/{id}/events", "a page of the timeline: `?before=N`, `?after=N`, `&limit=N` (200, at most 1000)", (*handler).timeline),
	{Method: "GET", Path: "/api/sessions/{id}/outputs/{output}", Does: "a tool's whole output as plain text, in parts by `Range`; `?download=1` saves it as a file", serve: func(h *handler) http.HandlerFunc { return h.output }},
	route("POST", "/api/sessions/{id}/messages", "the next message: queued, or steered into the running turn", (*handler).sendMessage),
	route("PATCH", "/api/sessions/{id}/queue/{turn}", "changes the text or place of a queued message", (*handler).changeQueued),
	route("DELETE", "/api/sessions/{id}/queue/{turn}", "drops a queued message", (*handler).dropQueued),
	route("POST", "/api/sessions/{id}/pictures", "keeps a picture for a message or an answer of this session: PNG, JPEG, GIF or WebP, at most 3 MiB", (*handler).savePicture),
	{Method: "GET", Path: "/api/sessions/{id}/pictures/{file}", Does: "the picture itself, by the last part of its path", serve: func(h *handler) http.HandlerFunc { return h.picture }},
	route("POST", "/api/sessions/{id}/stop", "asks the running turn to end; `turn.completed` follows", (*handler).stop),
	route("POST", "/api/sessions/{id}/close", "ends the session's agent and keeps the record", (*handler).close),
	route("POST", "/api/sessions/{id}/fork", "begins a session with a copy of this one's conversation, where the agent can; this one stays as it is", (*handler).fork),
	route("POST", "/api/sessions/{id}/resume", "brings the session's agent up again", (*handler).resume),
	route("GET", "/api/sessions/{id}/processes", "the agent's process tree", (*handler).processes),
	route("GET", "/api/processes", "what runs for all sessions, and what each process waits for", (*handler).allProcesses),
	route("GET", "/api/interactions", "the inbox: `?state=waiting`, `moved_on` or `all`, `&session=ID`, `&limit=N`", (*handler).interactions),
	route("GET", "/api/interactions/{id}", "one question", (*handler).interaction),
	route("POST", "/api/interactions/{id}/answer", "answers it; a second answer is 409 `already_resolved` with the accepted `outcome`", (*handler).answer),
	route("POST", "/api/interactions/{id}/more-time", "moves the deadline", (*handler).moreTime),
	route("POST", "/api/interactions/{id}/typing", "says that somebody types; near the end that moves the deadline", (*handler).typing),
	route("PUT", "/api/interactions/{id}/draft", "keeps the answer in the making", (*handler).saveDraft),
	route("POST", "/api/interactions/{id}/seen", "the card was before somebody’s eyes", (*handler).seen),
	route("POST", "/api/interactions/{id}/clear", `takes it out of "moved on"`, (*handler).clear),
	route("POST", "/api/interactions/noticed", "claims the right to tell of questions in a system notice; each is given out once", (*handler).noticed),
	route("GET", "/api/history", "all that was ever asked, newest first: `?q=WORDS`, `&session=ID`, `&agent=FAMILY`, `&kind=KIND`, `&end=END` (response, dismissed, timeout, cancelled, waiting, late), `&since=MS`, `&until=MS`, `&cursor=NEXT`, `&limit=N` (50, at most 200)", (*handler).history),
	{Method: "GET", Path: "/api/history/export", Does: "the same as a file, all of it: `?format=md` or `json`, and the filters of the history", serve: func(h *handler) http.HandlerFunc { return h.export }},
	route("GET", "/api/approvals", "the permissions that were given for good", (*handler).rules),
	route("DELETE", "/api/approvals/{id}", "takes one back: the next such request is asked again", (*handler).revokeRule),
	route("GET", "/api/settings", "the preferences", (*handler).settings),
	route("PUT", "/api/settings", "changes them, all or nothing", (*handler).setSettings),
	route("GET", "/api/secrets", "the secrets that agents get, without their values, and where a new one would be kept", (*handler).secrets),
	route("PUT", "/api/secrets/{agent}/{profile}/{name}", "stores a secret: a variable of that agent's environment", (*handler).setSecret).only(local),
	route("DELETE", "/api/secrets/{agent}/{profile}/{name}", "forgets it", (*handler).removeSecret).only(local),
	route("GET", "/api/profiles", "the profiles, with what is stored under their names", (*handler).profiles),
	route("PUT", "/api/profiles/{name}", "makes a profile, or gives it other contents", (*handler).setProfile).only(local),
	route("POST", "/api/profiles/{name}/rename", "gives it another name, with its sessions, secrets and overrides", (*handler).renameProfile).only(local),
	route("DELETE", "/api/profiles/{name}", "takes it away, with its secrets and overrides", (*handler).removeProfile).only(local),
	route("GET", "/api/mcp/file", "the file of MCP servers and overrides, and what of it is in force", (*handler).mcpFile),
	route("PUT", "/api/mcp/file", "gives the file a new text; 409 `changed_meanwhile` when it is not the one that was seen", (*handler).mcpReplace).only(local),
	route("POST", "/api/mcp/check", "what is wrong with a text of the file, with line and column", (*handler).mcpCheck),
	route("POST", "/api/mcp/edit", "changes the file for a server, an agent and a profile; comments and order stay", (*handler).mcpEdit).only(local),
	route("POST", "/api/mcp/undo", "takes the newest change of Parley's back, byte for byte", (*handler).mcpUndo).only(local),
	route("POST", "/api/mcp/restore", "puts the last good text in place of a broken one, which is kept beside it", (*handler).mcpRestore).only(local),
	route("GET", "/api/mcp/effective/{agent}", "the servers that an agent gets, and where each value comes from: `?profile=P`, `&cwd=FOLDER`", (*handler).mcpEffective),
	route("GET", "/api/mcp/preview/{agent}", "what the agent is handed when it starts, secrets hidden: `?profile=P`, `&cwd=FOLDER`", (*handler).mcpPreview),
	route("GET", "/api/mcp/outdated", "the sessions whose agents run with other servers than they would get now", (*handler).mcpOutdated),
	route("POST", "/api/mcp/servers/{name}/test", "starts a server, lists its tools, prompts and resources, and ends it", (*handler).mcpTry).only(local),
	route("POST", "/api/mcp/import", "what another program's file holds; with `write` it is taken over", (*handler).mcpImport).only(local),
	route("GET", "/api/mcp/project", "the servers that a project's own file names: `?cwd=FOLDER`", (*handler).mcpProject),
	route("POST", "/api/mcp/trust", "lets agents start them, as the file is now", (*handler).mcpTrust).only(local),
	route("GET", "/api/folders", "sub-folders of `?path=P`, for choosing one", (*handler).folders),
	route("POST", "/api/presence", "where the person is looking", (*handler).presence),
	route("GET", "/api/environment", "sums of the agents' environment, to find what differs", (*handler).environment).only([]app.By{app.ByCLI}),
	{Method: "POST", Path: "/api/gateway", In: "ServeRequest", Out: "ServeReply", Doors: local, Stays: true,
		Does:  "serves the page to browsers for as long as the request stays open",
		serve: func(h *handler) http.HandlerFunc { return h.serve }},
	route("POST", "/api/gateway/link", "one more one-time link to the served page", (*handler).link).only(local),
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
func route[In, Out any](method, path, does string, f func(*handler, *http.Request, In) (Out, error)) Route {
	return Route{
		Method: method,
		Path:   path,
		Does:   does,
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
