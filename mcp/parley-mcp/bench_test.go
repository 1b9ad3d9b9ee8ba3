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

	"parley/mcp"
)

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// BenchmarkStart measures from the start of the program to its first answer,
// and its memory after it has listed its tools, beside an mcp-go server that
// does nothing else:
//
//	go test -run - -bench Start ./mcp/parley-mcp
func BenchmarkStart(b *testing.B) {
	ours, err := program()
	if err != nil {
		b.Fatal(err)
	}
	bare, err := build("parley/mcp/parley-mcp/testdata/bare")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("parley-mcp", func(b *testing.B) { start(b, ours, "interaction") })
	b.Run("bare", func(b *testing.B) { start(b, bare) })
}

func start(b *testing.B, path string, args ...string) {
	var rss int64
	var cpu time.Duration // of the whole run; a busy computer changes it least
	for b.Loop() {
		b.StopTimer()
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
		b.StartTimer()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		exchange(b, in, answers, initialize)
		b.StopTimer()
		exchange(b, in, answers, list)
		rss += residentKB(b, cmd.Process.Pid)
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		b.StartTimer()
	}
	b.ReportMetric(cpu.Seconds()*1000/float64(b.N), "ms-CPU/run")
	b.ReportMetric(float64(rss)/float64(b.N)/1024, "MiB-RSS")
	if info, err := os.Stat(path); err == nil {
		b.ReportMetric(float64(info.Size())/(1<<20), "MiB-file")
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms/start")
}

func exchange(b *testing.B, in io.Writer, out *bufio.Reader, request string) {
	if _, err := io.WriteString(in, request); err != nil {
		b.Fatal(err)
	}
	if line, err := out.ReadString('\n'); err != nil || strings.Contains(line, `"error"`) {
		b.Fatalf("answer %q, %v", line, err)
	}
}

// residentKB reads how much memory a process holds.
func residentKB(b *testing.B, pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kb int64
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				b.Fatal(err)
			}
			return kb
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
