// Package doctor tries agents: it starts the real CLI in a folder and a home of
// its own, with a scripted model on the loopback in place of the provider, and
// measures what it does with Parley's tools. No account is used and nothing
// leaves the computer.
//
// A trial goes through Parley's own whole path, from the launch to the card and
// back: a back end of its own on folders of its own, opened by a function that
// is handed in. So what is measured is what a session gets, and the package is
// one of the product, not of the agents. How a CLI is pointed at a model is its
// family's knowledge (agents.Local).
//
// A Doctor may be used from any goroutine. One run goes on at a time, at most two
// agents side by side; the run's goroutines end with it, and Close ends the run.
package doctor

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"parley/agents"
	"parley/app"
	"parley/app/api"
	"parley/mcp"
)

// Trial is the one agent that a back end tries. Nothing of the person but the
// program itself has a part in it.
type Trial struct {
	Adapter agents.Adapter
	Path    string   // of the program
	Env     []string // of the agent, whole
	// Budget is the time limit of a tool call that the CLI is given at its next
	// start; 0 is the usual one.
	Budget func() time.Duration
}

// Backend is an open back end that tries an agent.
type Backend interface {
	Client() *api.Client
	// Runs is the folder of files that are made for running agents.
	Runs() string
	Close(context.Context) error
}

// Usual is what the person's agents of a family get.
type Usual struct {
	Limits mcp.Limits
	Off    bool // our server is switched off for them
	Line   int  // of the override file where that, or a shorter limit, stands; 0 without
}

// Config is what a Doctor stands on. All fields but Patience and Log must be set.
type Config struct {
	Adapters func() []agents.Adapter
	// Install finds a family's CLI as the person has it.
	Install func(context.Context, agents.Family) (agents.Install, error)
	// Env is the person's environment. An agent under trial gets no more of it
	// than it needs to run.
	Env   func(context.Context) []string
	Usual func(context.Context, agents.Family) Usual
	// Open opens a back end on folders below home.
	Open    func(ctx context.Context, home string, t Trial) (Backend, error)
	Scratch string // folder for trials
	File    string // where results are kept
	Now     func() time.Time
	// Patience bounds what is waited for; the zero value is for people.
	Patience Patience
	Log      *slog.Logger // nil is slog.Default
}

// Patience is how long a trial waits for an agent.
type Patience struct {
	Start time.Duration // until the first word; 2 min
	Step  time.Duration // for what an agent does next; 45 s
	Block time.Duration // until a blocking call is taken for endless; 75 s, above the 60 s that are usual where no limit is told
	Probe time.Duration // the limit that a CLI is given to see whether it keeps to it; 4 s
	Slack time.Duration // how much later it may end a call and still keep to it; 20 s
}

func (p Patience) withDefaults() Patience {
	p.Start = cmp.Or(p.Start, 2*time.Minute)
	p.Step = cmp.Or(p.Step, 45*time.Second)
	p.Block = cmp.Or(p.Block, 75*time.Second)
	p.Probe = cmp.Or(p.Probe, 4*time.Second)
	p.Slack = cmp.Or(p.Slack, 20*time.Second)
	return p
}

// sideBySide is how many agents are tried at once: more would measure the
// computer.
const sideBySide = 2

// Doctor tries agents and remembers what it found.
type Doctor struct {
	cfg Config

	mu     sync.Mutex // guards the fields below
	report app.DoctorReport
	began  time.Time
	cancel context.CancelFunc // nil when nothing runs
	ended  chan struct{}      // closed when the run is over
	closed bool
}

// New makes a Doctor that knows the findings of earlier runs. Folders of trials
// that a crash left are removed; whatever ran in them was ended before.
func New(cfg Config) *Doctor {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	cfg.Patience = cfg.Patience.withDefaults()
	d := &Doctor{cfg: cfg}
	var err error
	if d.report, err = read(cfg.File); err != nil {
		cfg.Log.Warn("read what the doctor found", "error", err)
	}
	if err := os.RemoveAll(cfg.Scratch); err != nil {
		cfg.Log.Warn("remove what trials left", "error", err)
	}
	return d
}

// Report is what was found, and what goes on. Changed is left to who knows the
// installs.
func (d *Doctor) Report() app.DoctorReport {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.report
	if r.Running {
		r.DurationMS = d.cfg.Now().Sub(d.began).Milliseconds()
	}
	r.Agents = make([]app.DoctorAgent, len(d.report.Agents))
	for i, a := range d.report.Agents {
		a.Checks = append([]app.CheckResult{}, a.Checks...)
		r.Agents[i] = a
	}
	r.Changed = []string{}
	return r
}

