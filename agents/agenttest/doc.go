// Package agenttest is what the tests of every family share: a host that
// records what an agent tells and asks, a player for recorded conversations, a
// child process as an agent's peer, and one suite that each family must pass. It
// knows the contract and no family.
//
// Nothing here sleeps. Tests wait for what they expect, with a limit that only a
// broken program reaches.
package agenttest

import "time"

// Limit is how long a test waits for something that must happen.
const Limit = 2 * time.Minute
