package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A test that waits for time waits too long on a good day and not long enough on
// a bad one. Tests wait for what happens: a channel, a receipt, a look that is
// repeated within a bound. This finds the others:
//
//   - time.Sleep, but as the pause of a loop that looks again and again, or under
//     testing/synctest, where time is the test's own;
//   - a bare <-time.After, and one in a select whose branch does not fail.
//
// Where letting time pass is itself what is tested, the line says so in a comment.
func TestNoTestWaitsForTime(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, found := range waits(set, f) {
			t.Errorf("%s: wait for what happens, or say on the line why time itself is tested", found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were read", files)
	}
}

// waits lists the places where a file waits for time.
func waits(set *token.FileSet, f *ast.File) (found []string) {
	// All tests of the desk run in bubbles of synctest, which its world makes.
	virtual := strings.HasPrefix(set.Position(f.Pos()).Filename, filepath.FromSlash("app/question/"))
	for _, imp := range f.Imports {
		virtual = virtual || imp.Path.Value == `"testing/synctest"`
	}
	said := map[int]bool{} // lines with a comment
	for _, group := range f.Comments {
		for _, c := range group.List {
			said[set.Position(c.Pos()).Line] = true
		}
	}
	report := func(n ast.Node, what string) {
		if at := set.Position(n.Pos()); !said[at.Line] {
			found = append(found, at.String()+": "+what)
		}
	}
	var above []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		above = append(above, n)
		switch n := n.(type) {
		case *ast.CallExpr:
			if isTime(n, "Sleep") && !virtual && !inLoop(above) {
				report(n, "time.Sleep")
			}
		case *ast.UnaryExpr:
			call, ok := n.X.(*ast.CallExpr)
			if !ok || n.Op != token.ARROW || !isTime(call, "After") || virtual {
				return true
			}
			clause := branch(above)
			if clause == nil || !fails(clause) {
				report(n, "<-time.After")
			}
		}
		return true
	})
	return found
}

func isTime(call *ast.CallExpr, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "time"
}

// inLoop reports whether the innermost function has a loop around the node.
func inLoop(above []ast.Node) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch above[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

// branch is the branch of a select that the node is the condition of.
func branch(above []ast.Node) *ast.CommClause {
	if len(above) < 3 {
		return nil
	}
	c, _ := above[len(above)-3].(*ast.CommClause)
	return c
}

// fails reports whether a branch ends the test or the wait as failed.
func fails(c *ast.CommClause) bool {
	failed := false
	for _, s := range c.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch name := called(n); {
				case strings.HasPrefix(name, "Fatal"), strings.HasPrefix(name, "Error"), strings.HasPrefix(name, "fail"), name == "panic":
					failed = true
				}
			case *ast.ReturnStmt:
				failed = failed || len(n.Results) > 0
			}
			return true
		})
	}
	return failed
}

func called(n *ast.CallExpr) string {
	switch f := n.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// TestWaitsAreFound proves that the search can find something.
func TestWaitsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		"time.Sleep(1)": 1,
		"time.Sleep(1) // the moment is what is tested":                     0,
		"for !ok() { time.Sleep(1) }":                                       0,
		"for { go func() { time.Sleep(1) }() }":                             1,
		"<-time.After(1)":                                                   1,
		"_ = <-time.After(1)":                                               1,
		"select { case <-c: case <-time.After(1): t.Fatal() }":              0,
		"select { case <-c: case <-time.After(1): }":                        1,
		"select { case <-c: t.Error()\ncase <-time.After(1): // no wait\n}": 0,
	} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, "x_test.go", "package x\nfunc f() {\n"+body+"\n}", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := waits(set, f); len(got) != want {
			t.Errorf("%s: found %q", body, got)
		}
	}
}
