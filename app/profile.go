package app

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultProfile is the profile of whoever names none.
const DefaultProfile = "default"

// Profile is a named set of what agents start with. Overrides of MCP servers and
// secrets carry its name too; the three make up a profile.
type Profile struct {
	Name string `json:"name"`
	// Env are variables of every agent. ${env:NAME} and ${keyring:NAME} in a value
	// are filled in at launch; the rest is no secret and is shown.
	Env    map[string]string       `json:"env"`
	Agents map[string]ProfileAgent `json:"agents"` // by family

	// Told, never taken.
	Sessions int      `json:"sessions"` // that use it
	Secrets  []string `json:"secrets"`  // stored for it, as "agent NAME"
}

// ProfileAgent is what a profile has for one family.
type ProfileAgent struct {
	Model  string            `json:"model,omitempty"`  // of new sessions that name none
	Effort string            `json:"effort,omitempty"` // the same
	Env    map[string]string `json:"env,omitempty"`    // over those of every agent
}

// maxProfile bounds a profile's name, in characters.
const maxProfile = 64

// CheckProfile keeps to names that can be shown in a line and written by hand, in a
// file and in a shell. "" is the default profile.
func CheckProfile(name string) error {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_.@+", r)
	}
	switch {
	case utf8.RuneCountInString(name) > maxProfile:
		return &Error{Code: CodeInvalidArgument, Field: "profile", Limit: fmt.Sprint(maxProfile, " characters"), Message: "The name of the profile is too long."}
	case name != strings.TrimSpace(name), strings.ContainsFunc(name, odd):
		return &Error{Code: CodeInvalidArgument, Field: "profile", Got: name, Message: fmt.Sprintf("%q can't be the name of a profile: use letters, digits, - _ . @ + and spaces between them.", name)}
	}
	return nil
}
