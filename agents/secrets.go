package agents

import (
	"slices"
	"strings"
)

// Secrets lists what must not be printed of a session's launch: headers of its
// servers, and values of variables whose names say that they are secret.
func (s SessionSpec) Secrets() []string {
	var out []string
	add := func(value string) {
		if len(value) >= 6 && !slices.Contains(out, value) { // shorter ones would mask half of every text
			out = append(out, value)
		}
	}
	for _, kv := range s.Env {
		if key, value, _ := strings.Cut(kv, "="); secretName(key) {
			add(value)
		}
	}
	for _, server := range s.Catalog {
		for _, value := range server.Headers {
			add(value)
		}
		for key, value := range server.Env {
			if secretName(key) {
				add(value)
			}
		}
	}
	slices.Sort(out)
	return out
}

func secretName(key string) bool {
	key = strings.ToUpper(key)
	return strings.Contains(key, "KEY") || strings.Contains(key, "TOKEN") || strings.Contains(key, "SECRET") || strings.Contains(key, "PASSW")
}
