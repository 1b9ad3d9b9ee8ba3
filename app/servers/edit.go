package servers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"

	"parley/app"
	"parley/mcp"
	"parley/mcp/catalogue"
	"parley/mcp/override"
)

// Edit changes the override file. A change that could never be in force is
// refused (app.CodeInvalidArgument); so is any while the file is broken.
// app.CodeChangedMeanwhile: the file is not the one that e.Revision names.
func (s *Servers) Edit(ctx context.Context, e app.MCPEdit) (app.MCPFile, error) {
	if e.Agent == "" {
		e.Agent = catalogue.Any
	}
	switch e.Profile {
	case "", catalogue.Any:
		e.Profile = catalogue.Any
	default:
		if err := app.CheckProfile(e.Profile); err != nil {
			return app.MCPFile{}, err
		}
	}
	return s.rewrite(ctx, e.Revision, func(config catalogue.Config, text []byte) ([]byte, error) {
		changes, err := changesOf(config, e)
		if err != nil {
			return nil, err
		}
		next, err := override.Apply(text, changes...)
		if err != nil || e.Enabled == nil || !*e.Enabled || e.Server {
			return next, err
		}
		return s.switchOn(next, e)
	})
}

// rewrite makes a new text from the present one and refuses one that says what
// cannot be.
func (s *Servers) rewrite(ctx context.Context, base string, f func(catalogue.Config, []byte) ([]byte, error)) (app.MCPFile, error) {
	st := s.cfg.File.State()
	for {
		text := st.Text
		if text == nil {
			text = []byte(override.Empty)
		}
		if base != "" && base != st.Revision {
			return app.MCPFile{}, coded(override.ErrChanged)
		}
		config, err := override.Parse(text)
		if err != nil {
			return app.MCPFile{}, coded(err)
		}
		next, err := f(config, text)
		if err != nil {
			return app.MCPFile{}, coded(err)
		}
		after, err := override.Parse(next)
		if err != nil {
			return app.MCPFile{}, coded(err)
		}
		if p, ok := newProblem(catalogue.Check(config, s.known()), catalogue.Check(after, s.known())); ok {
			return app.MCPFile{}, &app.Error{Code: app.CodeInvalidArgument, Message: p.Text, Field: p.Path}
		}
		if string(next) == string(st.Text) {
			return s.fileOf(st), nil
		}
		st, err = s.cfg.File.Replace(ctx, st.Revision, next)
		if errors.Is(err, override.ErrChanged) && base == "" && ctx.Err() == nil {
			continue // the state is the new one now
		}
		if err != nil {
			return app.MCPFile{}, coded(err)
		}
		return s.fileOf(st), nil
	}
}

// newProblem is the first problem that was not there before.
func newProblem(before, after []catalogue.Problem) (catalogue.Problem, bool) {
	for _, p := range after {
		if !slices.ContainsFunc(before, func(q catalogue.Problem) bool { return q.Path == p.Path && q.Text == p.Text }) {
			return p, true
		}
	}
	return catalogue.Problem{}, false
}

// changesOf turns an edit into changes of the file.
func changesOf(config catalogue.Config, e app.MCPEdit) ([]override.Change, error) {
	if e.Name == "" {
		return nil, &app.Error{Code: app.CodeInvalidArgument, Field: "name", Message: "Which server?"}
	}
	entry := []string{"overrides", e.Agent, e.Profile, e.Name}
	if e.Server {
		entry = []string{"servers", e.Name}
	}
	if e.Remove {
		changes := []override.Change{override.Remove(entry...)}
		if !e.Server {
			return append(changes, override.Exclude(e.Name, "disabled", e.Agent, e.Profile)), nil
		}
		// What was said of it elsewhere would speak of nothing.
		for _, r := range config.Rules {
			if r.Name == e.Name {
				changes = append(changes, override.Remove("overrides", r.Agent, r.Profile, r.Name))
			}
		}
		for _, d := range config.Switches {
			if d.Name == e.Name {
				changes = append(changes, override.Exclude(d.Name, "disabled", d.Agent, d.Profile))
			}
		}
		return changes, nil
	}
	var changes []override.Change
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		table, row, isRow := strings.Cut(field, ".")
		path := append(slices.Clone(entry), table)
		if isRow {
			path = append(path, row)
		}
		if value := e.Fields[field]; value == "" {
			changes = append(changes, override.Remove(path...))
		} else {
			changes = append(changes, override.Set(value, path...))
		}
	}
	switch {
	case e.Enabled == nil:
	case e.Server && *e.Enabled:
		changes = append(changes, override.Remove("servers", e.Name, catalogue.FieldEnabled))
	case e.Server:
		changes = append(changes, override.Set("false", "servers", e.Name, catalogue.FieldEnabled))
	case *e.Enabled:
		changes = append(changes, override.Exclude(e.Name, "disabled", e.Agent, e.Profile))
	default:
		changes = append(changes, override.Include(e.Name, "disabled", e.Agent, e.Profile))
	}
	return changes, nil
}