// Start begins a run with the families, or with all whose CLI can be started.
// It goes on by itself; Report tells how far it is. ctx bounds the look for
// them alone.
//
// Errors: app.CodeAlreadyPending while a run goes on, app.CodeInvalidArgument for
// a family that Parley does not know, app.CodeAgentNotInstalled when there is
// none to try, app.CodeClosing.
func (d *Doctor) Start(ctx context.Context, families []string) (app.DoctorReport, error) {
	patients, err := d.patients(ctx, families)
	if err != nil {
		return app.DoctorReport{}, err
	}
	d.mu.Lock()
	switch {
	case d.closed:
		d.mu.Unlock()
		return app.DoctorReport{}, app.Errorf(app.CodeClosing, "Parley is closing.")
	case d.cancel != nil:
		d.mu.Unlock()
		return app.DoctorReport{}, app.Errorf(app.CodeAlreadyPending, "The doctor is at work already.")
	}
	run, cancel := context.WithCancel(context.Background())
	d.cancel, d.ended, d.began = cancel, make(chan struct{}), d.cfg.Now()
	d.report.Running, d.report.StartedAt, d.report.DurationMS = true, d.began.UnixMilli(), 0
	for _, p := range patients {
		d.putLocked(p.start())
	}
	ended := d.ended
	d.mu.Unlock()
	go func() {
		defer close(ended)
		defer cancel()
		d.run(run, patients)
	}()
	return d.Report(), nil
}

// Stop ends the run and returns when nothing of it is left, or with ctx. What was
// found of agents that were done is kept.
func (d *Doctor) Stop(ctx context.Context) error {
	d.mu.Lock()
	cancel, ended := d.cancel, d.ended
	d.mu.Unlock()
	if cancel == nil {
		return nil
	}
	cancel()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close is Stop, and no run begins any more.
func (d *Doctor) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	return d.Stop(ctx)
}

// Running reports whether a run goes on.
func (d *Doctor) Running() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cancel != nil
}

// patient is an agent to try.
type patient struct {
	adapter agents.Adapter
	install agents.Install
}

func (p patient) family() string { return string(p.adapter.Info().Family) }

func (p patient) start() app.DoctorAgent {
	return app.DoctorAgent{
		Family: p.family(), Name: p.adapter.Info().Name, Path: p.install.Path, Version: p.install.Version,
		Login: string(p.install.Login), State: app.DoctorQueued, Checks: []app.CheckResult{},
	}
}

// patients finds who is to be tried. Without a wish that is every CLI that was
// found and is no part of Parley; one that cannot be started is told as such.
func (d *Doctor) patients(ctx context.Context, families []string) ([]patient, error) {
	var list []patient
	known := map[string]bool{}
	for _, a := range d.cfg.Adapters() {
		family := a.Info().Family
		known[string(family)] = true
		asked := slices.Contains(families, string(family))
		if len(families) > 0 && !asked || len(families) == 0 && family == agents.Demo {
			continue
		}
		in, err := d.cfg.Install(ctx, family)
		if err != nil {
			return nil, err
		}
		if in.Path != "" || asked {
			list = append(list, patient{a, in})
		}
	}
	for _, f := range families {
		if !known[f] {
			return nil, &app.Error{Code: app.CodeInvalidArgument, Field: "agents", Got: f, Message: "Parley knows no agent named " + f + "."}
		}
	}
	if len(list) == 0 {
		return nil, app.Errorf(app.CodeAgentNotInstalled, "No agent was found that could be tried. parley agents says what was looked for.")
	}
	return list, nil
}

// run tries all and keeps what was found.
func (d *Doctor) run(ctx context.Context, patients []patient) {
	places := make(chan struct{}, sideBySide)
	var all sync.WaitGroup
	for _, p := range patients {
		all.Go(func() {
			select {
			case places <- struct{}{}:
				d.try(ctx, p)
				<-places
			case <-ctx.Done():
			}
		})
	}
	all.Wait()
	os.Remove(d.cfg.Scratch) // one that something is left in stays, and is removed at the next start
	d.finish()
}

// finish ends a run: what was not done is as it was before.
func (d *Doctor) finish() {
	before, err := read(d.cfg.File)
	if err != nil {
		d.cfg.Log.Warn("read what the doctor found", "error", err)
	}
	d.mu.Lock()
	var kept []app.DoctorAgent
	for _, a := range d.report.Agents {
		if a.State == app.DoctorDone {
			kept = append(kept, a)
			continue
		}
		for _, b := range before.Agents {
			if b.Family == a.Family {
				kept = append(kept, b)
			}
		}
	}
	d.report.Agents = kept
	d.report.DurationMS = d.cfg.Now().Sub(d.began).Milliseconds()
	report := d.report
	report.Running = false
	d.mu.Unlock()
	if err := write(d.cfg.File, report); err != nil {
		d.cfg.Log.Warn("keep what the doctor found", "error", err)
	}
	d.mu.Lock()
	d.report.Running, d.cancel = false, nil
	d.mu.Unlock()
}

// change changes what is told of an agent.
func (d *Doctor) change(family string, f func(*app.DoctorAgent)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.report.Agents {
		if d.report.Agents[i].Family == family {
			f(&d.report.Agents[i])
		}
	}
}

// putLocked adds an agent, or puts it in its old place.
func (d *Doctor) putLocked(a app.DoctorAgent) {
	for i := range d.report.Agents {
		if d.report.Agents[i].Family == a.Family {
			d.report.Agents[i] = a
			return
		}
	}
	d.report.Agents = append(d.report.Agents, a)
}
