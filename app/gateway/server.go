package gateway

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"

	"parley/app"
	"parley/app/api"
)

// server is one serving: everything in it is fixed but the keys.
type server struct {
	cfg     Config
	calls   http.Handler // the API behind the browser's door
	names   names
	url     string
	cookie  string // its name
	links   *keys
	cookies *keys
}

func newServer(c Config, calls http.Handler, at *net.TCPAddr, allowed []string) *server {
	return &server{
		cfg:     c,
		calls:   api.Door(calls, app.ByBrowser),
		names:   namesOf(at, allowed),
		url:     "http://" + shownHost(at, allowed),
		cookie:  "parley_" + portOf(at), // cookies know no port, so two servings need two names
		links:   newKeys(linkLife, c.Now),
		cookies: newKeys(cookieLife, c.Now),
	}
}

// link lets one browser in, once, for five minutes.
func (s *server) link() api.ServeReply {
	key, ends := s.links.issue()
	return api.ServeReply{URL: s.url + "/", Link: s.url + linkPath + key, ExpiresAt: ends.UnixMilli()}
}

const linkPath = "/link/"

// ServeHTTP lets through what a browser of the person sends from our own page.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api.PageHeaders(w.Header())
	if err := s.refuse(r); err != nil {
		// Never the path: it may be a link.
		s.cfg.Log.Warn("a request to the browser's door was refused", "why", err.reason, "method", r.Method, "host", r.Host, "origin", r.Header.Get("Origin"))
		writeRefusal(w, err)
		return
	}
	if hasBody(r) {
		limitBody(w, r)
	}
	if key, ok := strings.CutPrefix(r.URL.Path, linkPath); ok {
		s.enter(w, r, key)
		return
	}
	if !s.known(r) {
		s.unknown(w, r)
		return
	}
	if isCall(r.URL.Path) {
		s.calls.ServeHTTP(w, r)
		return
	}
	s.page(w, r)
}

func isCall(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// enter trades a link's key for a cookie. A browser that only loads the link
// ahead does not spend it.
func (s *server) enter(w http.ResponseWriter, r *http.Request, key string) {
	ahead := r.Header.Get("Sec-Purpose") != ""
	if r.Method != http.MethodGet || ahead || !s.links.take(key) {
		writePage(w, http.StatusForbidden, "This link is spent or older than five minutes. Get a new one with: parley serve link")
		return
	}
	value, _ := s.cookies.issue()
	http.SetCookie(w, &http.Cookie{Name: s.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	// Not a redirect: a browser that came here from another site would not send
	// the cookie along with it.
	w.Header().Set("Refresh", "0; url=/")
	writePage(w, http.StatusOK, "Parley opens.")
}

func (s *server) known(r *http.Request) bool {
	c, err := r.Cookie(s.cookie)
	return err == nil && s.cookies.valid(c.Value)
}

// unknown answers a browser that has no valid cookie.
func (s *server) unknown(w http.ResponseWriter, r *http.Request) {
	const how = "This browser isn't let in yet. Get a link with: parley serve link"
	if isCall(r.URL.Path) {
		writeRefusal(w, &refusal{http.StatusUnauthorized, app.CodeUnauthenticated, "no cookie", how})
		return
	}
	writePage(w, http.StatusUnauthorized, how)
}

func writeRefusal(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(r.status)
	// A client that has gone is no concern here.
	_ = json.NewEncoder(w).Encode(api.Conflict{Error: app.WireError{Code: r.code, Message: r.message}})
}

// writePage writes a page of one plain sentence.
func writePage(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(sentence + "\n"))
}
