package api_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

// outputs keeps one output, "o1" of session "s1", at the path that it is.
type outputs struct{ path string }

func (o outputs) Open(session app.SessionID, id string) (*os.File, error) {
	if session != "s1" || id != "o1" || o.path == "" {
		return nil, app.Errorf(app.CodeNotFound, "This output is not kept any more.")
	}
	return os.Open(o.path)
}

// A tool's whole output comes as plain text that a browser does nothing with, in
// parts if that is asked for.
func TestOutputs(t *testing.T) {
	conf := newWorld().config(t)
	path := filepath.Join(t.TempDir(), "o1.txt")
	if err := os.WriteFile(path, []byte("<script>alert(1)</script>\nsecond line"), 0o600); err != nil {
		t.Fatal(err)
	}
	conf.Outputs = outputs{path}
	h := api.Door(api.New(conf), app.ByBrowser)
	for _, c := range []struct{ path, byteRange, want, disposition string }{
		{"/api/sessions/s1/outputs/o1", "", "<script>alert(1)</script>\nsecond line", ""},
		{"/api/sessions/s1/outputs/o1", "bytes=26-31", "second", ""},
		{"/api/sessions/s1/outputs/o1?download=1", "", "<script>alert(1)</script>\nsecond line", `attachment; filename="output-o1.txt"`},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		if c.byteRange != "" {
			r.Header.Set("Range", c.byteRange)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Body.String() != c.want || w.Header().Get("Content-Disposition") != c.disposition {
			t.Errorf("%s %s: %d %q %v", c.path, c.byteRange, w.Code, w.Body, w.Header())
		}
		if head := w.Header(); head.Get("Content-Type") != "text/plain; charset=utf-8" || head.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(head.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", c.path, head)
		}
	}
	for _, path := range []string{"/api/sessions/s1/outputs/o2", "/api/sessions/s2/outputs/o1"} {
		if status, body := call(t, h, "GET", path, ""); status != 404 || wireError(t, body).Code != app.CodeNotFound {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}
