//go:build linux

package main_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/agents/agenttest/programs"
)

// patience bounds every wait; nothing passes or fails by its speed.
const patience = 30 * time.Second

var program string

func TestMain(m *testing.M) {
	var err error
	if program, err = programs.Path("parley-run"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// started is a parley-run with our ends of its pipes.
type started struct {
	cmd    *exec.Cmd
	life   *os.File
	report *bufio.Reader
	out    io.Reader
}

func start(t *testing.T, args ...string) started {
	t.Helper()
	shimLife, life, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	report, shimReport, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.ExtraFiles = []*os.File{shimLife, shimReport}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shimLife.Close()
	shimReport.Close()
	report.SetReadDeadline(time.Now().Add(patience))
	t.Cleanup(func() {
		life.Close()
		cmd.Wait() // a second time is an error that does not matter
		report.Close()
	})
	return started{cmd, life, bufio.NewReader(report), out}
}

// expect reads one line of the report.
func (s started) expect(t *testing.T, pattern string) {
	t.Helper()
	got, err := s.report.ReadString('\n')
	if err != nil || !regexp.MustCompile("^"+pattern+"\n$").MatchString(got) {
		t.Errorf("report %q, %v; want %s", got, err, pattern)
	}
}

// ends waits for the end of the report and of the program.
func (s started) ends(t *testing.T, code int) {
	t.Helper()
	if more, err := io.ReadAll(s.report); err != nil || len(more) > 0 {
		t.Errorf("more report: %q, %v", more, err)
	}
	s.cmd.Wait() // its exit code is looked at instead
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
}

func TestReport(t *testing.T) {
	const resist = `trap "" TERM; sleep 1000 & echo ready; wait; while :; do sleep 1000; done`
	const obey = `trap "exit 3" TERM; echo ready; while :; do sleep 0.01; done`
	ready := func(t *testing.T, s started) {
		t.Helper()
		if line, err := bufio.NewReader(s.out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	// The child is called as its parent until it has become sleep.
	forced := []string{`rest \d+ "sh"`, `rest \d+ "(sleep|sh)"`, "exited -1 9"}
	for name, test := range map[string]struct {
		script string
		then   func(t *testing.T, s started)
		report []string // between "started" and "gone"
	}{
		"ends by itself": {`exit 3`, func(*testing.T, started) {}, []string{"exited 3 0"}},
		"terminate": {obey, func(t *testing.T, s started) {
			ready(t, s)
			s.life.WriteString("t")
		}, []string{"exited 3 0"}},
		"kill": {resist, func(t *testing.T, s started) {
			ready(t, s)
			s.life.WriteString("tk")
		}, forced},
		"life ends": {resist, func(t *testing.T, s started) {
			ready(t, s)
			s.life.Close()
		}, forced},
		"unknown command": {obey, func(t *testing.T, s started) {
			ready(t, s)
			s.life.WriteString("?t")
		}, []string{"exited 3 0"}},
		"asked twice to end": {resist, func(t *testing.T, s started) {
			ready(t, s)
			s.cmd.Process.Signal(unix.SIGTERM)
			s.cmd.Process.Signal(unix.SIGINT)
		}, forced},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "-grace=1h", "--", "/bin/sh", "-c", test.script)
			s.expect(t, `started \d+ \d+`)
			test.then(t, s)
			for _, line := range test.report {
				s.expect(t, line)
			}
			s.expect(t, "gone")
			s.ends(t, 0)
		})
	}
	t.Run("no program", func(t *testing.T) {
		s := start(t, "--", "/nowhere")
		s.expect(t, fmt.Sprintf("failed %d", int(unix.ENOENT)))
		s.ends(t, 1)
	})
}

func TestStartedByHand(t *testing.T) {
	for _, args := range [][]string{{}, {"--", "/bin/true"}, {"-what"}} {
		var out, errOut strings.Builder
		cmd := exec.Command(program, args...)
		cmd.Stdout, cmd.Stderr = &out, &errOut
		err := cmd.Run()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != 2 || out.Len() > 0 || errOut.Len() == 0 {
			t.Errorf("%q: %v, output %q, errors %q", args, err, out.String(), errOut.String())
		}
	}
}

// Not a test of speed, only a number to look at: what the shim adds to a start.
func TestStartTime(t *testing.T) {
	var took []time.Duration
	for range 20 {
		begin := time.Now()
		s := start(t, "--", "/bin/true")
		s.expect(t, `started \d+ \d+`)
		took = append(took, time.Since(begin))
		s.expect(t, "exited 0 0")
		s.expect(t, "gone")
		s.ends(t, 0)
	}
	slices.Sort(took)
	t.Logf("from exec to a started agent: median %v, slowest %v", took[len(took)/2], took[len(took)-1])
}