// switchOn says "enabled": true where taking a server off a list did not suffice.
func (s *Servers) switchOn(text []byte, e app.MCPEdit) ([]byte, error) {
	config, err := override.Parse(text)
	if err != nil {
		return nil, err
	}
	limits := s.cfg.Limits()
	merged := catalogue.Merge(catalogue.Input{
		Config: config, Agent: e.Agent, Profile: e.Profile, Known: s.known(), Limits: limits,
		Managed: []mcp.Spec{mcp.Interaction(s.cfg.MCP, "", true, false, limits)},
	})
	for _, server := range merged.Servers {
		if server.Name == e.Name && server.State == catalogue.StateOff {
			return override.Apply(text, override.Set("true", "overrides", e.Agent, e.Profile, e.Name, catalogue.FieldEnabled))
		}
	}
	return text, nil
}

// Replace gives the file a new text, as the editor of the page does.
func (s *Servers) Replace(ctx context.Context, revision, text string) (app.MCPFile, error) {
	st, err := s.cfg.File.Replace(ctx, revision, []byte(text))
	if err != nil {
		return app.MCPFile{}, coded(err)
	}
	return s.fileOf(st), nil
}

// Check says what is wrong with a text before it is saved.
func (s *Servers) Check(text string) []app.MCPProblem {
	config, err := override.Parse([]byte(text))
	if bad, ok := errors.AsType[*override.Invalid](err); ok {
		return problems(bad.Problems)
	}
	return problems(catalogue.Check(config, s.known()))
}

// Undo takes the newest change of ours back. app.CodeNotFound: there is none.
func (s *Servers) Undo(ctx context.Context) (app.MCPFile, error) {
	st, err := s.cfg.File.Undo(ctx)
	if err != nil {
		return app.MCPFile{}, coded(err)
	}
	return s.fileOf(st), nil
}

// Restore puts the last good text in place of a broken one, and tells where the
// broken one is kept.
func (s *Servers) Restore(ctx context.Context, revision string) (app.MCPFile, string, error) {
	st, aside, err := s.cfg.File.Restore(ctx, revision)
	if err != nil {
		return app.MCPFile{}, "", coded(err)
	}
	return s.fileOf(st), aside, nil
}

// coded gives an error of the file the code and the sentence for a person.
func coded(err error) error {
	if _, ok := errors.AsType[*app.Error](err); ok {
		return err
	}
	if bad, ok := errors.AsType[*override.Invalid](err); ok {
		p := bad.Problems[0]
		return &app.Error{Code: app.CodeInvalidArgument, Field: p.Path, Err: err,
			Message: fmt.Sprintf("Line %d, column %d: %s", p.Line, p.Column, p.Text)}
	}
	switch {
	case errors.Is(err, override.ErrChanged):
		return &app.Error{Code: app.CodeChangedMeanwhile, Message: "The file was changed meanwhile. Look at it again; nothing was written.", Err: err}
	case errors.Is(err, override.ErrReadOnly):
		return &app.Error{Code: app.CodeStorageFailed, Message: "The file is read-only, so it was left as it is. Change it where it comes from, or allow writing.", Err: err}
	case errors.Is(err, override.ErrNothingToUndo):
		return &app.Error{Code: app.CodeNotFound, Message: "There is no change of Parley's to take back.", Err: err}
	case errors.Is(err, override.ErrNoLastGood):
		return &app.Error{Code: app.CodeNotFound, Message: "No good state of the file is known.", Err: err}
	case errors.Is(err, syscall.ENOSPC):
		return &app.Error{Code: app.CodeStorageFailed, Message: "The disk is full. The file is as it was.", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &app.Error{Code: app.CodeStorageFailed, Message: "Writing beside the file is not allowed, so it was left as it is: " + reason(err) + ".", Err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &app.Error{Code: app.CodeStorageFailed, Message: "The file could not be changed: " + reason(err) + ".", Err: err}
}

func reason(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Path + ": " + path.Err.Error()
	}
	return err.Error()
}
