package api

import (
	"context"
	"net/http"
	"net/url"

	"parley/app"
)

// MCP is the set of MCP servers that agents get, and the file that changes it.
// Errors carry the codes of package app.
type MCP interface {
	File() app.MCPFile
	// Check says what is wrong with a text of the file.
	Check(text string) []app.MCPProblem
	Effective(ctx context.Context, agent, profile, cwd string) (app.MCPEffective, error)
	Preview(ctx context.Context, agent, profile, cwd string) (app.MCPPreview, error)
	// Outdated are those of the sessions that run with other servers than they
	// would get now.
	Outdated(ctx context.Context, live []app.SessionID) []app.SessionID
	Edit(ctx context.Context, e app.MCPEdit) (app.MCPFile, error)
	Replace(ctx context.Context, revision, text string) (app.MCPFile, error)
	Undo(ctx context.Context) (app.MCPFile, error)
	// Restore tells where the broken text is kept.
	Restore(ctx context.Context, revision string) (f app.MCPFile, aside string, err error)
	Try(ctx context.Context, name, agent, profile, cwd string) (app.MCPTest, error)
	Import(ctx context.Context, r app.MCPImportRequest) (app.MCPImport, error)
	Project(cwd string) app.MCPProject
	TrustProject(cwd, sum string) (app.MCPProject, error)
}

func (h *handler) mcpFile(*http.Request, Empty) (app.MCPFile, error) { return h.MCP.File(), nil }

func (h *handler) mcpCheck(_ *http.Request, in MCPText) (MCPProblems, error) {
	return MCPProblems{Problems: h.MCP.Check(in.Text)}, nil
}

func (h *handler) mcpReplace(r *http.Request, in MCPText) (app.MCPFile, error) {
	return h.MCP.Replace(r.Context(), in.Revision, in.Text)
}

func (h *handler) mcpEdit(r *http.Request, in app.MCPEdit) (app.MCPFile, error) {
	return h.MCP.Edit(r.Context(), in)
}

func (h *handler) mcpUndo(r *http.Request, _ Empty) (app.MCPFile, error) {
	return h.MCP.Undo(r.Context())
}

func (h *handler) mcpRestore(r *http.Request, in MCPText) (MCPRestored, error) {
	f, aside, err := h.MCP.Restore(r.Context(), in.Revision)
	return MCPRestored{File: f, Aside: aside}, err
}

func (h *handler) mcpEffective(r *http.Request, _ Empty) (app.MCPEffective, error) {
	q := r.URL.Query()
	return h.MCP.Effective(r.Context(), r.PathValue("agent"), q.Get("profile"), q.Get("cwd"))
}

func (h *handler) mcpPreview(r *http.Request, _ Empty) (app.MCPPreview, error) {
	q := r.URL.Query()
	return h.MCP.Preview(r.Context(), r.PathValue("agent"), q.Get("profile"), q.Get("cwd"))
}

func (h *handler) mcpOutdated(r *http.Request, _ Empty) (MCPSessions, error) {
	all, err := h.Records.Sessions(r.Context())
	if err != nil {
		return MCPSessions{}, err
	}
	var live []app.SessionID
	for _, s := range all {
		if s.Live {
			live = append(live, s.ID)
		}
	}
	return MCPSessions{Sessions: h.MCP.Outdated(r.Context(), live)}, nil
}

func (h *handler) mcpTry(r *http.Request, in MCPTry) (app.MCPTest, error) {
	return h.MCP.Try(r.Context(), r.PathValue("name"), in.Agent, in.Profile, in.Cwd)
}

func (h *handler) mcpImport(r *http.Request, in app.MCPImportRequest) (app.MCPImport, error) {
	return h.MCP.Import(r.Context(), in)
}

func (h *handler) mcpProject(r *http.Request, _ Empty) (app.MCPProject, error) {
	return h.MCP.Project(r.URL.Query().Get("cwd")), nil
}

func (h *handler) mcpTrust(r *http.Request, in MCPTrust) (app.MCPProject, error) {
	return h.MCP.TrustProject(in.Cwd, in.Sum)
}

// MCPFile is the override file as it stands.
func (c *Client) MCPFile(ctx context.Context) (app.MCPFile, error) {
	return get[app.MCPFile](ctx, c, "/api/mcp/file")
}

// CheckMCP says what is wrong with a text of the override file.
func (c *Client) CheckMCP(ctx context.Context, text string) ([]app.MCPProblem, error) {
	out, err := send[MCPProblems](ctx, c, "POST", "/api/mcp/check", MCPText{Text: text})
	return out.Problems, err
}

// EditMCP changes the override file.
func (c *Client) EditMCP(ctx context.Context, e app.MCPEdit) (app.MCPFile, error) {
	return send[app.MCPFile](ctx, c, "POST", "/api/mcp/edit", e)
}

// UndoMCP takes the newest change of Parley's back.
func (c *Client) UndoMCP(ctx context.Context) (app.MCPFile, error) {
	return send[app.MCPFile](ctx, c, "POST", "/api/mcp/undo", Empty{})
}

// EffectiveMCP is what an agent would get in a profile and a folder.
func (c *Client) EffectiveMCP(ctx context.Context, agent, profile, cwd string) (app.MCPEffective, error) {
	return get[app.MCPEffective](ctx, c, "/api/mcp/effective/"+url.PathEscape(agent)+"?"+scopeQuery(profile, cwd))
}

// PreviewMCP is what an agent would be handed, secrets hidden.
func (c *Client) PreviewMCP(ctx context.Context, agent, profile, cwd string) (app.MCPPreview, error) {
	return get[app.MCPPreview](ctx, c, "/api/mcp/preview/"+url.PathEscape(agent)+"?"+scopeQuery(profile, cwd))
}

func scopeQuery(profile, cwd string) string {
	return url.Values{"profile": {profile}, "cwd": {cwd}}.Encode()
}

// OutdatedMCP lists the sessions that run with other servers than they would get
// now.
func (c *Client) OutdatedMCP(ctx context.Context) ([]app.SessionID, error) {
	out, err := get[MCPSessions](ctx, c, "/api/mcp/outdated")
	return out.Sessions, err
}

// TestMCP starts a server, lists what it offers and ends it.
func (c *Client) TestMCP(ctx context.Context, name string, t MCPTry) (app.MCPTest, error) {
	return send[app.MCPTest](ctx, c, "POST", "/api/mcp/servers/"+url.PathEscape(name)+"/test", t)
}

// ImportMCP shows what another program's file holds, or takes it over.
func (c *Client) ImportMCP(ctx context.Context, r app.MCPImportRequest) (app.MCPImport, error) {
	return send[app.MCPImport](ctx, c, "POST", "/api/mcp/import", r)
}

// ProjectMCP is what a folder's own file says.
func (c *Client) ProjectMCP(ctx context.Context, cwd string) (app.MCPProject, error) {
	return get[app.MCPProject](ctx, c, "/api/mcp/project?"+url.Values{"cwd": {cwd}}.Encode())
}

// TrustMCP lets agents start the servers of a folder's file as it is now.
func (c *Client) TrustMCP(ctx context.Context, t MCPTrust) (app.MCPProject, error) {
	return send[app.MCPProject](ctx, c, "POST", "/api/mcp/trust", t)
}
