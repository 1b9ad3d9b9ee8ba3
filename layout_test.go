package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A rule says which packages of this module a package may import, and why not
// others. The table is a start, not a cage: when the code shows a better cut,
// change the row in the same commit and write down the reason.
type rule struct {
	pkg string   // import path below the module
	may []string // packages of the module that it may import
	why string   // printed with each breach
}

const (
	nouns      = "nouns do no I/O and know no mechanism, so that every part may speak in their terms"
	family     = "a family plans a launch and speaks a protocol; it starts nothing and knows neither other families nor the product"
	mechanism  = "mechanisms of the product know the nouns and not each other; app/core puts them together"
	smallChild = "the CLIs start it once per agent: it must come up in milliseconds and stay small"
)

var rules = []rule{
	// Nouns.
	{"mcp", nil, nouns},
	{"agents", []string{"mcp"}, nouns},
	{"app", []string{"agents", "mcp"}, nouns},

	// Agents.
	{"agents/jsonl", []string{"agents"}, "a line loop knows no family and no product; agents for the error that says an agent has ended"},
	{"agents/proc", []string{"agents/proc/pids"}, "a process tree is owned without knowing what runs in it"},
	{"agents/proc/pids", nil, "who descends from whom is asked of the system, for the shim as well"},
	{"agents/parley-run", []string{"agents/proc/pids"}, smallChild},
	{"agents/elicit", []string{"agents"}, "a form's schema is the same on every wire; it knows none of them"},
	{"agents/filediff", nil, "an edit is shown in one way, whoever made it"},
	{"agents/acpclient", []string{"agents", "agents/elicit", "agents/filediff", "agents/jsonl", "mcp", "mcp/inject"},
		"it speaks a protocol over a connection that it is handed, with the readings that all wires share"},
	{"agents/claude", []string{"agents", "agents/elicit", "agents/filediff", "agents/jsonl", "mcp", "mcp/inject"}, family},
	{"agents/codex", []string{"agents", "agents/elicit", "agents/filediff", "agents/jsonl", "mcp", "mcp/inject"}, family},
	{"agents/pi", []string{"agents", "agents/filediff", "agents/jsonl", "mcp", "mcp/inject"}, family},
	{"agents/opencode", []string{"agents", "agents/elicit", "agents/filediff", "agents/jsonl", "mcp", "mcp/inject"}, family},
	{"agents/grok", []string{"agents", "agents/acp", "agents/acpclient", "agents/elicit", "mcp", "mcp/inject"},
		family + "; what holds for every agent that speaks ACP it takes from there"},
	{"agents/dsh", []string{"agents", "agents/acp", "mcp", "mcp/inject"}, family + "; what holds for every agent that speaks ACP it takes from there"},
	{"agents/acp", []string{"agents", "agents/acpclient", "mcp"}, family},
	{"agents/demo", []string{"mcp"},
		"the demo agent is a program of its own that happens to live here: it gets what any ACP agent gets"},
	{"agents/registry", []string{"agents", "agents/acp", "agents/claude", "agents/codex", "agents/dsh", "agents/grok", "agents/opencode", "agents/pi"}, "it lists the families and does nothing else"},
	{"agents/install", []string{"agents", "agents/proc"},
		"it looks for installed CLIs for every family: it runs their probes (proc), so that no family has to start anything"},
	{"agents/agenttest", []string{"agents", "agents/agenttest/leaks", "agents/jsonl"}, "one suite for all families, so it knows none of them"},
	{"agents/agenttest/live", []string{"agents", "agents/agenttest", "agents/agenttest/leaks", "agents/agenttest/programs", "agents/fakemodel", "agents/proc", "mcp"},
		"a real CLI is started as a session starts one, for every family's tests"},
	{"agents/agenttest/programs", nil, "the programs are built for tests of every room"},
	{"agents/agenttest/leaks", nil, "what tests leave behind is found without knowing what they tested"},
	{"agents/fakemodel", nil, "a model's API is imitated without knowing who calls it"},

	// Managed MCP servers.
	{"mcp/inject", []string{"mcp"}, "catalogue in, bytes out"},
	{"mcp/catalogue", []string{"mcp"}, "who gets which server is decided without a file, a CLI or a clock"},
	{"mcp/foreign", []string{"mcp/catalogue"}, "bytes of other programs in, entries out"},
	{"mcp/probe", []string{"agents/proc", "mcp"}, "a server is tried as an agent starts it, by a program that owns its tree"},
	{"mcp/override", []string{"mcp", "mcp/catalogue"}, "a file is read, watched and edited without knowing who acts on it"},
	{"mcp/bridge", []string{"mcp"}, "the wire is shared with a program that must stay small"},
	{"mcp/server", []string{"mcp", "mcp/bridge"}, smallChild},
	{"mcp/parley-mcp", []string{"app", "mcp", "mcp/bridge", "mcp/server"}, smallChild + "; of app it needs the version alone"},

	// The product.
	{"app/store", []string{"app", "app/store/sqlgen", "agents", "mcp"}, mechanism},
	{"app/store/sqlgen", []string{"app"}, "it is written by a program, from SQL and the names of the product's enums"},
	{"app/question", []string{"app", "agents", "mcp"}, mechanism},
	{"app/plan", []string{"app", "agents", "mcp"}, mechanism},
	{"app/hook", []string{"app"}, "the person's command hears of questions; how a program is run is handed to it"},
	{"app/risk", []string{"app"}, "a request is read without running anything, whoever asks"},
	{"app/bus", []string{"app", "agents", "mcp"}, mechanism},
	{"app/settings", []string{"app", "agents", "mcp"}, mechanism},
	{"app/secrets", []string{"app"}, mechanism},
	{"app/servers", []string{"app", "app/mask", "mcp", "mcp/catalogue", "mcp/foreign", "mcp/inject", "mcp/override"},
		"it joins the file, the catalogue and what CLIs take; it starts nothing itself"},
	{"app/profiles", []string{"app", "mcp", "mcp/catalogue"}, "sets of variables and defaults by name; placeholders are filled in as in MCP overrides"},
	{"app/output", []string{"app"}, mechanism},
	{"app/paths", []string{"app", "agents", "mcp"}, mechanism},
	{"app/workspace", []string{"app", "agents", "mcp"}, mechanism},
	{"app/pictures", []string{"app"}, mechanism},
	{"app/host", []string{"app", "agents", "mcp", "agents/proc"},
		mechanism + "; proc because asking the login shell for its environment is a probe with a limit like any other"},
	{"app/mask", []string{"agents"}, "texts in, texts out; a context id's shape is the agents'"},
	{"app/session", []string{"app", "app/risk", "app/mask", "agents", "agents/proc", "mcp", "mcp/inject", "mcp/bridge"},
		"it declares the few methods it needs of store, desk and bus; it launches agents (proc, inject) and writes their credential, whose shape is the bridge's"},
	{"app/api", []string{"app", "app/mask", "agents", "mcp"}, "the API asks for services through small interfaces of its own"},
	{"app/api/tsgen", []string{"app", "app/api"}, "it turns the API's Go types into the page's"},
	{"app/childapi", []string{"app", "app/api", "mcp", "mcp/bridge"},
		"it serves parley-mcp's calls (the bridge's shapes) and the API on one socket"},
	{"app/gateway", []string{"app", "app/api"}, "it serves the same API to a browser; it knows only how foreign requests are refused"},
	{"app/doctor", []string{"app", "app/api", "agents", "agents/fakemodel", "agents/proc/pids", "mcp"},
		"it tries agents as a client of a back end that it is handed, so that what it measures is what a session gets; pids to see what is left"},
	{"app/core", []string{
		"agents", "agents/install", "agents/proc", "agents/registry",
		"app", "app/api", "app/bus", "app/childapi", "app/doctor", "app/gateway", "app/hook", "app/host", "app/output", "app/mask", "app/paths", "app/pictures", "app/plan", "app/profiles", "app/question",
		"app/secrets", "app/servers", "app/session", "app/settings", "app/store", "app/workspace", "mcp", "mcp/bridge", "mcp/catalogue", "mcp/override", "mcp/probe",
	}, "it builds the back end and is built without a window"},
	{"app/parley", []string{"agents/demo", "app", "app/api", "app/core", "app/host", "app/mask", "app/paths", "frontend"},
		"the headless program parses, prints and calls; the back end is core's"},
	{"app/desktop", []string{"app", "app/api", "app/core", "app/mask", "app/paths"},
		"the window is a thin shell: whatever it knew itself, a browser would lack"},
	{"app/apptest", []string{"agents/agenttest/leaks", "agents/agenttest/programs", "app", "app/api", "app/paths"}, "what the product's tests share; a back end of its own is a package of its own, so that not every test builds one"},
	{"app/apptest/asker", []string{"app", "app/api", "app/apptest", "mcp"}, "asks in the place of an agent, for what measures how soon a question is seen"},
	{"app/apptest/backend", []string{"app", "app/api", "app/apptest", "app/core", "app/paths"}, "a whole back end for a test"},
	{"app/torture", nil, "it attacks the real programs from outside; only its tests import anything"},
	{"frontend", nil, "it embeds the built page and nothing else"},
	{"", []string{"app/desktop", "frontend"}, "main hands over to the window"},

	// Tools that are run by hand or by CI, never part of a program.
	{"build/clis", nil, "it installs the agent CLIs for tests and knows nothing of Parley"},
	{"build/sabotage", nil, "it breaks a copy on purpose and knows nothing of Parley but its tests"},
	{"build/figures", nil, "it prints what benchmarks measured, whatever that was"},
}

