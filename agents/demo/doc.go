// Package demo is the scripted agent of `parley agent demo`: an ordinary ACP
// agent on stdin and stdout that needs no account and no model, so that a
// question can be seen in the first minute and every part of Parley can be tried
// by hand and by test. It owns its scripts and its saved sessions. It gets what
// any ACP agent gets and knows no more: the managed MCP server is started as a
// child, as the protocol tells it to, and a question goes through that server's
// tools with the context id found in the prompt.
//
// Concurrency: each session does one prompt at a time on a goroutine of the ACP
// connection; a session's state belongs to that goroutine. A mutex guards the
// list of sessions and the running prompt of each.
package demo
