package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"parley/app"
	"parley/app/api"
)

// mcpFlags are the flags of parley mcp; each command takes those that mean
// something to it.
type mcpFlags struct {
	*flag.FlagSet
	agent, profile, cwd, file string
	asJSON, write, yes        bool
	names                     texts
}

// mcp shows and changes the MCP servers that agents get.
func (p *program) mcp(ctx context.Context, args []string) (int, error) {
	sub := "show"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		sub, args = args[0], args[1:]
	}
	type command struct {
		flags string // besides --json
		least int    // of arguments
		most  int    // -1 is any number
		run   func(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error)
	}
	cmd, ok := map[string]command{
		"show":      {"", 0, 0, p.mcpShow},
		"effective": {"agent profile cwd", 0, 0, p.mcpEffective},
		"preview":   {"agent profile cwd", 0, 0, p.mcpPreview},
		"set":       {"agent profile", 2, -1, p.mcpSet},
		"remove":    {"agent profile", 1, 1, p.mcpRemove},
		"enable": {"agent profile", 1, 1, func(ctx context.Context, b *backend, f *mcpFlags, a []string) (int, error) {
			return p.mcpSwitch(ctx, b, f, a, true)
		}},
		"disable": {"agent profile", 1, 1, func(ctx context.Context, b *backend, f *mcpFlags, a []string) (int, error) {
			return p.mcpSwitch(ctx, b, f, a, false)
		}},
		"own":      {"agent", 0, 1, p.mcpOwn},
		"undo":     {"", 0, 0, p.mcpUndo},
		"validate": {"", 0, 1, p.mcpValidate},
		"test":     {"agent profile cwd", 1, 1, p.mcpTest},
		"import":   {"file name write", 1, 1, p.mcpImport},
		"trust":    {"cwd yes", 0, 0, p.mcpTrust},
	}[sub]
	switch {
	case !ok && sub == "add":
		return 0, usagef("parley mcp set makes a server, for instance: parley mcp set docs command=uvx args=docs-mcp")
	case !ok:
		return 0, usagef("parley mcp knows no %q.", sub)
	}
	f := &mcpFlags{FlagSet: flags("mcp " + sub)}
	f.BoolVar(&f.asJSON, "json", false, "")
	for _, name := range strings.Fields(cmd.flags) {
		switch name {
		case "agent":
			f.StringVar(&f.agent, name, "", "")
		case "profile":
			f.StringVar(&f.profile, name, "", "")
		case "cwd":
			f.StringVar(&f.cwd, name, "", "")
		case "file":
			f.StringVar(&f.file, name, "", "")
		case "name":
			f.Var(&f.names, name, "")
		case "write":
			f.BoolVar(&f.write, name, false, "")
		case "yes":
			f.BoolVar(&f.yes, name, false, "")
		}
	}
	rest, err := parse(f.FlagSet, args)
	switch {
	case err != nil:
		return 0, err
	case len(rest) < cmd.least:
		return 0, usagef("parley mcp %s wants more: see the help.", sub)
	case cmd.most >= 0 && len(rest) > cmd.most:
		return 0, usagef("parley mcp %s doesn't know what %q means.", sub, rest[cmd.most])
	}
	for _, path := range []*string{&f.cwd, &f.file} {
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return 0, err
			}
		}
	}
	run := func(b *backend) (int, error) { return cmd.run(ctx, b, f, rest) }
	switch sub {
	case "show", "effective", "preview", "validate", "own":
		return p.look(ctx, run)
	}
	return p.repeat(ctx, run)
}

func (p *program) mcpShow(ctx context.Context, b *backend, f *mcpFlags, _ []string) (int, error) {
	file, err := b.MCPFile(ctx)
	if err != nil {
		return 0, err
	}
	gets := map[string][]string{} // server → agents
	var first app.MCPEffective
	for _, agent := range file.Agents {
		e, err := b.EffectiveMCP(ctx, agent, "", "")
		if err != nil {
			return 0, err
		}
		if first.Agent == "" {
			first = e
		}
		for _, s := range e.Servers {
			if s.State == "on" {
				gets[s.Name] = append(gets[s.Name], agent)
			}
		}
	}
	if f.asJSON {
		return p.fileCode(file), p.line(struct {
			File app.MCPFile         `json:"file"`
			Gets map[string][]string `json:"gets"`
		}{file, gets})
	}
	var rows [][]string
	for _, s := range first.Servers {
		slices.Sort(gets[s.Name])
		who := strings.Join(gets[s.Name], ", ")
		if who == "" {
			who = "nobody: " + s.Why
		}
		rows = append(rows, []string{s.Name, commandOf(s), who})
	}
	if err := p.table([]string{"SERVER", "WHAT", "WHO GETS IT"}, rows); err != nil {
		return 0, err
	}
	p.tellFile(file)
	return p.fileCode(file), nil
}

