package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"parley/agents"
	"parley/agents/filediff"
	"parley/mcp"
)

const mcpPrefix = "mcp__"

// kinds groups the CLI's tools. What is not here is "mcp" or "other".
var kinds = map[string]string{
	"Read": "read", "NotebookRead": "read", "LS": "read",
	"Glob": "search", "Grep": "search", "ToolSearch": "search", "LSP": "search",
	"Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit",
	"Write": "write",
	"Bash":  "run", "BashOutput": "run", "KillShell": "run", "KillBash": "run", "PowerShell": "run", "Monitor": "run",
	"TaskOutput": "run", "TaskStop": "run",
	"WebFetch": "fetch", "WebSearch": "fetch",
	"Agent": "agent", "Task": "agent", "SendMessage": "agent",
	askTool:     "ask",
	"TodoWrite": "plan", "TaskCreate": "plan", "TaskUpdate": "plan", "TaskList": "plan", "TaskGet": "plan",
	"EnterPlanMode": "plan", planTool: "plan",
	interactionPrefix + mcp.ToolClarify:    "ask",
	interactionPrefix + mcp.ToolForm:       "ask",
	interactionPrefix + mcp.ToolUpdatePlan: "plan",
}

const (
	askTool           = "AskUserQuestion"
	planTool          = "ExitPlanMode"
	interactionPrefix = mcpPrefix + mcp.InteractionServer + "__"
)

func toolKind(tool string) string {
	if kind, ok := kinds[tool]; ok {
		return kind
	}
	if strings.HasPrefix(tool, mcpPrefix) {
		return "mcp"
	}
	return "other"
}

// toolInput is what the inputs of the CLI's tools have in common.
type toolInput struct {
	FilePath     string `json:"file_path"`
	NotebookPath string `json:"notebook_path"`
	Path         string `json:"path"`
	Command      string `json:"command"`
	Pattern      string `json:"pattern"`
	URL          string `json:"url"`
	Query        string `json:"query"`
	Description  string `json:"description"`
	Question     string `json:"question"`
	Explanation  string `json:"explanation"`
	Skill        string `json:"skill"`
	Unsandboxed  bool   `json:"dangerouslyDisableSandbox"`
	Plan         string `json:"plan"`
	Questions    []struct {
		Question string `json:"question"`
	} `json:"questions"`

	// Edit, Write, MultiEdit
	Old        string `json:"old_string"`
	New        string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
	Content    string `json:"content"`
	Edits      []struct {
		Old        string `json:"old_string"`
		New        string `json:"new_string"`
		ReplaceAll bool   `json:"replace_all"`
	} `json:"edits"`
}

// readInput reads an input as far as its shape is known.
func readInput(raw json.RawMessage) toolInput {
	var in toolInput
	_ = json.Unmarshal(raw, &in) // a field of another shape stays empty, the others are read
	return in
}

func (in toolInput) file() string {
	if in.FilePath != "" {
		return in.FilePath
	}
	return in.NotebookPath
}

// toolTitle is a call's main argument, "" when it has none that says more than
// the tool's name.
func toolTitle(tool string, in toolInput, cwd string) string {
	title := ""
	switch toolKind(tool) {
	case "read", "edit", "write":
		title = inside(cmp.Or(in.file(), in.Path), cwd)
	case "search":
		title = cmp.Or(in.Pattern, in.Query)
		if in.Path != "" && in.Pattern != "" {
			title += " in " + inside(in.Path, cwd)
		}
	case "run":
		title = cmp.Or(in.Command, in.Description)
	case "fetch":
		title = cmp.Or(in.URL, in.Query)
	case "ask":
		title = in.Question
		if len(in.Questions) > 0 {
			title = in.Questions[0].Question
		}
	case "plan":
		title = in.Explanation
	case "mcp":
		server, call, _ := strings.Cut(strings.TrimPrefix(tool, mcpPrefix), "__")
		title = server + ": " + call
	default:
		title = cmp.Or(in.Description, in.Skill)
	}
	return agents.Redact(title)
}

// inside is a path as the person reads it: without the session's folder where
// it lies in it.
func inside(path, cwd string) string {
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsAbs(path) && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// editResult is what Edit, MultiEdit and Write tell of what they did.
type editResult struct {
	FilePath string  `json:"filePath"`
	Type     string  `json:"type"` // of Write: create, update
	Content  string  `json:"content"`
	Original *string `json:"originalFile"`
	Patch    []struct {
		OldStart int      `json:"oldStart"`
		OldLines int      `json:"oldLines"`
		NewStart int      `json:"newStart"`
		NewLines int      `json:"newLines"`
		Lines    []string `json:"lines"`
	} `json:"structuredPatch"`
}

// fileChanged is the edit that a finished call made. Within a sub-agent the CLI
// leaves the result out; then the call's input says what can be said.
func fileChanged(toolID, tool string, in toolInput, result json.RawMessage) (agents.FileChanged, bool) {
	kind := toolKind(tool)
	if kind != "edit" && kind != "write" || in.file() == "" {
		return agents.FileChanged{}, false
	}
	change := agents.FileChanged{Path: in.file(), Change: "modified", Added: -1, Removed: -1, ToolID: toolID}
	var r editResult
	switch {
	case json.Unmarshal(result, &r) != nil || r.FilePath == "":
		if tool == "Edit" {
			_, change.Added, change.Removed = filediff.Unified(change.Path, &in.Old, in.New)
		}
	case r.Type == "create":
		change.Path, change.Change = r.FilePath, "added"
		change.Diff, change.Added, change.Removed = filediff.Unified(r.FilePath, nil, r.Content)
	default:
		change.Path = r.FilePath
		change.Diff = r.unified()
		change.Added, change.Removed = filediff.Count(change.Diff)
	}
	change.Diff = agents.Redact(change.Diff)
	return change, true
}

func (r editResult) unified() string {
	var b strings.Builder
	path := strings.TrimPrefix(r.FilePath, "/")
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", path, path)
	for _, p := range r.Patch {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", p.OldStart, p.OldLines, p.NewStart, p.NewLines)
		for _, line := range p.Lines {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// resultText is the output of a call as the model reads it.
func resultText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return agents.Redact(text)
	}
	var blocks []content
	if json.Unmarshal(raw, &blocks) != nil {
		return agents.Redact(string(raw))
	}
	var texts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "image":
			texts = append(texts, "(a picture)")
		}
	}
	return agents.Redact(strings.Join(texts, "\n"))
}
