package core

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"parley/agents"
	"parley/app"
	"parley/app/api"
	"parley/app/doctor"
	"parley/app/paths"
	"parley/app/session"
	"parley/mcp"
	"parley/mcp/catalogue"
)

// newDoctor makes the doctor of this back end.
func (a *App) newDoctor(known *families, found *installs, limits func() mcp.Limits) *doctor.Doctor {
	return doctor.New(doctor.Config{
		Adapters: func() []agents.Adapter {
			all, _ := known.now()
			return all
		},
		Install: found.Install, Env: found.Env,
		Usual: func(ctx context.Context, f agents.Family) doctor.Usual { return a.usual(ctx, f, limits()) },
		Open:  a.openTrial, Scratch: a.cfg.Dirs.Trials(), File: a.cfg.Dirs.Doctor(), Now: a.cfg.Now, Log: a.log,
	})
}

// usual is what the person's agents of a family get, as the override file says.
func (a *App) usual(ctx context.Context, f agents.Family, limits mcp.Limits) doctor.Usual {
	u := doctor.Usual{Limits: limits}
	e, err := a.servers.Effective(ctx, string(f), "", "")
	if err != nil {
		a.log.Warn("look at the overrides", "family", f, "error", err)
		return u
	}
	for _, s := range e.Servers {
		if s.Name != mcp.InteractionServer {
			continue
		}
		u.Off = s.State != string(catalogue.StateOn)
		for _, set := range s.Settings {
			var text string
			switch {
			case set.Field == catalogue.FieldEnabled && u.Off:
				u.Line = set.Line
			case set.Field == catalogue.FieldTimeout && json.Unmarshal([]byte(set.Value), &text) == nil:
				// Only one that is shorter than what the CLI is given anyway.
				if budget, err := time.ParseDuration(text); err == nil && limits.Within(budget) != limits {
					u.Limits = limits.Within(budget)
					if !u.Off {
						u.Line = set.Line
					}
				}
			}
		}
	}
	return u
}

// trialBackend is a back end that tries an agent.
type trialBackend struct{ *App }

// Runs implements doctor.Backend.
func (b trialBackend) Runs() string { return b.cfg.Dirs.Runs() }

// openTrial opens a back end that tries one agent in a home of its own.
func (a *App) openTrial(ctx context.Context, home string, t doctor.Trial) (doctor.Backend, error) {
	dirs, err := paths.Resolve(func(name string) string {
		if name == paths.EnvHome {
			return home
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	b, err := Open(ctx, Config{Dirs: dirs, Version: a.cfg.Version, Now: a.cfg.Now, Getenv: a.cfg.Getenv, Trial: &t})
	if err != nil {
		return nil, err
	}
	return trialBackend{b}, nil
}

// endTrials ends the processes that trials left in a crash. Their folders go once
// the doctor comes up.
func (a *App) endTrials() error {
	left, err := filepath.Glob(filepath.Join(a.cfg.Dirs.Trials(), "*", "parley"))
	if err != nil {
		return err
	}
	for _, home := range left {
		if info, err := os.Stat(home); err != nil || !info.IsDir() {
			continue
		}
		dirs, err := paths.Resolve(func(string) string { return home })
		if err != nil {
			return err
		}
		if err := session.EndLeft(dirs.Launches(), a.log); err != nil {
			return err
		}
	}
	return nil
}

// reporter is the doctor with the installs, which know what has changed since.
type reporter struct {
	*doctor.Doctor
	found *installs
}

// Report implements api.Doctor. It does not look for agents anew.
func (r reporter) Report(ctx context.Context) (app.DoctorReport, error) {
	report := r.Doctor.Report()
	if len(report.Agents) == 0 {
		return report, nil
	}
	list, err := r.found.Agents(ctx, false)
	if err != nil {
		return report, err
	}
	installed := map[string]api.Agent{}
	for _, a := range list.Agents {
		installed[a.Family] = a
	}
	for _, tried := range report.Agents {
		if now := installed[tried.Family]; tried.State == app.DoctorDone && now.Version != "" && now.Version != tried.Version {
			report.Changed = append(report.Changed, tried.Family)
		}
	}
	return report, nil
}
