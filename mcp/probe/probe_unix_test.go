//go:build unix

package probe_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"parley/app/apptest"
	mcpnouns "parley/mcp"
	"parley/mcp/probe"
)

// envServer makes the test program an MCP server, and says of which kind.
const envServer = "PROBE_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(envServer); kind != "" {
		serve(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// serve is a server of the protocol's official implementation: another than the
// one that tries it.
func serve(kind string) {
	fmt.Fprintln(os.Stderr, "key is", os.Getenv("SERVER_KEY"), "in", os.Getenv("PWD"))
	switch kind {
	case "crash":
		os.Exit(3)
	case "silent":
		select {}
	case "noise":
		fmt.Println("Welcome!")
	case "family":
		// A child that heeds nothing, in a session of its own.
		cmd := exec.Command("/bin/sh", "-c", `trap "" TERM INT HUP; echo $$ > "$PID_FILE"; exec 0<&-; while :; do sleep 1; done`)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			os.Exit(4)
		}
		for range 5000 { // it is to be there when the test ends this server
			if pid, err := os.ReadFile(os.Getenv("PID_FILE")); err == nil && strings.HasSuffix(string(pid), "\n") {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	if err := server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

func server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "docs", Version: "1.2"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "search", Description: "Searches."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	s.AddResource(&mcp.Resource{URI: "file:///a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{}, nil
	})
	return s
}

func stdio(t *testing.T, kind string) (mcpnouns.Spec, probe.Config) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpnouns.Spec{Name: "docs", Transport: mcpnouns.Stdio, Command: self, Env: map[string]string{envServer: kind, "SERVER_KEY": "of-its-own"}},
		probe.Config{Env: append(os.Environ(), "SERVER_KEY=from-outside"), Dir: t.TempDir(), Shim: apptest.Program(t, "parley-run"), Limit: 30 * time.Second}
}

func offers(t *testing.T, r probe.Result) {
	t.Helper()
	if r.Server != "docs 1.2" || len(r.Tools) != 1 || r.Tools[0] != (probe.Tool{Name: "search", Description: "Searches."}) ||
		len(r.Prompts) != 1 || r.Prompts[0] != "greet" || len(r.Resources) != 1 || r.Resources[0] != "file:///a" || r.Took <= 0 {
		t.Errorf("got %+v", r)
	}
}

func TestTryStdio(t *testing.T) {
	for _, kind := range []string{"plain", "noise"} {
		spec, cfg := stdio(t, kind)
		r, err := probe.Try(t.Context(), spec, cfg)
		if err != nil {
			t.Fatalf("%s: %v, %s", kind, err, r.Stderr)
		}
		offers(t, r)
		if !strings.Contains(r.Stderr, "of-its-own") {
			t.Errorf("%s: stderr %q", kind, r.Stderr)
		}
	}
}

func TestTryHTTP(t *testing.T) {
	var sent string
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if sent == "" {
			sent = r.Header.Get("Authorization")
		}
		return server()
	}, nil)
	web := httptest.NewServer(handler)
	defer web.Close()
	r, err := probe.Try(t.Context(), mcpnouns.Spec{Transport: mcpnouns.HTTP, URL: web.URL, Headers: map[string]string{"Authorization": "Bearer x"}}, probe.Config{Limit: 30 * time.Second})
	if err != nil || sent != "Bearer x" {
		t.Fatalf("%v, header %q", err, sent)
	}
	offers(t, r)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestWhatFailsIsSaid(t *testing.T) {
	for kind, want := range map[string]string{"crash": "with code 3", "silent": "within 2s", "missing": "could not be started"} {
		spec, cfg := stdio(t, kind)
		if kind == "silent" {
			cfg.Limit = 2 * time.Second
		}
		if kind == "missing" {
			spec.Command = filepath.Join(t.TempDir(), "nothing")
		}
		r, err := probe.Try(t.Context(), spec, cfg)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %+v", kind, err, r)
		}
		if kind == "crash" && !strings.Contains(r.Stderr, "key is") {
			t.Errorf("its last words are %q", r.Stderr)
		}
	}
	if _, err := probe.Try(t.Context(), mcpnouns.Spec{Transport: mcpnouns.HTTP, URL: "http://127.0.0.1:1/"}, probe.Config{Limit: 30 * time.Second}); err == nil {
		t.Error("nobody listens there")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	spec, cfg := stdio(t, "silent")
	if _, err := probe.Try(ctx, spec, cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// Nothing that a server starts outlives its test.
func TestTreeIsEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	spec, cfg := stdio(t, "family")
	cfg.Env = append(cfg.Env, "PID_FILE="+file)
	r, err := probe.Try(t.Context(), spec, cfg)
	if err != nil {
		t.Fatalf("%v, %s", err, r.Stderr)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the server's child %d is still there: %v", pid, err)
	}
}
