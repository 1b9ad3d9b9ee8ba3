package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"parley/app"
	"parley/app/api"
	"parley/app/paths"
)

// serve has the page served to browsers until the person has enough.
func (p *program) serve(ctx context.Context, args []string) (int, error) {
	var r api.ServeRequest
	fs := flags("serve")
	fs.StringVar(&r.Listen, "listen", "", "")
	fs.Var((*texts)(&r.AllowHosts), "allow-host", "")
	rest, err := parse(fs, args)
	switch {
	case err != nil:
		return 0, err
	case len(rest) == 1 && rest[0] == "link" && r.Listen == "" && r.AllowHosts == nil:
		return p.link(ctx)
	case len(rest) > 0:
		return 0, usagef("parley serve doesn't know what %q means.", rest[0])
	}
	return p.with(ctx, func(b *backend) (int, error) {
		var failed error
		err := b.Serve(ctx, r, func(reply api.ServeReply) { failed = p.served(reply) })
		if errors.Is(err, errInterrupted) {
			err = nil
		}
		return exitDone, errors.Join(err, failed)
	})
}

// served tells where the page is and how to get there. The link goes to
// standard output.
func (p *program) served(r api.ServeReply) error {
	p.say("Parley is served at %s until Ctrl-C.", r.URL)
	p.say("This link lets one browser in, once, within five minutes:")
	if _, err := fmt.Fprintln(p.Out, r.Link); err != nil {
		return err
	}
	if at, err := url.Parse(r.URL); err == nil {
		p.say("From another computer: ssh -L %s:%s THIS-COMPUTER, and open the link there.", at.Port(), at.Host)
	}
	p.say("One more link: parley serve link")
	return nil
}

// link prints one more link to what is served. It needs the back end that
// serves, so it never starts one.
func (p *program) link(ctx context.Context) (int, error) {
	dirs, err := paths.Resolve(p.getenv)
	if err != nil {
		return 0, err
	}
	reply, err := api.Dial(dirs.Socket()).Link(ctx)
	if app.ErrorCode(err) == app.CodeUnavailable {
		return 0, app.Errorf(app.CodeNotFound, "The page is not served. Start it with: parley serve")
	}
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintln(p.Out, reply.Link)
	return exitDone, err
}
