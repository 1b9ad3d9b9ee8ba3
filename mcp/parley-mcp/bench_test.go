package main_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/build/figures"
	"parley/mcp"
)

// The two ways in which a client may begin.
const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"
	discover   = `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + modern + `}}` + "\n"
	listModern = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modern + `}}` + "\n"
	modern     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

// BenchmarkStart measures from the start of the program to its first answer,
// and what it costs until it has listed its tools and ended, in turns with an
// mcp-go server that does nothing else:
//
//	go test -run - -bench Start -benchtime 50x ./mcp/parley-mcp
func BenchmarkStart(b *testing.B) {
	ours, err := program()
	if err != nil {
		b.Fatal(err)
	}
	bare, err := build("parley/mcp/parley-mcp/testdata/bare")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, first, list string }{{"initialize", initialize, list}, {"server/discover", discover, listModern}} {
		b.Run(strings.ReplaceAll(c.name, "/", "-"), func(b *testing.B) {
			table := figures.New("parley-mcp: start to the first answer ("+c.name+")",
				"program", "runs", "median ms", "p99 ms", "ratio", "CPU ms per run", "resident MiB", "file MiB")
			var a, z starts
			for b.Loop() {
				a.run(b, c.first, c.list, ours, "interaction")
				z.run(b, c.first, c.list, bare)
			}
			a.row(b, table, "parley-mcp", ours, z.took)
			z.row(b, table, "bare mcp-go server", bare, z.took)
			table.Print(b)
		})
	}
}

// starts is what was measured of one program.
type starts struct{ took, cpu, rss figures.Sample }

func (s *starts) row(b *testing.B, t *figures.Table, name, path string, base figures.Sample) {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	t.Row(name, len(s.took), s.took.Median(), s.took.Quantile(0.99), s.took.Over(base).Median(),
		s.cpu.Median(), s.rss.Median(), float64(info.Size())/(1<<20))
}

func (s *starts) run(b *testing.B, first, list, path string, args ...string) {
	b.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = []string{mcp.EnvUserClarification + "=1"}
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	answers := bufio.NewReader(out)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	exchange(b, in, answers, first)
	s.took.AddSince(began)
	exchange(b, in, answers, list)
	s.rss = append(s.rss, residentMiB(b, cmd.Process.Pid))
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.cpu = append(s.cpu, float64(used)/1e6) // a busy computer changes it least
}

func exchange(b *testing.B, in io.Writer, out *bufio.Reader, request string) {
	b.Helper()
	if _, err := io.WriteString(in, request); err != nil {
		b.Fatal(err)
	}
	if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, `"result"`) {
		b.Fatalf("answer %q, %v", line, err)
	}
}

// residentMiB reads how much memory a process holds.
func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
