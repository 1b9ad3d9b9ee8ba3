package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

// environ is the environment of a session's agent.
func (r *running) environ() string {
	r.t.Helper()
	pid := r.event(app.EventAgentStarted).Data.(*app.AgentStarted).PID
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		r.t.Fatal(err)
	}
	return "\x00" + string(env)
}

// A profile from its making to its end: what it says reaches the agent, a new name
// takes all of it along, and once it is removed nobody starts as somebody else.
func TestProfilesFromTheTerminal(t *testing.T) {
	h := newHome(t)
	profiles := func(args ...string) map[string]app.Profile {
		t.Helper()
		out, _ := h.run(exitDone, append(append([]string{"profiles"}, args...), "--json")...)
		var list api.ProfileList
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		found := map[string]app.Profile{}
		for _, p := range list.Profiles {
			found[p.Name] = p
		}
		return found
	}
	if set := h.launchWith("planted-work-key\n", "secrets", "set", "--agent", "demo", "--profile", "work", "WORK_KEY"); set.code() != exitDone {
		t.Fatal(set.err)
	}
	h.run(exitDone, "profiles", "set", "work", "env.PLAIN=for all", "env.BOTH=for all", "env.TOKEN=Bearer ${keyring:WORK_KEY}")
	out, _ := h.run(exitDone, "profiles", "set", "work", "--agent", "demo", "env.BOTH=for demo", "model=deep", "effort=high")
	has(t, out, "PLAIN", "for demo", "deep", "secret WORK_KEY", "${keyring:WORK_KEY}")
	if _, errs := h.run(exitUsage, "run", "--agent", "demo", "--profile", "wrok", "Make a page"); !strings.Contains(errs, "default, work") {
		t.Errorf("a slip of the pen: %s", errs)
	}
	h.run(exitDone, "mcp", "set", "bare", "command=/bin/true", `profiles=["work","other"]`)
	h.run(exitDone, "mcp", "set", "bare", "--agent", "demo", "--profile", "work", "timeout=2m")
	h.run(exitDone, "mcp", "disable", "bare", "--agent", "demo", "--profile", "work")
	for _, wrong := range [][]string{
		{"set", "work", "model=x"}, {"remove", "default"}, {"rename", "work", "other"}, {"forget", "work"},
	} {
		h.run(exitUsage, append([]string{"profiles"}, wrong...)...)
	}

	server := h.start("serve", "--listen", "127.0.0.1:0")
	server.says(server.out, "http://")
	r := h.demo("Make a page", "--json", "--profile", "work")
	asked := r.asks(app.KindClarify)
	for _, want := range []string{"PLAIN=for all", "BOTH=for demo", "TOKEN=Bearer planted-work-key", "WORK_KEY=planted-work-key"} {
		if !strings.Contains(r.environ(), "\x00"+want+"\x00") {
			t.Errorf("the agent has no %s", want)
		}
	}
	created := r.event(app.EventSessionCreated).Data.(*app.Session)
	if created.Model != "deep" || created.Effort != "high" || created.Profile != "work" {
		t.Errorf("created: %+v", created)
	}
	if _, errs := h.run(exitFailed, "profiles", "rename", "work", "job"); !strings.Contains(errs, "runs with this profile") {
		t.Errorf("renamed under a running agent: %s", errs)
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "Good day")
	if code := r.code(); code != exitDone {
		t.Fatalf("exit code %d: %s", code, r.err)
	}
	h.run(exitDone, "sessions", "close", asked.SessionID)
	got := profiles("rename", "work", "job")
	if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	server.code()

	if job := got["job"]; job.Sessions != 1 || job.Env["PLAIN"] != "for all" || len(job.Secrets) != 1 || got["work"].Name != "" {
		t.Errorf("after the new name: %+v", got)
	}
	has(t, h.file(), `"job"`, `"other"`)
	if strings.Contains(h.file(), `"work"`) {
		t.Errorf("the overrides still name it: %s", h.file())
	}
	if err := os.Remove(filepath.Join(h.work, "hello.html")); err != nil { // so that the demo asks once more
		t.Fatal(err)
	}
	again := h.start("sessions", "resume", asked.SessionID, "--json", "Make it again")
	second := again.asks(app.KindClarify)
	if !strings.Contains(again.environ(), "\x00TOKEN=Bearer planted-work-key\x00") {
		t.Error("the session did not keep its profile")
	}
	h.run(exitDone, "answer", second.ID, "--choose", "Good day")
	again.code()

	if got = profiles("remove", "job"); got["job"].Name != "" {
		t.Errorf("still there: %+v", got["job"])
	}
	if list, _ := h.run(exitDone, "secrets", "--json"); strings.Contains(list, "WORK_KEY") {
		t.Errorf("its secret is still there: %s", list)
	}
	gone := h.start("sessions", "resume", asked.SessionID, "--json", "And again")
	if code := gone.code(); code == exitDone || !strings.Contains(gone.out.String()+gone.err.String(), "was removed") {
		t.Errorf("it started without its profile: %d, %s %s", code, gone.out, gone.err)
	}
	h.run(exitDone, "profiles", "set", "job", "env.PLAIN=anew")
	if got = profiles(); got["job"].Sessions != 1 {
		t.Errorf("made anew: %+v", got)
	}
	for where, text := range map[string]string{"the log": h.log(), "the events": r.out.String() + again.out.String()} {
		if strings.Contains(text, "planted-work-key") {
			t.Errorf("the secret is in %s", where)
		}
	}
}

// A file that was broken by hand is told with its line, stops what would go by it,
// and stays as it is.
func TestABrokenFileOfProfilesIsTold(t *testing.T) {
	h := newHome(t)
	h.run(exitDone, "profiles", "set", "work", "env.PLAIN=x")
	file := filepath.Join(filepath.Dir(h.overrides()), "profiles.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(good), `"x"`, `"x",,`, 1)
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	at := "line " + strconv.Itoa(1+strings.Count(broken[:strings.Index(broken, ",,")], "\n"))
	for _, args := range [][]string{
		{"profiles", "set", "work", "env.PLAIN=y"}, {"run", "--agent", "demo", "--profile", "work", "Make a page"},
	} {
		_, errs := h.run(exitFailed, args...)
		has(t, errs, file, at)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != broken {
		t.Errorf("the file has become %s, %v", now, err)
	}
}
