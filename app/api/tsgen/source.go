package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// source is what the Go files say: every exported type, in the order of
// declaration, and the values of the string constants of each named type.
type source struct {
	types  []*typeDecl
	app    map[string]*typeDecl
	api    map[string]*typeDecl
	values map[string][]string
}

// typeDecl is one exported type.
type typeDecl struct {
	name string
	doc  string
	expr ast.Expr
	api  bool // declared in package api: a root that is always written
}

// lookup finds the type that a name means: in package api its own type comes
// before one of package app.
func (s *source) lookup(name string, inAPI bool) *typeDecl {
	if t := s.api[name]; inAPI && t != nil {
		return t
	}
	return s.app[name]
}

// readSource parses the folder of package app and its sub-folder api.
func readSource(dir string) (*source, error) {
	src := &source{app: map[string]*typeDecl{}, api: map[string]*typeDecl{}, values: map[string][]string{}}
	for _, d := range []string{dir, filepath.Join(dir, "api")} {
		names, err := filepath.Glob(filepath.Join(d, "*.go"))
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			// Of package api only types.go crosses the wire; the rest is mechanism.
			isAPI := d != dir
			if isAPI && filepath.Base(name) != "types.go" {
				continue
			}
			if err := src.readFile(name, isAPI); err != nil {
				return nil, err
			}
		}
	}
	if len(src.types) == 0 {
		return nil, fmt.Errorf("no Go types in %s", dir)
	}
	return src, nil
}

func (s *source) readFile(name string, isAPI bool) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.addType(gen, spec, isAPI)
			case *ast.ValueSpec:
				if gen.Tok == token.CONST {
					s.addConst(spec)
				}
			}
		}
	}
	return nil
}

func (s *source) addType(gen *ast.GenDecl, spec *ast.TypeSpec, isAPI bool) {
	if !spec.Name.IsExported() {
		return
	}
	doc := spec.Doc
	if doc == nil {
		doc = gen.Doc
	}
	t := &typeDecl{name: spec.Name.Name, doc: doc.Text(), expr: spec.Type, api: isAPI}
	s.types = append(s.types, t)
	if isAPI {
		s.api[t.name] = t
	} else {
		s.app[t.name] = t
	}
}

// addConst records a constant such as `KindClarify Kind = "clarify"`.
func (s *source) addConst(spec *ast.ValueSpec) {
	typ, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 {
		return
	}
	lit, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return
	}
	if v, err := strconv.Unquote(lit.Value); err == nil {
		s.values[typ.Name] = append(s.values[typ.Name], v)
	}
}
