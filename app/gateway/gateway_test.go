package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"parley/agents/agenttest/leaks"
	"parley/app"
	"parley/app/api"
	"parley/app/gateway"
)

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }

// served is a page that is being served, with what reached the API behind it.
type served struct {
	gateway *gateway.Gateway
	reply   api.ServeReply
	host    string // 127.0.0.1:PORT
	log     *syncBuffer

	mu    sync.Mutex
	calls []string
	now   time.Time
}

type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// ServeHTTP is the API: it notes the call and the body.
func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path+" "+string(body))
	s.mu.Unlock()
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, "answered")
}

func (s *served) reached() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

func (s *served) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *served) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

var page = fstest.MapFS{
	"index.html":      {Data: []byte("<!doctype html><title>Parley</title>")},
	"assets/a-123.js": {Data: []byte("export {}")},
}

// start serves the page until the test ends.
func start(t *testing.T, r api.ServeRequest) *served {
	t.Helper()
	leaks.Each(t)
	s := &served{now: time.UnixMilli(1_700_000_000_000), log: &syncBuffer{}}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.gateway = gateway.New(gateway.Config{Page: page, Now: s.clock, Log: log})
	ctx, cancel := context.WithCancel(context.Background())
	opened, ended := make(chan api.ServeReply, 1), make(chan error, 1)
	go func() { ended <- s.gateway.Serve(ctx, s, r, func(reply api.ServeReply) { opened <- reply }) }()
	select {
	case s.reply = <-opened:
	case err := <-ended:
		t.Fatal(err)
	}
	s.host = hostOf(s.reply.URL)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return s
}

func hostOf(url string) string {
	return strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
}

// visit makes a request as a browser's address bar does; change alters it.
func (s *served) visit(t testing.TB, method, path, body string, change ...func(*http.Request)) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.host+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if method != "GET" {
		req.Header.Set("Origin", "http://"+s.host)
	}
	for _, c := range change {
		c(req)
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
	return resp, string(text)
}

// letIn follows a link and returns the cookie.
func (s *served) letIn(t testing.TB, link string) func(*http.Request) {
	t.Helper()
	path := strings.TrimPrefix(link, "http://"+s.host)
	resp, text := s.visit(t, "GET", path, "")
	cookies := resp.Cookies()
	if resp.StatusCode != 200 || len(cookies) != 1 {
		t.Fatalf("the link: %d %s", resp.StatusCode, text)
	}
	return func(r *http.Request) { r.AddCookie(cookies[0]) }
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestALinkLetsOneBrowserIn(t *testing.T) {
	s := start(t, api.ServeRequest{})
	path := strings.TrimPrefix(s.reply.Link, "http://"+s.host)
	if resp, _ := s.visit(t, "GET", path, "", header("Sec-Purpose", "prefetch")); resp.StatusCode != 403 {
		t.Errorf("loading ahead: %d", resp.StatusCode)
	}
	resp, _ := s.visit(t, "GET", path, "", header("Sec-Fetch-Site", "none"))
	raw := resp.Header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(raw, want) {
			t.Errorf("the cookie %q lacks %s", raw, want)
		}
	}
	cookie := func(r *http.Request) { r.AddCookie(resp.Cookies()[0]) }
	if resp, text := s.visit(t, "GET", "/api/about", "", cookie); resp.StatusCode != 200 || text != "answered" {
		t.Errorf("with the cookie: %d %s", resp.StatusCode, text)
	}
	if resp, _ := s.visit(t, "GET", path, ""); resp.StatusCode != 403 || len(resp.Cookies()) != 0 {
		t.Errorf("the second use: %d", resp.StatusCode)
	}
	key := path[strings.LastIndex(path, "/")+1:]
	if strings.Contains(s.log.String(), key) {
		t.Error("the link is in the log")
	}
}

