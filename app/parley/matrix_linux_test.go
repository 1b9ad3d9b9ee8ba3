package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley/agents/fakemodel"
	"parley/build/clis"
)

// The matrix holds every family of agents to the same promises: its real CLI
// runs under the real programs, and only its model is a script. A new family is
// one description, in a file of its own, and one line in families.

// family describes a family of agents to the matrix.
type family struct {
	name    string
	cli     *clis.CLI
	version string
	program string // name of the CLI's process
	// install puts the program where its own installer puts it, and has it talk
	// to the model of h.
	install func(h *claudeHome, program string)
	keys    []string // variables of the person that hold a secret, told to the model alone
	// own gives the person a server of their own, called "own", and returns the
	// files that nobody but the person may change.
	own func(h *claudeHome) []string
	// tool spells a tool of an MCP server as the CLI shows it to its model.
	tool func(server, name string) string
	// call is how its model calls such a tool, nil where it is a tool like others.
	call func(call, tool string, input map[string]any) fakemodel.Reply
	// asides answer what the CLI asks the model by the way, such as for a title.
	asides fakemodel.Script
	// How its model runs a command that must be asked for, asks a question of the
	// CLI's own, and has a sub-agent work. nil: it cannot.
	command  func(call, command string) fakemodel.Reply
	native   func(call, question string, labels ...string) fakemodel.Reply
	delegate func(call, task string) fakemodel.Reply
	// make is the command that makes the file "made"; "" is touch.
	make string
	// waits, if it is not nil, is what the model calls to wait for the sub-agent.
	waits func(call string) fakemodel.Reply
	// kept is what a sub-agent reads where the CLI keeps our tools from it; "" where
	// our server refuses it.
	kept string
	// blind: its requests for permission do not say for what, and take no reason.
	blind bool
	// ungated: tools of MCP servers are called without asking.
	ungated bool
	// forgets: a conversation of it ends with its process.
	forgets bool
	// once: a process of it answers one message.
	once bool
	// more are arguments of `parley run` that a cell needs with this family.
	more map[string][]string
	// formModel is the model of the cells that show forms, "" for the CLI's own.
	formModel string
	// impossible says which cells cannot be, and why.
	impossible map[string]string
	// covered names the tests that hold this family to the same in the usual run;
	// the matrix then runs the cells that are not in the one session only when it is
	// asked for.
	covered string
}

var families = []family{claudeFamily, codexFamily, openCodeFamily, piFamily, grokFamily, dshFamily}

// cell is one promise. A long one waits as a person would, and is run when it is
// asked for.
type cell struct {
	name string
	long bool
	run  func(t *testing.T, f family)
}

var cells = []cell{
	{"round trip", false, alone(partRoundTrip)},
	{"dismissed", false, alone(partDismissed)},
	{"timeout", true, cellTimedOut},
	{"interrupt", false, alone(partInterrupted)},
	{"310 s wait", true, cellWaitsLong},
	{"stop", false, alone(partStopped)},
	{"kill -9 of the CLI", false, cellKilledCLI},
	{"kill -9 of the app", false, cellKilledApp},
	{"resume", false, alone(partResumed)},
	{"fork", false, cellForked},
	{"native question", false, alone(partNativeQuestion)},
	{"approval", false, alone(partApproval)},
	{"elicitation", false, cellElicitation},
	{"forms", true, cellForms},
	{"form closed", false, cellFormClosed},
	{"form over kill -9 and days", true, cellFormLater},
	{"two forms in one message", true, cellFormsInOneMessage},
	{"form of a sub-agent", true, cellFormOfSubAgent},
	{"plan", false, alone(partPlan)},
	{"image", false, cellImage},
	{"two sessions in one folder", false, cellTwoSessions},
	{"sub-agent", false, cellSubAgent},
	{"person's files unchanged", false, cellFilesUnchanged},
	{"no secret in argv", false, cellNoSecretInArgv},
	{"servers of the override file", false, cellOverrideServers},
	{"own servers left out, or told that they stay", false, cellOwnServersLeftOut},
}

// results are what became of the cells: passed, failed, not run, or why it is
// not possible.
type results struct {
	mu    sync.Mutex // guards cells
	cells map[string]string
}

func (r *results) set(f, c, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[f+"/"+c] = what
}

