// Package gateway serves the page and its API to a browser over TCP. It owns
// the listener, who may come in (one-time links that become cookies) and what a
// browser may be made to send by a foreign page: nothing. It knows the API as a
// handler and none of its calls.
//
// Nothing listens until Serve is called, and nothing after it has returned. A
// Gateway may be used from any goroutine.
package gateway
