package torture_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// envLong asks for what takes minutes.
const envLong = "PARLEY_TORTURE"

// TestManyQuestions asks many questions through one back end, with real agents
// that ask over a real parley-mcp, and answers each: goroutines, descriptors and
// memory must be as they were after the first few hundred.
func TestManyQuestions(t *testing.T) {
	sessions, turns, each := 3, 2, 8
	if os.Getenv(envLong) != "" {
		sessions, turns, each = 10, 10, 100
	}
	b := backend.Open(t, apptest.Home(t))
	p := &poll{backend: b, turn: make(chan app.TurnEnded, sessions)}
	ctx, cancel := context.WithCancel(context.Background())
	var busy sync.WaitGroup
	busy.Go(func() {
		if err := b.Client.Stream(ctx, p.take); ctx.Err() == nil {
			t.Errorf("the stream ended: %v", err)
		}
	})
	defer busy.Wait()
	defer cancel()

	var ids []app.SessionID
	for range sessions {
		s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "demo", Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	var table strings.Builder
	table.WriteString("| questions answered | goroutines | descriptors | heap MiB | resident MiB |\n|---|---|---|---|---|\n")
	var first, last usage
	for turn := range turns {
		for _, id := range ids {
			if _, err := b.Client.Send(ctx, id, api.NewMessage{Text: fmt.Sprintf("ask %d", each)}); err != nil {
				t.Fatal(err)
			}
		}
		for range ids {
			select {
			case end := <-p.turn:
				if end.Status != app.TurnCompleted {
					t.Fatalf("a turn ended %+v %+v", end, end.Problem)
				}
			case <-time.After(10 * apptest.Patience):
				t.Fatal("a turn does not end")
			}
		}
		last = usageNow(t)
		if turn == 0 {
			first = last
		}
		fmt.Fprintf(&table, "| %d | %d | %d | %.1f | %.1f |\n", (turn+1)*sessions*each, last.goroutines, last.descriptors, last.heap, last.resident)
	}
	t.Log("\n" + table.String())
	if last.goroutines > first.goroutines+10 || last.descriptors > first.descriptors+10 {
		t.Errorf("goroutines %d, then %d; descriptors %d, then %d", first.goroutines, last.goroutines, first.descriptors, last.descriptors)
	}
	if last.heap > first.heap+16 {
		t.Errorf("the heap grew from %.1f to %.1f MiB", first.heap, last.heap)
	}
	if err := p.failed(); err != nil {
		t.Error(err)
	}
	all, err := b.Client.Interactions(ctx, app.InteractionFilter{State: app.InteractionsAll})
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, in := range all {
		if in.Outcome != nil && in.Outcome.Text == "yes, "+in.ID && in.DeliveredAt != 0 {
			answered++
		}
	}
	if want := sessions * turns * each; len(all) != want || answered != want {
		t.Errorf("%d questions are recorded, %d of them answered and delivered; want %d", len(all), answered, want)
	}
}

// poll answers every question as it comes.
type poll struct {
	backend *backend.Backend
	turn    chan app.TurnEnded
	mu      sync.Mutex // guards err
	err     error
}

func (p *poll) take(f api.Frame) error {
	for _, e := range f.Events {
		switch d := e.Data.(type) {
		case *app.TurnEnded:
			p.turn <- *d
		case *app.Interaction:
			go p.answer(d.ID)
		}
	}
	return nil
}

func (p *poll) answer(id string) {
	_, err := p.backend.Client.Answer(context.Background(), app.Answer{InteractionID: id, Status: app.StatusAnswered, Text: "yes, " + id})
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.err = fmt.Errorf("answer %s: %w", id, err)
	}
}

func (p *poll) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// usage is what this process uses when nothing is under way.
type usage struct {
	goroutines, descriptors int
	heap, resident          float64 // MiB
}

// usageNow waits until what has just ended is gone: the fewest of a few looks
// count.
func usageNow(t *testing.T) usage {
	t.Helper()
	least := usage{goroutines: 1 << 30, descriptors: 1 << 30}
	for range 20 {
		pause(20 * time.Millisecond)
		least.goroutines = min(least.goroutines, runtime.NumGoroutine())
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		least.descriptors = min(least.descriptors, len(open))
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	least.heap = float64(m.HeapAlloc) / (1 << 20)
	least.resident = resident(t, os.Getpid())
	return least
}

// resident is the memory of a process in MiB.
func resident(t *testing.T, pid int) float64 {
	t.Helper()
	return inStatus(t, pid, "VmRSS")
}

// peak is the most memory that a process had at once since forgetPeak, in MiB.
func peak(t *testing.T, pid int) float64 {
	t.Helper()
	return inStatus(t, pid, "VmHWM")
}

func forgetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join("/proc", strconv.Itoa(pid), "clear_refs"), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// inStatus is a measure of a process's memory, in MiB.
func inStatus(t *testing.T, pid int, name string) float64 {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(status) {
		var kb float64
		if n, _ := fmt.Sscanf(string(line), name+": %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	t.Fatal("no " + name)
	return 0
}
