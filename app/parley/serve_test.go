//go:build unix

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley/app"
	"parley/app/apptest"
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

// Neither a session that is deleted under its question nor a back end that ends and
// comes back ends a watch, and both ends are told.
func TestAWatchOutlivesSessionsAndBackEnds(t *testing.T) {
	h := newHome(t)
	serve := func() *running {
		server := h.start("serve")
		server.says(server.out, "/link/")
		return server
	}
	server := serve()
	watch, asJSON := h.start("questions", "--watch"), h.start("questions", "--watch", "--json")
	ask := func() app.Interaction {
		in := h.demo("ask 1", "--json").asks(app.KindClarify)
		watch.says(watch.out, "parley answer "+in.ID)
		asJSON.says(asJSON.out, `"interaction_id":"`+in.ID+`"`)
		return in
	}
	ended := func(in app.Interaction, cause app.Cause) {
		watch.says(watch.out, shortID(in.ID)+"   withdrawn: "+because(cause))
		asJSON.says(asJSON.out, `"cause":"`+string(cause)+`"`)
	}

	deleted := ask()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://parley/api/sessions/"+deleted.SessionID, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := overSocket(h).Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("delete the session: %v, %v", response, err)
	}
	response.Body.Close()
	ended(deleted, app.CauseSessionClosed)

	quit := ask()
	if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	server.code()
	serve()
	ended(quit, app.CauseQuit)

	h.run(exitDone, "answer", ask().ID, "--dismiss")
	watch.says(watch.out, "closed on the command line without an answer")
	asJSON.says(asJSON.out, `"reason":"dismissed"`)
}

// overSocket speaks HTTP to the back end that runs.
func overSocket(h *home) *http.Client {
	socket := apptest.HomeIn(h.t, h.get("PARLEY_HOME")).Socket()
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
}
