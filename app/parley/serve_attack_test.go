//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// door is the browser's door of a real `parley serve`, with a cookie that is
// good: SameSite, which would keep it from being sent along, is not relied upon.
type door struct {
	t            *testing.T
	server       *running
	host, cookie string
}

func (h *home) serveTo(listen string) *door {
	h.t.Helper()
	d := &door{t: h.t, server: h.start("serve", "--listen", listen)}
	link := await(d.server, d.server.out, func(text string) (string, bool) {
		found := linkText.FindString(text)
		return found, found != "" && strings.HasSuffix(text, found+"\n")
	})
	d.host = strings.TrimPrefix(link[:strings.Index(link, "/link/")], "http://")
	status, _, cookies := get(h.t, link)
	if status != 200 || len(cookies) != 1 {
		h.t.Fatalf("the link: %d", status)
	}
	d.cookie = cookies[0].Name + "=" + cookies[0].Value
	return d
}

// raw sends a request byte by byte as it is given and returns the answer. HOST,
// PORT and COOKIE stand for what would let it in.
func (d *door) raw(request string) (*http.Response, string) {
	d.t.Helper()
	_, port, _ := net.SplitHostPort(d.host)
	request = strings.NewReplacer("\n", "\r\n", "HOST", d.host, "PORT", port, "COOKIE", d.cookie).Replace(request)
	conn, err := net.Dial("tcp", d.host)
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	// A server that has refused may close before all is sent.
	_, sent := io.WriteString(conn, request)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		d.t.Fatalf("%.200q: %v (sent: %v)", request, err, sent)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatalf("%.200q: %v", request, err)
	}
	return resp, string(body)
}

// sessions asks as our own page does.
func (d *door) sessions() string {
	d.t.Helper()
	resp, body := d.raw("GET /api/sessions HTTP/1.1\nHost: HOST\nCookie: COOKIE\nSec-Fetch-Site: same-origin\nConnection: close\n\n")
	if resp.StatusCode != 200 {
		d.t.Fatalf("our own page is refused: %d %s", resp.StatusCode, body)
	}
	return strings.TrimSpace(body)
}

const newDemo = `{"agent":"demo","prompt":"say it","fast":true}`

// attacks are what other websites, names that point here, and forged requests
// make the person's browser send.
var attacks = map[string]string{
	// Another site's page: no name of ours as its origin.
	"cross-origin POST as text/plain":   "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://evil.test\nContent-Type: text/plain\n",
	"cross-origin POST as JSON":         "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://evil.test\nContent-Type: application/json\n",
	"text/plain under our origin":       "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: text/plain\n",
	"form":                              "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: application/x-www-form-urlencoded\n",
	"form of several parts":             "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: multipart/form-data; boundary=x\n",
	"beacon without a type":             "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\n",
	"no origin":                         "POST /api/sessions HTTP/1.1\nHost: HOST\nContent-Type: application/json\n",
	"origin null":                       "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: null\nContent-Type: application/json\n",
	"origin localhost.evil.test":        "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://localhost.evil.test\nContent-Type: application/json\n",
	"origin localhost.evil.test:PORT":   "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://localhost.evil.test:PORT\nContent-Type: application/json\n",
	"origin of another port":            "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://127.0.0.1:1\nContent-Type: application/json\n",
	"origin with our host as its user":  "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST@evil.test\nContent-Type: application/json\n",
	"our other name as the origin":      "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://localhost:PORT\nContent-Type: application/json\n",
	"two origins":                       "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nOrigin: http://evil.test\nContent-Type: application/json\n",
	"picture":                           "GET /api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: image\n",
	"script of a site beside us":        "GET /api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: same-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: script\n",
	"stream from another site":          "GET /api/stream HTTP/1.1\nHost: HOST\nOrigin: http://evil.test\nAccept: text/event-stream\n",
	"frame":                             "GET /api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\n",
	"visit of a call":                   "GET /api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n",
	"preflight":                         "OPTIONS /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://evil.test\nAccess-Control-Request-Method: POST\nAccess-Control-Request-Private-Network: true\n",
	"websocket":                         "GET /api/stream HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n",
	"websocket from another site":       "GET /api/stream HTTP/1.1\nHost: HOST\nOrigin: http://evil.test\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n",
	"another method by a header":        "GET /api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nX-HTTP-Method-Override: POST\n",
	"host evil.test":                    "GET /api/sessions HTTP/1.1\nHost: evil.test:PORT\nSec-Fetch-Site: same-origin\n",
	"host evil.test, its own origin":    "POST /api/sessions HTTP/1.1\nHost: evil.test:PORT\nOrigin: http://evil.test:PORT\nContent-Type: application/json\n",
	"host localhost.evil.test":          "GET /api/sessions HTTP/1.1\nHost: localhost.evil.test:PORT\nSec-Fetch-Site: same-origin\n",
	"host 127.0.0.1.evil.test":          "GET /api/sessions HTTP/1.1\nHost: 127.0.0.1.evil.test:PORT\nSec-Fetch-Site: same-origin\n",
	"host empty":                        "GET /api/sessions HTTP/1.1\nHost:\nSec-Fetch-Site: same-origin\n",
	"host missing":                      "GET /api/sessions HTTP/1.1\nSec-Fetch-Site: same-origin\n",
	"host missing, HTTP/1.0":            "GET /api/sessions HTTP/1.0\nSec-Fetch-Site: same-origin\n",
	"host [::1]":                        "GET /api/sessions HTTP/1.1\nHost: [::1]:PORT\nSec-Fetch-Site: same-origin\n",
	"host with a trailing dot":          "GET /api/sessions HTTP/1.1\nHost: localhost.:PORT\nSec-Fetch-Site: same-origin\n",
	"address with a trailing dot":       "GET /api/sessions HTTP/1.1\nHost: 127.0.0.1.:PORT\nSec-Fetch-Site: same-origin\n",
	"host as a number":                  "GET /api/sessions HTTP/1.1\nHost: 2130706433:PORT\nSec-Fetch-Site: same-origin\n",
	"host 0.0.0.0":                      "GET /api/sessions HTTP/1.1\nHost: 0.0.0.0:PORT\nSec-Fetch-Site: same-origin\n",
	"host without its port":             "GET /api/sessions HTTP/1.1\nHost: 127.0.0.1\nSec-Fetch-Site: same-origin\n",
	"host with a user":                  "GET /api/sessions HTTP/1.1\nHost: x@HOST\nSec-Fetch-Site: same-origin\n",
	"host twice":                        "GET /api/sessions HTTP/1.1\nHost: HOST\nHost: evil.test\nSec-Fetch-Site: same-origin\n",
	"forwarded host":                    "GET /api/sessions HTTP/1.1\nHost: evil.test\nX-Forwarded-Host: HOST\nForwarded: host=HOST\nSec-Fetch-Site: same-origin\n",
	"absolute request line":             "GET http://HOST/api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: same-origin\n",
	"absolute request line, other host": "GET http://HOST/api/sessions HTTP/1.1\nHost: evil.test\nSec-Fetch-Site: same-origin\n",
	"absolute foreign request line":     "GET http://evil.test/api/sessions HTTP/1.1\nHost: HOST\nSec-Fetch-Site: same-origin\n",
	"request line of a proxy":           "CONNECT evil.test:443 HTTP/1.1\nHost: HOST\n",
	"asterisk":                          "OPTIONS * HTTP/1.1\nHost: HOST\n",
	"two lengths":                       "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: application/json\nContent-Length: 5\n",
	"length and chunks":                 "POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: text/plain\nTransfer-Encoding: chunked\n",
}

