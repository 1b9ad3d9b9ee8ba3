package secrets_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
)

// session starts a bus of its own and returns its address. The library finds
// the bus by this program's environment, so no test here runs beside another.
func session(t *testing.T) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "bus.conf")
	if err := os.WriteFile(config, []byte(busConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("a session bus is needed (package dbus): %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return address
}

// busConfig is a session bus that brings up no service by itself.
const busConfig = `<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// keyring runs the real gnome-keyring on a bus, unlocked or not.
func keyring(t *testing.T, home string, args ...string) {
	t.Helper()
	cmd := exec.Command("gnome-keyring-daemon", append([]string{"--foreground", "--components=secrets", "--control-directory=" + t.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"), "XDG_RUNTIME_DIR="+home)
	cmd.Stdin = strings.NewReader("password of the keyring")
	if err := cmd.Start(); err != nil {
		t.Fatalf("a keyring is needed (package gnome-keyring): %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // it was killed
	})
}

func TestTheKeyringHoldsThem(t *testing.T) {
	address := session(t)
	getenv := func(name string) string { return map[string]string{"DBUS_SESSION_BUS_ADDRESS": address}[name] }
	path := filepath.Join(t.TempDir(), "secrets.json")
	if got := open(t, path, getenv).Place(ctx); got != app.SecretInFile {
		t.Fatalf("on a bus without a keyring they would rest in %s", got)
	}
	home := t.TempDir()
	keyring(t, home, "--unlock")
	for limit := time.Now().Add(30 * time.Second); open(t, path, getenv).Place(ctx) != app.SecretInKeyring; {
		if time.Now().After(limit) {
			t.Fatal("the keyring does not come up")
		}
	}
	lives(t, path, getenv, app.SecretInKeyring)
	if data, _ := os.ReadFile(path); strings.Contains(string(data), value) || strings.Contains(string(data), "another value") {
		t.Errorf("the list holds values: %s", data)
	}
	// What the keyring holds is not to be had without it, and that is said.
	env, err := open(t, path, nothing).Environment(ctx, "claude", "default")
	if app.ErrorCode(err) != app.CodeUnavailable || len(env) > 0 {
		t.Errorf("without the keyring: %q, %v", env, err)
	}
}
