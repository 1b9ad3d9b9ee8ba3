// Package childapi is the control socket: HTTP over a unix socket on which the
// parley-mcp of every agent asks (the child endpoints, opened by a launch
// token) and the command line and attached windows reach the API (opened by
// who the peer is). It decides who may call what; questions, plans and sessions
// are the Service's. An agent must not answer itself: a peer that descends from
// a supervised agent gets the child endpoints and nothing else.
//
// A Server may be used from any goroutine. Every request runs on its own; the
// only shared state is the table of waiting calls.
package childapi
