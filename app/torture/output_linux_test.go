package torture_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
)

// TestLongOutput has a tool put out more than the record takes, a few times: the
// record holds both ends, the export the whole, and the back end gives back the
// memory of each.
func TestLongOutput(t *testing.T) {
	t.Parallel()
	size, times := 3, 2
	if os.Getenv(envLong) != "" {
		size, times = 50, 5
	}
	h := newHome(t)
	p, err := h.serve("output")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sc := &scene{socket: s, ledger: newLedger(), program: p, tape: newTape()}
	go sc.follow(ctx)
	id, err := sc.create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	pid := p.cmd.Process.Pid
	before := resident(t, pid)
	var memory, peaks []float64
	for range times {
		forgetPeak(t, pid)
		turn, err := sc.send(ctx, id, fmt.Sprintf("output %d", size))
		if err != nil {
			t.Fatal(err)
		}
		done, err := sc.tape.find(ctx, func(e app.Event) bool { return e.Type == app.EventToolCompleted && e.TurnID == turn })
		if err != nil {
			t.Fatal(err)
		}
		d, _ := apptest.Data[app.ToolCompleted](done)
		if d.OutputBytes != int64(size)<<20 || !d.Truncated || len(d.Output) > app.MaxPart+100 || !strings.HasPrefix(d.Output, "line 1 ") {
			t.Fatalf("%d bytes recorded, truncated %v, %d bytes kept", len(d.Output), d.Truncated, d.OutputBytes)
		}
		if err := sc.tape.wait(ctx, func(e app.Event) bool { return e.Type == app.EventTurnCompleted && e.TurnID == turn }); err != nil {
			t.Fatal(err)
		}
		memory, peaks = append(memory, settled(t, pid, before+64)), append(peaks, peak(t, pid))
	}
	t.Logf("%d outputs of %d MiB; the back end held %.0f MiB before, at most %.0f, and %.0f after each", times, size, before, peaks, memory)
	if last := memory[len(memory)-1]; last > before+64 {
		t.Errorf("the memory of outputs is not given back: %.0f MiB before, %.0f after", before, memory)
	}
	file, err := os.Stat(h.dirs.Database())
	if err != nil {
		t.Fatal(err)
	}
	if file.Size() > 4<<20 {
		t.Errorf("the record has %d bytes", file.Size())
	}

	folder := filepath.Join(t.TempDir(), "outputs")
	export := h.start("export", "sessions", "export", id, "--outputs", folder)
	if code, err := export.code(); err != nil || code != 0 {
		t.Fatalf("export: %d, %v: %s", code, err, export.out)
	}
	files, err := filepath.Glob(filepath.Join(folder, "output-*.txt"))
	if err != nil || len(files) != times {
		t.Fatalf("exported %v, %v", files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			if want := fmt.Sprintf("line %d of a long output\n", n); line != want && !strings.HasPrefix(want, line) {
				t.Fatalf("line %d is %q", n, line)
			}
		}
		if len(data) != size<<20 {
			t.Errorf("%s has %d bytes", path, len(data))
		}
		if !strings.Contains(export.out.String(), filepath.Base(path)) {
			t.Errorf("the export does not name %s", filepath.Base(path))
		}
	}
	quit(t, p)
}

// settled is the memory of a process, in MiB, once it is no more than that, or
// when it has been more for as long as tests wait.
func settled(t *testing.T, pid int, most float64) float64 {
	t.Helper()
	for limit := time.Now().Add(apptest.Patience); ; time.Sleep(20 * time.Millisecond) {
		if now := resident(t, pid); now <= most || time.Now().After(limit) {
			return now
		}
	}
}
