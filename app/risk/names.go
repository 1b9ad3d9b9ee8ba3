package risk

import (
	"regexp"
	"slices"
	"strings"

	"parley/app"
)

// What programs do that are known by their names. A program with sub-commands is
// listed with those that count; "" stands for all.

var deleting = map[string][]string{
	"rm": {""}, "rmdir": {""}, "unlink": {""}, "shred": {""}, "truncate": {""}, "dd": {""}, "wipefs": {""}, "fdisk": {""},
	"parted": {""}, "srm": {""}, "trash": {""}, "rimraf": {""}, "del": {""}, "erase": {""}, "rd": {""}, "remove-item": {""},
	"dropdb": {""}, "dropuser": {""}, "userdel": {""}, "groupdel": {""},
	"docker":    {"rm", "rmi", "prune", "kill"},
	"podman":    {"rm", "rmi", "prune", "kill"},
	"kubectl":   {"delete", "drain"},
	"helm":      {"uninstall", "delete"},
	"terraform": {"destroy"}, "tofu": {"destroy"}, "pulumi": {"destroy"}, "vagrant": {"destroy"},
	"aws": {"rm", "rb", "delete"}, "gcloud": {"delete"}, "az": {"delete"}, "gsutil": {"rm", "rb"},
	"gh": {"delete"}, "glab": {"delete"}, "heroku": {"destroy", "apps:destroy", "pg:reset"}, "redis-cli": {"flushall", "flushdb", "FLUSHALL", "FLUSHDB"},
	"npm": {"unpublish"}, "cargo": {"yank", "clean"}, "crontab": {"-r"},
}

var networking = map[string][]string{
	"curl": {""}, "wget": {""}, "nc": {""}, "ncat": {""}, "netcat": {""}, "socat": {""}, "ssh": {""}, "scp": {""}, "sftp": {""},
	"ftp": {""}, "telnet": {""}, "http": {""}, "https": {""}, "aria2c": {""}, "lynx": {""}, "dig": {""}, "nslookup": {""},
	"ping": {""}, "nmap": {""}, "mail": {""}, "sendmail": {""}, "invoke-webrequest": {""}, "iwr": {""}, "npx": {""}, "bunx": {""},
	"pnpx": {""}, "uvx": {""}, "pipx": {""}, "gh": {""}, "glab": {""}, "aws": {""}, "gcloud": {""}, "az": {""}, "gsutil": {""},
	"kubectl": {""}, "helm": {""}, "heroku": {""}, "terraform": {"init", "plan", "apply", "destroy"}, "vercel": {""}, "netlify": {""}, "fly": {""},
	"npm":  {"install", "i", "ci", "add", "update", "publish", "unpublish", "exec", "audit", "view", "login", "create"},
	"pnpm": {"install", "i", "add", "update", "publish", "dlx", "create"}, "yarn": {"install", "add", "upgrade", "publish", "npm", "dlx", "create"},
	"bun": {"install", "i", "add", "update", "x", "create"}, "deno": {"install", "add"},
	"pip": {"install", "download", "search"}, "pip3": {"install", "download"}, "uv": {"sync", "add", "pip", "tool", "publish", "lock"},
	"poetry": {"install", "add", "update", "publish"}, "conda": {"install", "create", "update"},
	"cargo": {"install", "add", "update", "publish", "fetch", "search", "login", "yank"}, "go": {"get", "install"},
	"gem": {"install", "push", "update"}, "bundle": {"install", "update"}, "composer": {"install", "require", "update"},
	"apt": {"install", "update", "upgrade"}, "apt-get": {"install", "update", "upgrade"}, "dnf": {"install", "update", "upgrade"},
	"yum": {"install", "update"}, "apk": {"add", "update", "upgrade"}, "brew": {"install", "upgrade", "update"}, "pacman": {"-S", "-Sy", "-Syu"},
	"docker": {"pull", "push", "login", "search"}, "podman": {"pull", "push", "login", "search"},
}

// statement is a database statement that deletes.
var statement = regexp.MustCompile(`(?i)\b(?:drop\s+(?:table|database|schema|index|view)|delete\s+from|truncate\s+table)\b`)

func deletes(name string, args []string) bool {
	switch {
	case strings.HasPrefix(name, "mkfs"):
		return true
	case listed(deleting[name], args):
		return true
	case name == "find" && slices.Contains(args, "-delete"):
		return true
	case name == "rsync" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--delete") || a == "--remove-source-files" }):
		return true
	}
	return slices.ContainsFunc(args, statement.MatchString)
}

func reaches(name string, args []string) bool {
	if name == "go" && len(args) > 1 && args[0] == "mod" {
		return args[1] == "download" || args[1] == "tidy"
	}
	if (name == "python" || name == "python3") && len(args) > 2 && args[0] == "-m" {
		return reaches(args[1], args[2:])
	}
	return listed(networking[name], args)
}

// listed reports whether one of the words is among the arguments; "" is any.
func listed(words, args []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w == "" || slices.Contains(args, w) })
}

var (
	address = regexp.MustCompile(`\b(?:https?|ftp|wss?|ssh|git|rsync)://`)
	hostArg = regexp.MustCompile(`^[\w.-]+@[\w.-]+:`) // user@host:path
)

// remote reports whether an argument names another computer.
func remote(arg string) bool { return address.MatchString(arg) || hostArg.MatchString(arg) }

// gitGlobal are the flags of git before its sub-command that take a value.
var gitGlobal = set("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")

var (
	gitNetwork = set("push", "pull", "fetch", "clone", "ls-remote", "remote-update", "archive-remote", "send-email", "svn")
	forced     = regexp.MustCompile(`^(?:--force(?:-with-lease|-if-includes)?(?:=.*)?|--mirror|-[a-zA-Z]*f[a-zA-Z]*|\+\S+)$`)
	dropsRef   = regexp.MustCompile(`^(?:--delete|--prune|-d|:\S+)$`)
)

// git looks at a call of git, whose flags are its own.
func (f *finder) git(args []string, words string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if gitGlobal[args[0]] {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	if len(args) == 0 {
		return
	}
	sub, rest := args[0], args[1:]
	has := func(flags ...string) bool {
		return slices.ContainsFunc(rest, func(a string) bool { return slices.Contains(flags, a) })
	}
	if gitNetwork[sub] || sub == "submodule" && has("update", "add") || sub == "remote" && has("update", "show") {
		f.add(app.RiskNetwork, words)
	}
	switch {
	case sub == "push" && slices.ContainsFunc(rest, forced.MatchString):
		f.add(app.RiskForcePush, words)
	case sub == "push" && slices.ContainsFunc(rest, dropsRef.MatchString):
		f.add(app.RiskDelete, words)
	}
	discards := sub == "clean" && !has("-n", "--dry-run") || sub == "rm" || sub == "restore" && !has("--staged") ||
		sub == "reset" && has("--hard", "--merge") || sub == "checkout" && has("--", ".", "-f", "--force") ||
		sub == "switch" && has("-f", "--force", "--discard-changes") || sub == "branch" && has("-d", "-D", "--delete") ||
		sub == "tag" && has("-d", "--delete") || sub == "stash" && has("drop", "clear") || sub == "worktree" && has("remove", "prune") ||
		sub == "reflog" && has("expire", "delete") || sub == "filter-branch" || sub == "filter-repo" || sub == "update-ref" && has("-d")
	if discards {
		f.add(app.RiskDelete, words)
	}
}
