package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"parley/app"
	"parley/app/api"
	"parley/app/host"
)

// run runs one turn of a new session in the terminal.
func (p *program) run(ctx context.Context, args []string) (int, error) {
	var n api.NewSession
	fs := flags("run")
	fs.StringVar(&n.Agent, "agent", "", "")
	fs.StringVar(&n.Cwd, "cwd", "", "")
	fs.StringVar(&n.Model, "model", "", "")
	fs.StringVar(&n.Effort, "effort", "", "")
	fs.StringVar(&n.Mode, "mode", "", "")
	fs.StringVar(&n.Profile, "profile", "", "")
	fs.StringVar(&n.Title, "title", "", "")
	fs.BoolVar(&n.Fast, "fast", false, "")
	asJSON := fs.Bool("json", false, "")
	words, err := parse(fs, args)
	if err != nil {
		return 0, err
	}
	if n.Prompt, err = p.prompt(words); err != nil {
		return 0, err
	}
	return p.repeat(ctx, func(b *backend) (int, error) {
		if err := p.complete(ctx, b, &n); err != nil {
			return 0, err
		}
		return p.talk(b, *asJSON).follow(ctx, func(ctx context.Context) (app.SessionID, app.TurnID, error) {
			s, err := b.CreateSession(ctx, n)
			if err == nil && !*asJSON {
				p.say("%s in %s (session %s)", oneLine(s.Agent, 40), oneLine(s.Cwd, 400), shortID(s.ID))
			}
			return s.ID, "", err
		})
	})
}

// talk prints for programs or for people. Questions are asked here when
// somebody sits here and reads.
func (p *program) talk(b *backend, asJSON bool) *talk {
	ask := p.newAsker(p.Terminal && !asJSON)
	if asJSON {
		return &talk{p: p, c: b, show: p.envelopes, ask: ask}
	}
	return &talk{p: p, c: b, show: p.pretty(ask).show, ask: ask}
}

// prompt joins the words; "-" is read from standard input.
func (p *program) prompt(words []string) (string, error) {
	text := strings.Join(words, " ")
	if text == "-" {
		all, err := io.ReadAll(p.In)
		if err != nil {
			return "", err
		}
		text = string(all)
		p.Terminal = false // nothing is left to type
	}
	if strings.TrimSpace(text) == "" {
		return "", usagef("parley run wants a prompt.")
	}
	return text, nil
}

// complete fills in what was not said: the agent of the settings, the folder
// that the person is in, the variables that the back end lacks.
func (p *program) complete(ctx context.Context, b *backend, n *api.NewSession) error {
	if n.Agent == "" {
		set, err := b.Settings(ctx)
		if err != nil {
			return err
		}
		if n.Agent = set.DefaultAgent; n.Agent == "" {
			return usagef("Say which agent: --agent NAME. parley agents lists them.")
		}
	}
	if n.Cwd != "" || n.Agent != "demo" { // the demo agent makes a folder of its own
		cwd, err := filepath.Abs(n.Cwd)
		if err != nil {
			return err
		}
		n.Cwd = cwd
	}
	env, err := b.Environment(ctx)
	if err != nil {
		return err
	}
	n.Env = env.Diff(host.Own(p.Env))
	return nil
}
