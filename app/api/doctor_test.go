package api_test

import (
	"context"
	"slices"
	"testing"

	"parley/app"
	"parley/app/api"
)

// fakeDoctor notes who is to be tried.
type fakeDoctor struct{ tried [][]string }

func (f *fakeDoctor) Report(context.Context) (app.DoctorReport, error) {
	return app.DoctorReport{Running: len(f.tried) > 0, Agents: []app.DoctorAgent{}, Changed: []string{"claude"}}, nil
}

func (f *fakeDoctor) Start(ctx context.Context, families []string) (app.DoctorReport, error) {
	if len(f.tried) > 0 {
		return app.DoctorReport{}, app.Errorf(app.CodeAlreadyPending, "The doctor is at work already.")
	}
	f.tried = append(f.tried, families)
	return f.Report(ctx)
}

func (f *fakeDoctor) Stop(context.Context) error {
	f.tried = nil
	return nil
}

func TestDoctor(t *testing.T) {
	w := newWorld()
	conf := w.config(t)
	fake := &fakeDoctor{}
	conf.Doctor = fake
	c := api.Direct(api.Door(api.New(conf), app.ByCLI))
	if r, err := c.DoctorReport(t.Context()); err != nil || r.Running || !slices.Equal(r.Changed, []string{"claude"}) {
		t.Errorf("before: %+v, %v", r, err)
	}
	if r, err := c.StartDoctor(t.Context(), []string{"codex"}); err != nil || !r.Running || !slices.Equal(fake.tried[0], []string{"codex"}) {
		t.Errorf("started: %+v, %v", r, err)
	}
	if _, err := c.StartDoctor(t.Context(), nil); app.ErrorCode(err) != app.CodeAlreadyPending {
		t.Errorf("a second run: %v", err)
	}
	if r, err := c.StopDoctor(t.Context()); err != nil || r.Running {
		t.Errorf("stopped: %+v, %v", r, err)
	}
}
