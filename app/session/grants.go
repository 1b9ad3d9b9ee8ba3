package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"

	"parley/agents"
	"parley/app"
	"parley/mcp"
)

// grants are what was handed out to agents and can be taken back: launch
// tokens, of which only the hash is kept, and the context ids of live turns.
// They live in memory alone, so that a restart revokes all of them. Sessions
// are found from here, never from what a caller says.
type grants struct {
	mu       sync.Mutex // guards the fields below
	byToken  map[[sha256.Size]byte]*grant
	byLaunch map[string]*grant
	contexts map[string]binding
}

// grant is one running agent.
type grant struct {
	launch app.Launch
	limits mcp.Limits // of the questions of this agent
	actor  *actor
	token  [sha256.Size]byte
	shim   int           // process id of the shim, 0 until started
	listed chan struct{} // closed when the CLI has listed our tools
	once   sync.Once
}

// binding is what a context id stands for.
type binding struct {
	launchID  string
	sessionID app.SessionID
	profile   string
	turnID    app.TurnID
}

func newGrants() *grants {
	return &grants{byToken: map[[sha256.Size]byte]*grant{}, byLaunch: map[string]*grant{}, contexts: map[string]binding{}}
}

// secret is 32 random bytes in 43 characters.
func secret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// launch hands out a token for a launch.
func (g *grants) launch(l app.Launch, limits mcp.Limits, a *actor) (*grant, string) {
	token := agents.LaunchToken + secret()
	gr := &grant{launch: l, limits: limits, actor: a, token: sha256.Sum256([]byte(token)), listed: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byToken[gr.token] = gr
	g.byLaunch[l.ID] = gr
	return gr, token
}

// revoke takes back a launch's token and all of its context ids.
func (g *grants) revoke(launchID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gr, ok := g.byLaunch[launchID]; ok {
		delete(g.byToken, gr.token)
		delete(g.byLaunch, launchID)
	}
	for id, b := range g.contexts {
		if b.launchID == launchID {
			delete(g.contexts, id)
		}
	}
}

func (g *grants) token(token string) (*grant, bool) {
	sum := sha256.Sum256([]byte(token))
	g.mu.Lock()
	defer g.mu.Unlock()
	gr, ok := g.byToken[sum]
	return gr, ok
}

func (g *grants) byID(launchID string) (*grant, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gr, ok := g.byLaunch[launchID]
	return gr, ok
}

// started notes the shim of a launch, by which a peer is known as an agent's.
func (g *grants) started(launchID string, shim int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gr, ok := g.byLaunch[launchID]; ok {
		gr.shim = shim
	}
}

func (g *grants) shims() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	pids := make([]int, 0, len(g.byLaunch))
	for _, gr := range g.byLaunch {
		if gr.shim != 0 {
			pids = append(pids, gr.shim)
		}
	}
	return pids
}

// sessionOf returns the session whose agent one of these processes supervises.
func (g *grants) sessionOf(pids []int) (app.SessionID, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gr := range g.byLaunch {
		if gr.shim != 0 && slices.Contains(pids, gr.shim) {
			return gr.launch.SessionID, true
		}
	}
	return "", false
}

// bind makes the context id of a turn.
func (g *grants) bind(b binding) string {
	id := "pctx_" + secret()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.contexts[id] = b
	return id
}

func (g *grants) unbind(contextID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.contexts, contextID)
}

func (g *grants) context(contextID string) (binding, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b, ok := g.contexts[contextID]
	return b, ok
}