// fileCode is the exit code for a file: one that is broken is a failure.
func (p *program) fileCode(f app.MCPFile) int {
	if len(f.Problems) > 0 {
		return exitFailed
	}
	return exitDone
}

// tellFile tells how the override file stands.
func (p *program) tellFile(f app.MCPFile) {
	switch {
	case !f.Exists && len(f.Problems) == 0:
		p.say("There is no file yet; the first change makes %s.", plain(f.Path))
	case len(f.Problems) == 0:
		p.say("From %s.", plain(f.Path))
	case f.InForce == "last_good":
		p.say("%s is broken. Its last good state stays in force.", plain(f.Path))
	default:
		p.say("%s is broken, and no good state of it is known: no server of yours is handed out.", plain(f.Path))
	}
	p.tellProblems(append(f.Problems, f.Remarks...))
}

func (p *program) tellProblems(list []app.MCPProblem) {
	for _, problem := range list {
		p.say("! line %d, column %d: %s", problem.Line, problem.Column, plain(problem.Text))
	}
}

// commandOf is what a server runs or calls, on one line.
func commandOf(s app.MCPServer) string {
	value := func(field string) (out []string) {
		for _, f := range s.Settings {
			if f.Field != field {
				continue
			}
			var one string
			if json.Unmarshal([]byte(f.Value), &one) == nil && one != "" {
				return []string{one}
			}
			if json.Unmarshal([]byte(f.Value), &out) != nil {
				return nil
			}
		}
		return out
	}
	if s.Managed {
		return "plan, questions and forms"
	}
	return strings.Join(slices.Concat(value("url"), value("command"), value("args")), " ")
}

func (p *program) mcpEffective(ctx context.Context, b *backend, f *mcpFlags, _ []string) (int, error) {
	if f.agent == "" {
		return 0, usagef("parley mcp effective wants --agent NAME.")
	}
	e, err := b.EffectiveMCP(ctx, f.agent, f.profile, f.cwd)
	if err != nil {
		return 0, err
	}
	if f.asJSON {
		return exitDone, p.line(e)
	}
	var rows [][]string
	for _, s := range e.Servers {
		state := s.State
		if s.Why != "" {
			state += ": " + s.Why
		}
		rows = append(rows, []string{s.Name, "", state, ""})
		for _, set := range s.Settings {
			rows = append(rows, []string{"", set.Field, set.Value, originWords(set.MCPOrigin)})
		}
	}
	if err := p.table([]string{"SERVER", "FIELD", "VALUE", "COMES FROM"}, rows); err != nil {
		return 0, err
	}
	for _, own := range e.Own {
		if e.OwnOut {
			p.say("%s is in %s, and is left out.", oneLine(own.Name, 40), plain(own.File))
			continue
		}
		p.say("%s is in %s, which %s reads by itself.", oneLine(own.Name, 40), plain(own.File), oneLine(e.Agent, 40))
	}
	for _, notice := range e.Notices {
		p.say("! %s", plain(notice))
	}
	return exitDone, nil
}

// originWords tell where a value comes from, as one finds it in the file.
func originWords(o app.MCPOrigin) string {
	words := map[string]string{"built_in": "built-in", "managed": "Parley", "project": "the project's file", "raised": "raised to the least that a question needs"}[o.Layer]
	switch {
	case words == "" && o.Agent != "":
		words = o.Layer + "." + o.Agent + "." + o.Profile
	case words == "":
		words = o.Layer
	}
	if o.Line > 0 {
		words += fmt.Sprintf(", line %d", o.Line)
	}
	return words
}

func (p *program) mcpPreview(ctx context.Context, b *backend, f *mcpFlags, _ []string) (int, error) {
	if f.agent == "" {
		return 0, usagef("parley mcp preview wants --agent NAME.")
	}
	preview, err := b.PreviewMCP(ctx, f.agent, f.profile, f.cwd)
	if err != nil {
		return 0, err
	}
	if f.asJSON {
		return exitDone, p.line(preview)
	}
	p.say("%s", preview.How)
	_, err = fmt.Fprintln(p.Out, plain(preview.Text))
	return exitDone, err
}

// mcpSet changes fields: of the server itself, or with an agent or a profile of
// an override.
func (p *program) mcpSet(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error) {
	edit := app.MCPEdit{Name: args[0], Agent: f.agent, Profile: f.profile, Fields: map[string]string{}}
	edit.Server = f.agent == "" && f.profile == "" && edit.Name != "parley-interaction"
	for _, pair := range args[1:] {
		field, value, ok := strings.Cut(pair, "=")
		if !ok || field == "" {
			return 0, usagef("%q is no FIELD=VALUE.", pair)
		}
		edit.Fields[field] = jsonValue(field, value)
	}
	return p.edited(b.EditMCP(ctx, edit))(f)
}

