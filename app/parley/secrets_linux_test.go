package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/apptest"
)

// What is planted, by the way in which it gets in. None of it may be written
// down, shown beside the conversation or handed to another program.
const (
	inCallersEnv = "planted-callers-environment-7421" // a value that only its name makes secret
	inKeyring    = "planted-kept-secret-7421"         // stored with parley secrets
	inToolHeader = "planted-header-0123456789"        // a header in a tool's input
	inToolQuery  = "planted-query-0123456789"         // a query in a tool's input
	inToolURL    = "planted-url-password"             // a password in an address
	inToolFlag   = "planted-flag-0123456789"          // a flag in a tool's input
	inToolOutput = "plantedOutput0123456789abcdef"    // with a maker's name before it
	inStderr     = "plantedStderr0123456789abcdef"    // the CLI's last words
)

// What the person types and the model says is theirs: it is in the record as it
// was said, and in nothing that leaves the computer or is written beside it.
const (
	byPerson = "sk-plantedTyped0123456789abcdef"
	byModel  = "sk-plantedSaid0123456789abcdef"
)

// A secret goes in at every inlet there is, with the real Claude Code, and then
// every artefact of the run is read.
func TestNoSecretIsWrittenDown(t *testing.T) {
	command := `curl -s -m 1 -H "Authorization: Bearer ` + inToolHeader + `" "http://127.0.0.1:9/?access_token=` + inToolQuery + `" ` +
		`--proxy http://me:` + inToolURL + `@127.0.0.1:9 --oauth2-bearer-token=` + inToolFlag +
		` ; echo "env: $DEPLOY_TOKEN kept: $EXTRA_API_KEY key: ghp_` + inToolOutput + `" | cat`
	h := newClaude(t,
		onSaying("work", use("b1", "Bash", map[string]any{"command": command, "description": "Deploy"})),
		fakemodel.Step{When: fakemodel.HasResult("b1"), Answer: asks("q1", "Which database?", "Postgres", "SQLite")},
		onResult("q1", fakemodel.Blocks(fakemodel.TextBlock("Your key is "+byModel+"."))),
	)
	server := h.serve()
	dirs := apptest.HomeIn(t, h.get("PARLEY_HOME"))
	mark := "MARK=mark-" + filepath.Base(h.get("PARLEY_HOME"))
	h.env = append(h.env, mark, "DEPLOY_TOKEN="+inCallersEnv)
	w := watch(t, mark)

	set := h.launchWith(inKeyring+"\n", "secrets", "set", "--agent", "claude", "EXTRA_API_KEY")
	if code := set.code(); code != exitDone || !strings.Contains(set.err.String(), "a file that only you can read") {
		t.Fatalf("stored: exit code %d, %s", code, set.err)
	}
	list, _ := h.run(exitDone, "secrets", "--json")

	r := h.claude("work with " + byPerson)
	approval := r.nth(app.KindApproval, 0)
	h.run(exitDone, "answer", approval.ID, "--allow", "once")
	asked := r.nth(app.KindClarify, 0)
	w.look(mark)
	pid := r.event(app.EventAgentStarted).Data.(*app.AgentStarted).PID
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || !strings.Contains(string(env), "EXTRA_API_KEY="+inKeyring) || !strings.Contains(string(env), "DEPLOY_TOKEN="+inCallersEnv) {
		t.Fatalf("the agent did not get its secrets (%v), so nothing is proven", err)
	}
	ours := []string{tokenIn(t, dirs.Runs()), contextOf(h.asked("work"))}
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	r.done()
	for _, planted := range []string{inCallersEnv, inKeyring, inToolOutput} {
		if got := h.told("b1").Text; !strings.Contains(got, planted) {
			t.Fatalf("the tool did not print %s but %q, so nothing is proven", planted, got)
		}
	}
	if !strings.Contains(approval.Approval.Command, "curl -s -m 1 -H") || !strings.Contains(approval.Approval.Command, "| cat") {
		t.Errorf("the person is to decide on %q", approval.Approval.Command)
	}

	// The CLI's own error, quoted in a problem.
	h.fake("breaks", knowsVersion+`echo "cannot log in with sk-ant-`+inStderr+` and $DEPLOY_TOKEN, --token=`+inToolFlag+`" >&2; exit 1`)
	broken := h.claude("again")
	if code := broken.code(); code != exitFailed || !strings.Contains(broken.out.String(), "cannot log in with") {
		t.Errorf("exit code %d, %s", code, broken.out)
	}
	w.end()

	markdown, _ := h.run(exitDone, "sessions", "export", approval.SessionID)
	asJSON, _ := h.run(exitDone, "sessions", "export", approval.SessionID, "--json")
	if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	server.code() // its agents have ended, and the files of their launches are gone
	told := map[string]string{
		"a command line": strings.Join(w.lines(), "\n"), "the list of secrets": list, "the server's output": server.out.String() + server.err.String(),
		"the events": r.out.String() + broken.out.String(), "standard error": r.err.String() + broken.err.String(), "an export": markdown + asJSON,
	}
	for _, name := range filesBelow(t, h.get("PARLEY_HOME")) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		told[name] = string(data)
	}
	planted := append([]string{inCallersEnv, inKeyring, inToolHeader, inToolQuery, inToolURL, inToolFlag, inToolOutput, inStderr, apiKey}, ours...)
	for where, text := range told {
		for _, secret := range planted {
			if secret == inKeyring && where == dirs.Secrets() {
				continue // this is where it is kept
			}
			// The tool's own program runs with what the model wrote, as in a terminal.
			if where == "a command line" && strings.Contains(command, secret) {
				continue
			}
			if secret == "" || strings.Contains(text, secret) {
				at := strings.Index(text, secret)
				t.Errorf("%q is in %s: …%q…", secret, where, text[max(0, at-60):min(len(text), at+60)])
			}
		}
		conversation := strings.HasPrefix(where, dirs.Database()) || where == "the events" || where == "a command line"
		for _, own := range []string{byPerson, byModel} {
			if !conversation && strings.Contains(text, own) {
				t.Errorf("%q is in %s", own, where)
			}
		}
	}
	record := told[dirs.Database()] + told[dirs.Database()+"-wal"]
	for _, own := range []string{byPerson, byModel} {
		if !strings.Contains(record, own) {
			t.Errorf("the record does not hold %q, which is the person's own", own)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dirs.Runs(), "*")); err != nil || len(left) > 0 {
		t.Errorf("run folders left: %v, %v", left, err)
	}
	t.Logf("%d texts hold none of %d secrets", len(told), len(planted))
}

// launchWith starts parley with a text on its standard input.
func (h *home) launchWith(input string, args ...string) *running {
	h.t.Helper()
	cmd := exec.Command(h.bin, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = h.work, h.env, strings.NewReader(input)
	return launch(h.t, cmd)
}
