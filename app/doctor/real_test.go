package doctor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/claude"
	"parley/agents/codex"
	"parley/agents/dsh"
	"parley/agents/grok"
	"parley/agents/opencode"
	"parley/agents/pi"
	"parley/app"
	"parley/app/doctor"
	"parley/build/clis"
	"parley/mcp"
)

// The real CLIs pass all checks, but for what is said of one of them, and what they
// were given of the person is nothing.
func TestRealCLIs(t *testing.T) {
	for _, c := range []struct {
		of   agents.Adapter
		path func(*testing.T) string
		// What may be found of a check that is not passed, "" where all are.
		but   app.Check
		state app.CheckState
		code  string
	}{
		{of: claude.New(), path: lies(clis.Claude)},
		{of: codex.New("test"), path: lies(clis.Codex)},
		// A call of these lasts on while our server tells of progress, which it does
		// about as often as the limit here is long.
		{opencode.New(), lies(clis.OpenCode), app.CheckWaits, app.CheckWarning, "waits_unmeasured"},
		{pi.New(), withNode, app.CheckWaits, app.CheckWarning, "waits_unmeasured"},
		{of: grok.New("test"), path: lies(clis.Grok)},
		{dsh.New("test"), withProfile, app.CheckResume, app.CheckNotTried, "resume_never"},
	} {
		t.Run(string(c.of.Info().Family), func(t *testing.T) {
			if c.of.Info().Family != agents.Claude {
				agenttest.Long(t)
			}
			t.Parallel()
			a := newPlace(t, doctor.Patience{Probe: 2 * time.Second, Block: 30 * time.Second}, at{c.of, c.path(t)}).tries()
			if len(a.Checks) != len(app.Checks()) {
				t.Errorf("%d checks", len(a.Checks))
			}
			for _, r := range a.Checks {
				if r.Check == c.but && r.State == c.state && r.Finding != nil && r.Finding.Code == c.code {
					continue
				}
				if r.State != app.CheckPassed {
					t.Errorf("%s: %s %+v", r.Check, r.State, r.Finding)
				}
				if r.Check == app.CheckWaits && (r.MS != mcp.DefaultLimits().Transport().Milliseconds() || r.TriedMS < 1500) {
					t.Errorf("waits %+v", r)
				}
				if r.MS == 0 && r.Check != app.CheckTools && r.Check != app.CheckLeft {
					t.Errorf("%s took no time", r.Check)
				}
			}
			t.Logf("%+v", a)
		})
	}
}

func lies(c *clis.CLI) func(*testing.T) string {
	return func(t *testing.T) string { return c.Path(t) }
}

// withNode is Pi with the Node.js that it asks for, which lies beside it here.
func withNode(t *testing.T) string {
	real := clis.Pi.Path(t)
	return script(t, "pi", fmt.Sprintf("PATH='%s':$PATH exec '%s' \"$@\"\n", filepath.Dir(real), real))
}

// script is a program of that name.
func script(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// withProfile is DSH as a release that brings its profile for ACP along: the
// pinned one has to be given it in each new home.
func withProfile(t *testing.T) string {
	real := clis.DSH.Path(t)
	plugins := filepath.Join(filepath.Dir(real), "..", "@deepseek-ai")
	return script(t, "dsh", fmt.Sprintf(`profile="$HOME/.dsh/profiles/acp"
if [ "$1" != --version ] && [ ! -d "$profile" ]; then
	mkdir -p "$profile/node_modules/@deepseek-ai"
	ln -s '%[1]s/dsh-acp' "$profile/node_modules/@deepseek-ai/dsh-acp"
	echo '{"private": true, "dsh": {"profile": {"bundles": ["@deepseek-ai/dsh-base"]}}}' > "$profile/package.json"
	echo '[{insert: [{id: acp, name: "@deepseek-ai/dsh-acp", config: {provider: local, model: local-model}}]}]' > "$profile/cordis.patch.yml"
fi
exec '%[2]s' '%[3]s' "$@"
`, plugins, filepath.Join(filepath.Dir(real), "node"), real))
}

// at is a family whose program lies somewhere.
type at struct {
	agents.Adapter
	path string
}

func (a at) Info() agents.Info {
	info := a.Adapter.Info()
	info.Binaries = []string{a.path}
	return info
}

// AtModel implements agents.Local.
func (a at) AtModel(url, home string) agents.LocalModel {
	return a.Adapter.(agents.Local).AtModel(url, home)
}