// A library is a module from outside (or a package of the standard library
// whose use is a decision) with the packages that may import it.
type library struct {
	prefix string
	users  []string // import paths below the module; nil is nobody but tests
	why    string
}

var libraries = []library{
	{"github.com/wailsapp/wails", []string{"app/desktop"}, "everything else is built and tested without GTK and WebKit"},
	{"github.com/mark3labs/mcp-go", []string{"mcp/server", "mcp/probe", "agents/demo", "agents/agenttest/live"},
		"one server of ours; the demo agent is a client as every agent is; the tests' CLIs get a server of a person"},
	{"github.com/coder/acp-go-sdk", []string{"agents/acpclient", "agents/demo"}, "its types stop at the protocol's edge"},
	{"github.com/modelcontextprotocol/go-sdk", nil, "a second implementation, to test ours against"},
	{"github.com/mattn/go-sqlite3", []string{"app/store"}, "SQL lives in one package, and cgo with it"},
	{"github.com/pressly/goose", []string{"app/store"}, "SQL lives in one package"},
	{"database/sql", []string{"app/store", "app/store/sqlgen"}, "SQL lives in one package"},
	{"github.com/google/renameio", []string{"app/settings"}, "a person's file is replaced as a whole by the one that owns it"},
	{"github.com/tailscale/hujson", []string{"mcp/foreign", "mcp/override"}, "files with comments are parsed where servers are read from them"},
	{"github.com/pelletier/go-toml", []string{"mcp/foreign"}, "one other program's file is TOML"},
	{"github.com/fsnotify/fsnotify", []string{"mcp/override"}, "watching a file has traps enough for one package"},
	{"github.com/adrg/xdg", []string{"app/paths"}, "every folder in one place"},
	{"github.com/thejerf/suture", []string{"app/core"}, "one tree of services"},
	{"github.com/esiqveland/notify", []string{"app/desktop"}, "notices belong to whoever raises the window"},
	{"github.com/godbus/dbus", []string{"app/desktop", "app/secrets"}, "notices belong to whoever raises the window; whether a keyring is there is asked of the session's bus"},
	{"github.com/zalando/go-keyring", []string{"app/secrets"}, "secrets have one keeper"},
	{"github.com/google/uuid", []string{"app/plan", "app/question", "app/session", "agents/claude", "agents/demo"}, "ids are made by those who own what they name"},
	{"mvdan.cc/sh", []string{"app/risk"}, "a command is read as a shell reads it, in one place"},
	{"github.com/mattn/go-isatty", []string{"app/parley"}, "only the command line asks whether somebody is at the terminal"},
	{"github.com/google/go-cmp", []string{"agents/agenttest"}, "for tests"},
	{"go.uber.org/goleak", []string{"agents/agenttest", "agents/agenttest/leaks", "agents/agenttest/live"}, "for tests"},
	{"pgregory.net/rapid", nil, "for tests"},
	{"github.com/rogpeppe/go-internal/diff", []string{"agents/filediff"}, "an edit is shown in one way"},
	{"github.com/rogpeppe/go-internal", nil, "for tests"},
	{"golang.org/x/sys", []string{"agents/parley-run", "agents/proc", "agents/proc/pids", "app/childapi", "app/core", "app/parley", "app/question", "mcp/override"},
		"what differs between systems stays in few places"},
	{"golang.org/x/sync", []string{"agents/install"}, "for looking at several programs at once, once"},
	{"golang.org/x/mod", []string{"agents/claude", "agents/install", "app/host"}, "versions are compared where they are read"},

	{"os/exec", []string{"agents/proc", "agents/demo", "agents/agenttest", "agents/agenttest/programs", "app/apptest/asker", "build/clis", "build/sabotage", "mcp/parley-mcp"},
		"processes have one owner, agents/proc; the demo agent and the tests are owners of their own, and parley-mcp becomes what it starts"},
}

