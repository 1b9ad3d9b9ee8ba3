package bridge_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/mcp/bridge"
)

const sound = `{"version":1,"socket":"/run/x.sock","token":"secret-token","session_id":"s","profile":"default","family":"claude","tool_prefix":"mcp__parley-interaction__"}`

func write(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credential.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCredentialIsRead(t *testing.T) {
	c, err := bridge.LoadCredential(write(t, sound, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	want := bridge.Credential{Version: 1, Socket: "/run/x.sock", Token: "secret-token", SessionID: "s", Profile: "default",
		Family: "claude", ToolPrefix: "mcp__parley-interaction__"}
	if c != want {
		t.Errorf("read %+v, want %+v", c, want)
	}
}

func TestUnusableCredentialsAreRefused(t *testing.T) {
	for _, c := range []struct {
		what, path, code, says string
	}{
		{"none given", "", bridge.CodeUnavailable, "without a credential"},
		{"gone", filepath.Join(t.TempDir(), "nothing"), bridge.CodeUnavailable, "gone"},
		{"a folder", t.TempDir(), bridge.CodeUnavailable, "no file"},
		{"readable by the group", write(t, sound, 0o640), bridge.CodeUnauthenticated, "0640"},
		{"readable by all", write(t, sound, 0o604), bridge.CodeUnauthenticated, "0604"},
		{"writable by all", write(t, sound, 0o602), bridge.CodeUnauthenticated, "0602"},
		{"no JSON", write(t, "secret-token", 0o600), bridge.CodeUnavailable, "damaged"},
		{"of a later version", write(t, strings.Replace(sound, `"version":1`, `"version":2`, 1), 0o600), bridge.CodeVersionMismatch, "Restart this agent"},
		{"without a token", write(t, strings.Replace(sound, "secret-token", "", 1), 0o600), bridge.CodeUnavailable, "token"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := bridge.LoadCredential(c.path)
			refused, ok := errors.AsType[*bridge.Error](err)
			if !ok || refused.Code != c.code || !strings.Contains(refused.Message, c.says) {
				t.Fatalf("%v, want %s saying %q", err, c.code, c.says)
			}
			if strings.Contains(refused.Message, "secret-token") {
				t.Error("the message holds the token")
			}
		})
	}
}
