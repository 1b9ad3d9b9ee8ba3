package core

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"parley/agents/proc"
	"parley/agents/registry"
	"parley/app"
	"parley/app/api"
	"parley/app/bus"
	"parley/app/childapi"
	"parley/app/gateway"
	"parley/app/output"
	"parley/app/pictures"
	"parley/app/plan"
	"parley/app/question"
	"parley/app/secrets"
	"parley/app/servers"
	"parley/app/session"
	"parley/app/settings"
	"parley/app/store"
	"parley/app/workspace"
	"parley/mcp/bridge"
)

// open builds everything in order. What fails leaves to Close what was opened.
func (a *App) open(ctx context.Context) error {
	dirs := a.cfg.Dirs
	unlock, err := lockFile(dirs.Lock())
	if err != nil {
		return err
	}
	a.closing(func(context.Context) error { return unlock() })
	if err := a.openLog(); err != nil {
		return err
	}
	events := bus.New(0)
	db, err := a.openRecord(ctx, events)
	if err != nil {
		return err
	}
	if err := a.endLeft(); err != nil {
		return err
	}
	prefs, err := settings.Open(dirs.Settings())
	if err != nil {
		return err
	}
	if err := a.logs.Keep(prefs.Get().KeepLogFiles); err != nil {
		a.log.Warn("keep fewer logs", "error", err)
	}
	if problem := prefs.Problem(); problem != nil {
		a.log.Warn("read the settings", "error", problem)
		a.problems = append(a.problems, app.ErrorMessage(problem))
	}
	bin, err := findPrograms(a.cfg.Getenv)
	if err != nil {
		return err
	}
	known := &families{
		programs: registry.Programs{Parley: bin.parley, Version: a.cfg.Version, State: dirs.State},
		own:      func() []app.ACPAgent { return prefs.Get().ACPAgents },
	}
	if a.cfg.Trial != nil {
		known.only = a.cfg.Trial.Adapter
	}
	found := newInstalls(known, bin.shim, a.cfg.Now, a.cfg.Trial)

	keys, err := secrets.Open(secrets.Config{Path: dirs.Secrets(), Getenv: a.cfg.Getenv, Now: a.cfg.Now})
	if err != nil {
		a.log.Warn("open the secrets", "error", err)
		a.problems = append(a.problems, app.ErrorMessage(err))
	}

	pasted := pictures.New(dirs.Pictures())
	outputs := output.New(dirs.Outputs())

	desk := question.New(question.Config{
		Records: db, Limits: prefs.Limits, Now: a.cfg.Now, Log: a.log,
		Late: func(ctx context.Context, in app.Interaction, ans app.Answer) (app.TurnID, error) {
			return a.sessions.SendLate(ctx, in, ans)
		},
		FormSettled: func(ctx context.Context, in app.Interaction) { a.sessions.FormSettled(ctx, in) },
	})
	if err := a.openServers(bin, servers.Config{
		Agents: known.names, Limits: prefs.Limits, Env: found.Env, Secret: secretsOf(keys, err),
		LeaveOut: func(agent string) bool { return slices.Contains(prefs.Get().LeaveOutOwn, agent) },
	}); err != nil {
		return err
	}
	a.sessions, err = session.New(session.Config{
		Records: db, Desk: desk, Plans: plan.New(db), Bus: events, Adapter: known.adapter,
		Install: found.Install, Env: found.Env, Secret: secretsOf(keys, err), Profile: a.profileEnvironment(secretsOf(keys, err)), Defaults: a.profileDefaults, Servers: a.handed, Limits: prefs.Limits, Branch: workspace.Branch,
		Scratch:  func(now time.Time) (string, error) { return workspace.Scratch(dirs.Scratch(), now) },
		Pictures: pasted,
		Outputs:  outputs,
		RunDir:   dirs.Runs(), Launches: dirs.Launches(), Socket: dirs.Socket(), MCP: bin.mcp, Shim: bin.shim,
		Root: os.Geteuid() == 0, Secrets: &a.secrets, Now: a.cfg.Now, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.doctor = a.newDoctor(known, found, prefs.Limits)
	a.openProfiles(keys)
	conf := api.Config{
		Doctor: reporter{a.doctor, found},
		Gate:   a.gate, Sessions: a.sessions, Desk: desk, Records: db, Agents: found, Settings: prefs, Pictures: pasted, Outputs: outputs,
		Subscribe: func(snapshot func() (app.Snapshot, error)) (app.Snapshot, api.Subscription, error) {
			return events.Subscribe(snapshot)
		},
		MCP: a.servers, Profiles: a.profiles, Branch: workspace.Branch, Environ: found.Env, About: a.about(), Now: a.cfg.Now, Log: a.log,
	}
	if keys != nil {
		conf.Secrets = keys
	}
	if a.cfg.Page != nil && !a.cfg.Private {
		a.gateway = gateway.New(gateway.Config{Page: a.cfg.Page, Now: a.cfg.Now, Log: a.log})
		conf.Gateway = a.gateway
	}
	a.api = api.New(conf)
	if !a.cfg.Private {
		if err := a.serve(childapi.Config{
			Service: a.sessions, API: api.SocketDoor(a.api), Ancestors: proc.Ancestors, Log: a.log,
			Refused: refusals(a.sessions, a.log), Outdated: outdated(a.sessions, a.log),
		}, &keeper{
			records: db, sessions: a.sessions, outputs: outputs, logs: a.logs, settings: prefs, now: a.cfg.Now, log: a.log,
		}, a.questionCommand(prefs, found.Env, db, events, bin.shim),
			&fileTeller{file: a.overrides, events: events, now: a.cfg.Now}); err != nil {
			return err
		}
	}
	// What goes before the socket, since it is said over the socket.
	a.closing(func(context.Context) error {
		events.Close()
		if a.gateway != nil {
			a.gateway.Close()
		}
		return nil
	})
	a.closing(func(ctx context.Context) error { return desk.CancelAll(ctx, app.CauseQuit) })
	a.closing(a.sessions.Shutdown)
	a.closing(a.doctor.Close)
	a.closing(a.refuse)
	return nil
}

// refuseLimit is how long calls under way may take to end by themselves.
const refuseLimit = 3 * time.Second

// refuse lets no call in any more and has those under way end.
func (a *App) refuse(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refuseLimit)
	defer cancel()
	if !a.gate.Shut(ctx) {
		a.log.Warn("calls were cut short", "after", refuseLimit)
		a.gate.Cut()
	}
	return nil
}

func (a *App) openLog() error {
	file, err := openLog(a.cfg.Dirs.Log())
	if err != nil {
		return err
	}
	a.logs = file
	a.closing(func(context.Context) error { return file.Close() })
	var also slog.Handler
	if a.cfg.Log != nil {
		also = a.cfg.Log.Handler()
	}
	a.log = newLog(file, also, &a.secrets)
	a.log.Info("start", "version", a.cfg.Version, "pid", os.Getpid(), "data", a.cfg.Dirs.Data)
	return nil
}

// openRecord opens the store and settles what an unclean end left in it.
func (a *App) openRecord(ctx context.Context, events *bus.Bus) (*store.DB, error) {
	db, err := store.Open(ctx, store.Config{
		Path: a.cfg.Dirs.Database(), Now: a.cfg.Now, Committed: events.PublishAll, Log: a.log, Version: a.cfg.Version,
	})
	if err != nil {
		return nil, err
	}
	a.closing(func(context.Context) error { return db.Close() })
	if aside := db.KeptAside(); aside != "" {
		a.problems = append(a.problems, "Parley's record was damaged. It is kept at "+aside+", and a new one was begun: earlier sessions are not shown.")
	}
	if log := db.KeptLog(); log != "" {
		a.problems = append(a.problems, "The log of writes beside Parley's record was damaged, so the last entries before the end of the last run may be missing. A copy of it is kept at "+log+".")
	}
	return db, db.Recover(ctx)
}

// endLeft ends the processes that a crash left, and removes the files that
// their launches wrote: the tokens in them are void.
func (a *App) endLeft() error {
	if err := session.EndLeft(a.cfg.Dirs.Launches(), a.log); err != nil {
		return err
	}
	if err := a.endTrials(); err != nil {
		return err
	}
	if err := os.RemoveAll(a.cfg.Dirs.Runs()); err != nil {
		return fmt.Errorf("clear the run folder: %w", err)
	}
	return nil
}

func (a *App) about() api.About {
	home, err := os.UserHomeDir()
	if err != nil {
		a.log.Debug("no home folder, so paths are shown whole", "error", err)
	}
	return api.About{
		Version: a.cfg.Version, Home: home, DataDir: a.cfg.Dirs.Data, Platform: runtime.GOOS, Root: os.Geteuid() == 0,
		Problems: a.problems,
	}
}

// maxRefusals is how many refused calls of one agent its record tells of. The
// log has all of them.
const maxRefusals = 10

// refusals records in a session that its agent tried to use the API.
func refusals(sessions *session.Manager, log *slog.Logger) func(childapi.Refusal) {
	var mu sync.Mutex // guards told
	told := map[app.SessionID]int{}
	return func(r childapi.Refusal) {
		id, ok := sessions.SessionOf(r.Chain)
		if !ok {
			return // of another user, or of an agent that has gone; the log has it
		}
		mu.Lock()
		told[id]++
		n := told[id]
		mu.Unlock()
		if n > maxRefusals {
			return
		}
		notice := app.Notice{
			Level: app.LevelWarning, Code: "api_refused",
			Text:   "The agent tried to use Parley's own interface (" + r.Path + ") and was refused.",
			Advice: "Only you can answer, start or change anything in Parley.",
		}
		if n == maxRefusals {
			notice.Advice += " Further attempts stand in the log alone."
		}
		if err := sessions.Tell(context.Background(), id, notice); err != nil {
			log.Warn("record a refusal", "error", err)
		}
	}
}

// secretsOf adds an agent's secrets to its environment. With a list that can't be
// used no agent starts: it would run as somebody else, or not at all.
func secretsOf(keys *secrets.Store, broken error) func(context.Context, string, string) ([]string, error) {
	if keys == nil {
		return func(context.Context, string, string) ([]string, error) { return nil, broken }
	}
	return keys.Environment
}

// outdated tells a session that its agent runs with an older parley-mcp.
func outdated(sessions *session.Manager, log *slog.Logger) func(app.Launch, bridge.HelloRequest) {
	return func(l app.Launch, h bridge.HelloRequest) {
		err := sessions.Tell(context.Background(), l.SessionID, app.Notice{
			Level: app.LevelWarning, Code: string(app.CodeVersionMismatch),
			Text:   "Parley was updated while this agent ran, so it cannot ask you any more (its part is of version " + h.Version + ").",
			Advice: "Restart this agent: close the session and open it again.",
		})
		if err != nil {
			log.Warn("record an outdated agent", "error", err)
		}
	}
}
