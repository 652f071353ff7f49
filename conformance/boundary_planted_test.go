package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// plant is one violation: a file that is put into a copy of the real kernel.
type plant struct {
	check, name string
	file        string // planted.go when empty
	code        string // what follows the package clause
}

// TestPlantedViolations plants one thing at a time in a copy of the real kernel,
// and sees the check that forbids it turn red (S2-128). Every check has a plant,
// and the copy without one is clean.
func TestPlantedViolations(t *testing.T) {
	tree, loader := copyTree(t), NewLoader()
	clean, err := loader.Purity(tree)
	if err != nil {
		t.Fatal(err)
	}
	for id, found := range clean {
		for _, f := range found {
			t.Errorf("the copy is not clean: %s: %s", id, f)
		}
	}
	plants := slices.Concat(plantedProhibitions(), plantedImpurities())
	for _, c := range Checks() {
		if !slices.Contains(c.In, "kernel") {
			t.Errorf("check %s does not look at the kernel", c.ID)
		}
		t.Run(c.ID, func(t *testing.T) {
			n := 0
			for _, p := range plants {
				if p.check != c.ID {
					continue
				}
				n++
				t.Run(p.name, func(t *testing.T) { mustNotice(t, loader, tree, c, p) })
			}
			if n == 0 {
				t.Error("nothing is planted for this check")
			}
		})
	}
}

func mustNotice(t *testing.T, loader *Loader, tree string, c Check, p plant) {
	t.Helper()
	name := p.file
	if name == "" {
		name = "planted.go"
	}
	file := filepath.Join(tree, "kernel", name)
	write(t, file, "package kernel\n\n"+p.code+"\n")
	defer os.Remove(file)
	s, err := loader.Load(tree, "kernel")
	if err != nil {
		t.Fatal(err)
	}
	found := c.Find(s)
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.File == "kernel/"+name && f.Rule == c.ID }) {
		t.Errorf("%s does not notice %s; it found %v", c.ID, p.code, found)
	}
}

const ours = "import \"github.com/tipstaff/tipstaff/protocol\"\n\n"

