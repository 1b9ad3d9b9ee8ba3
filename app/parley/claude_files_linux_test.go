package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/apptest"
	"parley/mcp/bridge"
)

// What the person wrote into their own files that must be told to nobody.
const (
	headerSecret = "header-secret-0123456789"
	serverSecret = "server-secret-0123456789"
)

// settle gives the person and their project files of their own. It returns
// those that only they may change.
func (h *claudeHome) settle() (theirs []string) {
	h.t.Helper()
	own := ownServerEntry(h.t)
	own["env"].(map[string]string)["OWN_SECRET"] = serverSecret
	h.write(".claude.json", jsonText(h.t, map[string]any{"numStartups": 3, "hasCompletedOnboarding": true, "mcpServers": map[string]any{
		"own":  own,
		"away": map[string]any{"type": "http", "url": "http://127.0.0.1:9/mcp", "headers": map[string]string{"Authorization": "Bearer " + headerSecret}},
	}}))
	for name, text := range map[string]string{
		h.user + "/.claude/settings.json":       `{"permissions": {"allow": ["Bash(git status)"]}, "env": {"MINE": "1"}}` + "\n",
		h.user + "/.claude/CLAUDE.md":           "Always say please.\n",
		h.user + "/.claude/agents/critic.md":    "---\nname: critic\ndescription: Finds fault.\n---\nFind fault.\n",
		h.user + "/.claude/commands/greet.md":   "Say hello to $ARGUMENTS.\n",
		h.work + "/.mcp.json":                   jsonText(h.t, map[string]any{"mcpServers": map[string]any{"theirs": ownServerEntry(h.t)}}),
		h.work + "/.claude/settings.json":       `{"permissions": {"deny": ["Read(./secret)"]}}` + "\n",
		h.work + "/.claude/settings.local.json": `{"enabledMcpjsonServers": ["theirs"]}` + "\n",
		h.work + "/.claude/agents/helper.md":    "---\nname: helper\ndescription: Helps.\n---\nHelp.\n",
		h.work + "/.claude/commands/release.md": "Release it.\n",
		h.work + "/CLAUDE.md":                   "This is a project.\n",
		h.work + "/AGENTS.md":                   "This is a project of agents.\n",
	} {
		h.write(name, text)
		theirs = append(theirs, name)
	}
	return theirs
}

// sums are the contents of files.
func sums(t *testing.T, names []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return out
}

// below lists the files below the person's home and their project, with what is
// named after a session left out.
func (h *claudeHome) below() []string {
	h.t.Helper()
	var out []string
	for name, top := range map[string]string{"home": h.user, "project": h.work} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(top, path)
			parts := strings.Split(rel, "/")
			switch {
			case top == h.work:
			case parts[0] == "tmp" || parts[0] == "demo":
				return nil
			case strings.HasPrefix(rel, ".claude/state/"):
				// What the CLI remembers of servers, as hashes: written when one was slow
				// to answer, whoever started the CLI, so on a busy computer alone.
				return nil
			case len(parts) > 2:
				parts = append(parts[:2], "…")
			}
			out = append(out, name+"/"+strings.Join(parts, "/"))
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// state reads the CLI's own file, in which it keeps account of itself and the
// person their servers.
func (h *claudeHome) state() map[string]any {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.user, ".claude.json"))
	if err != nil {
		h.t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(data, &state); err != nil {
		h.t.Fatal(err)
	}
	return state
}

