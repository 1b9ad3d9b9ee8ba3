package risk

import (
	"path"
	"slices"
	"strings"

	"parley/app"
)

// command looks at one simple command: its name and what is passed to it. words
// is its text, for the reason.
func (f *finder) command(args []string, words string, depth int) {
	args = f.unwrapped(args, words, depth)
	if len(args) == 0 {
		return
	}
	name, rest := program(args[0]), args[1:]
	if deletes(name, rest) {
		f.add(app.RiskDelete, words)
	}
	if reaches(name, rest) || slices.ContainsFunc(rest, remote) {
		f.add(app.RiskNetwork, words)
	}
	if name == "git" {
		f.git(rest, words)
	}
	switch first := slices.IndexFunc(rest, func(a string) bool { return !strings.HasPrefix(a, "-") }); {
	case name == "echo" || name == "printf": // says it, and touches nothing
	case !patterns[name]:
		f.places(rest, words)
	case first >= 0:
		f.places(rest[first+1:], words) // the first is a pattern or a program
	}
	switch {
	case shells[name]:
		if i := slices.IndexFunc(rest, func(a string) bool {
			return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c")
		}); i >= 0 && i+1 < len(rest) {
			f.script(rest[i+1], depth+1)
		}
	case name == "eval":
		f.script(strings.Join(rest, " "), depth+1)
	case name == "find":
		if i := slices.IndexFunc(rest, func(a string) bool { return a == "-exec" || a == "-execdir" || a == "-ok" }); i >= 0 {
			f.command(until(rest[i+1:], ";", "+"), words, depth+1)
		}
	}
}

// program is the name of a program without its folder and a Windows ending.
func program(word string) string {
	name := path.Base(strings.ReplaceAll(word, `\`, "/"))
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

var shells = set("sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "su")

// patterns take a pattern or a program as their first argument, which may look
// like a path.
var patterns = set("grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "expr", "tr")

// wrappers run the command that follows them; the flags that are named take a
// value.
var wrappers = map[string][]string{
	"sudo": {"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T"}, "doas": {"-u", "-C"}, "env": {"-u", "-C", "-S"},
	"nice": {"-n"}, "ionice": {"-c", "-n"}, "nohup": nil, "setsid": nil, "stdbuf": {"-i", "-o", "-e"}, "time": {"-f", "-o"},
	"timeout": {"-s", "-k"}, "command": nil, "builtin": nil, "exec": {"-a"}, "xargs": {"-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"},
	"watch": {"-n"}, "busybox": nil, "chronic": nil, "parallel": {"-j"}, "!": nil,
	// Words of a shell, in a text that no shell could read.
	"if": nil, "elif": nil, "while": nil, "until": nil, "then": nil, "do": nil, "else": nil,
}

// unwrapped takes off what only runs another command.
func (f *finder) unwrapped(args []string, words string, depth int) []string {
	for len(args) > 0 {
		name := program(args[0])
		takes, wraps := wrappers[name]
		if !wraps {
			if assigns(args[0]) { // only in a text that no shell could read
				args = args[1:]
				continue
			}
			return args
		}
		rest := args[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || name == "env" && assigns(rest[0])) {
			n := 1
			if slices.Contains(takes, rest[0]) {
				n = 2
			}
			if name == "env" && (rest[0] == "-S" || rest[0] == "--split-string") && len(rest) > 1 {
				f.script(rest[1], depth+1)
			}
			rest = rest[min(n, len(rest)):]
		}
		if name == "timeout" && len(rest) > 0 {
			rest = rest[1:] // how long
		}
		args = rest
	}
	return nil
}

// assigns reports NAME=VALUE.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/.:-@ ")
}

// places looks at arguments that are paths.
func (f *finder) places(args []string, words string) {
	for _, a := range args {
		if strings.HasPrefix(a, "-") || assigns(a) {
			_, a, _ = strings.Cut(a, "=")
		}
		if isPath(a) && f.outside(a) {
			f.add(app.RiskOutsideFolder, words)
			return
		}
	}
}

// isPath reports whether a word can only be a path, and one that may leave the
// folder.
func isPath(word string) bool {
	switch {
	case strings.Contains(word, "://") && !strings.HasPrefix(word, "file://"), strings.HasPrefix(word, "//"):
		return false
	case strings.HasPrefix(word, "/"), strings.HasPrefix(word, "file://"), word == "~", strings.HasPrefix(word, "~/"):
		return true
	}
	return word == ".." || strings.HasPrefix(word, "../") || strings.Contains(word, "/../") || strings.HasSuffix(word, "/..")
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// until cuts a list before the first of some words.
func until(list []string, ends ...string) []string {
	if i := slices.IndexFunc(list, func(w string) bool { return slices.Contains(ends, w) }); i >= 0 {
		return list[:i]
	}
	return list
}
