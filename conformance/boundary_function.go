package conformance

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// panicDoor is the one function of the kernel that may panic.
const panicDoor = "broken"

// functionChecks are what keeps the kernel a function of its arguments (S2-070 to
// S2-075) that behaves the same on every machine.
func functionChecks() []Check {
	kernel := []string{"kernel"}
	return []Check{
		{ID: "import", Requirement: "S2-004", Says: "imports exactly protocol and a short list", In: kernel, look: importsBeyond},
		{ID: "map", Requirement: "S2-074", Says: "has no map, whose order is not one", In: kernel, look: usesMaps},
		{ID: "goroutine", Requirement: "S2-074", Says: "starts no goroutine", In: kernel, look: startsGoroutines},
		{ID: "channel", Requirement: "S2-074", Says: "has no channel and no select", In: kernel, look: usesChannels},
		{ID: "clock", Requirement: "S2-075", Says: "reads no clock", In: kernel, look: readsClock},
		{ID: "random", Requirement: "S2-075", Says: "throws no dice and looks at no address", In: kernel, look: throwsDice},
		{ID: "float", Requirement: "S2-015", Says: "has no floating point", In: kernel, look: usesFloats},
		{ID: "variable", Requirement: "S2-074", Says: "has no package variable and no init", In: kernel, look: hasGlobals},
		{ID: "error", Requirement: "S2-070", Says: "returns no error: a refusal is a value", In: kernel, look: returnsErrors},
		{ID: "log", Requirement: "S2-017", Says: "writes no log line", In: []string{"protocol", "kernel", "kernel/driver", "record"}, look: logs},
		{ID: "panic", Requirement: "S2-070", Says: "panics only through " + panicDoor, In: kernel, look: panics},
		{ID: "recover", Requirement: "S2-070", Says: "defers and recovers nothing", In: kernel, look: recovers},
		{ID: "unsafe", Requirement: "S2-071", Says: "has no unsafe, no reflection, no foreign code", In: kernel, look: isUnsafe},
		{ID: "directive", Requirement: "S2-015", Says: "is the same source on every machine", In: kernel, look: hasDirectives},
	}
}

// importsBeyond holds the kernel's imports to its row of the import table.
func importsBeyond(s *Source) []Finding {
	row, _ := owner(Layers(), s.Dir)
	m, err := openModule(s.Root)
	if err != nil {
		return []Finding{{File: s.Dir, Text: err.Error()}}
	}
	var out []Finding
	s.eachImport(func(pos token.Pos, pkg string) {
		dir, own := m.own(pkg)
		if own && !coversAny(row.Ours, dir) || !own && !stdAllowed(row.Std, pkg) {
			out = append(out, s.at(pos, "%q is imported: allowed are %s and %s", pkg, strings.Join(row.Ours, " "), strings.Join(row.Std, " ")))
		}
	})
	return out
}

// typed finds expressions whose type, behind pointers and lists, bad knows.
func (s *Source) typed(text string, bad func(types.Type) bool) []Finding {
	var out []Finding
	s.each(func(n ast.Node) {
		e, ok := n.(ast.Expr)
		if !ok {
			return
		}
		t := s.Info.TypeOf(e)
		for t != nil {
			if bad(t.Underlying()) {
				out = append(out, s.at(e.Pos(), "%s", text))
				return
			}
			switch u := t.Underlying().(type) {
			case *types.Pointer:
				t = u.Elem()
			case *types.Slice:
				t = u.Elem()
			case *types.Array:
				t = u.Elem()
			default:
				t = nil
			}
		}
	})
	return out
}

func usesMaps(s *Source) []Finding {
	out := s.typed("a map: keep rows in order in a table, a map's order is not one", func(t types.Type) bool {
		_, is := t.(*types.Map)
		return is
	})
	s.each(func(n ast.Node) {
		if m, ok := n.(*ast.MapType); ok {
			out = append(out, s.at(m.Pos(), "a map: keep rows in order in a table, a map's order is not one"))
		}
	})
	return append(out, s.importing("it works on maps", "maps", "hash/maphash", "sync")...)
}

func startsGoroutines(s *Source) []Finding {
	out := s.importing("it is for goroutines", "sync/...", "context", "runtime/...", "golang.org/x/sync/...")
	s.each(func(n ast.Node) {
		if _, ok := n.(*ast.GoStmt); ok {
			out = append(out, s.at(n.Pos(), "a goroutine is started: the driver moves, the kernel does not"))
		}
	})
	return out
}

func usesChannels(s *Source) []Finding {
	out := s.typed("a channel: what happens comes in as commands", func(t types.Type) bool {
		_, is := t.(*types.Chan)
		return is
	})
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			out = append(out, s.at(n.Pos(), "a channel: what happens comes in as commands"))
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				out = append(out, s.at(n.Pos(), "a channel: what happens comes in as commands"))
			}
		}
	})
	return out
}

func readsClock(s *Source) []Finding {
	return s.importing("the time comes in as a command's stamp", "time/...", "context", "testing/synctest")
}

