package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app"
	"parley/app/mask"
)

// export writes a whole conversation, as Markdown or one event a line. Outputs
// of tools that are too long for it go as files into the folder outputs, unless
// that is "".
func (p *program) export(ctx context.Context, b *backend, s app.Session, asJSON bool, outputs string) error {
	if outputs != "" {
		if err := os.MkdirAll(outputs, 0o700); err != nil {
			return app.Errorf(app.CodeFolderUnusable, "The folder %s can't be used: %w", outputs, err)
		}
	}
	if !asJSON {
		if _, err := fmt.Fprint(mask.Writer(p.Out), exportHead(s)); err != nil {
			return err
		}
	}
	return b.EachEvent(ctx, s.ID, func(e app.Event) error {
		if d, ok := e.Data.(*app.ToolCompleted); ok && d.OutputID != "" && outputs != "" {
			if err := exportOutput(ctx, b, s.ID, d.OutputID, filepath.Join(outputs, "output-"+d.OutputID+".txt")); err != nil {
				return err
			}
		}
		return p.exportEvent(e, asJSON)
	})
}

// exportOutput writes one long output into a new file. One that is not kept any
// more is left out.
func exportOutput(ctx context.Context, b *backend, session app.SessionID, id, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return app.Errorf(app.CodeFolderUnusable, "%s can't be written: %w", path, err)
	}
	err = b.Output(ctx, session, id, f)
	if err = errors.Join(err, f.Close()); app.ErrorCode(err) == app.CodeNotFound {
		return os.Remove(path)
	}
	return err
}

func (p *program) exportEvent(e app.Event, asJSON bool) error {
	out := mask.Writer(p.Out) // an export leaves the computer
	if asJSON {
		return lineTo(out, e)
	}
	_, err := fmt.Fprint(out, plain(markdown(e)))
	return err
}

func exportHead(s app.Session) string {
	return fmt.Sprintf("# %s\n\n%s in `%s`, %s\n", oneLine(s.Title, 200), s.Agent, oneLine(s.Cwd, 400), time.UnixMilli(s.CreatedAt).Format(time.DateTime))
}

// markdown is an event as a reader of the conversation wants it, "" for what
// only a program needs.
func markdown(e app.Event) string {
	switch d := e.Data.(type) {
	case *app.Session:
		if e.Type == app.EventSessionCreated && d.ForkedFrom != "" {
			return fmt.Sprintf("\n---\n\n*Forked at this point from session %s.*\n", shortID(d.ForkedFrom))
		}
	case *app.TurnText:
		if e.Type == app.EventTurnQueued {
			return "" // its start comes
		}
		return "\n## You\n\n" + d.Text + "\n"
	case *app.MessageText:
		if e.Type == app.EventReasoningCompleted || d.ParentToolID != "" {
			return ""
		}
		return "\n" + strings.TrimSpace(d.Text) + "\n"
	case *app.ToolStarted:
		return toolLine(d)
	case *app.ToolCompleted:
		if d.OutputID != "" {
			return fmt.Sprintf("  (%d bytes of output: `output-%s.txt`)\n", d.OutputBytes, d.OutputID)
		}
	case *app.FileChanged:
		return fmt.Sprintf("- %s `%s`\n", d.Change, d.Path)
	case *app.Interaction:
		return "\n" + indent(questionText(*d), "> ") + "\n"
	case *app.InteractionResolved:
		return indent(strings.TrimSpace(settled(d.Outcome)), "> ") + "\n"
	case *app.InteractionLateAnswered:
		return fmt.Sprintf("> answered late%s: %s\n", by(d.By), oneLine(d.Response, 200))
	case *app.Notice:
		return "\n*" + oneLine(d.Text, 400) + "*\n"
	case *app.TurnEnded:
		if d.Status != app.TurnCompleted {
			return fmt.Sprintf("\n*The turn ended: %s*\n", d.Status)
		}
	}
	return ""
}

// toolLine tells of a tool call, but for plans and questions, which have a
// telling of their own.
func toolLine(d *app.ToolStarted) string {
	switch {
	case d.Kind == app.ToolPlan || d.Kind == app.ToolAsk:
		return ""
	case d.Title == d.Name:
		return fmt.Sprintf("\n- %s\n", d.Name)
	}
	return fmt.Sprintf("\n- %s `%s`\n", d.Name, oneLine(d.Title, 200))
}

// questionText is a question with all its options and fields.
func questionText(in app.Interaction) string {
	var b strings.Builder
	b.WriteString("**" + in.Agent + " asks:** " + whatIsAsked(in) + "\n")
	for _, o := range in.Options {
		b.WriteString(optionLine(" - ", o))
	}
	for _, f := range in.Questions {
		b.WriteString(f.Question + "\n")
		for _, o := range f.Options {
			b.WriteString(optionLine(" - ", o))
		}
	}
	return b.String()
}
