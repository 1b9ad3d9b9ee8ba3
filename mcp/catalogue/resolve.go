package catalogue

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/mcp"
)

// A placeholder is ${env:NAME} or ${keyring:NAME}. Other texts with ${…} are
// left to the CLI, which may have a syntax of its own.
var placeholder = regexp.MustCompile(`\$\{(env|keyring):([^}]*)\}`)

// opened finds placeholders that were begun and have no end.
var opened = regexp.MustCompile(`\$\{(env|keyring):`)

// checkPlaceholders refuses what could never be filled in, and secrets where
// every process of the computer could read them.
func checkPlaceholders(field, text string) error {
	found := placeholder.FindAllStringSubmatch(text, -1)
	if len(found) != len(opened.FindAllString(text, -1)) {
		return fmt.Errorf("%s holds a ${…} without its end", field)
	}
	for _, m := range found {
		if m[2] == "" {
			return fmt.Errorf("%s holds %s, which names nothing", field, m[0])
		}
		if m[1] == "keyring" && (field == FieldArgs || field == FieldCommand || field == FieldCwd) {
			return fmt.Errorf("%s must not hold %s: every process of this computer can read it; use env or headers", field, m[0])
		}
	}
	return nil
}

// Sources fill in placeholders at launch.
type Sources struct {
	Env     func(name string) (string, bool) // the agent's environment
	Keyring func(name string) (string, error)
}

// Resolve fills in the placeholders of a server for one launch. secrets are the
// values that came from outside the file, to be hidden wherever they show up.
// The error names the field and the placeholder, never a value.
func Resolve(s mcp.Spec, from Sources) (filled mcp.Spec, secrets []string, err error) {
	s = s.Clone()
	fill := func(field, text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(p string) string {
			m := placeholder.FindStringSubmatch(p)
			var value string
			var why error
			switch m[1] {
			case "env":
				var ok bool
				if value, ok = from.Env(m[2]); !ok {
					why = errors.New("the variable is not set")
				}
			default:
				value, why = from.Keyring(m[2])
			}
			if why != nil {
				err = errors.Join(err, fmt.Errorf("%s needs %s: %w", field, p, why))
				return ""
			}
			if m[1] == "keyring" || field != FieldArgs && field != FieldCommand && field != FieldCwd {
				secrets = append(secrets, value)
			}
			return value
		})
	}
	s.Command = fill(FieldCommand, s.Command)
	s.Cwd = fill(FieldCwd, s.Cwd)
	url := fill(FieldURL, s.URL)
	s.URL, s.SecretURL = url, url != s.URL
	for i := range s.Args {
		s.Args[i] = fill(FieldArgs, s.Args[i])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		s.Env[name] = fill(FieldEnv+"."+name, s.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		s.Headers[name] = fill(FieldHeaders+"."+name, s.Headers[name])
	}
	if err != nil {
		return mcp.Spec{}, nil, err
	}
	if strings.ContainsAny(s.URL, "\r\n") {
		return mcp.Spec{}, nil, errors.New("url holds a line break once it is filled in")
	}
	for name, value := range s.Headers {
		if strings.ContainsAny(value, "\r\n") {
			return mcp.Spec{}, nil, fmt.Errorf("headers.%s holds a line break once it is filled in", name)
		}
	}
	return s, secrets, nil
}