func TestLinksAndCookiesEnd(t *testing.T) {
	s := start(t, api.ServeRequest{})
	cookie := s.letIn(t, s.reply.Link)
	fresh, err := s.gateway.Link()
	if err != nil || fresh.Link == s.reply.Link {
		t.Fatalf("a fresh link: %+v %v", fresh, err)
	}
	s.pass(5 * time.Minute)
	if resp, _ := s.visit(t, "GET", strings.TrimPrefix(fresh.Link, "http://"+s.host), ""); resp.StatusCode != 403 {
		t.Errorf("a link of five minutes ago: %d", resp.StatusCode)
	}
	if resp, _ := s.visit(t, "GET", "/api/about", "", cookie); resp.StatusCode != 200 {
		t.Errorf("the cookie after five minutes: %d", resp.StatusCode)
	}
	s.pass(7 * 24 * time.Hour)
	if resp, _ := s.visit(t, "GET", "/api/about", "", cookie); resp.StatusCode != 401 {
		t.Errorf("the cookie after a week: %d", resp.StatusCode)
	}
}

// With the end of the serving every key is worthless, also for who takes the
// port next.
func TestACookieOpensOneServingOnly(t *testing.T) {
	one, two := start(t, api.ServeRequest{}), start(t, api.ServeRequest{})
	cookie := one.letIn(t, one.reply.Link)
	resp, _ := two.visit(t, "GET", "/api/about", "", cookie, func(r *http.Request) {
		c := r.Cookies()[0]
		_, port, _ := net.SplitHostPort(two.host)
		r.AddCookie(&http.Cookie{Name: "parley_" + port, Value: c.Value})
	})
	if resp.StatusCode != 401 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestNoCallWithoutACookie(t *testing.T) {
	s := start(t, api.ServeRequest{})
	for _, r := range api.Routes() {
		for name, cookie := range map[string]func(*http.Request){
			"none":  func(*http.Request) {},
			"wrong": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "parley_1", Value: "x"}) },
			"empty": func(r *http.Request) { r.Header.Set("Cookie", "parley_"+s.host[strings.Index(s.host, ":")+1:]+"=") },
		} {
			if resp, text := s.visit(t, r.Method, r.Path, "", cookie); resp.StatusCode != 401 || !strings.Contains(text, string(app.CodeUnauthenticated)) {
				t.Errorf("%s %s with cookie %s: %d", r.Method, r.Path, name, resp.StatusCode)
			}
		}
	}
	if resp, _ := s.visit(t, "GET", "/", ""); resp.StatusCode != 401 {
		t.Errorf("the page: %d", resp.StatusCode)
	}
	if n := s.reached(); n != 0 {
		t.Errorf("%d calls reached the API", n)
	}
}

func TestOurOwnPageGetsThrough(t *testing.T) {
	s := start(t, api.ServeRequest{})
	cookie := s.letIn(t, s.reply.Link)
	_, port, _ := net.SplitHostPort(s.host)
	localhost := func(r *http.Request) {
		r.Host = "LocalHost:" + port
		if r.Header.Get("Origin") != "" {
			r.Header.Set("Origin", "http://localhost:"+port)
		}
	}
	for name, c := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
	}{
		"read":             {"GET", "/api/about", "", header("x", "x")},
		"typed address":    {"GET", "/api/about", "", header("Sec-Fetch-Site", "none")},
		"origin on a read": {"GET", "/api/stream", "", header("Origin", "http://"+s.host)},
		"write":            {"POST", "/api/sessions", `{"agent":"demo"}`, header("Content-Type", "application/json; charset=utf-8")},
		"without a body":   {"POST", "/api/interactions/x/seen", "", header("x", "x")},
		"other name":       {"PUT", "/api/settings", "{}", localhost},
		"delete":           {"DELETE", "/api/sessions/x", "", header("x", "x")},
	} {
		if resp, text := s.visit(t, c.method, c.path, c.body, cookie, c.change); resp.StatusCode != 200 || text != "answered" {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
	}
}

