package core

import (
	"context"

	"parley/agents/proc"
	"parley/app"
	"parley/app/bus"
	"parley/app/hook"
	"parley/app/paths"
	"parley/app/settings"
	"parley/app/store"
)

// questionCommand is the service that runs the person's command for questions.
// It gets their environment and where Parley lives, and nothing that opens
// Parley to it: like all that Parley starts, it may not answer.
func (a *App) questionCommand(prefs *settings.File, env func(context.Context) []string, db *store.DB, events *bus.Bus, shim string) *hook.Command {
	return hook.New(hook.Config{
		Command: func() []string { return prefs.Get().QuestionCommand },
		Env: func(ctx context.Context) []string {
			vars := env(ctx)
			if home := a.cfg.Getenv(paths.EnvHome); home != "" {
				vars = append(vars[:len(vars):len(vars)], paths.EnvHome+"="+home)
			}
			return vars
		},
		Run: func(ctx context.Context, argv, env []string, input []byte) ([]byte, []byte, int, error) {
			return proc.Runner{Shim: shim, Input: input}.Run(ctx, argv, env)
		},
		Record: db.Interaction,
		Subscribe: func() (hook.Events, error) {
			_, s, err := events.Subscribe(func() (app.Snapshot, error) { return db.Snapshot(context.Background()) })
			return s, err
		},
		Log: a.log,
	})
}
