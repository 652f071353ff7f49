package filetool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// runs is a string written as its parts repeated, see the corpus's encoding.
type runs string

func (r *runs) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*r = runs(s)
		return nil
	}
	var doc struct {
		Runs [][2]json.RawMessage `json:"$runs"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return err
	}
	for _, run := range doc.Runs {
		var unit string
		var times int
		if err := errors.Join(json.Unmarshal(run[0], &unit), json.Unmarshal(run[1], &times)); err != nil {
			return err
		}
		*r += runs(strings.Repeat(unit, times))
	}
	return nil
}

type pathCase struct {
	ID, Group string
	Input     struct {
		Tool  string
		Path  runs
		Setup []pathSetup
		Race  *struct {
			Op, A, From, To, At string
			B                   struct{ Symlink string }
		}
	}
	Expect struct{ Decision string }
}

type pathSetup struct{ Op, At, Text, To, Mode string }

// scene is a fresh R and O of the corpus.
type scene struct {
	t    *testing.T
	r, o string
	w    *Workspace
}

const canary = "CANARY_OUTSIDE"

func newScene(t *testing.T) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{t: t, r: filepath.Join(dir, "R"), o: filepath.Join(dir, "O")}
	s.must(os.Mkdir(s.r, 0o755))
	s.must(os.Mkdir(s.o, 0o755))
	s.must(os.WriteFile(filepath.Join(s.o, "secret.txt"), []byte(canary), 0o644))
	s.must(os.WriteFile(filepath.Join(s.r, "ok.txt"), []byte("hello"), 0o644))
	w, err := Open(s.r)
	s.must(err)
	s.w = w
	t.Cleanup(func() { _ = w.Close() })
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) fill(text string) string {
	return strings.NewReplacer("{ABS_R}", s.r, "{ABS_O}", s.o, "{REL_O}", "O", "{BASE_R}", "R", "{BASE_R_UPPER}", "R").Replace(text)
}

// at is the place of "R/x" or "O/x".
func (s *scene) at(place string) string {
	if rest, ok := strings.CutPrefix(place, "R/"); ok {
		return filepath.Join(s.r, rest)
	}
	if rest, ok := strings.CutPrefix(place, "O/"); ok {
		return filepath.Join(s.o, rest)
	}
	return s.fill(place)
}

func (s *scene) setup(steps []pathSetup) {
	for _, step := range steps {
		at := s.at(step.At)
		s.must(os.MkdirAll(filepath.Dir(at), 0o755))
		switch step.Op {
		case "mkdir":
			s.must(os.MkdirAll(at, 0o755))
		case "file":
			s.must(os.WriteFile(at, []byte(step.Text), 0o644))
		case "symlink":
			s.must(os.Symlink(s.fill(step.To), at))
		case "hardlink":
			s.must(os.Link(s.at(step.To), at))
		case "fifo":
			s.must(syscall.Mkfifo(at, 0o644))
		case "socket":
			s.must(os.Chdir(filepath.Dir(at))) // a socket's path is short
			l, err := net.Listen("unix", filepath.Base(at))
			s.must(err)
			s.t.Cleanup(func() { _ = l.Close() })
		case "mknod":
			if err := syscall.Mknod(at, syscall.S_IFCHR|0o644, 1<<8|5); err != nil {
				s.must(syscall.Mkfifo(at, 0o644)) // without the right to make devices: another special file
			}
		case "chmod":
			mode, err := strconv.ParseUint(step.Mode, 8, 32)
			s.must(err)
			s.must(os.Chmod(at, os.FileMode(mode)))
			s.t.Cleanup(func() { _ = os.Chmod(at, 0o755) })
		default:
			s.t.Fatalf("no setup is called %s", step.Op)
		}
	}
}

// race does to the tree what the case says, until the stop is called.
func (s *scene) race(c pathCase) (stop func()) {
	r := c.Input.Race
	if r == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			switch r.Op {
			case "swap":
				a := s.at(r.A)
				_ = os.Rename(a, a+".away")
				_ = os.Symlink(s.fill(r.B.Symlink), a)
				_ = os.Remove(a)
				_ = os.Rename(a+".away", a)
			case "rename-loop":
				_ = os.Rename(s.at(r.From), s.at(r.To))
				_ = os.Rename(s.at(r.To), s.at(r.From))
			case "append-loop":
				if f, err := os.OpenFile(s.at(r.At), os.O_APPEND|os.O_WRONLY, 0); err == nil && i < 4096 {
					_, _ = f.WriteString(strings.Repeat("x", 4096))
					_ = f.Close()
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// outside is what stands in O, to be compared.
func (s *scene) outside() string {
	var b strings.Builder
	s.must(filepath.WalkDir(s.o, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&b, "%s=%s;", path, text)
		}
		return nil
	}))
	return b.String()
}

// TestPathsCorpus runs every case of the corpus, races and controls included.
func TestPathsCorpus(t *testing.T) {
	raw, err := os.ReadFile("testdata/paths-open.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Cases []pathCase }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Cases {
		t.Run(c.ID, func(t *testing.T) {
			defer func() { _ = os.Chdir(home) }()
			s := newScene(t)
			s.setup(c.Input.Setup)
			path := s.fill(string(c.Input.Path))
			before := s.outside()
			stop := s.race(c)
			tries := 1
			if c.Input.Race != nil {
				tries = 300
			}
			for range tries {
				if c.Input.Tool == "fs.write" {
					s.tryWrite(c, path)
				} else {
					s.tryRead(c, path)
				}
			}
			stop()
			if c.Input.Race == nil || c.Input.Race.Op != "rename-loop" { // there the case itself moves a folder out
				if after := s.outside(); after != before {
					t.Errorf("outside was %q, is %q", before, after)
				}
			}
		})
	}
}

func (s *scene) tryRead(c pathCase, path string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	text, err := s.w.Read(ctx, path)
	if strings.Contains(text, canary) {
		s.t.Fatal("what is outside was read")
	}
	if err != nil && strings.Contains(err.Error(), s.r) && !strings.Contains(path, s.r) {
		s.t.Errorf("the error tells where the workspace is: %v", err)
	}
	switch c.Expect.Decision {
	case "allow":
		if err != nil {
			s.t.Errorf("a control is refused: %v", err)
		}
	case "deny":
		if err == nil {
			s.t.Errorf("it was read: %q", text)
		}
	case "allow-truncated":
		if err != nil || len(text) > MaxReadBytes+100 {
			s.t.Errorf("%d bytes, %v", len(text), err)
		}
	}
}

// tryWrite prepares the write as the tool does, and carries it out only when it
// needs no person.
func (s *scene) tryWrite(c pathCase, path string) {
	ctx := context.Background()
	tool := NewWrite(s.w)
	p, err := tool.Prepare(ctx, protocol.MustMarshal(WriteArgs{Path: path, Content: "x"}))
	switch c.Expect.Decision {
	case "needs-approval":
		if err != nil || p.Class != protocol.TrustMutating {
			s.t.Errorf("class %s, %v", p.Class, err)
		}
		return
	case "allow":
		if err != nil || p.Class != protocol.ReversibleLocal {
			s.t.Fatalf("a control: class %s, %v", p.Class, err)
		}
	}
	if err == nil {
		_, err = tool.Execute(ctx, ports.Call{Key: "k", Args: p.Args, Undo: p.Undo})
	}
	root := os.Geteuid() == 0 && c.Group == "special" // a superuser may write into a read-only folder
	if c.Expect.Decision == "deny" && err == nil && !root {
		s.t.Error("it was written")
	}
	if c.Expect.Decision == "allow" && err != nil {
		s.t.Errorf("a control is refused: %v", err)
	}
}