// jsonValue writes what somebody typed as the JSON that the field wants: "" takes
// a field out of the file, null takes away what a farther layer says.
func jsonValue(field, value string) string {
	switch field {
	case "args", "agents", "profiles":
		if strings.HasPrefix(value, "[") || value == "" || value == "null" {
			return value
		}
		split := unicode.IsSpace
		if field != "args" { // names hold no comma, arguments may
			split = func(r rune) bool { return unicode.IsSpace(r) || r == ',' }
		}
		data, err := json.Marshal(strings.FieldsFunc(value, split))
		if err != nil {
			return value // texts always have a JSON form
		}
		return string(data)
	case "enabled":
		return value
	}
	if value == "" || value == "null" {
		return value
	}
	data, err := json.Marshal(value)
	if err != nil {
		return value // a text always has a JSON form
	}
	return string(data)
}

func (p *program) mcpRemove(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error) {
	return p.edited(b.EditMCP(ctx, app.MCPEdit{
		Name: args[0], Agent: f.agent, Profile: f.profile, Server: f.agent == "" && f.profile == "", Remove: true,
	}))(f)
}

func (p *program) mcpSwitch(ctx context.Context, b *backend, f *mcpFlags, args []string, on bool) (int, error) {
	return p.edited(b.EditMCP(ctx, app.MCPEdit{Name: args[0], Agent: f.agent, Profile: f.profile, Enabled: &on}))(f)
}

// mcpOwn shows the servers that agents have in their own files, and with on or off
// has one agent started with or without them.
func (p *program) mcpOwn(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error) {
	if len(args) > 0 {
		return p.mcpOwnSwitch(ctx, b, f, args[0])
	}
	file, err := b.MCPFile(ctx)
	if err != nil {
		return 0, err
	}
	all := []app.MCPEffective{}
	var rows [][]string
	for _, agent := range file.Agents {
		if f.agent != "" && f.agent != agent {
			continue
		}
		e, err := b.EffectiveMCP(ctx, agent, "", "")
		if err != nil {
			return 0, err
		}
		all = append(all, e)
		state := map[bool]string{false: "on", true: "left out"}[e.OwnOut]
		for _, own := range e.Own {
			rows = append(rows, []string{agent, own.Name, state, own.File})
		}
		if e.OwnOut && len(e.Own) == 0 { // the switch holds for what comes later too
			rows = append(rows, []string{agent, "-", state, "-"})
		}
	}
	if f.asJSON {
		return exitDone, p.line(all)
	}
	if len(rows) == 0 {
		p.say("No file of an agent's own names a server.")
	}
	return exitDone, p.table([]string{"AGENT", "SERVER", "IS", "FILE"}, rows)
}

func (p *program) mcpOwnSwitch(ctx context.Context, b *backend, f *mcpFlags, word string) (int, error) {
	if word != "on" && word != "off" || f.agent == "" {
		return 0, usagef("parley mcp own wants on or off, and --agent NAME.")
	}
	e, err := b.EffectiveMCP(ctx, f.agent, "", "") // knows the agent, and whether it can
	switch {
	case err != nil:
		return 0, err
	case word == "off" && e.OwnStays != "":
		p.say("! %s", plain(e.OwnStays))
		return exitFailed, nil
	}
	s, err := b.Settings(ctx)
	if err != nil {
		return 0, err
	}
	s.LeaveOutOwn = slices.DeleteFunc(s.LeaveOutOwn, func(agent string) bool { return agent == f.agent })
	if word == "off" {
		s.LeaveOutOwn = append(s.LeaveOutOwn, f.agent)
	}
	if s, err = b.SaveSettings(ctx, s); err != nil {
		return 0, err
	}
	if f.asJSON {
		return exitDone, p.line(s)
	}
	p.say("Agents that run keep what they have; new ones get it.")
	return exitDone, nil
}

// mcpUndo takes the newest change back that Parley made, whichever part of it.
func (p *program) mcpUndo(ctx context.Context, b *backend, f *mcpFlags, _ []string) (int, error) {
	file, err := b.UndoMCP(ctx)
	if err != nil {
		return 0, err
	}
	if !f.asJSON {
		p.say("Taken back.")
	}
	return p.edited(file, nil)(f)
}

// edited tells of a change of the file.
func (p *program) edited(file app.MCPFile, err error) func(*mcpFlags) (int, error) {
	return func(f *mcpFlags) (int, error) {
		if err != nil {
			return 0, err
		}
		if f.asJSON {
			return exitDone, p.line(file)
		}
		p.tellFile(file)
		p.say("Agents that run keep what they have; new ones get it.")
		return exitDone, nil
	}
}