func throwsDice(s *Source) []Finding {
	out := s.importing("what is random comes in as a field of a command", "math/rand/...", "crypto/...", "hash/maphash", "github.com/google/uuid")
	s.eachWording(false, func(w wording) {
		if w.kind == "string" && strings.Contains(w.text, "%p") {
			out = append(out, s.at(w.pos, "an address is written (%%p): it differs from run to run"))
		}
	})
	return out
}

func usesFloats(s *Source) []Finding {
	out := s.typed("floating point: money is micro-dollars, times are milliseconds", func(t types.Type) bool {
		b, is := t.(*types.Basic)
		return is && b.Info()&(types.IsFloat|types.IsComplex) != 0
	})
	s.each(func(n ast.Node) {
		if lit, ok := n.(*ast.BasicLit); ok && (lit.Kind == token.FLOAT || lit.Kind == token.IMAG) {
			out = append(out, s.at(n.Pos(), "floating point: money is micro-dollars, times are milliseconds"))
		}
	})
	return append(out, s.importing("it is for floating point", "math", "math/cmplx", "math/big")...)
}

func hasGlobals(s *Source) []Finding {
	var out []Finding
	for _, file := range s.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					out = append(out, s.at(d.Pos(), "a package variable: what a run is, is in its State"))
				}
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					out = append(out, s.at(d.Pos(), "an init function: nothing happens before Reduce"))
				}
			}
		}
	}
	return out
}

// encodingHooks are methods whose signature encoding/json dictates; a state needs
// them to have one encoding. They are the only ones that may return an error.
func encodingHooks() []string {
	return []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"}
}

func returnsErrors(s *Source) []Finding {
	var out []Finding
	failure, _ := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	isError := func(e ast.Expr) bool {
		t := s.Info.TypeOf(e)
		if id, ok := e.(*ast.Ident); ok && id.Name == "error" {
			return true
		}
		if t == nil || t == types.Typ[types.Invalid] {
			return false
		}
		return types.Implements(t, failure) || types.Implements(types.NewPointer(t), failure)
	}
	exempt := map[*ast.FuncType]bool{}
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			exempt[n.Type] = n.Recv != nil && slices.Contains(encodingHooks(), n.Name.Name)
		case *ast.FuncType:
			if n.Results == nil || exempt[n] {
				return
			}
			for _, r := range n.Results.List {
				if isError(r.Type) {
					out = append(out, s.at(r.Pos(), "an error is returned: a refusal is a value, a broken invariant is a panic"))
				}
			}
		case *ast.StructType:
			for _, f := range n.Fields.List {
				if isError(f.Type) {
					out = append(out, s.at(f.Pos(), "a field holds an error: a refusal is a value, say what it is"))
				}
			}
		}
	})
	return out
}

func logs(s *Source) []Finding {
	out := s.importing("what happens is reported as an event", "log/...", "expvar", "runtime/trace", "runtime/pprof")
	return append(out, s.prints("what happens is reported as an event")...)
}

func panics(s *Source) []Finding {
	var out []Finding
	for _, file := range s.Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == panicDoor {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && s.builtin(call.Fun, "panic") {
					out = append(out, s.at(n.Pos(), "a panic: say it with %s, the one place where an invariant breaks", panicDoor))
				}
				return true
			})
		}
	}
	return out
}

func recovers(s *Source) []Finding {
	var out []Finding
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.DeferStmt:
			out = append(out, s.at(n.Pos(), "a defer: nothing here has to be tidied up, and a broken invariant is not survived"))
		case *ast.CallExpr:
			if s.builtin(n.Fun, "recover") {
				out = append(out, s.at(n.Pos(), "a recover: a broken invariant is not survived"))
			}
		}
	})
	return out
}

func isUnsafe(s *Source) []Finding {
	out := s.importing("it goes around the type system", "unsafe", "reflect", "C", "runtime/...", "plugin", "syscall", "weak", "unique")
	for _, name := range s.Foreign {
		out = append(out, Finding{File: name, Text: "foreign code: the kernel is Go that these checks can read"})
	}
	return out
}

// hasDirectives finds what makes the kernel another one on another machine or
// under other flags, and directives to the compiler.
func hasDirectives(s *Source) []Finding {
	var out []Finding
	directive := regexp.MustCompile(`^(//go:|//\s*\+build|//line |/\*line |//export )`)
	nowhere := build.Context{GOOS: "nowhere", GOARCH: "nowhere", Compiler: "gc"}
	for _, file := range s.Files {
		name := s.place(file.Package).Filename
		for _, group := range file.Comments {
			for _, c := range group.List {
				if directive.MatchString(c.Text) {
					out = append(out, s.at(c.Pos(), "a directive (%s): the kernel is the same source on every machine", c.Text))
				}
			}
		}
		if match, err := nowhere.MatchFile(filepath.Join(s.Root, path.Dir(name)), path.Base(name)); err != nil || !match {
			out = append(out, Finding{File: name, Text: "the file is built on some machines only: the kernel is the same source on every machine"})
		}
	}
	return out
}