func plantedProhibitions() []plant {
	return []plant{
		{check: "N1", name: "a file", code: "import \"os\"\n\nfunc planted() []byte { b, _ := os.ReadFile(\"x\"); return b }"},
		{check: "N1", name: "the environment", code: "import \"os\"\n\nfunc planted() string { return os.Getenv(\"HOME\") }"},
		{check: "N1", name: "under another name", code: "import fmt2 \"os\"\n\nfunc planted() string { return fmt2.Getenv(\"HOME\") }"},
		{check: "N1", name: "an embedded file", code: "import _ \"embed\"\n\n//go:embed reduce.go\nvar planted string"},
		{check: "N1", name: "an adapter", code: "import _ \"github.com/tipstaff/tipstaff/adapters/filetool\""},
		{check: "N1", name: "a socket", code: "import \"net\"\n\nfunc planted() { _, _ = net.Dial(\"tcp\", \"x\") }"},

		{check: "N2", name: "an adapter", code: "import _ \"github.com/tipstaff/tipstaff/adapters/script\""},
		{check: "N2", name: "a client", code: "import \"net/http\"\n\nfunc planted() { _, _ = http.Get(\"x\") }"},
		{check: "N2", name: "a vendor's library", code: "import _ \"github.com/openai/openai-go/v3\""},
		{check: "N2", name: "in a comment", code: "// planted asks GPT-5 for advice.\nfunc planted() {}"},
		{check: "N2", name: "in a name", code: "func askClaude() {}"},
		{check: "N2", name: "in a parameter", code: "func planted(geminiKey string) string { return geminiKey }"},
		{check: "N2", name: "in a string", code: "func planted() string { return \"https://api.openai.com/v1\" }"},
		{check: "N2", name: "in two halves", code: "func planted() string { return \"open\" + \"ai\" }"},
		{check: "N2", name: "escaped", code: "func planted() string { return \"\\u006fllama\" }"},
		{check: "N2", name: "with a hyphen", code: "func planted() string { return \"deep-seek\" }"},
		{check: "N2", name: "in a tag", code: "type planted struct {\n\tA string `json:\"mistral_id\"`\n}"},
		{check: "N2", name: "in a file's name", file: "qwen.go", code: "func planted() {}"},

		{check: "N3", name: "a persona", code: "func planted() string { return \"You are a careful assistant.\" }"},
		{check: "N3", name: "an order", code: "const planted = \"Answer only with JSON.\""},
		{check: "N3", name: "a role", code: "func planted(text string) (string, string) { return \"system\", text }"},
		{check: "N3", name: "a turn's mark", code: "func planted(text string) string { return \"<|im_start|>\" + text }"},
		{check: "N3", name: "a speaker", code: "func planted(text string) string { return \"User: \" + text }"},
		{check: "N3", name: "in two halves", code: "const planted = \"Your \" + \"task is to plan.\""},
		{check: "N3", name: "a template", code: "import \"text/template\"\n\nfunc planted() *template.Template { return template.New(\"x\") }"},
		{check: "N3", name: "prose", code: "const planted = `" + prose() + "`"},

		{check: "N4", name: "a request", code: ours + "func planted() protocol.ContextRequest { return protocol.ContextRequest{MaxBytes: 1} }"},
		{check: "N4", name: "a grant", code: ours + "func planted() *protocol.ContextGrant { return new(protocol.ContextGrant) }"},
		{check: "N4", name: "selectors", code: ours + "func planted() []protocol.Selector { return []protocol.Selector{{Kind: \"transcript\"}} }"},
		{check: "N4", name: "a shorter list", code: ours + "func planted(g protocol.ContextGrant) int { return len(g.Segments[1:]) }"},
		{check: "N4", name: "another list", code: ours + "func planted(g *protocol.ContextGrant) { g.Segments = append(g.Segments, g.Segments...) }"},
		{check: "N4", name: "another label", code: ours + "func planted(g *protocol.ContextGrant) { g.Segments[0].Trust = protocol.Trusted }"},
		{check: "N4", name: "the port", code: "import _ \"github.com/tipstaff/tipstaff/ports\""},
		{check: "N4", name: "a strategy", code: "func planted(s interface{ Materialise() int }) int { return s.Materialise() }"},

		{check: "N5", name: "a process", code: "import \"os/exec\"\n\nfunc planted() { _ = exec.Command(\"x\").Run() }"},
		{check: "N5", name: "a system call", code: "import \"syscall\"\n\nfunc planted() { _ = syscall.Exec(\"x\", nil, nil) }"},
		{check: "N5", name: "a shell", code: "func planted(line string) []string { return []string{\"bash\", \"-c\", line} }"},

		{check: "N6", name: "a parser", code: "func parseMCP(raw []byte) {}"},
		{check: "N6", name: "a method's name", code: "const planted = \"tools/call\""},
		{check: "N6", name: "JSON", code: "import \"encoding/json\"\n\nfunc planted(raw []byte) bool { return json.Valid(raw) }"},
		{check: "N6", name: "our reader of foreign JSON", code: ours + "func planted(raw []byte) bool { _, err := protocol.Canonical(raw); return err == nil }"},
		{check: "N6", name: "our reader under another name", code: "import p \"github.com/tipstaff/tipstaff/protocol\"\n\nfunc planted(raw []byte) bool { var x int; return p.Decode(raw, &x) == nil }"},

		{check: "N7", name: "a colour", code: "func planted() string { return \"\\x1b[31mred\\x1b[0m\" }"},
		{check: "N7", name: "a line over itself", code: "func planted() string { return \"\\r50%\" }"},
		{check: "N7", name: "a box", code: "func planted() string { return \"┌──┐\" }"},
		{check: "N7", name: "a page", code: "func planted() string { return \"<div>x</div>\" }"},
		{check: "N7", name: "a line on the terminal", code: "import \"fmt\"\n\nfunc planted() { fmt.Println(\"x\") }"},
		{check: "N7", name: "a table", code: "import \"text/tabwriter\"\n\nfunc planted() *tabwriter.Writer { return nil }"},

		{check: "N8", name: "training", code: "func trainPolicy() {}"},
		{check: "N8", name: "activation", code: "func planted() { var ActivateBundle int; _ = ActivateBundle }"},
		{check: "N8", name: "a bundle", code: ours + "func planted() protocol.PolicyBundle { return protocol.PolicyBundle{ID: \"x\"} }"},
		{check: "N8", name: "a rule", code: ours + "func planted() []protocol.Rule { return []protocol.Rule{{Verdict: protocol.Auto}} }"},
		{check: "N8", name: "a looser mode", code: ours + "func (r *reduction) planted() { r.Genesis.Mode = protocol.ModeYolo }"},
		{check: "N8", name: "a rule changed in place", code: ours + "func (r *reduction) planted() { r.Genesis.Rules[0].Verdict = protocol.Auto }"},
		{check: "N8", name: "through an address", code: ours + "func (r *reduction) planted() { m := &r.Genesis.Mode; *m = protocol.ModeYolo }"},
	}
}

