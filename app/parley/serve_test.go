//go:build unix

package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/app"
)

var linkText = regexp.MustCompile(`http://127\.0\.0\.1:\d+/link/[\w-]+`)

// get visits an address as a browser's address bar does.
func get(t *testing.T, url string, cookies ...*http.Cookie) (int, string, []*http.Cookie) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "none")
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Cookies()
}

// One back end: `parley serve` holds it, a session of another command runs in
// it, a browser that came in by the link sees its question, a third command
// answers it.
func TestServeIsTheBackEndOfAll(t *testing.T) {
	h := newHome(t)
	server := h.start("serve")
	link := await(server, server.out, func(text string) (string, bool) {
		found := linkText.FindString(text)
		return found, strings.HasSuffix(text, found+"\n") && found != ""
	})
	server.says(server.err, "ssh -L")

	status, _, cookies := get(t, link)
	if status != 200 || len(cookies) != 1 {
		t.Fatalf("the link: %d", status)
	}
	if status, _, _ := get(t, link); status != 403 {
		t.Errorf("the link a second time: %d", status)
	}
	origin := link[:strings.Index(link, "/link/")]
	if status, _, _ := get(t, origin+"/api/snapshot"); status != 401 {
		t.Errorf("without a cookie: %d", status)
	}

	r := h.demo("Make a page", "--json")
	asked := r.asks(app.KindClarify)
	if status, text, _ := get(t, origin+"/api/interactions/"+asked.ID, cookies...); status != 200 || !strings.Contains(text, "Which greeting") {
		t.Errorf("in the browser: %d %s", status, text)
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "Welcome back")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}

	more, _ := h.run(exitDone, "serve", "link")
	if status, _, _ := get(t, strings.TrimSpace(more)); status != 200 {
		t.Errorf("one more link: %d", status)
	}
	if _, errs := h.run(exitFailed, "serve"); !strings.Contains(errs, "parley serve link") {
		t.Errorf("a second serving: %q", errs)
	}
	if log := server.out.String() + server.err.String(); strings.Count(log, "/link/") != 1 {
		t.Errorf("links in the output: %q", log)
	}
	if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := server.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if _, errs := h.run(exitFailed, "serve", "link"); !strings.Contains(errs, "not served") {
		t.Errorf("a link to nothing: %q", errs)
	}
}

// The watch sees a question come and go.
func TestWatch(t *testing.T) {
	h := newHome(t)
	server := h.start("serve")
	server.says(server.out, "/link/")
	watch := h.start("questions", "--watch")
	asJSON := h.start("questions", "--watch", "--json")
	r := h.demo("Make a page", "--json")
	id := r.asks(app.KindClarify).ID
	watch.says(watch.out, "parley answer "+id)
	asJSON.says(asJSON.out, `"interaction_id":"`+id+`"`)
	h.run(exitDone, "answer", id, "--text", "Moin")
	watch.says(watch.out, shortID(id)+"   answered on the command line: Moin")
	asJSON.says(asJSON.out, `"by":"cli"`)
	r.code()
	for _, w := range []*running{watch, asJSON} {
		if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := w.code(); code != exitDone {
			t.Errorf("exit code %d", code)
		}
	}
}
