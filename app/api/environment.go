package api

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

func (h *handler) environment(r *http.Request, _ Empty) (Environment, error) {
	e := Environment{Salt: rand.Text(), Sums: map[string]string{}}
	if h.Environ == nil {
		return e, nil
	}
	for _, v := range h.Environ(r.Context()) {
		if name, value, ok := strings.Cut(v, "="); ok {
			e.Sums[name] = e.sum(name, value)
		}
	}
	return e, nil
}

// Diff returns those of own ("NAME=value") that the environment lacks or has
// with another value.
func (e Environment) Diff(own []string) map[string]string {
	diff := map[string]string{}
	for _, v := range own {
		name, value, ok := strings.Cut(v, "=")
		if ok && name != "" && e.Sums[name] != e.sum(name, value) {
			diff[name] = value
		}
	}
	return diff
}

func (e Environment) sum(name, value string) string {
	sum := sha256.Sum256([]byte(e.Salt + name + "=" + value))
	return hex.EncodeToString(sum[:])
}
