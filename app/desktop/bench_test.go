//go:build desktop && linux

package desktop_test

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/build/figures"
)

// BenchmarkWindow measures from the start of a program until the list of
// sessions (of earlier ones the heading and their number) stands on the screen, seen in the memory of the virtual
// screen: the window with a back end of its own; the window beside a back end
// that runs; and Chromium, with a profile that has been used, on the page that
// `parley serve` serves. Both are software-rendered.
//
//	PARLEY_BIN_DIR=$PWD/bin go test -tags desktop,production,webkit2_41 -run - -bench Window -benchtime 10x ./app/desktop
func BenchmarkWindow(b *testing.B) {
	s := newStage(b)
	screen := openScreen(b, s.dir)
	serve := func() *exec.Cmd { return s.start(filepath.Join(s.bins, "parley"), "serve") }
	first := serve()
	for i := range listed {
		s.quiet(fmt.Sprintf("say hello %d", i))
	}
	end(first)

	window := filepath.Join(s.bins, "parley-desktop")
	// --test-type keeps a bar about --no-sandbox from sliding in.
	chromium := []string{"--no-sandbox", "--test-type", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--window-size=1280,800", "--user-data-dir=" + filepath.Join(s.dir, "chromium")}
	var look, chromiumLook uint64 // of the list
	own := func() float64 { return s.shown(b, screen, &look, window) }
	attached := func() float64 {
		defer end(serve())
		s.link()
		return s.shown(b, screen, &look, window)
	}
	browser := func() float64 {
		defer end(serve())
		return s.shown(b, screen, &chromiumLook, "chromium", append(chromium, "--app="+s.link())...)
	}
	own() // finds the look; caches are warm from here on
	browser()

	table := figures.New(fmt.Sprintf("Start until the list (%d earlier sessions) is on the screen", listed), "what", "runs", "median ms", "p99 ms", "ratio")
	var a, w, c figures.Sample
	for b.Loop() {
		a, w, c = append(a, own()), append(w, attached()), append(c, browser())
	}
	table.Row("window with its own back end", len(a), a.Median(), a.Quantile(0.99), a.Over(c).Median())
	table.Row("window beside a running back end", len(w), w.Median(), w.Quantile(0.99), w.Over(c).Median())
	table.Row("Chromium on the served page", len(c), c.Median(), c.Quantile(0.99), 1.0)
	table.Print(b)
}

const (
	listed  = 8               // sessions
	settled = 4 * time.Second // a list that has not changed for so long stays as it is
)

// quiet makes a session that is done.
func (s *stage) quiet(prompt string) app.SessionID {
	s.t.Helper()
	id := s.demo(prompt).ID
	s.until("the session is idle", func() bool {
		got, err := s.client().Session(s.t.Context(), id)
		return err == nil && got.State == app.StateIdle && got.LastStatus == app.TurnCompleted
	})
	return id
}

// link waits until the page is served and makes a link to it.
func (s *stage) link() (link string) {
	s.t.Helper()
	s.until("the page is served", func() bool {
		var reply api.ServeReply
		reply, err := s.client().Link(s.t.Context())
		link = reply.Link
		return err == nil
	})
	return link
}

// end ends a program as a person would.
func end(cmd *exec.Cmd) {
	syscall.Kill(cmd.Process.Pid, syscall.SIGTERM)
	cmd.Wait()
}

// shown starts a program that shows the page and returns after how many
// milliseconds the part of the screen where the list stands had its last look.
// The first run finds that look, and leaves it in want: it is what lasts.
func (s *stage) shown(b *testing.B, screen *screen, want *uint64, name string, args ...string) float64 {
	b.Helper()
	blank := screen.sum()
	began := time.Now()
	cmd := s.start(name, args...)
	last, at := blank, began
	there := func() bool {
		if *want != 0 {
			return last == *want
		}
		return last != blank && time.Since(at) > settled
	}
	for limit := began.Add(waitLimit); !there(); time.Sleep(3 * time.Millisecond) {
		if sum := screen.sum(); sum != last {
			last, at = sum, time.Now()
		}
		if time.Now().After(limit) {
			s.picture("bench-failed")
			b.Fatalf("%s does not show the list", name)
		}
	}
	if *want == 0 {
		if strings.HasSuffix(name, "parley-desktop") { // what lasts is the list, and not a message
			s.find("push button", fmt.Sprintf("Earlier %d", listed))
		}
		s.picture("bench-" + filepath.Base(name))
		if *want = screen.sum(); *want != last {
			b.Fatalf("what %s shows goes on changing", name)
		}
	}
	end(cmd)
	s.until("the screen is empty again", func() bool { return screen.sum() == blank })
	return float64(at.Sub(began)) / 1e6
}

// screen is the memory of Xvfb, in the format of xwd.
type screen struct {
	memory      []byte
	head, line  int // bytes
	seed        maphash.Seed
	left, right int // bytes within a line, in which the list stands
}

func openScreen(b *testing.B, dir string) *screen {
	b.Helper()
	f, err := os.Open(filepath.Join(dir, "Xvfb_screen0"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	memory, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = syscall.Munmap(memory) })
	field := func(i int) int { return int(binary.BigEndian.Uint32(memory[4*i:])) }
	// Size of the header, bytes of a line, number of colours of 12 bytes each.
	return &screen{memory: memory, head: field(0) + 12*field(19), line: field(12), seed: maphash.MakeSeed(), left: 4 * 90, right: 4 * 300}
}

// sum tells whether the list has changed: every other line of it counts.
func (s *screen) sum() uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for y := 60; y < 840; y += 2 {
		at := s.head + y*s.line
		h.Write(s.memory[at+s.left : at+s.right])
	}
	return h.Sum64()
}
