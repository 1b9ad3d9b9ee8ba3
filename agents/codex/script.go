package codex

import "strings"

// script is what a shell is told to run in a command line such as
// /bin/bash -lc 'touch a'. It reports false for any other command line.
func script(command string) (string, bool) {
	shell, rest, ok := strings.Cut(command, " ")
	name := shell[strings.LastIndexByte(shell, '/')+1:]
	flag, word, cut := strings.Cut(rest, " ")
	if !ok || !cut || name != "bash" && name != "zsh" && name != "sh" || flag != "-lc" && flag != "-c" {
		return "", false
	}
	return unquoted(word)
}

// unquoted is the text of one word of a shell, quoted in any of its ways. It
// reports false for anything but a single word.
func unquoted(word string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; c {
		case '\'':
			end := strings.IndexByte(word[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			out.WriteString(word[i+1 : i+1+end])
			i += end + 1
		case '"':
			for i++; ; i++ {
				if i >= len(word) {
					return "", false
				}
				if word[i] == '"' {
					break
				}
				if word[i] == '\\' && i+1 < len(word) && strings.IndexByte("\\\"$`", word[i+1]) >= 0 {
					i++
				} else if word[i] == '$' || word[i] == '`' {
					return "", false // the shell fills something in
				}
				out.WriteByte(word[i])
			}
		case '\\':
			if i++; i >= len(word) {
				return "", false
			}
			out.WriteByte(word[i])
		case ' ', '\t', '\n', '$', '`', '&', '|', ';', '<', '>', '(', ')', '*', '?', '[', '#', '~':
			return "", false
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), word != ""
}
