package conformance

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Source is one package's non-test source, parsed and type-checked.
type Source struct {
	// Root is the module's root, Dir the package's folder in it.
	Root, Dir string
	// Fset places the nodes; positions are relative to Root.
	Fset *token.FileSet
	// Files are the parsed files, by name in order.
	Files []*ast.File
	// Foreign names the files beside them that are not Go but would be built.
	Foreign []string
	// Types and Info are what the type checker knows.
	Types *types.Package
	Info  *types.Info
	// Errors is why the type checker does not know everything; empty when it
	// does. A check of a Source with errors may have been blind.
	Errors []Finding
}

// Loader loads packages. It remembers the standard library between loads and
// nothing of the modules. It is not safe for concurrent use.
type Loader struct {
	fset    *token.FileSet
	exports map[string]string // import path → file of export data
	std     types.Importer
}

// NewLoader makes a loader. It needs the go command on the path.
func NewLoader() *Loader {
	l := &Loader{fset: token.NewFileSet(), exports: map[string]string{}}
	l.std = importer.ForCompiler(l.fset, "gc", l.openExport)
	return l
}

func (l *Loader) openExport(pkg string) (io.ReadCloser, error) {
	if err := l.learn([]string{pkg}); err != nil {
		return nil, err
	}
	file := l.exports[pkg]
	if file == "" {
		return nil, fmt.Errorf("no package %q in the standard library", pkg)
	}
	return os.Open(file)
}

// learn asks the go command where the export data of standard packages are.
func (l *Loader) learn(pkgs []string) error {
	args := []string{"list", "-e", "-export", "-f", "{{.ImportPath}} {{.Export}}"}
	known := len(args)
	for _, p := range pkgs {
		if _, ok := l.exports[p]; !ok && isStd(p) && p != "unsafe" && p != "C" {
			args = append(args, p)
		}
	}
	if len(args) == known {
		return nil
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GO111MODULE=off") // the standard library only, whatever module this is
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list of the standard library: %w: %s", err, complaint.String())
	}
	for line := range strings.Lines(string(out)) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		l.exports[pkg] = file
	}
	return nil
}

// Load reads the package in one folder of the module at root, with what it
// imports. An error means that there is nothing to look at; what is wrong inside
// the files is in Source.Errors.
func (l *Loader) Load(root, dir string) (*Source, error) {
	m, err := openModule(root)
	if err != nil {
		return nil, err
	}
	in := &loading{loader: l, module: m, done: map[string]*types.Package{}}
	return in.load(dir)
}

// loading is one Load at work.
type loading struct {
	loader *Loader
	module module
	done   map[string]*types.Package
}

func (in *loading) load(dir string) (*Source, error) {
	s := &Source{Root: in.module.root, Dir: dir, Fset: in.loader.fset}
	entries, err := os.ReadDir(filepath.Join(s.Root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, fmt.Errorf("there is no package %s: %w", dir, err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() || isTest(name):
		case strings.HasSuffix(name, ".go"):
			s.parse(name)
		case slices.Contains([]string{".s", ".S", ".c", ".h", ".cc", ".cpp", ".m", ".syso", ".f", ".swig"}, path.Ext(name)):
			s.Foreign = append(s.Foreign, path.Join(dir, name))
		}
	}
	if len(s.Files) == 0 {
		return nil, fmt.Errorf("there is no package %s: the folder holds no Go files", dir)
	}
	if err := in.loader.learn(s.imported()); err != nil {
		return nil, err
	}
	s.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: in, Error: func(err error) { s.blame(err) }, FakeImportC: true}
	s.Types, _ = config.Check(path.Join(in.module.path, dir), s.Fset, s.Files, s.Info) // every error went to Error
	return s, nil
}

// parse reads one file. Its name in the file set is relative to the root, so
// that positions read the same everywhere.
func (s *Source) parse(name string) {
	rel := path.Join(s.Dir, name)
	raw, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(rel)))
	if err == nil {
		var file *ast.File
		file, err = parser.ParseFile(s.Fset, rel, raw, parser.ParseComments|parser.SkipObjectResolution)
		if file != nil {
			s.Files = append(s.Files, file)
		}
	}
	if err != nil {
		s.Errors = append(s.Errors, Finding{File: rel, Rule: "types", Text: "the file cannot be read as Go: " + err.Error()})
	}
}

func (s *Source) blame(err error) {
	f := Finding{File: s.Dir, Rule: "types", Text: "the package does not type-check, so a check of it would be blind: " + err.Error()}
	if e, ok := err.(types.Error); ok {
		at := s.place(e.Pos)
		f.File, f.Line = at.Filename, at.Line
		f.Text = "the package does not type-check, so a check of it would be blind: " + e.Msg
	}
	s.Errors = append(s.Errors, f)
}

// imported lists what the files import.
func (s *Source) imported() []string {
	var out []string
	for _, file := range s.Files {
		for _, spec := range file.Imports {
			if pkg, err := strconv.Unquote(spec.Path.Value); err == nil {
				out = append(out, pkg)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Import finds a package for the type checker: the module's own from source, the
// standard library from what the go command built. Other modules are not known:
// nothing that is type-checked here may use them.
func (in *loading) Import(pkg string) (*types.Package, error) {
	dir, own := in.module.own(pkg)
	switch {
	case pkg == "unsafe":
		return types.Unsafe, nil
	case !own && isStd(pkg):
		return in.loader.std.Import(pkg)
	case !own:
		return nil, fmt.Errorf("the module of %q is not looked at", pkg)
	case in.done[dir] != nil:
		return in.done[dir], nil
	}
	if _, open := in.done[dir]; open {
		return nil, fmt.Errorf("%q imports itself", pkg)
	}
	in.done[dir] = nil
	s, err := in.load(dir)
	if err != nil {
		return nil, err
	}
	if len(s.Errors) > 0 {
		return nil, fmt.Errorf("%s", s.Errors[0])
	}
	in.done[dir] = s.Types
	return s.Types, nil
}
