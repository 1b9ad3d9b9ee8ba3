package torture_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // to look at files, and to hold them as another program does

	"parley/app/api"
	"parley/app/apptest"
)

// Environment of a long run.
const (
	envPoints = "PARLEY_TORTURE_POINTS" // how many kills
	envSeed   = "PARLEY_TORTURE_SEED"
)

// shortPoints is how many kills the usual tests do: nearly every moment once.
const shortPoints = 16

// lives is how many kills a home sees before a new one is made: what is compared
// after each restart grows with it.
const lives = 25

// TestKilledAtAnyMoment kills the real back end at random moments of a script
// and looks, after each restart, for what it had told and promised before.
func TestKilledAtAnyMoment(t *testing.T) {
	points, seed := number(t, envPoints, shortPoints), uint64(number(t, envSeed, int(time.Now().UnixNano()%1_000_000)))
	t.Logf("%s=%d", envSeed, seed)
	sum := newTally()
	until := time.Now().Add(24 * time.Hour)
	if deadline, ok := t.Deadline(); ok {
		until = deadline.Add(-3 * time.Minute) // what was tried is told, also when it is not all
	}
	t.Run("workers", func(t *testing.T) {
		for n := range 2 {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				w := &worker{t: t, tally: sum, up: 300 * time.Millisecond}
				for i := n; i < points && time.Now().Before(until); i += 2 {
					w.kill(newPoint(seed, i))
				}
				w.leave()
			})
		}
	})
	t.Log("\n" + sum.table(seed))
	if got := sum.points(); got != points {
		t.Errorf("%d of %d points were tried", got, points)
	}
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// worker goes from kill to kill in homes of its own.
type worker struct {
	t      *testing.T
	tally  *tally
	home   *home
	ledger *ledger
	before *point        // whose kill the next start must get over, nil for none
	kills  int           // in this home
	up     time.Duration // that a start takes, about
	older  older         // a record to migrate, made when first needed
	took   time.Duration // that a start with a migration takes, about
}

// kill does one point.
func (w *worker) kill(p point) {
	if p.at == migrating {
		w.migrate(p)
		return
	}
	if w.kills >= lives {
		w.leave()
	}
	if w.home == nil {
		w.home, w.ledger = newHome(w.t), newLedger()
	}
	w.kills++
	if p.at == starting {
		program := w.home.start(mark(p), "serve")
		pause(time.Duration(p.share * float64(w.up)))
		w.end(program, p)
		w.before = merged(w.before, p)
		return
	}
	program, s := w.start(mark(p))
	if program == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	scene := &scene{socket: s, ledger: w.ledger, program: program, point: p, tape: newTape(), reached: make(chan struct{})}
	var busy sync.WaitGroup
	busy.Go(func() { scene.follow(ctx) })
	played := make(chan error, 1)
	busy.Go(func() { played <- scene.play(ctx) })
	limit := time.NewTimer(apptest.Patience)
	defer limit.Stop()
	select {
	case <-scene.reached:
	case err := <-played:
		w.tally.fault(w.t, p, fault{dead, fmt.Sprintf("the script did not come to its moment: %v", err)})
		played <- nil
	case <-limit.C:
		w.tally.fault(w.t, p, fault{stuck, "the script does not come to its moment"})
	}
	pause(p.after)
	w.end(program, p)
	cancel()
	busy.Wait()
	s.close()
	if err := <-played; err != nil && !broken(err) {
		w.tally.fault(w.t, p, fault{dead, "the script: " + err.Error()})
	}
	w.before = &p
}

// merged is the point to name when a start was killed in the midst of getting
// over another kill.
func merged(before *point, p point) *point {
	if before != nil && before.at != starting {
		return before
	}
	return &p
}

func mark(p point) string { return fmt.Sprintf("%d-%d", os.Getpid(), p.n) }

// follow notes everything that the stream says, from before the first act on.
func (s *scene) follow(ctx context.Context) {
	// It ends with the back end, at the latest.
	_ = s.Stream(ctx, func(f api.Frame) error {
		s.ledger.take(f)
		s.tape.add(f.Events, false)
		return nil
	})
	s.tape.add(nil, true)
}

