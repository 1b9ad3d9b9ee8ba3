package inject

import "parley/mcp"

// ToolPrefix is what a family's CLI puts before the name of a tool of the
// interaction server when it shows the tool to the model. "" means the bare
// name: our own agents use it, and an unknown ACP agent's spelling is unknown,
// so the texts tell the model to search.
func ToolPrefix(family string) string {
	switch family {
	case "claude", "dsh":
		return "mcp__" + mcp.InteractionServer + "__"
	case "codex":
		return "mcp__" + CodexName(mcp.InteractionServer) + "__"
	case "opencode":
		return mcp.InteractionServer + "_"
	case "grok":
		// Grok lists no MCP tool: the model passes this name to use_tool.
		return GrokTool(mcp.InteractionServer, "")
	case "pi":
		// Pi writes an underscore for every dash of the server's name.
		return "mcp__parley_interaction__"
	default:
		return ""
	}
}

// Guidance is the text for a family's system prompt, for CLIs that drop the
// instructions of MCP servers. It holds no context id and is the same in every
// turn. "" when nothing is offered.
func Guidance(family string, mayAsk, mayPlan bool) string {
	return offer(family, mayAsk, mayPlan).Instructions()
}

// ContextBlock is the block for the end of one turn's input, "" when nothing
// is offered. It is never stored or shown.
func ContextBlock(family, contextID string, mayAsk, mayPlan bool) string {
	return offer(family, mayAsk, mayPlan).ContextBlock(contextID)
}

func offer(family string, mayAsk, mayPlan bool) mcp.Offer {
	return mcp.Offer{Prefix: ToolPrefix(family), Ask: mayAsk, Plan: mayPlan}
}

// Leaving says how a family's CLI is started without the MCP servers of its own
// configuration.
type Leaving string

// Ways to leave them out.
const (
	LeavesNone  Leaving = ""     // it cannot be told to
	LeavesAll   Leaving = "all"  // all of them at once, whatever they are
	LeavesNamed Leaving = "name" // each by its name, which then nobody else can have
)

// Leaves is how a family leaves out the person's own servers.
func Leaves(family string) Leaving {
	switch family {
	case "claude", "pi":
		return LeavesAll
	case "codex", "opencode":
		return LeavesNamed
	default:
		return LeavesNone
	}
}

// Takes reports whether a family's CLI can be handed servers of a transport. An
// ACP agent says so itself when its conversation opens.
func Takes(family string, t mcp.Transport) bool {
	return t != mcp.SSE || family != "codex" && family != "pi" && family != "dsh"
}