// bans are single imports that a package must not have, with the reason.
var bans = map[string]map[string]string{
	"mcp":           {"os": nouns, "net": nouns},
	"agents":        {"os": nouns, "net": nouns},
	"app":           {"os": nouns, "net": nouns},
	"mcp/inject":    {"os": "it returns bytes; whoever launches writes them"},
	"mcp/foreign":   {"os": "it is handed what others read"},
	"mcp/catalogue": {"os": "it is a pure function of what others read"},
}

// badNames say nothing about what is in the box.
var badNames = []string{"util", "utils", "helper", "helpers", "common", "manager", "managers", "types", "misc", "shared"}

const module = "parley"

type goPackage struct {
	ImportPath   string
	Name         string
	Dir          string
	Doc          string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
	GoFiles      []string
	CgoFiles     []string
}

// below is the import path without the module, "" for the root.
func below(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// listPackages reads the module once, with the window's build tag, so that the
// files behind it are seen too. Nothing is compiled.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-tags", "desktop",
		"-json=ImportPath,Name,Dir,Doc,Standard,Imports,TestImports,XTestImports,GoFiles,CgoFiles", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("decode go list: %v", err)
		}
		if len(p.GoFiles)+len(p.CgoFiles) > 0 {
			pkgs = append(pkgs, p)
		}
	}
	if len(pkgs) < 3 {
		t.Fatalf("go list saw %d packages; the test would prove nothing", len(pkgs))
	}
	return pkgs
}

