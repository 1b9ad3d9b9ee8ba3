package session

import (
	"path/filepath"
	"regexp"
	"strings"

	"parley/agents"
	"parley/app"
)

// What makes a command deserve a second look. The patterns look for words, so
// they warn too often rather than too seldom; they decide nothing.
var (
	deletes   = regexp.MustCompile(`(?:^|[\s;&|(])(?:rm|rmdir|shred|unlink|truncate|dd|mkfs\S*)\s|\bgit\s+(?:clean|reset\s+--hard)\b|\bfind\b.*\s-delete\b`)
	forcePush = regexp.MustCompile(`\bgit\b.*\bpush\b.*\s(?:-f\b|--force\b|--force-with-lease\b|\+\S+)`)
	network   = regexp.MustCompile(`(?:^|[\s;&|(])(?:curl|wget|nc|ncat|ssh|scp|sftp|rsync|ftp|telnet)\s|\bhttps?://|\b(?:npm|pnpm|yarn|cargo)\s+publish\b|\bgit\s+push\b|\bdocker\s+push\b`)
)

// risks says why an approval deserves a second look.
func risks(p *agents.Approval, cwd string) []app.Risk {
	out := []app.Risk{}
	if p.Path != "" && outside(p.Path, cwd) {
		out = append(out, app.RiskOutsideFolder)
	}
	command := p.Command
	if command == "" {
		return out
	}
	if network.MatchString(command) {
		out = append(out, app.RiskNetwork)
	}
	if deletes.MatchString(command) {
		out = append(out, app.RiskDelete)
	}
	if forcePush.MatchString(command) {
		out = append(out, app.RiskForcePush)
	}
	return out
}

// outside reports whether path leaves the folder dir, by its name alone.
func outside(path, dir string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	rel, err := filepath.Rel(dir, path)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
