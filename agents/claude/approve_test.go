package claude_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/agents"
)

// approve has the puppet ask for leave and returns what the person sees.
func (p *puppet) approve(tool string, input, suggestions any) *agents.Approval {
	p.t.Helper()
	in, err := json.Marshal(input)
	if err != nil {
		p.t.Fatal(err)
	}
	sug, err := json.Marshal(suggestions)
	if err != nil {
		p.t.Fatal(err)
	}
	p.say(fmt.Sprintf(`{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool","tool_name":"%s","tool_use_id":"t","decision_reason":"\u001b[1mwhy\u001b[0m","input":%s,"permission_suggestions":%s}}`, tool, in, sug))
	ask := p.host.NextAsk()
	ask.Answer(agents.Outcome{Reason: "response", Action: "allow_session"})
	return ask.Approval
}

type object = map[string]any

func TestWhatAnApprovalShows(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("one\ntwo\nthree\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := openPuppet(t)
	for _, c := range []struct {
		tool  string
		input object
		title string
		diff  string
	}{
		{"Write", object{"file_path": file, "content": "one\n"}, "Write " + file, "@@ -1,4 +1,1 @@\n one\n-two\n-three\n-two\n"},
		{"Write", object{"file_path": "/home/ada/project/new.txt", "content": "one\n"}, "Write new.txt", "--- /dev/null\n"},
		{"Edit", object{"file_path": file, "old_string": "two", "new_string": "2"}, "Edit " + file, "-two\n+2\n three\n two\n"},
		{"Edit", object{"file_path": file, "old_string": "two", "new_string": "2", "replace_all": true}, "Edit " + file, "-two\n+2\n three\n-two\n+2\n"},
		{"Edit", object{"file_path": "/gone", "old_string": "two", "new_string": "2"}, "Edit /gone", "-two\n"},
		{"MultiEdit", object{"file_path": file, "edits": []object{{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}}}, "Edit " + file, "+1\n+two\n+3\n two\n"},
		{"Bash", object{"command": "make"}, "Run a command", ""},
		{"WebFetch", object{"url": "https://example.org"}, "Fetch https://example.org", ""},
		{"mcp__docs__search", object{"q": "x"}, "Use the tool search of the MCP server docs", ""},
		{"ExitPlanMode", object{"plan": "# First\nthen"}, "Leave plan mode and begin with the work", ""},
		{"Skill", object{"skill": "pdf"}, "Skill: pdf", ""},
		{"Mystery", object{}, "Use the tool Mystery", ""},
	} {
		got := p.approve(c.tool, c.input, nil)
		p.next()
		if got.Title != c.title || got.Tool != c.tool || got.Why != "why" || !slices.Equal(got.Scopes, []string{"allow_once"}) {
			t.Errorf("%s: %+v", c.tool, got)
		}
		if c.diff == "" && got.Diff != "" || !contains(got.Diff, c.diff) {
			t.Errorf("%s: diff %q, want %q in it", c.tool, got.Diff, c.diff)
		}
		if c.tool == "ExitPlanMode" && got.Detail != "# First\nthen" {
			t.Errorf("plan %q", got.Detail)
		}
	}
}

// What is allowed for the session never reaches a settings file, never grants
// more than the CLI proposed, and never the mode that asks for nothing.
func TestWhatTheSessionIsGranted(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	rule := object{"type": "addRules", "behavior": "allow", "destination": "localSettings", "rules": []object{{"toolName": "Bash", "ruleContent": "make *"}}}
	edits := object{"type": "setMode", "mode": "acceptEdits", "destination": "session"}
	folder := func(dir string) object {
		return object{"type": "addDirectories", "directories": []string{dir}, "destination": "userSettings"}
	}
	for _, c := range []struct {
		name        string
		suggestions []object
		want        string // of the answer, "" when it cannot be granted for the session
	}{
		{"a rule", []object{rule}, `"updatedPermissions":[{"type":"addRules","rules":[{"ruleContent":"make *","toolName":"Bash"}],"behavior":"allow","destination":"session"}]`},
		{"a rule alone is narrower than a mode", []object{rule, folder("/home/ada/project"), edits}, `"updatedPermissions":[{"type":"addRules","rules":[{"ruleContent":"make *","toolName":"Bash"}],"behavior":"allow","destination":"session"}]`},
		{"edits", []object{edits, folder("/elsewhere")}, `"updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"},{"type":"addDirectories","directories":["/elsewhere"],"destination":"session"}]`},
		{"a rule that would not do", []object{rule, folder("/elsewhere")}, ""},
		{"all modes", []object{{"type": "setMode", "mode": "bypassPermissions", "destination": "session"}}, ""},
		{"a rule that denies", []object{{"type": "addRules", "behavior": "deny", "destination": "session"}}, ""},
		{"a rule taken away", []object{{"type": "removeRules", "behavior": "deny", "destination": "userSettings"}}, ""},
		{"nothing", nil, ""},
	} {
		a := p.approve("Bash", object{"command": "make"}, c.suggestions)
		answer := string(p.next())
		if offered := slices.Contains(a.Scopes, "allow_session"); offered != (c.want != "") {
			t.Errorf("%s: scopes %q", c.name, a.Scopes)
		}
		if !contains(answer, c.want) || c.want == "" && contains(answer, "updatedPermissions") || contains(answer, "Settings") {
			t.Errorf("%s: answered %s", c.name, answer)
		}
	}
}