// Everything that a foreign page, or a name that points here, can make the
// person's browser send, with the cookie, as if SameSite did not exist.
func TestForeignPagesAreRefused(t *testing.T) {
	s := start(t, api.ServeRequest{})
	cookie := s.letIn(t, s.reply.Link)
	_, port, _ := net.SplitHostPort(s.host)
	host := func(value string) func(*http.Request) { return func(r *http.Request) { r.Host = value } }
	origin := func(value string) func(*http.Request) { return header("Origin", value) }
	without := func(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }
	twice := func(r *http.Request) { r.Header.Add("Origin", "http://evil.test") }
	cases := map[string]struct {
		method string
		body   string
		change func(*http.Request)
	}{
		"text/plain form":          {"POST", `{"a":1}`, header("Content-Type", "text/plain")},
		"urlencoded form":          {"POST", "a=1", header("Content-Type", "application/x-www-form-urlencoded")},
		"multipart form":           {"POST", "a=1", header("Content-Type", "multipart/form-data; boundary=x")},
		"body without a type":      {"POST", `{"a":1}`, without("Content-Type")},
		"JSON in a list of types":  {"POST", `{"a":1}`, header("Content-Type", "text/plain, application/json")},
		"foreign origin":           {"POST", "{}", origin("http://evil.test")},
		"null origin":              {"POST", "{}", origin("null")},
		"empty origin":             {"POST", "{}", origin("")},
		"other port":               {"POST", "{}", origin("http://127.0.0.1:1")},
		"no port":                  {"POST", "{}", origin("http://127.0.0.1")},
		"https":                    {"POST", "{}", origin("https://" + s.host)},
		"name like ours":           {"POST", "{}", origin("http://localhost.evil.test:" + port)},
		"our other name":           {"POST", "{}", origin("http://localhost:" + port)},
		"origin with a path":       {"POST", "{}", origin("http://" + s.host + "/")},
		"two origins":              {"POST", "{}", twice},
		"no origin on a write":     {"POST", "{}", without("Origin")},
		"no origin on a delete":    {"DELETE", "", without("Origin")},
		"foreign origin on a read": {"GET", "", origin("http://evil.test")},
		"picture":                  {"GET", "", header("Sec-Fetch-Site", "cross-site")},
		"subdomain":                {"GET", "", header("Sec-Fetch-Site", "same-site")},
		"no word on the sender":    {"GET", "", without("Sec-Fetch-Site")},
		"foreign host":             {"GET", "", host("evil.test:" + port)},
		"host like ours":           {"GET", "", host("localhost.evil.test:" + port)},
		"host with a dot":          {"GET", "", host("localhost.:" + port)},
		"address with a dot":       {"GET", "", host("127.0.0.1.:" + port)},
		"host without a port":      {"GET", "", host("127.0.0.1")},
		"host with another port":   {"GET", "", host("127.0.0.1:1")},
		"other loopback":           {"GET", "", host("127.0.0.2:" + port)},
		"v6 without listening":     {"GET", "", host("[::1]:" + port)},
		"all addresses":            {"GET", "", host("0.0.0.0:" + port)},
		"websocket": {"GET", "", func(r *http.Request) {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", "websocket")
			r.Header.Set("Origin", "http://"+s.host)
		}},
		"preflight": {"OPTIONS", "", func(r *http.Request) {
			r.Header.Set("Origin", "http://evil.test")
			r.Header.Set("Access-Control-Request-Method", "POST")
		}},
		"foreign navigation to the API": {"GET", "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}},
	}
	for name, c := range cases {
		for _, path := range []string{"/api/sessions", "/api/stream"} {
			resp, text := s.visit(t, c.method, path, c.body, cookie, c.change)
			if resp.StatusCode < 400 || !strings.HasPrefix(text, `{"error":{"code":`) {
				t.Errorf("%s %s: %d %q", name, path, resp.StatusCode, text)
			}
			for h := range resp.Header {
				if strings.HasPrefix(h, "Access-Control") {
					t.Errorf("%s: header %s", name, h)
				}
			}
		}
	}
	if n := s.reached(); n != 0 {
		t.Errorf("%d calls reached the API: %v", n, s.calls)
	}
}

// What net/http's client would never send.
func TestRawRequestsAreRefused(t *testing.T) {
	s := start(t, api.ServeRequest{})
	for name, head := range map[string]string{
		"no host":          "GET /api/about HTTP/1.1\r\n",
		"empty host":       "GET /api/about HTTP/1.1\r\nHost:\r\n",
		"old protocol":     "GET /api/about HTTP/1.0\r\n",
		"absolute line":    "GET http://" + s.host + "/api/about HTTP/1.1\r\nHost: evil.test\r\n",
		"absolute foreign": "GET http://evil.test/api/about HTTP/1.1\r\nHost: " + s.host + "\r\n",
		"two hosts":        "GET /api/about HTTP/1.1\r\nHost: " + s.host + "\r\nHost: evil.test\r\n",
		"asterisk":         "OPTIONS * HTTP/1.1\r\nHost: " + s.host + "\r\n",
		"connect":          "CONNECT evil.test:80 HTTP/1.1\r\nHost: " + s.host + "\r\n",
	} {
		conn, err := net.Dial("tcp", s.host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%sSec-Fetch-Site: none\r\nConnection: close\r\n\r\n", head)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		conn.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if resp.StatusCode != 400 && resp.StatusCode != 403 {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	if n := s.reached(); n != 0 {
		t.Errorf("%d calls reached the API", n)
	}
}

func TestOnlyANamedHostIsServedBeyondTheLoopback(t *testing.T) {
	g := gateway.New(gateway.Config{Page: page})
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.test:80"} {
		err := g.Serve(t.Context(), http.NotFoundHandler(), api.ServeRequest{Listen: address}, func(api.ServeReply) { t.Error("open") })
		if app.ErrorCode(err) != app.CodeInvalidArgument {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:x", "8080"} {
		if err := g.Serve(t.Context(), http.NotFoundHandler(), api.ServeRequest{Listen: address}, func(api.ServeReply) { t.Error("open") }); err == nil {
			t.Errorf("%q: no error", address)
		}
	}

	s := start(t, api.ServeRequest{Listen: "0.0.0.0:0", AllowHosts: []string{"Box.lan"}})
	_, port, _ := net.SplitHostPort(s.host)
	if s.reply.URL != "http://Box.lan:"+port+"/" {
		t.Errorf("url %s", s.reply.URL)
	}
	s.host = "127.0.0.1:" + port
	as := func(host, origin, site string) func(*http.Request) {
		return func(r *http.Request) {
			r.Host = host
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Del("Origin")
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
		}
	}
	resp, _ := s.visit(t, "GET", strings.TrimPrefix(s.reply.Link, "http://Box.lan:"+port), "", as("box.lan:"+port, "", ""))
	if len(resp.Cookies()) != 1 {
		t.Fatalf("the link: %s", resp.Status)
	}
	cookie := func(r *http.Request) { r.AddCookie(resp.Cookies()[0]) }
	for _, c := range []struct {
		host, origin, site string
		want               int
	}{
		{"box.lan:" + port, "http://box.lan:" + port, "", 200},
		{"box.lan", "https://box.lan", "same-origin", 200},
		{"box.lan:" + port, "", "", 403}, // a write says where from
		{"box.lan:" + port, "http://evil.test", "", 403},
		{"evil.test:" + port, "http://evil.test:" + port, "", 403},
		{"0.0.0.0:" + port, "http://0.0.0.0:" + port, "", 403},
		{"localhost:" + port, "http://localhost:" + port, "", 200},
	} {
		if resp, text := s.visit(t, "POST", "/api/sessions", "{}", cookie, as(c.host, c.origin, c.site)); resp.StatusCode != c.want {
			t.Errorf("%+v: %d %s", c, resp.StatusCode, text)
		}
	}
}

func TestThePage(t *testing.T) {
	s := start(t, api.ServeRequest{})
	cookie := s.letIn(t, s.reply.Link)
	for path, want := range map[string]struct {
		status int
		text   string
		cache  string
	}{
		"/":                {200, "<title>Parley", "no-cache"},
		"/index.html":      {200, "<title>Parley", "no-cache"},
		"/assets/a-123.js": {200, "export", "private, max-age=31536000, immutable"},
		"/assets/":         {404, "no such file", "no-store"},
		"/assets":          {404, "no such file", "no-store"},
		"/missing.js":      {404, "no such file", "no-store"},
		"/../../etc":       {404, "no such file", "no-store"},
	} {
		resp, text := s.visit(t, "GET", path, "", cookie)
		if resp.StatusCode != want.status || !strings.Contains(text, want.text) || resp.Header.Get("Cache-Control") != want.cache {
			t.Errorf("%s: %d %q, cache %q", path, resp.StatusCode, text, resp.Header.Get("Cache-Control"))
		}
		csp := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'; script-src 'self';") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	if resp, _ := s.visit(t, "POST", "/", "", cookie); resp.StatusCode != 405 {
		t.Errorf("a write to the page: %d", resp.StatusCode)
	}
}

// A visit from another site's link is let to the door, where it has no cookie.
func TestAClickElsewhereComesToTheDoor(t *testing.T) {
	s := start(t, api.ServeRequest{})
	clicked := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	resp, text := s.visit(t, "GET", "/", "", clicked)
	if resp.StatusCode != 401 || !strings.Contains(text, "parley serve link") {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	framed := func(r *http.Request) { clicked(r); r.Header.Set("Sec-Fetch-Dest", "iframe") }
	if resp, _ := s.visit(t, "GET", strings.TrimPrefix(s.reply.Link, "http://"+s.host), "", framed); resp.StatusCode != 403 {
		t.Errorf("the link in a frame: %d", resp.StatusCode)
	}
	resp, _ = s.visit(t, "GET", strings.TrimPrefix(s.reply.Link, "http://"+s.host), "", clicked)
	if resp.StatusCode != 200 || resp.Header.Get("Refresh") == "" {
		t.Errorf("the link in a chat: %d", resp.StatusCode)
	}
}

func TestAPageThatWasNotBuiltSaysSo(t *testing.T) {
	full := page
	page = fstest.MapFS{".gitkeep": {}}
	defer func() { page = full }()
	s := start(t, api.ServeRequest{})
	resp, text := s.visit(t, "GET", "/", "", s.letIn(t, s.reply.Link))
	if resp.StatusCode != 503 || !strings.Contains(text, "make build") {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

func TestOneServingAtATime(t *testing.T) {
	s := start(t, api.ServeRequest{})
	err := s.gateway.Serve(t.Context(), s, api.ServeRequest{}, func(api.ServeReply) { t.Error("open") })
	if app.ErrorCode(err) != app.CodeAlreadyPending {
		t.Errorf("%v", err)
	}
	idle := gateway.New(gateway.Config{Page: page})
	if _, err := idle.Link(); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("a link to nothing: %v", err)
	}
	err = idle.Serve(t.Context(), s, api.ServeRequest{Listen: s.host}, func(api.ServeReply) { t.Error("open") })
	if app.ErrorCode(err) != app.CodeUnavailable {
		t.Errorf("a port in use: %v", err)
	}
}

// The end of the serving ends the streams, and the port is free.
func TestTheEndEndsStreams(t *testing.T) {
	g := gateway.New(gateway.Config{Page: page})
	ctx, cancel := context.WithCancel(t.Context())
	streaming := make(chan struct{})
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		http.NewResponseController(w).Flush()
		close(streaming)
		<-r.Context().Done()
	})
	opened, ended := make(chan api.ServeReply, 1), make(chan error, 1)
	go func() { ended <- g.Serve(ctx, stream, api.ServeRequest{}, func(r api.ServeReply) { opened <- r }) }()
	reply := <-opened
	s := &served{host: hostOf(reply.URL)}
	cookie := s.letIn(t, reply.Link)
	req, err := http.NewRequestWithContext(t.Context(), "GET", reply.URL+"api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	cookie(req)
	read := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		read <- err
	}()
	<-streaming
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := <-read; err != nil {
		t.Errorf("the stream did not end cleanly: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
	if conn, err := net.Dial("tcp", s.host); err == nil {
		conn.Close()
		t.Error("somebody still listens")
	}
}
