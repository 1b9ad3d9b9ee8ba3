//go:build unix

package childapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

// TestABodyHasALimitedTime sends half of a body and then nothing more: the call
// is refused and the connection closed, at every endpoint, and nobody is asked.
func TestABodyHasALimitedTime(t *testing.T) {
	r := serve(t, func(c *childapi.Config) { c.BodyLimit = 50 * time.Millisecond })
	for _, path := range childapi.EndpointPaths() {
		conn, err := net.Dial("unix", r.path)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		body := `{"context_id":"pctx_1","question":"q"`
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", path, token, 2*len(body), body)
		conn.SetReadDeadline(time.Now().Add(patience))
		lines := bufio.NewReader(conn)
		resp, err := http.ReadResponse(lines, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if resp.StatusCode != http.StatusBadRequest || !resp.Close {
			t.Errorf("%s: %s, closing %v", path, resp.Status, resp.Close)
		}
		resp.Body.Close()
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%s: the connection stays open", path)
		}
	}
	select {
	case a := <-r.asked:
		t.Errorf("asked %+v", a)
	default:
	}
}

// TestTheLimitIsForTheBodyAlone has a question wait for many times as long as a
// body may take.
func TestTheLimitIsForTheBodyAlone(t *testing.T) {
	const limit = 100 * time.Millisecond
	r := serve(t, func(c *childapi.Config) { c.BodyLimit, c.KeepAlive = limit, limit/4 })
	resp := r.begin(t, `{"context_id":"pctx_1","question":"q"}`)
	lines := bufio.NewReader(resp.Body)
	for range 20 { // five limits
		if line, err := lines.ReadString('\n'); line != "\n" || err != nil {
			t.Fatalf("got %q, %v; want a blank line", line, err)
		}
	}
	r.question(t).answer <- app.Outcome{Reason: app.ReasonTimeout}
	for line := "\n"; ; {
		if line != "\n" {
			if !strings.Contains(line, `"timeout"`) {
				t.Errorf("got %q", line)
			}
			return
		}
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
}

// begin asks a question and returns the answer that is still to come.
func (r *rig) begin(t *testing.T, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://parley"+bridge.PathClarify, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
