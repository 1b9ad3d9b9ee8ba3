package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

// FuzzCalls: whatever a client sends to a call, with whatever in its path and
// query, the answer is JSON and a fault of ours it never is.
func FuzzCalls(f *testing.F) {
	routes := api.Routes()
	for i, r := range routes {
		if r.Method == http.MethodGet { // it has no body, so one is enough
			f.Add(i, "x", "limit=1&before=2", "")
			continue
		}
		for _, body := range []string{``, `{}`, `null`, `[]`, `{"agent":"demo","prompt":"x"}`, `{"selected":["a"],"status":"answered"}`, `{"revision":-1}`, `{"listen":"x"}`, `{} {}`, `"`, `{"title":null}`} {
			f.Add(i, "x", "limit=1&before=2", body)
		}
	}
	f.Fuzz(func(t *testing.T, n int, id, query, body string) {
		r := routes[max(0, n)%len(routes)]
		if r.Path == "/api/stream" || strings.HasSuffix(r.Path, "/processes") || strings.Contains(r.Path, "/pictures") || strings.Contains(r.Path, "/outputs") {
			t.Skip("a stream takes no body; the stand-ins keep no pictures and outputs, and the one for processes falls over on purpose")
		}
		path := strings.NewReplacer("{id}", url.PathEscape(id), "{turn}", url.PathEscape(id), "{file}", url.PathEscape(id), "{agent}", url.PathEscape(id), "{profile}", url.PathEscape(id), "{name}", url.PathEscape(id)).Replace(r.Path)
		if strings.Contains(path, "//") || strings.HasSuffix(path, "/.") || strings.Contains(path, "/./") || strings.Contains(path, "/../") || strings.HasSuffix(path, "/..") || strings.HasSuffix(path, "/") {
			t.Skip("another path")
		}
		if _, err := url.ParseQuery(query); err != nil {
			query = url.QueryEscape(query)
		}
		w := newWorld()
		w.interactions["x"] = app.Interaction{ID: "x", Kind: app.KindClarify}
		req := httptest.NewRequestWithContext(t.Context(), r.Method, path, strings.NewReader(body))
		req.URL.RawQuery = query
		rec := httptest.NewRecorder()
		api.Door(api.New(w.config(t)), app.ByCLI).ServeHTTP(rec, req)
		var refusal api.Conflict
		switch {
		case rec.Code >= 500 && rec.Code != app.CodeUnavailable.Status() && rec.Code != app.CodeCapabilityMissing.Status():
			t.Errorf("%s %s with %q: %d %s", r.Method, path, body, rec.Code, rec.Body)
		case rec.Code >= 400 && (json.Unmarshal(rec.Body.Bytes(), &refusal) != nil || refusal.Error.Code == "" || refusal.Error.Message == ""):
			t.Errorf("%s %s with %q: refused with %d %s", r.Method, path, body, rec.Code, rec.Body)
		}
	})
}
