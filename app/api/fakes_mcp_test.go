package api_test

import (
	"context"

	"parley/app"
)

// fakeMCP knows one file and no server.
type fakeMCP struct{}

func (fakeMCP) File() app.MCPFile {
	return app.MCPFile{Path: "/config/mcp-overrides.jsonc", Problems: []app.MCPProblem{}, Remarks: []app.MCPProblem{}, Agents: []string{}}
}

func (fakeMCP) Check(string) []app.MCPProblem { return []app.MCPProblem{} }

func (fakeMCP) Effective(_ context.Context, agent, profile, _ string) (app.MCPEffective, error) {
	return app.MCPEffective{Agent: agent, Profile: profile, Servers: []app.MCPServer{}, Own: []app.MCPOwn{}, Notices: []string{}}, nil
}

func (fakeMCP) Preview(_ context.Context, agent, _, _ string) (app.MCPPreview, error) {
	return app.MCPPreview{Agent: agent, Text: "{}"}, nil
}

func (fakeMCP) Outdated(context.Context, []app.SessionID) []app.SessionID { return []app.SessionID{} }

func (f fakeMCP) Edit(context.Context, app.MCPEdit) (app.MCPFile, error) { return f.File(), nil }

func (f fakeMCP) Replace(_ context.Context, revision, _ string) (app.MCPFile, error) {
	if revision != "" {
		return app.MCPFile{}, app.Errorf(app.CodeChangedMeanwhile, "The file was changed meanwhile.")
	}
	return f.File(), nil
}

func (f fakeMCP) Undo(context.Context) (app.MCPFile, error) { return f.File(), nil }

func (f fakeMCP) Restore(context.Context, string) (app.MCPFile, string, error) {
	return f.File(), "", nil
}

func (fakeMCP) Try(context.Context, string, string, string, string) (app.MCPTest, error) {
	return app.MCPTest{Tools: []app.MCPTool{}, Prompts: []string{}, Resources: []string{}}, nil
}

func (fakeMCP) Import(context.Context, app.MCPImportRequest) (app.MCPImport, error) {
	return app.MCPImport{Servers: []app.MCPImportServer{}, Notes: []string{}}, nil
}

func (fakeMCP) Project(string) app.MCPProject { return app.MCPProject{Servers: []string{}} }

func (f fakeMCP) TrustProject(cwd, _ string) (app.MCPProject, error) { return f.Project(cwd), nil }

// fakeProfiles has the default one.
type fakeProfiles struct{}

func (fakeProfiles) List(context.Context) ([]app.Profile, error) {
	return []app.Profile{{Name: app.DefaultProfile, Env: map[string]string{}, Agents: map[string]app.ProfileAgent{}, Secrets: []string{}}}, nil
}

func (f fakeProfiles) Set(ctx context.Context, _ app.Profile) ([]app.Profile, error) {
	return f.List(ctx)
}

func (f fakeProfiles) Rename(ctx context.Context, _, _ string) ([]app.Profile, error) {
	return f.List(ctx)
}

func (f fakeProfiles) Remove(ctx context.Context, _ string) ([]app.Profile, error) {
	return f.List(ctx)
}
