// Package acpclient holds a conversation with an agent that speaks ACP, the
// Agent Client Protocol, on its stdin and stdout. It owns the protocol: the
// opening, the order of what the agent says, permission requests and
// elicitations, and what becomes of a turn when the agent ends. It starts no
// process, knows no family and no product, and lets no type of the ACP SDK out.
//
// Of the SDK it uses the types and names of the protocol. The SDK's connection
// is not used on this side, for three reasons that were measured: a permission
// request overtakes the updates before it, a slow handler overflows its queue of
// 1,024 notifications, and a line over 10 MiB closes the connection.
//
// Concurrency: one goroutine reads (peer.read). It decodes every line and emits
// its events before it looks at the next, so the order of events is the order of
// lines, an Ask comes after the events before it, and Ended after all events of
// its turn. A second goroutine writes. Every Ask has a goroutine of its own. The
// decoder belongs to the reader; what the methods of Conversation share with it
// is guarded by a mutex that is never held while anything is emitted, asked or
// written.
package acpclient
