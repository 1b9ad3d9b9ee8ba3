package agents

// Local is implemented by adapters whose CLI can be pointed at a model server on
// this computer, in place of the person's provider: it can then be tried without
// an account. It is pure.
type Local interface {
	// AtModel says how an agent whose home folder is home talks to the model at
	// url and to nobody else. url has no slash at its end; the Messages, Responses
	// and Chat Completions APIs are below its /v1. The folder tmp in home is there.
	AtModel(url, home string) LocalModel
}

// LocalModel is how an agent is pointed at a model on this computer, and what
// that model has to know to call the CLI's tools.
type LocalModel struct {
	Env   []string // laid over an environment that holds nothing of an account
	Files []File   // to be there before the agent starts, below home
	Model string   // to start a session with; "" is the CLI's default
	// Tool is how the CLI spells a tool of an MCP server for its model.
	Tool func(server, tool string) string
	// Through is the call by which the model calls such a tool with that input,
	// where the CLI does not offer it beside its own; nil where it does.
	Through func(tool string, input map[string]any) (string, map[string]any)
	// Command is the call with which the model runs a command of the shell, such
	// that the person must be asked for it in the mode ask.
	Command func(command string) (tool string, input map[string]any)
}

// LocalKey is the API key that an agent is told where a CLI insists on one. It
// opens nothing.
const LocalKey = "parley-local-model"
