package agents_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
)

func TestInstallEnviron(t *testing.T) {
	for name, test := range map[string]struct {
		path      string
		env, want []string
	}{
		"beside PATH": {"/n/bin/pi", []string{"PATH=/usr/bin:/bin", "A=1"}, []string{"A=1", "PATH=/n/bin:/usr/bin:/bin"}},
		"on PATH":     {"/bin/pi", []string{"PATH=/usr/bin:/bin", "A=1"}, []string{"A=1", "PATH=/usr/bin:/bin"}},
		"no PATH":     {"/n/bin/pi", []string{"A=1"}, []string{"A=1", "PATH=/n/bin"}},
		"twice":       {"/n/bin/pi", []string{"PATH=/a", "PATH=/b"}, []string{"PATH=/n/bin:/b"}},
		"not found":   {"", []string{"PATH=/a"}, []string{"PATH=/a"}},
	} {
		if diff := cmp.Diff(test.want, agents.Install{Path: test.path}.Environ(test.env)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