func (p *program) mcpValidate(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error) {
	var problems []app.MCPProblem
	path := ""
	if len(args) > 0 {
		path = args[0]
	} else {
		file, err := b.MCPFile(ctx)
		if err != nil {
			return 0, err
		}
		if !file.Exists && len(file.Problems) == 0 {
			p.say("There is no file: %s.", plain(file.Path))
			return exitDone, nil
		}
		path = file.Path
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if problems, err = b.CheckMCP(ctx, string(text)); err != nil {
		return 0, err
	}
	switch {
	case f.asJSON:
		if err := p.line(api.MCPProblems{Problems: problems}); err != nil {
			return 0, err
		}
	case len(problems) == 0:
		p.say("%s is in order.", plain(path))
	default:
		for _, problem := range problems {
			if _, err := fmt.Fprintf(p.Out, "%s:%d:%d: %s\n", plain(path), problem.Line, problem.Column, plain(problem.Text)); err != nil {
				return 0, err
			}
		}
	}
	if len(problems) > 0 {
		return exitFailed, nil
	}
	return exitDone, nil
}

func (p *program) mcpTest(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error) {
	t, err := b.TestMCP(ctx, args[0], api.MCPTry{Agent: f.agent, Profile: f.profile, Cwd: f.cwd})
	if err != nil {
		return 0, err
	}
	code := exitDone
	if !t.OK {
		code = exitFailed
	}
	if f.asJSON {
		return code, p.line(t)
	}
	if t.Server != "" {
		p.say("%s answered after %d ms.", oneLine(t.Server, 100), t.DurationMS)
	}
	var rows [][]string
	for _, tool := range t.Tools {
		rows = append(rows, []string{"tool", tool.Name, tool.Description})
	}
	for _, name := range t.Prompts {
		rows = append(rows, []string{"prompt", name, ""})
	}
	for _, name := range t.Resources {
		rows = append(rows, []string{"resource", name, ""})
	}
	if err := p.table(nil, rows); err != nil {
		return 0, err
	}
	if t.Problem != "" {
		p.say("! %s", plain(t.Problem))
	}
	if t.Stderr != "" {
		p.say("What it wrote to standard error:\n%s", indent(plain(strings.TrimRight(t.Stderr, "\n")), "  "))
	}
	return code, nil
}

func (p *program) mcpImport(ctx context.Context, b *backend, f *mcpFlags, args []string) (int, error) {
	got, err := b.ImportMCP(ctx, app.MCPImportRequest{From: args[0], Path: f.file, Names: f.names, Write: f.write})
	if err != nil {
		return 0, err
	}
	if f.asJSON {
		return exitDone, p.line(got)
	}
	var rows [][]string
	for _, s := range got.Servers {
		what := "is new"
		if s.Skip != "" {
			what = "stays out: " + s.Skip
		}
		rows = append(rows, []string{s.Name, what, ""})
		for _, field := range slices.Sorted(maps.Keys(s.Fields)) {
			rows = append(rows, []string{"", field, s.Fields[field]})
		}
	}
	if err := p.table(nil, rows); err != nil {
		return 0, err
	}
	for _, note := range got.Notes {
		p.say("! %s", plain(note))
	}
	if got.Written {
		p.say("Taken over from %s, which stays as it is.", plain(got.Path))
	} else {
		p.say("From %s. Nothing was written; --write takes over what is new.", plain(got.Path))
	}
	return exitDone, nil
}

func (p *program) mcpTrust(ctx context.Context, b *backend, f *mcpFlags, _ []string) (int, error) {
	cwd := f.cwd
	if cwd == "" {
		var err error
		if cwd, err = os.Getwd(); err != nil {
			return 0, err
		}
	}
	project, err := b.ProjectMCP(ctx, cwd)
	if err != nil {
		return 0, err
	}
	if f.yes && !project.Trusted && project.Sum != "" {
		if project, err = b.TrustMCP(ctx, api.MCPTrust{Cwd: cwd, Sum: project.Sum}); err != nil {
			return 0, err
		}
	}
	if f.asJSON {
		return exitDone, p.line(project)
	}
	switch {
	case project.Problem != "":
		p.say("! %s", plain(project.Problem))
		return exitFailed, nil
	case project.Sum == "":
		p.say("There is no %s.", plain(project.Path))
		return exitDone, nil
	}
	for _, s := range project.Servers {
		if _, err := fmt.Fprintln(p.Out, oneLine(s, 400)); err != nil {
			return 0, err
		}
	}
	if project.Trusted {
		p.say("Agents may start these servers, as long as %s stays as it is.", plain(project.Path))
	} else {
		p.say("These programs of the project are not started. If you know them: parley mcp trust --yes")
	}
	return exitDone, nil
}