func TestWhatOtherSitesSendIsRefused(t *testing.T) {
	h := newHome(t)
	d := h.serveTo("127.0.0.1:0")
	before := d.sessions()
	for name, head := range attacks {
		body := ""
		if strings.HasPrefix(head, "POST") {
			body = newDemo
			head += fmt.Sprintf("Content-Length: %d\n", len(body))
		}
		if !strings.Contains(head, "Connection:") {
			head += "Connection: close\n"
		}
		resp, text := d.raw(head + "Cookie: COOKIE\n\n" + body)
		if resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
		for header := range resp.Header {
			if strings.HasPrefix(header, "Access-Control-") {
				t.Errorf("%s: the answer has %s", name, header)
			}
		}
		if strings.Contains(text, d.host) || strings.Contains(text, `"sessions"`) {
			t.Errorf("%s: the answer tells %s", name, text)
		}
	}
	if after := d.sessions(); after != before {
		t.Errorf("something was done: %s", after)
	}
	// The same call from our own page works, or nothing was proved.
	resp, text := d.raw(fmt.Sprintf("POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: application/json\nContent-Length: %d\nConnection: close\nCookie: COOKIE\n\n%s", len(newDemo), newDemo))
	if resp.StatusCode != 200 || d.sessions() == before {
		t.Errorf("our own page: %d %s", resp.StatusCode, text)
	}
	for header := range resp.Header {
		if strings.HasPrefix(header, "Access-Control-") {
			t.Errorf("our own page gets %s", header)
		}
	}
}

// Long bodies and heads are refused, and connections that send a head letter by
// letter, or nothing, keep nobody out and are closed.
func TestTheDoorHasLimits(t *testing.T) {
	h := newHome(t)
	d := h.serveTo("127.0.0.1:0")
	const size = 9 << 20
	resp, text := d.raw(fmt.Sprintf("POST /api/sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Type: application/json\nContent-Length: %d\nConnection: close\nCookie: COOKIE\n\n", size) +
		`{"agent":"demo","prompt":"` + strings.Repeat("x", size-28) + `"}`)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, "8 MiB") {
		t.Errorf("a body of 9 MiB: %d %s", resp.StatusCode, text)
	}
	resp, _ = d.raw("GET /api/sessions HTTP/1.1\nHost: HOST\nCookie: COOKIE\nX-Long: " + strings.Repeat("x", 80<<10) + "\n\n")
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a head of 80 KiB: %d", resp.StatusCode)
	}
	var slow []net.Conn
	for range 100 {
		conn, err := net.Dial("tcp", d.host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /api/sessions HTTP/1.1\r\nHost: "); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	d.sessions()
	for i, conn := range slow { // closed by the door, not by our patience
		conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
			t.Fatalf("slow connection %d is still open", i)
		}
	}
	d.sessions()
}

// The link and the cookie of a serving open nothing for whoever has its port
// next, be it Parley again or another program.
func TestAnOldLinkOpensNothing(t *testing.T) {
	h := newHome(t)
	d := h.serveTo("127.0.0.1:0")
	more, _ := h.run(exitDone, "serve", "link")
	if err := d.server.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	d.server.code()
	next := h.serveTo(d.host) // the same address
	for path, want := range map[string]int{strings.TrimPrefix(strings.TrimSpace(more), "http://"+d.host): 403, "/": 401, "/api/sessions": 401} {
		resp, text := next.raw("GET " + path + " HTTP/1.1\nHost: HOST\nSec-Fetch-Site: none\nConnection: close\nCookie: " + d.cookie + "\n\n")
		if resp.StatusCode != want || len(resp.Cookies()) > 0 {
			t.Errorf("%s with what an earlier serving gave out: %d %s", path, resp.StatusCode, text)
		}
	}
	next.sessions() // what it gave out itself is good
}
