// Package risk finds what makes a request of an agent deserve a second look:
// that it deletes, leaves the session's folder, reaches the network, or
// overwrites what others have pushed. It reads a command as a shell would, as
// far as that can be done without running it, and names the words that made it
// a risk. It decides nothing: it warns, too often rather than too seldom. A
// program may do anything that its name does not say.
package risk

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/app"
)

const (
	maxReasons = 12  // shown; a command with more of them is risky enough
	maxWords   = 160 // code points of one reason
	maxDepth   = 8   // shells in shells
)

// gravity orders the risks, gravest first.
var gravity = []app.Risk{app.RiskForcePush, app.RiskDelete, app.RiskOutsideFolder, app.RiskNetwork}

// Of returns why a request is risky, gravest first, each reason once; never nil.
// command is a shell command line or "", path a file or folder that the request
// touches or "", folder the absolute folder of the session.
func Of(command, path, folder string) []app.RiskReason {
	f := &finder{folder: folder, reasons: []app.RiskReason{}}
	if path != "" && f.outside(path) {
		f.add(app.RiskOutsideFolder, path)
	}
	if strings.TrimSpace(command) != "" {
		f.script(command, 0)
	}
	slices.SortStableFunc(f.reasons, func(a, b app.RiskReason) int {
		return cmp.Compare(slices.Index(gravity, a.Risk), slices.Index(gravity, b.Risk))
	})
	return f.reasons[:min(len(f.reasons), maxReasons)]
}

// Kinds are the risks of reasons, each once, in their order; never nil.
func Kinds(reasons []app.RiskReason) []app.Risk {
	kinds := []app.Risk{}
	for _, r := range reasons {
		if !slices.Contains(kinds, r.Risk) {
			kinds = append(kinds, r.Risk)
		}
	}
	return kinds
}

// finder gathers reasons.
type finder struct {
	folder  string
	reasons []app.RiskReason
}

func (f *finder) add(risk app.Risk, words string) {
	words = strings.Join(strings.Fields(words), " ")
	if r := []rune(words); len(r) > maxWords {
		words = string(r[:maxWords-1]) + "…"
	}
	reason := app.RiskReason{Risk: risk, Words: words}
	if !slices.Contains(f.reasons, reason) {
		f.reasons = append(f.reasons, reason)
	}
}

// script reads a piece of shell. What is no shell, or another one's, is looked
// through word by word instead.
func (f *finder) script(text string, depth int) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || depth > maxDepth {
		for line := range strings.Lines(text) {
			for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(";|&(){}`", r) }) {
				f.command(fields(part), part, depth)
			}
		}
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			f.command(f.words(n.Args), source(text, n), depth)
		case *syntax.Redirect:
			f.redirect(n, source(text, n))
		case *syntax.Stmt:
			f.fed(n, depth)
		case *syntax.BinaryCmd:
			f.piped(n, depth)
		}
		return true
	})
}

// source is the text of a node.
func source(text string, n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(text) {
		return ""
	}
	return text[from:to]
}

// fed reads what is fed to a shell as one.
func (f *finder) fed(s *syntax.Stmt, depth int) {
	if !f.isShell(s) {
		return
	}
	for _, r := range s.Redirs {
		switch {
		case r.Hdoc != nil:
			f.script(f.word(r.Hdoc), depth+1)
		case r.Op == syntax.WordHdoc:
			f.script(f.word(r.Word), depth+1)
		}
	}
}

// piped reads what is printed into a shell as one.
func (f *finder) piped(b *syntax.BinaryCmd, depth int) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll || !f.isShell(b.Y) {
		return
	}
	if call, ok := b.X.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 1 {
		if words := f.words(call.Args); words[0] == "echo" || words[0] == "printf" {
			f.script(strings.Join(words[1:], " "), depth+1)
		}
	}
}

func (f *finder) isShell(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	words := f.unwrapped(f.words(call.Args), "", maxDepth)
	return len(words) > 0 && shells[program(words[0])]
}

// redirect looks at where output goes and input comes from.
func (f *finder) redirect(r *syntax.Redirect, words string) {
	if r.Word == nil || r.Hdoc != nil || r.Op == syntax.DplIn || r.Op == syntax.DplOut || r.Op == syntax.WordHdoc {
		return
	}
	target := f.word(r.Word)
	switch {
	case strings.HasPrefix(target, "/dev/tcp/"), strings.HasPrefix(target, "/dev/udp/"):
		f.add(app.RiskNetwork, words)
	case f.outside(target):
		f.add(app.RiskOutsideFolder, words)
	}
}

// words are the arguments of a call as a shell would pass them.
func (f *finder) words(args []*syntax.Word) []string {
	out := make([]string, 0, len(args))
	for _, w := range args {
		out = append(out, f.word(w))
	}
	return out
}

// unknown stands for what only running tells, such as a variable's value.
const unknown = "\x00"

// word is one word without its quotes.
func (f *finder) word(w *syntax.Word) string {
	var b strings.Builder
	writeParts(&b, w.Parts)
	return b.String()
}

func writeParts(b *strings.Builder, parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			writeParts(b, p.Parts)
		case *syntax.ParamExp:
			if p.Param != nil && p.Param.Value == "HOME" {
				b.WriteString("~")
			} else {
				b.WriteString(unknown)
			}
		default:
			b.WriteString(unknown)
		}
	}
}

func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// fields splits a text that no shell reads at its blanks, without its quotes.
func fields(text string) []string {
	return strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(text))
}

// outside reports whether a path leaves the session's folder, by its name alone:
// links are not followed. A home folder that is not spelled out counts as
// outside.
func (f *finder) outside(path string) bool {
	path = strings.TrimPrefix(path, "file://")
	switch {
	case path == "" || harmless[path]:
		return false
	case strings.HasPrefix(path, "~"):
		return true
	case !filepath.IsAbs(path):
		path = filepath.Join(f.folder, path)
	}
	rel, err := filepath.Rel(f.folder, path)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// harmless are places outside of every folder that nothing happens in.
var harmless = map[string]bool{
	"/dev/null": true, "/dev/stdin": true, "/dev/stdout": true, "/dev/stderr": true, "/dev/tty": true, "/dev/zero": true,
	"/dev/urandom": true, "/dev/random": true,
}
