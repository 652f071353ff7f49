package conformance

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Prohibitions lists the eight things the kernel must not do (S2-120 to S2-127).
// Where it makes sense the rest of the trusted base is held to them too (S2-115,
// S2-157).
func Prohibitions() []Check {
	kernel, base := []string{"kernel"}, TrustedBase()
	speechless := []string{"protocol", "kernel", "kernel/driver"} // record knows the shapes of keys and of hidden characters
	return []Check{
		{ID: "N1", Requirement: "S2-120", Says: "reads no files and no environment", In: base, look: readsWorld},
		{ID: "N2", Requirement: "S2-121", Says: "calls no provider and knows no provider's dialect", In: speechless, look: speaksProvider},
		{ID: "N3", Requirement: "S2-122", Says: "builds no prompts", In: base, look: buildsPrompts},
		{ID: "N4", Requirement: "S2-123", Says: "selects no context", In: kernel, look: selectsContext},
		{ID: "N5", Requirement: "S2-124", Says: "starts no processes", In: base, look: startsProcesses},
		{ID: "N6", Requirement: "S2-125", Says: "parses no tool protocol", In: kernel, look: parsesToolProtocol},
		{ID: "N7", Requirement: "S2-126", Says: "renders no user interface", In: speechless, look: rendersUI},
		{ID: "N8", Requirement: "S2-127", Says: "trains and activates no policy", In: kernel, look: trainsPolicy},
	}
}

func readsWorld(s *Source) []Finding {
	out := s.importing("files and environment come in as fields of commands",
		"os/...", "io/fs", "io/ioutil", "path/filepath", "embed", "syscall", "net/...", "plugin", "debug/...", "runtime/...", "log/syslog",
		"golang.org/x/sys/...", "~/adapters/...", "~/host/...")
	for _, file := range s.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:embed") {
					out = append(out, s.at(c.Pos(), "a file is embedded: what it says comes in as a field of a command"))
				}
			}
		}
	}
	return out
}

func speaksProvider(s *Source) []Finding {
	out := s.importing("a provider is reached through its port, by the broker",
		"net/...", "crypto/tls", "~/adapters/...", "~/host/...",
		"github.com/openai/...", "github.com/anthropics/...", "google.golang.org/...", "cloud.google.com/...", "github.com/aws/...")
	vendor := regexp.MustCompile(`(?i)` + strings.Join(vendors(), "|"))
	joined := strings.NewReplacer("_", "", "-", "")
	s.eachWording(true, func(w wording) {
		if name := vendor.FindString(joined.Replace(w.text)); name != "" {
			out = append(out, s.at(w.pos, "a %s names %q: a vendor is known to its adapter only", w.kind, name))
		}
	})
	for _, file := range s.Files {
		if name := path.Base(s.place(file.Package).Filename); vendor.MatchString(name) {
			out = append(out, s.at(file.Package, "the file is called %s: a vendor is known to its adapter only", name))
		}
	}
	return out
}

func buildsPrompts(s *Source) []Finding {
	out := s.importing("prompts are a strategy's and a context port's", "text/template/...", "html/template")
	signs := promptSigns()
	if s.Dir == "kernel" {
		signs = append(signs, `^(system|assistant|user)$`) // it has no messages, so it knows no roles
	}
	prompt := regexp.MustCompile(strings.Join(signs, "|"))
	s.eachWording(false, func(w wording) {
		switch {
		case w.kind != "string":
		case len(w.text) > maxPlainString:
			out = append(out, s.at(w.pos, "a string of %d bytes: what is longer than %d reads like a prompt", len(w.text), maxPlainString))
		case prompt.MatchString(w.text):
			out = append(out, s.at(w.pos, "a string that speaks to a model (%q): prompts are a strategy's and a context port's", prompt.FindString(w.text)))
		}
	})
	return out
}

// selectsContext: the kernel orders SelectContext and holds the answer to the
// request; it makes neither, and asks no port itself.
func selectsContext(s *Source) []Finding {
	out := s.importing("context is chosen by a strategy and shown by a port", "~/ports", "~/adapters/...")
	made := []string{"ContextRequest", "ContextGrant", "Selector", "Segment"}
	out = append(out, s.makes("the context strategy and the context port do that", made)...)
	out = append(out, s.changes("what a turn is shown is not the kernel's to change", made)...)
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Materialise", "Narrowed"}, sel.Sel.Name) {
				out = append(out, s.at(n.Pos(), "%s is called: the driver asks the context port, the kernel orders it", sel.Sel.Name))
			}
			out = append(out, s.picks(n, made)...)
		case *ast.SliceExpr:
			out = append(out, s.picks(n, made)...)
		}
	})
	return out
}

// picks finds an expression that makes a list out of a list of what is shown:
// a part of it, or another order.
func (s *Source) picks(e ast.Expr, made []string) []Finding {
	t := s.Info.TypeOf(e)
	if t == nil {
		return nil
	}
	list, ok := t.Underlying().(*types.Slice)
	if !ok || !slices.Contains(made, ofVocabulary(list.Elem())) {
		return nil
	}
	return []Finding{s.at(e.Pos(), "a list of %s is picked from: what is shown, and in what order, is chosen elsewhere", ofVocabulary(list.Elem()))}
}

func startsProcesses(s *Source) []Finding {
	out := s.importing("only a tool, behind the broker, starts a process", "os/...", "syscall", "plugin", "C", "unsafe", "golang.org/x/sys/...")
	shell := regexp.MustCompile(`(^|[\s/])(sh|bash|zsh|dash|powershell|pwsh|cmd\.exe)($|\s)|^-l?c$|/bin/`)
	s.eachWording(false, func(w wording) {
		if w.kind == "string" && shell.MatchString(w.text) {
			out = append(out, s.at(w.pos, "a string names a shell (%q): a command string is never interpreted here (S2-135)", w.text))
		}
	})
	return out
}

