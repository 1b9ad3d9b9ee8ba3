package host

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Run runs a short program to its end, with an empty input, and leaves nothing
// of it behind; agents/proc.Run is one.
type Run func(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error)

// shellLimit is what a login shell may take. Rc files that need longer, or that
// wait for a person, are done without.
const shellLimit = 3 * time.Second

// Login is the environment of the person's login shell.
type Login struct {
	Env    []string
	Source string // "login shell /bin/zsh", or "known folders"
	// Problem says why the shell was not used, "" when it was.
	Problem string
}

// Shell asks the person's login shell once and remembers what it said.
type Shell struct {
	run Run
	env []string

	turn chan struct{} // holds a token while nobody asks; asking takes it

	mu   sync.Mutex // guards said
	said *Login     // nil until the first answer
}

// NewShell returns a Shell that has not asked yet. env is this program's own
// environment.
func NewShell(run Run, env []string) *Shell {
	s := &Shell{run: run, env: env, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Login returns what the shell said. The first call asks it, and so does one
// that wants to know again; others wait for that. It takes 3 s at most, and a
// little more under load. A shell that cannot be asked is replaced by this
// program's own environment, with known folders added to PATH; the answer says
// so. When ctx ends first, that is the answer too, and is not remembered.
func (s *Shell) Login(ctx context.Context, again bool) Login {
	if said := s.remembered(); said != nil && !again {
		return *said
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return fallback(personal(s.env), "The login shell was not waited for.")
	}
	if said := s.remembered(); said != nil && !again {
		return *said // asked meanwhile
	}
	login := loginEnv(ctx, s.run, s.env)
	if ctx.Err() == nil {
		s.mu.Lock()
		s.said = &login
		s.mu.Unlock()
	}
	return login
}

func (s *Shell) remembered() *Login {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// loginEnv asks the person's login shell for its environment. A program that is
// started by a desktop gets a short PATH without the folders that rc files add,
// and would not find most agents. The shell gets env without what is not the
// person's; so what comes back is theirs.
func loginEnv(ctx context.Context, run Run, env []string) Login {
	env = personal(env)
	me := passwd()
	for name, value := range map[string]string{"HOME": me.home, "USER": me.name, "LOGNAME": me.name} {
		if value != "" && lookup(env, name) == "" {
			env = set(env, name, value)
		}
	}
	shell := lookup(env, "SHELL")
	if shell == "" {
		shell = me.shell
	}
	switch {
	case shell == "":
		return fallback(env, "Nothing says what your login shell is: SHELL is not set.")
	case !filepath.IsAbs(shell) || !executable(shell):
		return fallback(env, fmt.Sprintf("Your login shell %q is no program.", shell))
	case slices.Contains([]string{"nologin", "false", "true"}, filepath.Base(shell)):
		return fallback(env, fmt.Sprintf("Your login shell %s lets nobody in.", shell))
	}
	env = set(env, "SHELL", shell)
	found, err := ask(ctx, run, shell, env)
	if err != nil {
		return fallback(env, fmt.Sprintf("Your login shell %s %v.", shell, err))
	}
	return Login{Env: found, Source: "login shell " + shell}
}

// guards are set while the shell is asked, for rc files that look for them, and
// are no part of the answer.
var guards = []string{
	"PARLEY_RESOLVING_ENVIRONMENT=1", // a person's rc file may leave out slow things
	"TERM=dumb",
	"DISABLE_AUTO_UPDATE=true", // oh-my-zsh would ask a person
	"ZSH_TMUX_AUTOSTART=false", // and its tmux plug-in would never return
}

// ask runs the shell. Its error continues a sentence that begins with the
// shell's name.
func ask(ctx context.Context, run Run, shell string, env []string) ([]string, error) {
	asking, cancel := context.WithTimeout(ctx, shellLimit)
	defer cancel()
	// The answer stands between two marks, among the banners of rc files. The
	// command holds a mark only in two pieces, as some shells print commands. It
	// is one that every shell understands, and leaves the rest to sh.
	half := "parley-" + rand.Text() + "-"
	mark := []byte(half + "environment")
	say := "printf %s%s " + half + " environment"
	command := "/bin/sh -c '" + say + "; env -0; " + say + "'"
	stdout, stderr, code, err := run(asking, append(arguments(shell), command), append(slices.Clip(env), guards...))

	_, rest, begun := bytes.Cut(stdout, mark)
	body, _, ended := bytes.Cut(rest, mark)
	switch {
	case begun && ended:
		// Whatever the shell did afterwards, the answer is whole.
	case ctx.Err() != nil:
		return nil, errors.New("was not waited for")
	case asking.Err() != nil:
		return nil, fmt.Errorf("took longer than %v to start", shellLimit)
	case err != nil:
		return nil, fmt.Errorf("could not be started: %w", err)
	default:
		return nil, fmt.Errorf("ended with code %d and %s", code, lastWords(stderr))
	}
	var found []string
	for kv := range bytes.SplitSeq(body, []byte{0}) {
		name, _, ok := strings.Cut(string(kv), "=")
		if ok && name != "" && !slices.Contains(guards, string(kv)) && !slices.Contains(shellNames, name) {
			found = append(found, string(kv))
		}
	}
	if lookup(found, "PATH") == "" {
		return nil, errors.New("has no PATH")
	}
	return found, nil
}

// arguments make a shell read the files that it reads in a terminal.
func arguments(shell string) []string {
	switch filepath.Base(shell) {
	case "sh", "dash", "ash":
		return []string{shell, "-l", "-c"}
	case "csh", "tcsh": // take -l only alone
		return []string{shell, "-i", "-c"}
	default:
		return []string{shell, "-l", "-i", "-c"}
	}
}

// lastWords says what a shell that gave no answer said last.
func lastWords(stderr []byte) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(stderr), "")), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return "said nothing"
	}
	runes := []rune(last)
	return fmt.Sprintf("said %q", string(runes[:min(len(runes), 200)]))
}

// person is a line of the system's list of users.
type person struct{ name, home, shell string }

// passwd returns the person that this program runs as, empty where the system
// keeps its users elsewhere.
func passwd() person {
	list, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return person{}
	}
	uid := fmt.Sprint(os.Getuid())
	for line := range strings.Lines(string(list)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 7 && f[2] == uid {
			return person{name: f[0], home: f[5], shell: f[6]}
		}
	}
	return person{}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