// prose is a text as long as only prompts are.
func prose() string {
	text := ""
	for len(text) <= maxPlainString {
		text += "One sentence follows another here. "
	}
	return text
}

func plantedImpurities() []plant {
	return []plant{
		{check: "import", name: "a standard package", code: "import \"bytes\"\n\nfunc planted(b []byte) []byte { return bytes.TrimSpace(b) }"},
		{check: "import", name: "one of ours", code: "import _ \"github.com/tipstaff/tipstaff/record\""},
		{check: "import", name: "its own driver", code: "import _ \"github.com/tipstaff/tipstaff/kernel/driver\""},
		{check: "import", name: "somebody else's", code: "import _ \"github.com/google/uuid\""},

		{check: "map", name: "a range over one", code: "func planted(m map[string]int) (n int) {\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}"},
		{check: "map", name: "a literal", code: "func planted() int { return len(map[string]int{\"a\": 1}) }"},
		{check: "map", name: "a type", code: "type planted map[string]int"},
		{check: "map", name: "in a field", code: "type planted struct{ rows map[uint64]string }"},
		{check: "map", name: "in a list, made elsewhere", code: "type planted[T any] []T\n\nfunc plant(p planted[map[int]int]) int { return len(p[0]) }"},
		{check: "map", name: "a library of maps", code: "import _ \"maps\""},

		{check: "goroutine", name: "go", code: "func planted() { go func() {}() }"},
		{check: "goroutine", name: "locks", code: "import \"sync\"\n\nfunc planted(m *sync.Mutex) { m.Lock() }"},

		{check: "channel", name: "send", code: "func planted(c chan int) { c <- 1 }"},
		{check: "channel", name: "receive", code: "func planted(c <-chan int) int { return <-c }"},
		{check: "channel", name: "select", code: "func planted() {\n\tselect {\n\tdefault:\n\t}\n}"},
		{check: "channel", name: "make", code: "func planted() int { return cap(make(chan int)) }"},

		{check: "clock", name: "now", code: "import \"time\"\n\nfunc planted() int64 { return time.Now().Unix() }"},
		{check: "clock", name: "a deadline", code: "import \"context\"\n\nfunc planted(ctx context.Context) error { return ctx.Err() }"},

		{check: "random", name: "dice", code: "import \"math/rand/v2\"\n\nfunc planted() int { return rand.Int() }"},
		{check: "random", name: "secrets", code: "import \"crypto/rand\"\n\nfunc planted() string { return rand.Text() }"},
		{check: "random", name: "an address", code: "import \"fmt\"\n\nfunc planted(s *State) string { return fmt.Sprintf(\"%p\", s) }"},

		{check: "float", name: "a literal", code: "func planted() int { return int(0.1 * 30) }"},
		{check: "float", name: "a type", code: "func planted(x float64) bool { return x > 0 }"},
		{check: "float", name: "from a library", code: "import \"strconv\"\n\nfunc planted(s string) bool { x, _ := strconv.ParseFloat(s, 64); return x > 0 }"},
		{check: "float", name: "a whole one", code: "const planted = 1e3"},
		{check: "float", name: "imaginary", code: "func planted() bool { return 1i == 0 }"},

		{check: "variable", name: "a number", code: "var planted int"},
		{check: "variable", name: "in a block", code: "var (\n\tplanted = []int{1}\n)"},
		{check: "variable", name: "without a name", code: "var _ = func() int { return 1 }()"},
		{check: "variable", name: "init", code: "func init() {}"},

		{check: "error", name: "a function", code: "func planted() error { return nil }"},
		{check: "error", name: "a method", code: "func (r *reduction) planted() (int, error) { return 0, nil }"},
		{check: "error", name: "a literal", code: "func planted() any { return func() error { return nil } }"},
		{check: "error", name: "an interface", code: "type planted interface{ Do() error }"},
		{check: "error", name: "another name for it", code: "type refusal = error\n\nfunc planted() refusal { return nil }"},
		{check: "error", name: "one of protocol's", code: ours + "func planted() *protocol.Rejection { return nil }"},
		{check: "error", name: "an interface that is one", code: "type refusal interface {\n\terror\n\tCode() string\n}\n\nfunc planted() refusal { return nil }"},
		{check: "error", name: "in a field", code: "type planted struct{ err error }"},
		{check: "error", name: "a function that is called like a hook", code: "func MarshalJSON() ([]byte, error) { return nil, nil }"},

		{check: "log", name: "a log", code: "import \"log\"\n\nfunc planted() { log.Print(\"x\") }"},
		{check: "log", name: "a structured one", code: "import \"log/slog\"\n\nfunc planted() { slog.Info(\"x\") }"},
		{check: "log", name: "standard output", code: "import \"fmt\"\n\nfunc planted() { fmt.Printf(\"x\") }"},
		{check: "log", name: "the compiler's own", code: "func planted() { println(\"x\") }"},

		{check: "panic", name: "a panic", code: "func planted() { panic(\"x\") }"},
		{check: "panic", name: "in a literal", code: "func planted() func() { return func() { panic(\"x\") } }"},
		{check: "panic", name: "in a method with the door's name", code: "func (r *reduction) broken() { panic(\"x\") }"},

		{check: "recover", name: "recover", code: "func planted() { _ = recover() }"},
		{check: "recover", name: "defer", code: "func planted() { defer func() {}() }"},

		{check: "unsafe", name: "unsafe", code: "import \"unsafe\"\n\nfunc planted(p *int) uintptr { return uintptr(unsafe.Pointer(p)) }"},
		{check: "unsafe", name: "reflect", code: "import \"reflect\"\n\nfunc planted(v any) string { return reflect.TypeOf(v).Name() }"},
		{check: "unsafe", name: "C", code: "import \"C\""},
		{check: "unsafe", name: "assembly", file: "planted.s", code: "// TEXT ·planted(SB)"},

		{check: "directive", name: "a build constraint", code: "//go:build linux\nfunc planted() {}"},
		{check: "directive", name: "a file for one machine", file: "planted_arm64.go", code: "func planted() {}"},
		{check: "directive", name: "a link", code: "//go:linkname planted runtime.fastrand\nfunc planted() {}"},
		{check: "directive", name: "a moved line", code: "/*line innocent.go:1*/\nfunc planted() {}"},
	}
}

