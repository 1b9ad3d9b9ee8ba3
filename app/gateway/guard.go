package gateway

import (
	"mime"
	"net/http"
	"strings"

	"parley/app"
)

// refusal is why a request is not let through. reason goes to the log.
type refusal struct {
	status  int
	code    app.Code
	reason  string
	message string
}

// refuse decides whether a request may have been sent by our own page or by the
// person's hand. Every website can make the person's browser send requests to
// the loopback, and a name of its own can be made to point here; so who is
// called (Host), who calls (Origin, Sec-Fetch-Site) and how (JSON, no upgrade)
// must all be ours. The cookie comes after that.
func (s *server) refuse(r *http.Request) *refusal {
	switch {
	case !strings.HasPrefix(r.RequestURI, "/"):
		return &refusal{http.StatusBadRequest, app.CodeInvalidArgument, "absolute request line", "This is no proxy."}
	case !s.names.hosts[strings.ToLower(r.Host)]:
		return &refusal{http.StatusForbidden, app.CodeForbidden, "foreign host", "Parley isn't served under this name."}
	case r.Header.Get("Upgrade") != "":
		return &refusal{http.StatusBadRequest, app.CodeInvalidArgument, "upgrade", "There is nothing to upgrade to."}
	case !s.fromOurPage(r):
		return &refusal{http.StatusForbidden, app.CodeForbidden, "foreign origin", "Only Parley's own page may ask this."}
	case hasBody(r) && !isJSON(r):
		return &refusal{http.StatusUnsupportedMediaType, app.CodeInvalidArgument, "not JSON", "A body is sent as application/json."}
	}
	return nil
}

// fromOurPage checks who sent a request. A browser names the origin with
// everything that changes something; with a plain GET it may leave it out, and
// says in Sec-Fetch-Site whether our own page or the address bar asked. A link
// may also be clicked elsewhere, in a mail or a chat.
func (s *server) fromOurPage(r *http.Request) bool {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		return len(origins) == 1 && s.names.origins[strings.ToLower(origins[0])] && sameHost(origins[0], r.Host)
	}
	if r.Method != http.MethodGet {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
		// Browsers tell it on the loopback and over TLS only. Elsewhere the
		// cookie, which they send to our own page alone, has to do.
		return s.names.further[strings.ToLower(r.Host)]
	default:
		return isVisit(r)
	}
}

// isVisit reports whether a person goes to the page or follows a link to it,
// rather than a foreign page loading it as a picture, script or frame. What is
// visited shows nothing and changes nothing without the cookie, and the cookie
// is not sent with it.
func isVisit(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && !isCall(r.URL.Path)
}

// sameHost reports whether an origin is that of the name under which the
// request came.
func sameHost(origin, host string) bool {
	_, of, ok := strings.Cut(origin, "://")
	return ok && strings.EqualFold(of, host)
}

func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
