package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/agents"
	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
)

// closeLimit is how long a trial's back end may take to close. Its agents are
// ended by their supervisor even when it takes longer.
const closeLimit = 20 * time.Second

// trial is one agent under trial. It belongs to one goroutine.
type trial struct {
	d       *Doctor
	patient patient
	name    string

	home string // of the agent; everything of the trial lies below it
	work string // where the agent works
	env  []string

	local   *agents.LocalModel // nil where the CLI can't be pointed at one
	model   *model             // nil in that case too
	back    Backend
	events  *events
	session app.SessionID
	budget  atomic.Int64 // nanoseconds, see Trial.Budget
	left    processes
}

// try tries one agent and tells of each check as it ends.
func (d *Doctor) try(ctx context.Context, p patient) {
	began := d.cfg.Now()
	t := &trial{d: d, patient: p, name: p.adapter.Info().Name}
	d.change(p.family(), func(a *app.DoctorAgent) { a.State, a.StartedAt = app.DoctorTrying, began.UnixMilli() })
	if err := t.all(ctx); err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("try an agent", "family", p.family(), "error", err)
		t.tell(failed(t.trying(), &app.Finding{Code: "trial_broke", Text: "The trial of " + t.name + " broke off.", Detail: app.ErrorMessage(err)}))
	}
	if ctx.Err() != nil {
		return
	}
	d.change(p.family(), func(a *app.DoctorAgent) {
		a.State, a.Trying, a.DurationMS = app.DoctorDone, "", d.cfg.Now().Sub(began).Milliseconds()
	})
}

// all makes the trial's world, checks, and takes the world down again.
func (t *trial) all(ctx context.Context) (err error) {
	if p := t.patient.install.Problem; p != nil && p.Code != "not_logged_in" {
		t.tell(failed(app.CheckStarts, problem(*p)))
		t.skip(app.Checks()[1:], t.find("before_failed"))
		return nil
	}
	if err := t.begin(ctx); err != nil {
		return errors.Join(err, t.end(ctx))
	}
	t.check(ctx)
	if err := t.end(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	return nil
}

// begin lays the folders and opens model and back end.
func (t *trial) begin(ctx context.Context) error {
	t.home = filepath.Join(t.d.cfg.Scratch, strings.ReplaceAll(t.patient.family(), ":", "-"))
	t.work = filepath.Join(t.home, "work")
	if err := os.RemoveAll(t.home); err != nil {
		return err
	}
	for _, dir := range []string{t.work, filepath.Join(t.home, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(t.work, givenFile), nil, 0o600); err != nil {
		return err
	}
	t.env = trialEnv(t.d.cfg.Env(ctx), t.home)
	if l, ok := t.patient.adapter.(agents.Local); ok {
		m, err := fakemodel.Start(nil)
		if err != nil {
			return err
		}
		local := l.AtModel(m.URL(), t.home)
		t.local, t.model = &local, newModel(m, local)
		t.env = append(t.env, local.Env...)
		for _, f := range local.Files {
			if err := writeFile(f); err != nil {
				return err
			}
		}
	}
	back, err := t.d.cfg.Open(ctx, filepath.Join(t.home, "parley"), Trial{
		Adapter: t.patient.adapter, Path: t.patient.install.Path, Env: t.env,
		Budget: func() time.Duration { return time.Duration(t.budget.Load()) },
	})
	if err != nil {
		return fmt.Errorf("open a back end: %w", err)
	}
	t.back = back
	// The look at the install is made before a session starts, as it usually is.
	if _, err := back.Client().Agents(ctx, false); err != nil {
		return err
	}
	t.events, err = follow(ctx, back.Client())
	return err
}

func writeFile(f agents.File) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.Path, f.Data, os.FileMode(max(f.Mode, 0o600)))
}

// kept are the variables that an agent under trial gets: what it needs to run,
// and nothing that says who the person is to a provider.
var kept = []string{
	"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SHELL", "USER", "LOGNAME", "TERM", "NO_COLOR",
	"LD_LIBRARY_PATH", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", // what the program may need to come up at all
	"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "windir",
}

func trialEnv(env []string, home string) []string {
	var out []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(kept, name) {
			out = append(out, kv)
		}
	}
	return append(out, "HOME="+home, "USERPROFILE="+home)
}

// end takes everything down and looks whether something is left. It is done in
// full also when the run was called off.
func (t *trial) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	t.trying(app.CheckLeft)
	var errs []error
	if t.back != nil {
		t.left.note(t.home)
		errs = append(errs, t.back.Close(ctx))
		if t.events != nil {
			t.events.close()
		}
		t.tell(t.leftBehind(ctx))
	}
	if t.model != nil {
		t.model.Close()
	}
	return errors.Join(append(errs, os.RemoveAll(t.home))...)
}

// check runs the checks on the agent.
func (t *trial) check(ctx context.Context) {
	if t.local == nil {
		t.tell(t.comesUp(ctx))
		checks := app.Checks()
		t.skip(checks[1:len(checks)-1], t.find("no_local_model"))
		return
	}
	for _, c := range []struct {
		check app.Check
		run   func(context.Context) app.CheckResult
	}{
		{app.CheckStarts, t.starts},
		{app.CheckTools, t.tools},
		{app.CheckApproval, t.approval},
		{app.CheckQuestion, t.question},
		{app.CheckCancel, t.cancel},
		{app.CheckResume, t.resume},
		{app.CheckWaits, t.waits},
	} {
		if ctx.Err() != nil {
			return
		}
		t.trying(c.check)
		r := c.run(ctx)
		r.Check = c.check
		if ctx.Err() != nil {
			return // what was cut short showed nothing
		}
		t.tell(r)
		t.left.note(t.home)
		if c.check == app.CheckStarts && r.State == app.CheckFailed {
			checks := app.Checks()
			t.skip(checks[1:len(checks)-1], t.find("before_failed"))
			return
		}
	}
}

// trying says what is under way, or with no argument what was.
func (t *trial) trying(now ...app.Check) (check app.Check) {
	t.d.change(t.patient.family(), func(a *app.DoctorAgent) {
		if len(now) > 0 {
			a.Trying = now[0]
		}
		check = a.Trying
	})
	if check == "" {
		return app.CheckStarts
	}
	return check
}

// tell adds a result.
func (t *trial) tell(r app.CheckResult) {
	t.d.change(t.patient.family(), func(a *app.DoctorAgent) { a.Checks = append(a.Checks, r) })
}

func (t *trial) skip(checks []app.Check, why *app.Finding) {
	for _, c := range checks {
		t.tell(app.CheckResult{Check: c, State: app.CheckNotTried, Finding: why})
	}
}

func (t *trial) client() *api.Client { return t.back.Client() }
