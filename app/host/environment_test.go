package host_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/host"
)

// always is what every agent gets.
var always = []string{"TERM=dumb", "NO_COLOR=1"}

func TestEnvironment(t *testing.T) {
	for name, test := range map[string]struct {
		in   []string
		want []string // beside always, LANG=x unless the case is about it
	}{
		"a person's own": {
			[]string{"PATH=/bin", "HOME=/h", "EDITOR=vi", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u", "HTTPS_PROXY=p", "no_proxy=n", "SSH_AUTH_SOCK=s", "EMPTY=", "TEXT=a=b\nc"},
			[]string{"PATH=/bin", "HOME=/h", "EDITOR=vi", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u", "HTTPS_PROXY=p", "no_proxy=n", "SSH_AUTH_SOCK=s", "EMPTY=", "TEXT=a=b\nc"},
		},
		"agents around us": {
			[]string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SSE_PORT=1", "CLAUDE_CODE_SESSION_ID=i", "CLAUDE_CODE_SOMETHING_NEW=1", "CLAUDE_PROJECT_DIR=/p", "CODEX_SANDBOX=s", "CODEX_THREAD_ID=t", "OPENCODE=1", "OPENCODE_SERVER_PASSWORD=p", "GROK_SESSION_ID=i", "AI_AGENT=x", "TERM_PROGRAM=vscode", "A=1"},
			[]string{"A=1"},
		},
		"settings of agents": {
			[]string{"CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "CODEX_HOME=/x", "CODEX_API_KEY=k", "OPENCODE_CONFIG=/o", "GROK_HOME=/g", "DSH_HOME=/d", "CURSOR_API_KEY=k"},
			[]string{"CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "CODEX_HOME=/x", "CODEX_API_KEY=k", "OPENCODE_CONFIG=/o", "GROK_HOME=/g", "DSH_HOME=/d", "CURSOR_API_KEY=k"},
		},
		"ours": {
			[]string{"PARLEY_HOME=/p", "PARLEY_BIN_DIR=/b", "JSC_useWasmFaultSignalHandler=0", "GDK_BACKEND=x11"}, nil,
		},
		"colour": {
			[]string{"FORCE_COLOR=3", "CLICOLOR_FORCE=1", "COLORTERM=truecolor", "TERM=xterm-256color", "NO_COLOR="}, nil,
		},
		"npm and node": {
			[]string{"npm_lifecycle_event=start", "npm_config_user_agent=x", "INIT_CWD=/i", "NODE_CHANNEL_FD=3", "NODE_V8_COVERAGE=/c", "npm_config_registry=r", "NODE_EXTRA_CA_CERTS=c"},
			[]string{"npm_config_registry=r", "NODE_EXTRA_CA_CERTS=c"},
		},
		"a git hook":  {[]string{"GIT_DIR=/r/.git", "GIT_INDEX_FILE=i", "GIT_AUTHOR_NAME=me"}, []string{"GIT_AUTHOR_NAME=me"}},
		"a service":   {[]string{"NOTIFY_SOCKET=s", "INVOCATION_ID=i", "LISTEN_FDS=1", "JOURNAL_STREAM=j"}, nil},
		"a shell":     {[]string{"PWD=/p", "OLDPWD=/o", "SHLVL=2", "_=/bin/x"}, nil},
		"given twice": {[]string{"A=1", "B=2", "A=3"}, []string{"A=3", "B=2"}},
		"malformed":   {[]string{"", "A", "=B", "C=1"}, []string{"C=1"}},
		"an AppImage": {
			[]string{"APPIMAGE=/x.AppImage", "APPDIR=/tmp/.mount_x", "ARGV0=x", "OWD=/", "PATH=/tmp/.mount_x/usr/bin:/bin", "LD_LIBRARY_PATH=/tmp/.mount_x/usr/lib", "XDG_DATA_DIRS=/tmp/.mount_x/usr/share:/usr/share", "GTK_PATH=/tmp/.mount_x/gtk", "SIMILAR=/tmp/.mount_xyz"},
			[]string{"PATH=/bin", "XDG_DATA_DIRS=/usr/share", "SIMILAR=/tmp/.mount_xyz"},
		},
		"a snap": {[]string{"SNAP=/snap/p/1", "SNAP_NAME=p", "LD_LIBRARY_PATH=/snap/p/1/lib:/own"}, []string{"LD_LIBRARY_PATH=/own"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := host.Environment(append(slices.Clone(test.in), "LANG=x"))
			want := append(append(slices.Clone(test.want), "LANG=x"), always...)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if again := host.Environment(got); !slices.Equal(slices.Sorted(slices.Values(again)), got) {
				t.Errorf("twice is not once: %q", again)
			}
		})
	}
}

// What a caller adds says nothing that the caller did not say.
func TestOwn(t *testing.T) {
	in := []string{"A=1", "TERM=xterm", "FORCE_COLOR=1", "NO_COLOR=", "CLAUDECODE=1", "SHLVL=2", "PARLEY_HOME=/p", "NODE_OPTIONS=--inspect"}
	if diff := cmp.Diff([]string{"A=1"}, host.Own(in)); diff != "" {
		t.Error(diff)
	}
}

func TestLanguage(t *testing.T) {
	for in, want := range map[string]string{
		"": "LANG=C.UTF-8", "LANG=": "LANG=C.UTF-8", "LANG=zh_CN.UTF-8": "LANG=zh_CN.UTF-8", "LC_ALL=de_DE.UTF-8": "", "LC_CTYPE=C": "",
	} {
		got := ""
		for _, kv := range host.Environment([]string{in}) {
			if strings.HasPrefix(kv, "LANG=") {
				got = kv
			}
		}
		if got != want {
			t.Errorf("with %q: %q, want %q", in, got, want)
		}
	}
}

func TestNodeOptions(t *testing.T) {
	for in, want := range map[string]string{
		"--max-old-space-size=4096": "--max-old-space-size=4096",
		"--inspect":                 "",
		"--inspect-brk=0 --use-openssl-ca  --trace-warnings":                           "--use-openssl-ca",
		`--require "/a b/ms-vscode.js-debug/bootloader.js" --inspect-publish-uid=http`: "",
		`--require=/x/js-debug/b.js -r ./mine.js`:                                      "-r ./mine.js",
		`--import "/my \" dir/x.mjs" --no-warnings`:                                    `--import "/my \" dir/x.mjs" --no-warnings`,
		`--require`: "--require",
		"--cpu-prof --heapsnapshot-signal=SIGUSR2 --report-on-signal --dns-result-order=x": "--dns-result-order=x",
	} {
		got := ""
		for _, kv := range host.Environment([]string{"NODE_OPTIONS=" + in}) {
			if v, ok := strings.CutPrefix(kv, "NODE_OPTIONS="); ok {
				got = v
			}
		}
		if got != want {
			t.Errorf("%s\ngave %q, want %q", in, got, want)
		}
	}
}