// TestBlindChecksAreRed: a kernel that does not type-check, or is not Go, cannot
// be judged, and says so.
func TestBlindChecksAreRed(t *testing.T) {
	tree, loader := copyTree(t), NewLoader()
	for name, code := range map[string]string{
		"not Go":           "package kernel\n\nfunc planted( {",
		"another package":  "package seed\n",
		"an unknown name":  "package kernel\n\nfunc planted() { nobody() }\n",
		"an unknown place": "package kernel\n\nimport _ \"example.com/nowhere\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(tree, "kernel", "planted.go")
			write(t, file, code)
			defer os.Remove(file)
			s, err := loader.Load(tree, "kernel")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(s.Errors, func(f Finding) bool { return f.File == "kernel/planted.go" }) {
				t.Errorf("not noticed: %v", s.Errors)
			}
		})
	}
	write(t, filepath.Join(tree, "protocol", "planted.go"), "package protocol\n\nvar _ = nobody\n")
	found, err := loader.Purity(tree)
	if err != nil || len(found["types"]) == 0 {
		t.Errorf("purity of what does not type-check: %v, %v", found, err)
	}
	if _, err := Purity(t.TempDir()); err == nil {
		t.Error("a folder without a module is pure")
	}
}

// TestDriverBuildsNothing: the rest of the trusted base is held to the
// prohibitions that make sense for it (S2-115, S2-157).
func TestDriverBuildsNothing(t *testing.T) {
	tree, loader := copyTree(t), NewLoader()
	for _, p := range []struct{ check, dir, code string }{
		{"N1", "record", "import \"os\"\n\nfunc planted() string { return os.Getenv(\"HOME\") }"},
		{"N2", "protocol", "// planted is for Claude.\nfunc planted() {}"},
		{"N3", "kernel/driver", "const planted = \"You are an officer of the court.\""},
		{"N5", "kernel/driver", "import \"os/exec\"\n\nfunc planted() { _ = exec.Command(\"x\").Run() }"},
		{"N7", "kernel/driver", "import \"fmt\"\n\nfunc planted() { fmt.Println() }"},
		{"log", "record", "import \"log\"\n\nfunc planted() { log.Print(1) }"},
	} {
		t.Run(p.dir+" "+p.check, func(t *testing.T) {
			file := filepath.Join(tree, p.dir, "planted.go")
			write(t, file, "package "+lastElement("/"+p.dir)+"\n\n"+p.code+"\n")
			defer os.Remove(file)
			s, err := loader.Load(tree, p.dir)
			if err != nil {
				t.Fatal(err)
			}
			c := Checks()[slices.IndexFunc(Checks(), func(c Check) bool { return c.ID == p.check })]
			if found := c.Find(s); !slices.Contains(c.In, p.dir) || len(found) == 0 || found[0].File != p.dir+"/planted.go" {
				t.Errorf("not noticed: %v", found)
			}
		})
	}
}