// parsesToolProtocol: calls and results come in parsed, as values of protocol.
func parsesToolProtocol(s *Source) []Finding {
	out := s.importing("what tools and servers say is parsed by their adapters",
		"encoding/...", "net/rpc/...", "regexp/...", "text/scanner", "go/...", "github.com/modelcontextprotocol/...", "github.com/google/jsonschema-go/...")
	sign := regexp.MustCompile(`(?i)mcp|json[_-]?rpc|modelcontext|^tools/|^resources/|^notifications/|inputSchema`)
	s.eachWording(false, func(w wording) {
		if found := sign.FindString(w.text); found != "" {
			out = append(out, s.at(w.pos, "a %s (%q) is of a tool protocol: its adapter speaks that", w.kind, w.text))
		}
	})
	parsers := []string{"protocol.Decode", "protocol.DecodeOp", "protocol.DecodeSubmission", "protocol.Canonical", "protocol.DecodeCommand", "protocol.DecodeEvent"}
	s.each(func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && slices.Contains(parsers, s.called(call)) {
			out = append(out, s.at(n.Pos(), "%s is called: what comes from outside is parsed before it comes here", s.called(call)))
		}
	})
	return out
}

func rendersUI(s *Source) []Finding {
	out := s.importing("screens are drawn by hosts and adapters, from events",
		"html/...", "text/tabwriter", "text/template/...", "image/...", "net/...", "log/...", "os", "charm.land/...", "github.com/charmbracelet/...",
		"golang.org/x/term/...", "github.com/mattn/...")
	drawn := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{2500}-\x{259f}\x{2800}-\x{28ff}]|(?i)<(html|body|div|span|table|pre|script|p|b)\b`)
	s.eachWording(false, func(w wording) {
		if w.kind == "string" && drawn.MatchString(w.text) {
			out = append(out, s.at(w.pos, "a string draws (%q): terminals and pages are drawn by hosts and adapters", w.text))
		}
	})
	return append(out, s.prints("what happens is reported as an event")...)
}

// trainsPolicy: a run is ruled by what its first command pinned; nothing here
// makes, changes, trains or promotes a policy.
func trainsPolicy(s *Source) []Finding {
	out := s.importing("a policy is trained and measured elsewhere, and moved by a person", "math/...", "~/adapters/...", "~/host/...")
	policy := []string{"Begin", "PolicyBundle", "PolicyManifest", "PolicyRef", "Rule"}
	out = append(out, s.makes("a policy comes in with the run's first command", policy)...)
	out = append(out, s.changes("a run keeps the policy it began with", policy)...)
	s.eachWording(false, func(w wording) {
		for _, word := range words(w.text) {
			if slices.Contains(trainingWords(), word) {
				out = append(out, s.at(w.pos, "a %s says %q: policies are trained elsewhere, and a person activates them", w.kind, word))
			}
		}
	})
	return out
}

// ofVocabulary names the protocol type behind t, through pointers; empty when it
// is none.
func ofVocabulary(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || lastElement(named.Obj().Pkg().Path()) != "protocol" {
		return ""
	}
	return named.Obj().Name()
}

// makes finds places that make a value of one of protocol's types: literals,
// new, variables without a value, conversions.
func (s *Source) makes(why string, names []string) []Finding {
	var out []Finding
	check := func(pos token.Pos, t types.Type) {
		if t != nil && slices.Contains(names, ofVocabulary(t)) {
			out = append(out, s.at(pos, "a %s is made here: %s", ofVocabulary(t), why))
		}
	}
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			check(n.Pos(), s.Info.TypeOf(n))
		case *ast.CallExpr:
			if s.builtin(n.Fun, "new") || s.Info.Types[n.Fun].IsType() {
				check(n.Pos(), s.Info.TypeOf(n))
			}
		case *ast.ValueSpec:
			if n.Type != nil && len(n.Values) == 0 {
				if _, pointer := s.Info.TypeOf(n.Type).(*types.Pointer); !pointer {
					check(n.Pos(), s.Info.TypeOf(n.Type))
				}
			}
		}
	})
	return out
}

// changes finds places that assign to a field of one of protocol's types, or
// take such a field's address.
func (s *Source) changes(why string, names []string) []Finding {
	var out []Finding
	check := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.ParenExpr:
				e = x.X
				continue
			case *ast.StarExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				if of := ofVocabulary(s.holder(x)); slices.Contains(names, of) {
					out = append(out, s.at(x.Pos(), "%s of a %s is changed here: %s", x.Sel.Name, of, why))
					return
				}
				e = x.X
				continue
			}
			return
		}
	}
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					check(e)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				check(n.X)
			}
		}
	})
	return out
}

// holder is the type that a selected field belongs to.
func (s *Source) holder(x *ast.SelectorExpr) types.Type {
	if sel := s.Info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal {
		return sel.Recv()
	}
	return types.Typ[types.Invalid]
}

// prints finds what writes past the event surface (S2-017).
func (s *Source) prints(why string) []Finding {
	var out []Finding
	s.each(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		name := s.called(call)
		if strings.HasPrefix(name, "fmt.Print") || strings.HasPrefix(name, "fmt.Scan") || strings.HasPrefix(name, "log.") || strings.HasPrefix(name, "slog.") {
			out = append(out, s.at(n.Pos(), "%s is called: %s", name, why))
		}
		for _, builtin := range []string{"print", "println"} {
			if s.builtin(call.Fun, builtin) {
				out = append(out, s.at(n.Pos(), "%s is called: %s", builtin, why))
			}
		}
	})
	return out
}
