package servers

import (
	"os"
	"path/filepath"

	"parley/app"
	"parley/mcp/foreign"
	"parley/mcp/inject"
)

// maxOwn bounds a file of another program that is read whole.
const maxOwn = 64 << 20

// ownFile is a file from which an agent reads servers by itself.
type ownFile struct {
	path   string
	format foreign.Format
}

// ownFiles are the files that an agent reads in a folder, as far as they matter
// to Parley's agents.
func ownFiles(agent, cwd string, env []string) []ownFile {
	home := folder(env, "HOME")
	var files []ownFile
	add := func(dir, name string, format foreign.Format) {
		if dir != "" {
			files = append(files, ownFile{filepath.Join(dir, name), format})
		}
	}
	switch agent {
	case "claude":
		if dir := folder(env, "CLAUDE_CONFIG_DIR"); dir != "" {
			home = dir
		}
		add(home, ".claude.json", foreign.Claude)
		add(cwd, ProjectFile, foreign.Claude)
	case "codex":
		add(codexHome(env), "config.toml", foreign.Codex)
	case "grok":
		dir := folder(env, "GROK_HOME")
		if dir == "" && home != "" {
			dir = filepath.Join(home, ".grok")
		}
		add(dir, "config.toml", foreign.Codex) // the same shape
		add(cwd, ".grok/config.toml", foreign.Codex)
	case "pi":
		dir := folder(env, "PI_CODING_AGENT_DIR")
		if dir == "" && home != "" {
			dir = filepath.Join(home, ".pi", "agent")
		}
		add(dir, "mcp.json", foreign.Cursor) // the same shape
	case "opencode":
		dir := folder(env, "XDG_CONFIG_HOME")
		if dir == "" && home != "" {
			dir = filepath.Join(home, ".config")
		}
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			if dir != "" {
				add(filepath.Join(dir, "opencode"), name, foreign.OpenCode)
			}
			add(cwd, name, foreign.OpenCode)
		}
	}
	return files
}

func codexHome(env []string) string {
	if dir := folder(env, "CODEX_HOME"); dir != "" {
		return dir
	}
	if home := folder(env, "HOME"); home != "" {
		return filepath.Join(home, ".codex")
	}
	return ""
}

// folder is a variable that holds an absolute path, "" when it does not.
func folder(env []string, name string) string {
	if dir, _ := lookup(env, name); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// ownServers lists the servers that an agent has in its own files. A file that
// is missing or that nobody can read has none: the agent will say so itself.
func ownServers(agent, cwd string, env []string) []app.MCPOwn {
	var out []app.MCPOwn
	for _, f := range ownFiles(agent, cwd, env) {
		text, err := readSome(f.path, maxOwn)
		if err != nil {
			continue
		}
		names, err := foreign.Names(f.format, text, cwd)
		if err != nil {
			continue
		}
		for _, name := range names {
			out = append(out, app.MCPOwn{Name: name, File: f.path})
		}
	}
	return out
}

// leavesOut reports whether an agent is started without the servers of its own
// files.
func (s *Servers) leavesOut(agent string) bool {
	return inject.Leaves(agent) != inject.LeavesNone && s.cfg.LeaveOut(agent)
}

// ownStays says that an agent's own servers cannot be left out.
func ownStays(agent string) string {
	return "The agent " + agent + " has no way to leave out the MCP servers of its own configuration, so they stay."
}

// readSome reads a regular file that is not too big.
func readSome(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, os.ErrInvalid
	}
	return os.ReadFile(path)
}
