package session

import (
	"context"

	"parley/app"
)

// Profiles counts the sessions of each profile.
func (m *Manager) Profiles(ctx context.Context) (map[string]int, error) {
	all, err := m.cfg.Records.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, s := range all {
		out[s.Profile]++
	}
	return out, nil
}

// RenameProfile gives the sessions of one profile another. An agent that runs was
// started and let in under its name, so with one of them running nothing is
// changed (app.CodeSessionBusy).
func (m *Manager) RenameProfile(ctx context.Context, from, to string) error {
	all, err := m.cfg.Records.Sessions(ctx)
	if err != nil {
		return err
	}
	var done []app.SessionID
	for _, s := range all {
		if s.Profile != from {
			continue
		}
		if err = m.setProfile(ctx, s.ID, to); err != nil && app.ErrorCode(err) != app.CodeNotFound {
			break
		}
		err = nil
		done = append(done, s.ID)
	}
	if err == nil {
		return nil
	}
	for _, id := range done {
		if back := m.setProfile(context.WithoutCancel(ctx), id, from); back != nil {
			m.cfg.Log.Warn("give a session its profile back", "session", id, "error", back)
		}
	}
	return err
}

func (m *Manager) setProfile(ctx context.Context, id app.SessionID, profile string) error {
	_, err := on(ctx, m, id, func(a *actor) (struct{}, error) {
		if a.live != nil || a.turn != nil {
			return struct{}{}, app.Errorf(app.CodeSessionBusy, "The agent of “%s” runs with this profile. Close that session first.", a.session.Title)
		}
		row, err := m.cfg.Records.UpdateSession(a.ctx, id, func(s *app.Session) { s.Profile = profile })
		if err == nil {
			a.session = row
		}
		return struct{}{}, err
	})
	return err
}
