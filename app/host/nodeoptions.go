package host

import (
	"slices"
	"strings"
)

// noisy begin options that make Node print, wait for a debugger, open a port or
// write files beside the person's own.
var noisy = []string{"--inspect", "--debug", "--trace", "--prof", "--cpu-prof", "--heap", "--report", "--test", "--watch"}

// preloads are the options that load a script first, and take a value.
var preloads = []string{"--require", "-r", "--import", "--loader", "--experimental-loader"}

// quiet takes out of NODE_OPTIONS what would disturb a program that is read by
// another: noisy options, and the script that an editor's debugger preloads.
// Memory limits, certificates and scripts of the person's own stay.
func quiet(options string) string {
	words := nodeWords(options)
	var kept []string
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(unquote(words[i]), "=")
		taken := 1
		if !joined && slices.Contains(preloads, name) && i+1 < len(words) {
			value, taken = unquote(words[i+1]), 2
		}
		drop := slices.Contains(preloads, name) && strings.Contains(value, "js-debug")
		for _, prefix := range noisy {
			drop = drop || strings.HasPrefix(name, prefix)
		}
		if !drop {
			kept = append(kept, words[i:i+taken]...)
		}
		i += taken - 1
	}
	return strings.Join(kept, " ")
}

// nodeWords splits options at blanks, as Node does: double quotes hold a word
// together, and a backslash in them takes the next character as it is.
func nodeWords(options string) []string {
	var words []string
	begin, quoted := -1, false // begin is -1 between words
	for i := 0; i < len(options); i++ {
		c := options[i]
		if c == ' ' && !quoted {
			if begin >= 0 {
				words = append(words, options[begin:i])
			}
			begin = -1
			continue
		}
		if begin < 0 {
			begin = i
		}
		if c == '"' {
			quoted = !quoted
		} else if quoted && c == '\\' {
			i++
		}
	}
	if begin >= 0 {
		words = append(words, options[begin:])
	}
	return words
}

func unquote(word string) string { return strings.ReplaceAll(word, `"`, "") }
