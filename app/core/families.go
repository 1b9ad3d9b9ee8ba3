package core

import (
	"reflect"
	"sync"

	"parley/agents"
	"parley/agents/registry"
	"parley/app"
)

// families are the adapters of all agents that there are now: those that Parley
// knows, and the ACP agents of the settings. It may be used from any goroutine.
type families struct {
	programs registry.Programs
	own      func() []app.ACPAgent // as the settings have them
	only     agents.Adapter        // in place of all of them, or nil

	mu       sync.Mutex // guards the fields below
	from     []app.ACPAgent
	all      []agents.Adapter
	revision int // changes with them; 0 before the first
}

// now returns all adapters in the order of lists, with a number that changes
// whenever they do.
func (f *families) now() ([]agents.Adapter, int) {
	if f.only != nil {
		return []agents.Adapter{f.only}, 1
	}
	own := f.own()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.revision == 0 || !reflect.DeepEqual(own, f.from) {
		entries := make([]registry.Own, len(own))
		for i, a := range own {
			entries[i] = registry.Own{ID: a.ID, Name: a.Name, Command: a.Command, Args: a.Args, Env: a.Env, Modes: a.Modes}
		}
		f.from, f.all = own, registry.All(f.programs, entries...)
		f.revision++
	}
	return f.all, f.revision
}

// adapter finds the adapter of a family.
func (f *families) adapter(family agents.Family) (agents.Adapter, bool) {
	all, _ := f.now()
	for _, a := range all {
		if a.Info().Family == family {
			return a, true
		}
	}
	return nil, false
}

// names are the families' names.
func (f *families) names() []string {
	all, _ := f.now()
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = string(a.Info().Family)
	}
	return names
}
