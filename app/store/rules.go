package store

import (
	"context"
	"database/sql"
	"errors"

	"parley/app"
	"parley/app/store/sqlgen"
)

// Rules lists the permissions that were given for good, newest first, never nil.
func (d *DB) Rules(ctx context.Context) (list []app.Rule, err error) {
	list = []app.Rule{}
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		rows, err := q.ListRules(ctx)
		for _, r := range rows {
			list = append(list, fromRule(r))
		}
		return err
	})
	return list, err
}

// RevokeRule forgets one. What it has allowed is not undone. An unknown id is
// app.CodeNotFound.
func (d *DB) RevokeRule(ctx context.Context, id string) error {
	return d.update(ctx, func(t *tx) error {
		n, err := t.DeleteRule(t.ctx, id)
		if err == nil && n == 0 {
			err = &app.Error{Code: app.CodeNotFound, Message: "There is no such permission (any more)."}
		}
		return err
	})
}

// AllowedByRule finds the permission that covers a grant. ok is false when there
// is none. It is read at the moment of asking, so one that was taken back answers
// nothing more.
func (d *DB) AllowedByRule(ctx context.Context, agent string, g app.Grant) (rule app.Rule, ok bool, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		r, err := q.FindRule(ctx, sqlgen.FindRuleParams{Agent: agent, Folder: g.Folder, Tool: g.Tool, Command: g.Command})
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		rule, ok = fromRule(r), err == nil
		return err
	})
	return rule, ok, err
}

// OpenSettled stores an interaction that was settled before anyone was asked, by
// a permission given before, and emits its *.requested and *.resolved. With a
// stored rule it is app.CodeNotFound when that was taken back meanwhile; then
// nothing is stored.
func (d *DB) OpenSettled(ctx context.Context, in app.Interaction, out app.Outcome) error {
	return d.update(ctx, func(t *tx) error {
		if err := t.mayAsk(in); err != nil {
			return err
		}
		if out.RuleID != "" {
			n, err := t.UseRule(t.ctx, sqlgen.UseRuleParams{UsedMs: t.now, ID: out.RuleID})
			if err != nil {
				return err
			}
			if n == 0 {
				return &app.Error{Code: app.CodeNotFound, Message: "The permission was taken back."}
			}
		}
		if err := t.insertInteraction(in); err != nil {
			return err
		}
		in.Outcome = &out // before it is told: nobody is to see it as open
		if err := t.tell(in, app.StepRequested, in, false); err != nil {
			return err
		}
		_, err := t.settle(in, out, false)
		return err
	})
}

// keepRule stores the permission that an answer gave for good, where it is
// Parley that keeps it.
func (t *tx) keepRule(in app.Interaction, out app.Outcome) error {
	if in.Approval == nil || out.Action != app.ActionAllowAlways || out.By == app.ByRule {
		return nil
	}
	for _, g := range in.Approval.Grants {
		if g.Action != app.ActionAllowAlways {
			continue
		}
		err := t.SaveRule(t.ctx, sqlgen.SaveRuleParams{
			ID: in.ID, Agent: in.Agent, Folder: g.Folder, Tool: g.Tool, Command: g.Command,
			Title: in.Approval.Title, CreatedMs: t.now,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func fromRule(r sqlgen.Rule) app.Rule {
	return app.Rule{
		ID: r.ID, Agent: r.Agent, Folder: r.Folder, Tool: r.Tool, Command: r.Command, Title: r.Title,
		CreatedAt: r.CreatedMs, UsedAt: r.UsedMs, Uses: r.Uses,
	}
}