func TestLayout(t *testing.T) {
	pkgs := listPackages(t)
	table := map[string]rule{}
	for _, r := range rules {
		if _, twice := table[r.pkg]; twice {
			t.Errorf("two rows for %q", r.pkg)
		}
		table[r.pkg] = r
	}
	seen := map[string]bool{}
	for _, p := range pkgs {
		path, ok := below(p.ImportPath)
		if !ok {
			t.Fatalf("%s is not below %s", p.ImportPath, module)
		}
		seen[path] = true
		r, ok := table[path]
		if !ok {
			t.Errorf("%s has no row in the table: add one that says what it may import, and why", p.ImportPath)
			continue
		}
		for _, breach := range r.breaches(p.Imports) {
			t.Errorf("%s imports %s: %s", p.ImportPath, breach, r.why)
		}
		for _, imp := range p.Imports {
			if why, banned := bans[path][imp]; banned {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, why)
			}
			if l, ok := libraryOf(imp); ok && !slices.Contains(l.users, path) {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, l.why)
			} else if !ok && strings.Contains(firstElement(imp), ".") {
				t.Errorf("%s imports %s: a library needs a row that says who may use it, and why", p.ImportPath, imp)
			}
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			if strings.HasPrefix(imp, "github.com/wailsapp/") && path != "app/desktop" {
				t.Errorf("a test of %s imports %s: tests run without GTK and WebKit", p.ImportPath, imp)
			}
		}
		if strings.TrimSpace(p.Doc) == "" && !p.generated(t) {
			t.Errorf("%s has no package comment: say what it owns, what it must not know, and its rule for concurrency", p.ImportPath)
		}
		if slices.Contains(badNames, p.Name) || slices.Contains(badNames, filepath.Base(p.ImportPath)) {
			t.Errorf("%s: a package is named after what is in it", p.ImportPath)
		}
	}
	for _, r := range rules {
		if !seen[r.pkg] {
			t.Errorf("the table has a row for %q, which does not exist: remove it", r.pkg)
		}
	}
}

// generated reports whether a program wrote all of the package.
func (p goPackage) generated(t *testing.T) bool {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if _, generated := measure(t, filepath.Join(p.Dir, name)); !generated {
			return false
		}
	}
	return true
}

// breaches returns the imports of this module that the rule does not allow.
func (r rule) breaches(imports []string) []string {
	var out []string
	for _, imp := range imports {
		if path, ours := below(imp); ours && !slices.Contains(r.may, path) {
			out = append(out, imp)
		}
	}
	return out
}

func firstElement(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// libraryOf finds the row of an import; the first that fits counts.
func libraryOf(imp string) (library, bool) {
	for _, l := range libraries {
		if imp == l.prefix || strings.HasPrefix(imp, l.prefix+"/") {
			return l, true
		}
	}
	return library{}, false
}

// TestRuleFindsBreaches proves that the table can fail.
func TestRuleFindsBreaches(t *testing.T) {
	r := rule{"agents/claude", []string{"agents"}, family}
	got := r.breaches([]string{"os", "parley/agents", "parley/app", "parley", "github.com/other/parley/app"})
	if want := []string{"parley/app", "parley"}; !slices.Equal(got, want) {
		t.Errorf("breaches: %q, want %q", got, want)
	}
	if l, ok := libraryOf("github.com/wailsapp/wails/v2/pkg/options"); !ok || slices.Contains(l.users, "app/session") {
		t.Errorf("the window's library is not held to its package: %v %v", l, ok)
	}
}

// maxLines is the length beyond which a hand-written file hides a missing noun.
const maxLines = 600

func TestFilesStayShort(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			lines, generated := measure(t, filepath.Join(p.Dir, name))
			if lines > maxLines && !generated {
				t.Errorf("%s/%s has %d lines, the limit is %d", p.ImportPath, name, lines, maxLines)
			}
		}
	}
}

// measure counts the lines of a file and tells whether a program wrote it.
func measure(t *testing.T, path string) (lines int, generated bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		if line := s.Text(); strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.") {
			generated = true
		}
	}
	return lines, generated
}