// start starts the back end after a kill and compares the record with what was
// promised. It returns nil when there is nothing to go on with.
func (w *worker) start(mark string) (*program, *socket) {
	p := point{at: starting}
	if w.before != nil {
		p = *w.before
	}
	program, err := w.home.serve(mark)
	if err != nil {
		w.tally.fault(w.t, p, fault{dead, err.Error()})
		w.home, w.before = nil, nil
		return nil, nil
	}
	took := time.Since(program.began)
	w.up = (3*w.up + took) / 4
	s := w.home.client()
	faults := check(context.Background(), s, w.ledger)
	if aside := asides(w.home); len(aside) > 0 {
		faults = append(faults, fault{lost, "the record was taken for damaged: " + strings.Join(aside, " ")})
	}
	for _, f := range faults {
		w.tally.fault(w.t, p, f)
	}
	if w.before != nil {
		w.tally.restarted(took)
	}
	w.before = nil
	return program, s
}

// asides lists records that were kept aside as damaged.
func asides(h *home) []string {
	found, _ := filepath.Glob(h.dirs.Database() + ".damaged-*") // the pattern is good
	return slices.DeleteFunc(found, func(path string) bool {
		return strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm")
	})
}

// end kills the back end and waits until nothing of its tree is left.
func (w *worker) end(program *program, p point) {
	program.kill()
	took, err := program.gone()
	if err != nil {
		w.tally.fault(w.t, p, fault{left, err.Error()})
	}
	w.tally.killed(p, took)
}

// leave looks at a home a last time: it still starts, ends in order and its file
// is sound.
func (w *worker) leave() {
	if w.home == nil {
		return
	}
	last := point{at: starting}
	if w.before != nil {
		last = *w.before
	}
	program, s := w.start("leave")
	if program == nil {
		return
	}
	s.close()
	if code, err := program.quit(); err != nil || code != 0 {
		w.tally.fault(w.t, last, fault{dead, fmt.Sprintf("quit: exit code %d, %v", code, err)})
	}
	if err := sound(w.home.dirs.Database()); err != nil {
		w.tally.fault(w.t, last, fault{lost, err.Error()})
	}
	w.home, w.kills = nil, 0
}

// sound has SQLite look at a whole file that nobody uses.
func sound(path string) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%s: %s", path, verdict)
	}
	return nil
}

// tally is what all workers have seen.
type tally struct {
	mu     sync.Mutex // guards everything below
	rows   map[moment]*row
	starts []time.Duration
	ends   []time.Duration
}

type row struct {
	points int
	faults map[string]int
}

func newTally() *tally { return &tally{rows: map[moment]*row{}} }

func (y *tally) rowLocked(m moment) *row {
	if y.rows[m] == nil {
		y.rows[m] = &row{faults: map[string]int{}}
	}
	return y.rows[m]
}

func (y *tally) killed(p point, gone time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.rowLocked(p.at).points++
	y.ends = append(y.ends, gone)
}

func (y *tally) restarted(took time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.starts = append(y.starts, took)
}

func (y *tally) fault(t *testing.T, p point, f fault) {
	t.Errorf("point %d (%s +%v, share %.2f): %s: %s", p.n, p.at, p.after.Round(10*time.Microsecond), p.share, f.kind, f.text)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.rowLocked(p.at).faults[f.kind]++
}

func (y *tally) points() (n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, r := range y.rows {
		n += r.points
	}
	return n
}

// table is the result as the documentation shows it.
func (y *tally) table(seed uint64) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	kinds := []string{lost, doubled, stuck, gap, left, dead}
	var b strings.Builder
	fmt.Fprintf(&b, "| killed while | points | %s |\n|---|---|%s\n", strings.Join(kinds, " | "), strings.Repeat("---|", len(kinds)))
	total := row{faults: map[string]int{}}
	line := func(name string, r row) {
		fmt.Fprintf(&b, "| %s | %d |", name, r.points)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %d |", r.faults[k])
		}
		b.WriteString("\n")
	}
	var done []moment
	for _, m := range moments {
		r := y.rows[m.moment]
		if r == nil || slices.Contains(done, m.moment) {
			continue
		}
		done = append(done, m.moment)
		line(string(m.moment), *r)
		total.points += r.points
		for k, n := range r.faults {
			total.faults[k] += n
		}
	}
	line("**all**", total)
	fmt.Fprintf(&b, "\nseed %d; start after a kill until it serves: median %v, slowest %v; kill until no process is left: median %v, slowest %v\n",
		seed, middle(y.starts), most(y.starts), middle(y.ends), most(y.ends))
	return b.String()
}

func middle(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2].Round(time.Millisecond)
}

func most(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return slices.Max(list).Round(time.Millisecond)
}
