package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"parley/app"
	"parley/app/api"
)

// answered is what `parley answer` prints when it came second.
type answered struct {
	Accepted bool         `json:"accepted"` // always false
	Outcome  *app.Outcome `json:"outcome,omitempty"`
	Late     *app.Late    `json:"late_answer,omitempty"`
}

// answer answers one interaction of any kind.
func (p *program) answer(ctx context.Context, args []string) (int, error) {
	var s said
	fs := flags("answer")
	fs.Var(&s.choose, "choose", "")
	fs.Var(&s.set, "set", "")
	fs.StringVar(&s.text, "text", "", "")
	fs.StringVar(&s.allow, "allow", "", "")
	fs.BoolVar(&s.deny, "deny", false, "")
	fs.BoolVar(&s.decline, "decline", false, "")
	fs.BoolVar(&s.dismiss, "dismiss", false, "")
	fs.StringVar(&s.reason, "reason", "", "")
	rest, err := parse(fs, args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, usagef("parley answer wants the id of one question.")
	}
	return p.repeat(ctx, func(b *backend) (int, error) {
		in, err := findInteraction(ctx, b, rest[0])
		if app.ErrorCode(err) == app.CodeNotFound {
			p.say("%s", plain(app.ErrorMessage(err)))
			return exitUnknown, nil
		} else if err != nil {
			return 0, err
		}
		a, err := s.answer(in)
		if err != nil {
			return 0, err
		}
		return p.deliver(ctx, b, in, a)
	})
}

// deliver sends the answer. With a back end of this process it stays until the
// agent has done with it: there is nobody else to do that.
func (p *program) deliver(ctx context.Context, b *backend, in app.Interaction, a app.Answer) (int, error) {
	var reply app.Reply
	send := func(ctx context.Context) (app.SessionID, app.TurnID, error) {
		var err error
		if reply, err = b.Answer(ctx, a); err != nil {
			return "", "", err
		}
		p.accepted(reply)
		return in.SessionID, reply.TurnID, p.line(reply)
	}
	var err error
	goesOn := a.Status == app.StatusAnswered && (in.Kind == app.KindForm || in.TakesLate()) ||
		in.Kind == app.KindForm && a.Message != ""
	if b.attached() || !goesOn {
		_, _, err = send(ctx)
	} else {
		quiet := Stdio{Out: p.Err, Err: p.Err, Interrupts: p.Interrupts} // standard output is the reply's
		ask := p.newAsker(false)
		t := &talk{p: p, c: b, show: (&program{Stdio: quiet}).pretty(ask).show, ask: ask}
		_, err = t.follow(ctx, send)
	}
	if taken, ok := errors.AsType[*api.Resolved](err); ok {
		p.say("%s", settledBefore(taken))
		return exitResolved, p.line(answered{Outcome: taken.Outcome, Late: taken.Late})
	}
	if app.ErrorCode(err) == app.CodeNotFound {
		p.say("%s", plain(app.ErrorMessage(err)))
		return exitUnknown, nil
	}
	return exitDone, err
}

func (p *program) accepted(r app.Reply) {
	if r.Late {
		p.say("Accepted. The agent had gone on; it gets this as its next message.")
	} else {
		p.say("Accepted.")
	}
}

// shortest is the least part of an id that names it.
const shortest = 4

// findInteraction finds a question by its id, by the beginning or end of it, or by
// the beginning of what lists show of it.
// The ends tell ids apart: beginnings are times.
func findInteraction(ctx context.Context, b *backend, part string) (app.Interaction, error) {
	list, err := b.Interactions(ctx, app.InteractionFilter{State: app.InteractionsAll})
	if err != nil {
		return app.Interaction{}, err
	}
	return find(list, part, "question", func(in app.Interaction) string { return in.ID })
}

func find[T any](list []T, part, noun string, id func(T) string) (found T, err error) {
	fits := func(x T) bool {
		return id(x) == part || len(part) >= shortest &&
			(strings.HasPrefix(id(x), part) || strings.HasSuffix(id(x), part) || strings.HasPrefix(shortID(id(x)), part))
	}
	i := slices.IndexFunc(list, fits)
	if i < 0 {
		return found, app.Errorf(app.CodeNotFound, "There is no %s %s.", noun, part)
	}
	if slices.ContainsFunc(list[i+1:], fits) {
		return found, usagef("More than one %s fits %s: say more of its id.", noun, part)
	}
	return list[i], nil
}
