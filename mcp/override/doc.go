// Package override owns the file in which a person keeps MCP servers of their
// own and changes to ours: JSONC, read with line and column, edited in place as
// a guest, replaced atomically, watched through every editor's way of saving.
// A text that cannot be understood is never replaced and never taken as empty:
// the last good one, kept on disk, stays in force. What the entries mean is the
// catalogue's; the package knows no agent and no product. All methods of File
// may be called from any goroutine.
package override
