package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"parley/app"
)

// secrets lists, stores and forgets what agents need and nobody else may read.
func (p *program) secrets(ctx context.Context, args []string) (int, error) {
	sub := "list"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		sub, args = args[0], args[1:]
	}
	switch sub {
	case "list":
		return p.listSecrets(ctx, args)
	case "set", "remove":
		return p.changeSecret(ctx, sub, args)
	}
	return 0, usagef("parley secrets knows no %q.", sub)
}

func (p *program) listSecrets(ctx context.Context, args []string) (int, error) {
	fs := flags("secrets list")
	asJSON := fs.Bool("json", false, "")
	if err := none(fs, args); err != nil {
		return 0, err
	}
	return p.repeat(ctx, func(b *backend) (int, error) {
		list, err := b.ListSecrets(ctx)
		if err != nil {
			return 0, err
		}
		if *asJSON {
			return exitDone, p.line(list)
		}
		if len(list.Secrets) > 0 {
			w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "AGENT\tPROFILE\tNAME\tKEPT IN")
			for _, s := range list.Secrets {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", oneLine(s.Agent, 40), oneLine(s.Profile, 40), s.Name, placeWords(s.Place))
			}
			if err := w.Flush(); err != nil {
				return 0, err
			}
		}
		p.say("New ones are kept in %s.", placeWords(list.Place))
		return exitDone, nil
	})
}

func placeWords(place app.SecretPlace) string {
	if place == app.SecretInKeyring {
		return "the system's keyring"
	}
	return "a file that only you can read"
}

// changeSecret stores a value from standard input, where nobody sees it and no
// list of processes shows it, or forgets it.
func (p *program) changeSecret(ctx context.Context, sub string, args []string) (int, error) {
	fs := flags("secrets " + sub)
	ref := app.SecretRef{}
	fs.StringVar(&ref.Agent, "agent", "", "")
	fs.StringVar(&ref.Profile, "profile", "default", "")
	rest, err := parse(fs, args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 || ref.Agent == "" {
		return 0, usagef("parley secrets %s wants --agent NAME and the name of one variable.", sub)
	}
	ref.Name = rest[0]
	value := ""
	if sub == "set" {
		if value, err = p.secretValue(ref.Name); err != nil {
			return 0, err
		}
	}
	return p.repeat(ctx, func(b *backend) (int, error) {
		if sub == "remove" {
			return exitDone, b.RemoveSecret(ctx, ref)
		}
		s, err := b.SetSecret(ctx, ref, value)
		if err != nil {
			return 0, err
		}
		p.say("%s of %s (profile %s) is kept in %s.", s.Name, oneLine(s.Agent, 40), oneLine(s.Profile, 40), placeWords(s.Place))
		return exitDone, nil
	})
}

// secretValue reads a value: all of a pipe, or one line of a terminal.
func (p *program) secretValue(name string) (string, error) {
	if p.Terminal {
		p.say("Value of %s (it shows while you type; piping it in hides it):", plain(name))
		line, err := bufio.NewReader(p.In).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	const most = 64 << 10 // the back end takes less, and says how much
	data, err := io.ReadAll(io.LimitReader(p.In, most))
	return strings.TrimRight(string(data), "\r\n"), err
}
