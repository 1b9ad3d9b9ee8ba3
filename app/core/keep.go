package core

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/app"
)

// keepLook is how often is looked for what need not be kept any longer.
const keepLook = time.Hour

// keeper lets go of what the settings say need not be kept: at the start of the
// back end, every hour, and when the settings change. Nothing of the person's own
// folders is ever touched.
type keeper struct {
	records  keptRecords
	sessions interface {
		// Delete forgets a session with all that belongs to it.
		Delete(ctx context.Context, id app.SessionID) error
	}
	outputs interface {
		Prune(known func(app.SessionID) bool, before time.Time) error
	}
	logs     interface{ Keep(files int) error }
	settings interface {
		Subscribe() (now app.Settings, changes <-chan app.Settings, stop func())
	}
	now func() time.Time
	log *slog.Logger
}

// keptRecords is what the keeper needs of the store.
type keptRecords interface {
	Session(ctx context.Context, id app.SessionID) (app.Session, error)
	Sessions(ctx context.Context) ([]app.Session, error)
	Interactions(ctx context.Context, f app.InteractionFilter) ([]app.Interaction, error)
	Prune(backups int) error
}

// Serve implements suture.Service.
func (k *keeper) Serve(ctx context.Context) error {
	s, changes, stop := k.settings.Subscribe()
	defer stop()
	look := time.NewTicker(keepLook)
	defer look.Stop()
	for {
		if err := k.tidy(ctx, s); err != nil && ctx.Err() == nil {
			k.log.Warn("let go of what need not be kept", "error", err)
		}
		select {
		case s = <-changes:
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// String names the service in the log.
func (k *keeper) String() string { return "keeper" }

// tidy goes through everything once. One that can't be removed keeps nothing
// else from being.
func (k *keeper) tidy(ctx context.Context, s app.Settings) error {
	errs := []error{k.logs.Keep(s.KeepLogFiles), k.records.Prune(s.KeepBackups)}
	if s.KeepSessionDays > 0 {
		errs = append(errs, k.deleteOld(ctx, k.now().AddDate(0, 0, -s.KeepSessionDays).UnixMilli()))
	}
	var before time.Time
	if s.KeepOutputDays > 0 {
		before = k.now().AddDate(0, 0, -s.KeepOutputDays)
	}
	errs = append(errs, k.outputs.Prune(func(id app.SessionID) bool {
		_, err := k.records.Session(ctx, id)
		return app.ErrorCode(err) != app.CodeNotFound
	}, before))
	return errors.Join(errs...)
}

// deleteOld deletes the sessions in which nothing has happened since a time.
// What a person may still have to do with keeps its session.
func (k *keeper) deleteOld(ctx context.Context, since int64) error {
	list, err := k.records.Sessions(ctx)
	if err != nil {
		return err
	}
	moved, err := k.records.Interactions(ctx, app.InteractionFilter{State: app.InteractionsMovedOn})
	if err != nil {
		return err
	}
	needed := map[app.SessionID]bool{}
	for _, in := range moved {
		needed[in.SessionID] = true
	}
	var errs []error
	for _, s := range list {
		if s.UpdatedAt >= since || s.State != app.StateIdle || s.Live || s.WaitingFor > 0 || len(s.Queued) > 0 || needed[s.ID] {
			continue
		}
		k.log.Info("delete a session that is no longer kept", "session", s.ID, "last", time.UnixMilli(s.UpdatedAt).UTC().Format(time.DateOnly))
		errs = append(errs, k.sessions.Delete(ctx, s.ID))
	}
	return errors.Join(errs...)
}