// TestMatrix runs all cells for all families, each cell with a session of its
// own; in the usual run all that a family can have in one session is in one.
// PARLEY_MATRIX names a file whose table is written anew.
func TestMatrix(t *testing.T) {
	res := &results{cells: map[string]string{}}
	t.Cleanup(func() {
		table := res.table()
		t.Log("\n" + table)
		if path := os.Getenv("PARLEY_MATRIX"); path != "" {
			writeTable(t, path, table)
		}
	})
	asked := os.Getenv("PARLEY_LONG") == "1"
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			if !asked {
				t.Run("in one session", func(t *testing.T) { cellChat(t, f) })
			}
			for _, c := range cells {
				if why := f.impossible[c.name]; why != "" {
					res.set(f.name, c.name, "not possible: "+why)
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					t.Cleanup(func() { res.set(f.name, c.name, outcome(t)) })
					if c.long {
						long(t)
					}
					switch {
					case asked:
					case f.covered != "":
						t.Skipf("%s cover it; make agents-matrix runs it", f.covered)
					case slices.ContainsFunc(f.chats(), func(p part) bool { return p.name == c.name }):
						t.Skip("it was in the one session; make agents-matrix runs it alone")
					}
					c.run(t, f)
				})
			}
		})
	}
}

func outcome(t *testing.T) string {
	switch {
	case t.Failed():
		return "**failed**"
	case t.Skipped():
		return "not run"
	default:
		return "passed"
	}
}

// table is the results as text for a document.
func (r *results) table() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	b.WriteString("| |")
	for _, f := range families {
		fmt.Fprintf(&b, " %s %s |", f.name, f.version)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(families)) + "\n")
	for _, c := range cells {
		b.WriteString("| " + c.name + " |")
		for _, f := range families {
			what := r.cells[f.name+"/"+c.name]
			if what == "" {
				what = "not run"
			}
			b.WriteString(" " + what + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The marks between which the table stands.
const tableBegins, tableEnds = "<!-- matrix -->\n", "<!-- end of matrix -->"

func writeTable(t *testing.T, path, table string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(text, []byte(tableBegins))
	_, after, ended := bytes.Cut(rest, []byte(tableEnds))
	if !ok || !ended {
		t.Fatalf("%s has no place for the table", path)
	}
	out := string(before) + tableBegins + "\n" + table + "\n" + tableEnds + string(after)
	if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newAgent is the computer of somebody who has the family's CLI. The model
// answers by the script.
func newAgent(t *testing.T, f family, script ...fakemodel.Step) *claudeHome {
	t.Helper()
	h := &claudeHome{home: newHome(t), asides: f.asides}
	h.user = h.get("HOME")
	model, err := fakemodel.Start(slices.Concat(f.asides, script))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range model.Unmatched() {
			t.Errorf("the script has no answer to %q", r.LastUserText())
		}
		model.Close()
	})
	h.model = model
	t.Cleanup(h.nothingLeft) // before the folders go
	f.install(h, f.cli.Path(t))
	return h
}

// begin starts `parley run` with the family's agent in the work folder.
func (f family) begin(h *claudeHome, cell, prompt string) *running {
	h.t.Helper()
	return h.start(append([]string{"run", "--agent", f.name, "--json", prompt}, f.more[cell]...)...)
}

// serves starts a back end that has nothing of the person's keys: they come with
// each run.
func (f family) serves(h *claudeHome) *running {
	h.t.Helper()
	server := h.without(f.keys...).start("serve")
	server.says(server.out, "/link/")
	return server
}

// asks is a model that calls our asking tool, as this family spells it, with the
// context id of its newest input.
func (f family) asks(call, question string, choices ...string) func(fakemodel.Request) fakemodel.Reply {
	return func(r fakemodel.Request) fakemodel.Reply { return f.ask(call, contextOf(r), question, choices...) }
}

func (f family) ask(call, context, question string, choices ...string) fakemodel.Reply {
	return f.use(call, "parley-interaction", "parley_clarify", map[string]any{
		"context_id": context, "question": question, "choices": choices,
	})
}

// use is a reply that calls a tool of an MCP server.
func (f family) use(call, server, name string, input map[string]any) fakemodel.Reply {
	tool := f.tool(server, name)
	if f.call != nil {
		return f.call(call, tool, input)
	}
	return use(call, tool, input)
}

// onAsking is a step in which the model asks what the person's words make it
// ask.
func (f family) onAsking(words, call, question string, choices ...string) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.UserSays(words), Answer: f.asks(call, question, choices...)}
}

// processes lists the processes that have a mark in their environment, of one
// name unless that is "".
func processes(t *testing.T, name, mark string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		comm, err := os.ReadFile(filepath.Join(filepath.Dir(f), "comm"))
		if err != nil || name != "" && strings.TrimSpace(string(comm)) != name {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}
