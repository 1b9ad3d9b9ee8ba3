package mask_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/app/mask"
)

// Each line holds the secret between two marks, «»; nothing else may go.
func TestShapes(t *testing.T) {
	id := "pctx_" + strings.Repeat("a1_-", 11)[:43]
	for _, line := range []string{
		"key sk-ant-«api03-abcdefghijkl0123» end",
		"key sk-proj-«Aa0123456789_bcdefghij», sk-«0123456789abcdefghij».",
		"stripe sk_live_«abcdefgh0123456789»",
		"ghp_«abcdefghijklmnop0123», github_pat_«11ABCDEFG0123456789abcdef»",
		"glpat-«abcdEFGH01234567» xoxb-«1234567890-abcdef» AKIA«ABCDEFGHIJKLMNOP»",
		"AIza«SyA0123456789abcdefghijklmnopqrstuv»",
		"jwt «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N»",
		`curl -H "Authorization: Bearer «abcd1234»" x && rm y`,
		`{"Authorization":"Basic «dXNlcjpwYXNz»"}`,
		"bearer «abcdefghij0123» then",
		"git clone https://me:«hunter2»@example.com/x.git",
		"git clone https://«0123456789abcdef0123»@example.com/x.git",
		"postgres://app:«p4ss;word»@db/x?sslmode=off",
		"GET /x?access_token=«abcd»&page=2#top",
		"tool --api-key=«abcd1234» --verbose",
		"tool --token «abcd1234»; rm -rf /",
		`tool --password="«abcd»" $(whoami)`,
		"OPENAI_API_KEY=«hunter2hunter2» cmd",
		"http://127.0.0.1:4000/link/«abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG» opens",
		"Cookie: parley_4000=«abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG»",
		"token «plaunch_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG» in a file",
		"-----BEGIN OPENSSH PRIVATE KEY-----«\nb3BlbnNz\naC1rZXk=\n»-----END OPENSSH PRIVATE KEY-----",
		"context «" + id + "»",
		`{"text":"first\nsk-«abcdefghijklmnop0123»\tghp_«abcdefghijklmnop0123»"}`,
	} {
		var want strings.Builder
		in := strings.NewReplacer("«", "", "»", "").Replace(line)
		for rest := line; ; {
			before, after, ok := strings.Cut(rest, "«")
			want.WriteString(before)
			if !ok {
				break
			}
			want.WriteString(mask.Hidden)
			_, rest, _ = strings.Cut(after, "»")
		}
		got := strings.NewReplacer("[context id]", mask.Hidden, "[launch token]", mask.Hidden).Replace(mask.Shapes(in))
		if got != want.String() {
			t.Errorf("%s\n got %s\nwant %s", line, got, want.String())
		}
	}
}

// What a person must be able to read stays readable.
func TestShapesLeaveTheRest(t *testing.T) {
	for _, text := range []string{
		"sk-loading-container-inner", "basic understanding of the bearer authentication", "--max-tokens 4096", "--token is required",
		"token = generateToken()", "const password = readPassword();", "--token $TOKEN", "--password=$(cat secret)", `export TOKEN="$(pass show x)"`,
		"https://example.com/a?page=2&q=token", "https://user@example.com/", "mailto:me@example.com", "ssh://git@example.com:22/x",
		"the tokens of two files tokens=12 path=/home/me/token.txt", "API_KEY_FILE=/run/secrets/key", "MAX_TOKENS=4096000",
		"npm_config_registry", "npm_lifecycle_script_of_the_whole_package", "git@github.com:a/b.git", "http://[::1]:80/x@y", "ghost_writer",
	} {
		if got := mask.Shapes(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestKnownValues(t *testing.T) {
	var s mask.Secrets
	const odd = `p"a\ss word&ü`
	s.Hold("hunter2hunter2", "hunter2hunter2more", odd, "nothing-of-this", "short", "")
	quoted, err := json.Marshal(map[string]string{"x": odd})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"a hunter2hunter2 b hunter2hunter2more c": "a ••• b ••• c",
		string(quoted):                `{"x":"•••"}`,
		"?q=p%22a%5Css+word%26%C3%BC": "?q=•••",
		"short":                       "short",
		`{"a":"\nothing-of-this"}`:    `{"a":"\n•••"}`,
	} {
		if got := s.Hide(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := (*mask.Secrets)(nil).Hide("sk-abcdefghijklmnop0123"); got != "sk-•••" {
		t.Errorf("without known values: %q", got)
	}
	if got := s.HideInLog("password: xyzzy and hunter2hunter2"); got != "password: ••• and •••" {
		t.Errorf("in a log: %q", got)
	}
}

func TestOfEnvironment(t *testing.T) {
	got := mask.OfEnvironment([]string{
		"HOME=/home/me", "ANTHROPIC_API_KEY=one", "GITHUB_TOKEN=two", "DB_PASSWORD=three", "SSH_AUTH_SOCK=/run/x", "KEYBOARD=us",
		"GOOGLE_APPLICATION_CREDENTIALS_FILE=/x", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=1", "DATABASE_URL=postgres://a:four@b/c", "TOKENIZERS_PARALLELISM=true",
		"AWS_SECRET_ACCESS_KEY=five", "AWS_ACCESS_KEY_ID=id", "NOVALUE",
	})
	if want := "one two three four five"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// Hiding is done after one pass, keeps JSON valid, and lets no known value
// through wherever it stands.
func TestHidingIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[ -~ü]{8,40}`).Draw(t, "value")
		if len(strings.TrimSpace(value)) < 8 {
			t.Skip("too short to be held")
		}
		var s mask.Secrets
		s.Hold(value)
		around := rapid.SampledFrom([]string{"", " ", "x", "Bearer ", "--token=", "https://a:", "sk-"})
		text := around.Draw(t, "before") + value + around.Draw(t, "after")
		if got := s.Hide(text); strings.Contains(got, strings.TrimSpace(value)) {
			t.Fatalf("%q is in %q", value, got)
		}
		data, err := json.Marshal([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Hide(string(data)); !json.Valid([]byte(got)) {
			t.Fatalf("%s became %s", data, got)
		}
	})
}

func FuzzShapes(f *testing.F) {
	for _, seed := range []string{"sk-abcdefghijklmnop0123", `{"a":"Bearer abcdefgh01234567"}`, "https://a:b@c", "-----BEGIN PRIVATE KEY-----\nx", "--token=x\\\"y", "-token=\x85", "--token=\nabcdef", "API_KEY=\tabcdef", "token: \x85abc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := mask.Shapes(text)
		if data, err := json.Marshal(text); err == nil {
			for _, hide := range []func(string) string{mask.Shapes, mask.Pairs} {
				if got := hide(string(data)); !json.Valid([]byte(got)) {
					t.Errorf("%s is no JSON any more: %s", data, got)
				}
			}
		}
		if len(once) > 4*len(text)+64 {
			t.Errorf("%d bytes became %d", len(text), len(once))
		}
	})
}
