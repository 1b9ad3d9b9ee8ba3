package torture_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/paths"
)

// home is a person's computer: Parley's folders, a user's home, the programs.
type home struct {
	tb   testing.TB
	dirs paths.Dirs
	bin  string // folder of the programs
	exe  string // the parley to start
	env  []string
}

func newHome(tb testing.TB) *home { return homeIn(tb, apptest.Home(tb)) }

func homeIn(tb testing.TB, dirs paths.Dirs) *home {
	tb.Helper()
	bin := apptest.Programs(tb, "parley", "parley-mcp", "parley-run")
	user := tb.TempDir()
	return &home{
		tb: tb, dirs: dirs, bin: bin, exe: filepath.Join(bin, "parley"),
		env: []string{paths.EnvHome + "=" + filepath.Dir(dirs.Config), "PARLEY_BIN_DIR=" + bin,
			"HOME=" + user, "PATH=/usr/bin:/bin", "SHELL=/bin/sh", "LANG=C.UTF-8"},
	}
}

// program is a parley that was started.
type program struct {
	cmd   *exec.Cmd
	mark  string        // NAME=value in the environment of its whole tree
	out   *output       // what it wrote, both ways
	ended chan struct{} // closed when it has been waited for
	began time.Time
}

// start starts parley with arguments.
func (h *home) start(mark string, args ...string) *program {
	h.tb.Helper()
	p := &program{cmd: exec.Command(h.exe, args...), mark: "TORTURE_MARK=" + mark, out: newOutput(), ended: make(chan struct{})}
	p.cmd.Env = append(h.env[:len(h.env):len(h.env)], p.mark)
	p.cmd.Dir = "/"
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	p.cmd.WaitDelay = 5 * time.Second
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		h.tb.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.cmd.Wait() // its end is in ProcessState
	}()
	h.tb.Cleanup(func() { // for a test that failed early
		p.kill()
	})
	return p
}

// serve starts `parley serve` and waits until it serves.
func (h *home) serve(mark string) (*program, error) {
	p := h.start(mark, "serve")
	return p, p.up()
}

// up waits until the program serves.
func (p *program) up() error {
	return p.says("/link/")
}

// says waits until the output holds a text.
func (p *program) says(part string) error {
	limit := time.NewTimer(apptest.Patience)
	defer limit.Stop()
	for {
		text, more := p.out.read()
		if strings.Contains(text, part) {
			return nil
		}
		select {
		case <-more:
		case <-p.ended:
			if text, _ := p.out.read(); strings.Contains(text, part) {
				return nil
			}
			return fmt.Errorf("parley ended (%s) and said: %s", p.cmd.ProcessState, p.out)
		case <-limit.C:
			return fmt.Errorf("parley does not say %q, it said: %s", part, p.out)
		}
	}
}

// kill ends the program as the system does when memory runs out.
func (p *program) kill() {
	p.cmd.Process.Kill() // fails when it has ended, which is as well
	<-p.ended
}

// quit asks the program to end and returns its exit code.
func (p *program) quit() (int, error) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	return p.code()
}

// code waits for the end and returns the exit code.
func (p *program) code() (int, error) {
	limit := time.NewTimer(apptest.Patience)
	defer limit.Stop()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-limit.C:
		return 0, fmt.Errorf("parley does not end, it said: %s", p.out)
	}
}

// gone waits until no process bears the mark any more and tells how long that
// took, or which are left.
func (p *program) gone() (time.Duration, error) {
	began := time.Now()
	for ; ; pause(2 * time.Millisecond) {
		left := marked(p.mark)
		if len(left) == 0 {
			return time.Since(began), nil
		}
		if time.Since(began) > 20*time.Second {
			return 0, fmt.Errorf("left behind: %s", strings.Join(left, "; "))
		}
	}
}

// pause is the distance of two looks, or the length of a random delay: never a
// wait for something to have happened.
func pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	<-t.C
}

// marked lists the command lines of processes with a text in their environment.
func marked(mark string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		dir := filepath.Dir(f)
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

// output is text that can be waited for.
type output struct {
	mu   sync.Mutex    // guards the fields below
	text bytes.Buffer  //
	more chan struct{} // closed with each write
}

func newOutput() *output { return &output{more: make(chan struct{})} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.text.Write(p)
}

func (o *output) read() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.more
}

func (o *output) String() string { text, _ := o.read(); return text }

// socket is a client of the calls that api.Client has no method for.
type socket struct {
	*api.Client
	http *http.Client
}

func (h *home) client() *socket {
	path := h.dirs.Socket()
	return &socket{Client: api.Dial(path), http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}}
}

// close lets go of the connections.
func (s *socket) close() { s.http.CloseIdleConnections() }

// call makes one call of the API and reads the reply into out, unless out is
// nil.
func (s *socket) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://parley"+path, body)
	if err != nil {
		return err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		var c api.Conflict
		if err := json.Unmarshal(text, &c); err != nil {
			return fmt.Errorf("%s: %s", resp.Status, text)
		}
		return c.Error.Err()
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// events reads the whole timeline of a session.
func (s *socket) events(ctx context.Context, id app.SessionID) (all []app.Event, err error) {
	err = s.EachEvent(ctx, id, func(e app.Event) error {
		all = append(all, e)
		return nil
	})
	return all, err
}

// broken reports an error that a call gets when the back end dies under it.
func broken(err error) bool {
	if err == nil {
		return false
	}
	_, net := errors.AsType[*net.OpError](err)
	return net || app.ErrorCode(err) == app.CodeUnavailable || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.Canceled)
}