// changed lists the keys that differ, those of the project as projects.KEY.
func changed(before, after map[string]any) []string {
	var keys []string
	for key, value := range after {
		if key == "projects" {
			for _, p := range value.(map[string]any) {
				for inner := range p.(map[string]any) {
					keys = append(keys, "projects."+inner)
				}
			}
			continue
		}
		if fmt.Sprint(before[key]) != fmt.Sprint(value) {
			keys = append(keys, key)
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			keys = append(keys, "without "+key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// watcher reads the command lines of all processes with a mark in their
// environment, over and over, so that those that live for a moment are seen
// too.
type watcher struct {
	stop, ended chan struct{}
	mu          sync.Mutex      // guards seen
	seen        map[string]bool // command lines, their words separated by spaces
}

func watch(t *testing.T, mark string) *watcher {
	w := &watcher{stop: make(chan struct{}), ended: make(chan struct{}), seen: map[string]bool{}}
	go func() {
		defer close(w.ended)
		for {
			select {
			case <-w.stop:
				return
			case <-time.After(50 * time.Millisecond): // looks again and again
				w.look(mark)
			}
		}
	}()
	t.Cleanup(w.end)
	return w
}

func (w *watcher) end() {
	select {
	case <-w.stop:
	default:
		close(w.stop)
	}
	<-w.ended
}

func (w *watcher) look(mark string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		env, err := os.ReadFile(filepath.Join(filepath.Dir(f), "environ"))
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		if line, err := os.ReadFile(f); err == nil && len(line) > 0 {
			w.mu.Lock()
			w.seen[string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '}))] = true
			w.mu.Unlock()
		}
	}
}

// await waits until a command line with these words was read.
func (w *watcher) await(t *testing.T, words string) {
	t.Helper()
	seen := func() bool {
		return slices.ContainsFunc(w.lines(), func(line string) bool { return strings.Contains(line, words) })
	}
	for deadline := time.Now().Add(patience); !seen(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no command line with %q was read:\n%s", words, strings.Join(w.lines(), "\n"))
		}
	}
}

func (w *watcher) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for line := range w.seen {
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// The person's files stay as they are, their own servers work beside ours, and
// no secret of theirs or of ours is in a command line, the record or the log.
// What appears in their folders, and what the CLI notes in its own file, is what
// appears when they run it without us.
func TestClaudeAndThePersonsOwnFiles(t *testing.T) {
	var pause atomic.Int64                       // before the last words, in nanoseconds
	noted := filepath.Join(t.TempDir(), "noted") // its command line was; until then it runs
	command := use("b1", "Bash", map[string]any{"command": "git frob; while [ ! -e " + noted + " ]; do sleep 0.1; done; echo done"})
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.HasResult("w1"), Times: fakemodel.Always, Answer: func(r fakemodel.Request) fakemodel.Reply {
			if _, ok := r.Tool(clarifyTool); ok {
				return asks("q1", "Which database?", "Postgres", "SQLite")(r)
			}
			return command
		}},
		onResult("q1", command),
		fakemodel.Step{When: fakemodel.HasResult("b1"), Times: fakemodel.Always, Answer: func(fakemodel.Request) fakemodel.Reply {
			return fakemodel.Reply{Before: time.Duration(pause.Load()), Blocks: []fakemodel.Block{fakemodel.TextBlock("All done, please.")}}
		}},
		fakemodel.Step{When: fakemodel.UserSays("work"), Times: fakemodel.Always, Reply: fakemodel.Blocks(
			fakemodel.ToolUseOf("o1", "mcp__own__echo", map[string]any{"text": "from home"}),
			fakemodel.ToolUseOf("o2", "mcp__theirs__echo", map[string]any{"text": "from the project"}),
			fakemodel.ToolUseOf("w1", "Write", map[string]any{"file_path": "made.txt", "content": "made\n"}))},
	)
	theirs := h.settle()
	before, stateBefore := sums(t, theirs), h.state()
	mark := "MARK=mark-" + filepath.Base(h.get("PARLEY_HOME"))
	h.env = append(h.env, mark)
	w := watch(t, mark)
	dirs := apptest.HomeIn(t, h.get("PARLEY_HOME"))

	began := time.Now()
	r := h.claude("work")
	for n, scope := range []string{"session", "session", "session"} { // for the session, which is kept nowhere
		h.run(exitDone, "answer", r.nth(app.KindApproval, n).ID, "--allow", scope)
	}
	asked := r.nth(app.KindClarify, 0)
	w.look(mark)
	secrets := []string{apiKey, headerSecret, serverSecret, tokenIn(t, dirs.Runs()), contextOf(h.asked("work"))}
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	h.run(exitDone, "answer", r.nth(app.KindApproval, 3).ID, "--allow", "once")
	w.await(t, "git frob; ")
	if err := os.WriteFile(noted, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.done()
	took := time.Since(began)
	w.end()

	for call, want := range map[string]string{"o1": "echo: from home", "o2": "echo: from the project", "b1": "done"} {
		if told := h.told(call); !strings.Contains(told.Text, want) {
			t.Errorf("%s: the model read %+v", call, told)
		}
	}
	read := h.asked("work").Everything()
	for _, words := range []string{"Always say please.", "This is a project."} {
		if !strings.Contains(read, words) {
			t.Errorf("the model was not told %q", words)
		}
	}
	for name, sum := range sums(t, theirs) {
		if sum != before[name] {
			t.Errorf("%s was changed", name)
		}
	}

	lines := strings.Join(w.lines(), "\n")
	for _, program := range []string{"parley run ", "parley-run ", "claude -p ", "parley-mcp interaction", os.Args[0], "git frob"} {
		if !strings.Contains(lines, program) {
			t.Errorf("the command line of %s was not read, so nothing is proven:\n%s", program, lines)
		}
	}
	told := map[string]string{"a command line": lines, "standard output": r.out.String(), "standard error": r.err.String()}
	for _, name := range filesBelow(t, h.get("PARLEY_HOME")) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		told[name] = string(data)
	}
	for where, text := range told {
		for i, secret := range secrets {
			if secret == "" || strings.Contains(text, secret) {
				t.Errorf("secret %d is in %s", i, where)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(dirs.Runs(), "*")); err != nil || len(left) > 0 {
		t.Errorf("run folders left: %v, %v", left, err)
	}
	t.Logf("%d command lines and %d texts hold none of %d secrets", len(w.lines()), len(told), len(secrets))

	// The CLI keeps house in the background, and what it got to by the end is not
	// the same in any two runs: one without us that lasts longer gets to more.
	keys, files := changed(stateBefore, h.state()), h.below()
	t.Logf("in ~/.claude.json change %q", keys)
	// The CLI gives a model up that is silent for five minutes.
	for last, tries := took, 3; ; last, tries = min(3*last, 4*time.Minute), tries-1 {
		pause.Store(int64(last))
		aloneKeys, aloneFiles := h.alone()
		more := append(beyond(keys, aloneKeys), beyond(files, aloneFiles)...)
		if len(more) == 0 {
			break
		}
		if tries == 0 {
			t.Errorf("%q come from a run, and not from one without us, which leaves %q and %q", more, aloneKeys, aloneFiles)
			break
		}
	}
}

// alone has a second person do the same without Parley, and returns what changes
// in the CLI's own file and what lies in the folders.
func (h *claudeHome) alone() (keys, files []string) {
	h.t.Helper()
	bare := h.twin()
	bare.settle()
	before := bare.state()
	cmd := exec.Command(filepath.Join(bare.user, ".local", "bin", "claude"), "-p", "--allowedTools", "mcp__own__echo,mcp__theirs__echo,Write,Bash", "--", "work")
	cmd.Dir, cmd.Env = bare.work, bare.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "All done, please.") {
		h.t.Fatalf("bare run: %v\n%s", err, out)
	}
	return changed(before, bare.state()), bare.below()
}

// beyond lists what the first has and the second has not.
func beyond(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(x string) bool { return slices.Contains(other, x) })
}

// tokenIn reads the launch token of the one agent that runs. Its file is the
// person's alone.
func tokenIn(t *testing.T, runs string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(runs, "*", "credential.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("credentials %v, %v", files, err)
	}
	for path, want := range map[string]fs.FileMode{files[0]: 0o600, filepath.Dir(files[0]): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var c bridge.Credential
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c.Token
}

func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("files below %s: %v, %v", dir, names, err)
	}
	return names
}

// twin is the computer of a second person with the same model.
func (h *claudeHome) twin() *claudeHome {
	h.t.Helper()
	user, tmp := h.t.TempDir(), h.t.TempDir()
	base := h.without("HOME", "CLAUDE_CODE_TMPDIR", "PARLEY_HOME")
	base.work = h.t.TempDir()
	base.env = append(base.env, "HOME="+user, "CLAUDE_CODE_TMPDIR="+tmp)
	twin := &claudeHome{home: base, model: h.model, user: user}
	twin.install(filepath.Join(h.user, ".local", "bin", "claude"))
	return twin
}
