package filetool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// tree is everything in a folder, with modes.
func tree(dir string) string {
	var b strings.Builder
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, _ := d.Info()
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %v %q\n", strings.TrimPrefix(path, dir), info.Mode(), text)
		return nil
	})
	return b.String()
}

// TestUndoInReverse: any row of writes, undone in reverse, gives the same tree.
func TestUndoInReverse(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "filetool-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o600))
		must(os.Chmod(filepath.Join(dir, "a"), 0o601))
		w, err := Open(dir)
		must(err)
		defer w.Close()
		before := tree(dir)
		var done []Change
		for range rapid.IntRange(1, 10).Draw(t, "writes") {
			path := rapid.SampledFrom([]string{"a", "b", "d/a", "d/e/b", "d/e/c", "f/g/h/i"}).Draw(t, "path")
			content := []byte(rapid.SampledFrom([]string{"", "old", "x", "yy"}).Draw(t, "content"))
			c, _, err := w.Plan(ctx, path, content)
			must(err)
			for range rapid.IntRange(1, 2).Draw(t, "times") { // twice is once
				must(w.Apply(ctx, c, content))
			}
			if found, _, err := w.Probe(ctx, c); err != nil || found != protocol.FoundDone {
				t.Fatalf("%s, %v", found, err)
			}
			done = append(done, c)
		}
		for i := len(done) - 1; i >= 0; i-- {
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				must(w.Undo(ctx, done[i]))
			}
			if found, _, err := w.ProbeUndo(ctx, done[i]); err != nil || found != protocol.FoundDone {
				t.Fatalf("%s, %v", found, err)
			}
		}
		if after := tree(dir); after != before {
			t.Fatalf("the tree was\n%s\nand is\n%s", before, after)
		}
	})
}

// TestSomebodyElse: neither a write nor its undoing overwrites what somebody
// changed meanwhile, and both probes say that they do not know.
func TestSomebodyElse(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	file := filepath.Join(dir, "f")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("before")
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c, _, err := w.Plan(ctx, "f", []byte("after"))
	if err != nil {
		t.Fatal(err)
	}
	put("theirs")
	if err := w.Apply(ctx, c, []byte("after")); err == nil {
		t.Error("their change was overwritten")
	}
	if found, _, _ := w.Probe(ctx, c); found != protocol.FoundUnknown {
		t.Errorf("%s", found)
	}
	put("before")
	if err := w.Apply(ctx, c, []byte("after")); err != nil {
		t.Fatal(err)
	}
	put("theirs")
	if err := w.Undo(ctx, c); err == nil {
		t.Error("their change was overwritten by the undoing")
	}
	if found, _, _ := w.ProbeUndo(ctx, c); found != protocol.FoundUnknown {
		t.Errorf("%s", found)
	}
	if text, _ := os.ReadFile(file); string(text) != "theirs" {
		t.Errorf("it is %q", text)
	}
}

// TestLeftOvers: what a write that died left beside the file is found by the next
// try and by the undoing.
func TestLeftOvers(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	before := tree(dir)
	c, _, err := w.Plan(ctx, "d/f", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	leave := func() {
		if err := os.MkdirAll(filepath.Join(dir, "d"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, c.temp()), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := w.Apply(ctx, c, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, c.temp())); err == nil {
		t.Error("the left-over is still there")
	}
	leave()
	if err := w.Undo(ctx, c); err != nil {
		t.Fatal(err)
	}
	if after := tree(dir); after != before {
		t.Errorf("the tree is\n%s", after)
	}
}

// TestHalfUndone: an undoing that died at any point is finished by the next.
func TestHalfUndone(t *testing.T) {
	ctx := context.Background()
	for point := range 4 {
		dir := t.TempDir()
		w, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		before := tree(dir)
		c, _, err := w.Plan(ctx, "a/b/f", []byte("x"))
		if err == nil {
			err = w.Apply(ctx, c, []byte("x"))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, gone := range []string{"a/b/f", "a/b", "a"}[:point] {
			if err := os.Remove(filepath.Join(dir, gone)); err != nil {
				t.Fatal(err)
			}
		}
		if found, _, err := w.ProbeUndo(ctx, c); err != nil || (found == protocol.FoundDone) != (point == 3) {
			t.Errorf("after %d of 3 steps the probe finds %s, %v", point, found, err)
		}
		if err := w.Undo(ctx, c); err != nil {
			t.Error(err)
		}
		if after := tree(dir); after != before {
			t.Errorf("after %d of 3 steps the tree is\n%s", point, after)
		}
	}
}

// TestFoldersOfOthersStay: a folder that was made and is used by somebody else
// stays.
func TestFoldersOfOthersStay(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c, _, err := w.Plan(ctx, "d/e/f", []byte("x"))
	if err == nil {
		err = w.Apply(ctx, c, []byte("x"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "d", "theirs"), nil, 0o644)
	}
	if err == nil {
		err = w.Undo(ctx, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d", "theirs")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d", "e")); err == nil {
		t.Error("the empty folder is still there")
	}
}

func TestToolV1(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text"), 0o604); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	world := func() string { return tree(dir) }
	for name, c := range map[string]struct {
		tool ports.ToolV1
		kase conformance.ToolCase
	}{
		"read":  {NewRead("fs.read", w), conformance.ToolCase{Good: []string{`{"path":"f"}`}, Bad: []string{`{}`, `{"path":1}`}, Digest: world}},
		"write": {NewWrite(w), conformance.ToolCase{Good: []string{`{"path":"f","content":"new"}`, `{"path":"d/e/g","content":""}`}, Bad: []string{`{"path":"f"}`}, Digest: world}},
	} {
		t.Run(name, func(t *testing.T) { conformance.ToolV1(t, c.kase, func(*testing.T) ports.ToolV1 { return c.tool }) })
	}
}

// TestPathBecomesALink: a place that was ruled on is not written through a link
// that was put there afterwards, nor undone through one.
func TestPathBecomesALink(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for _, sub := range []string{"d", ".git"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c, trusted, err := w.Plan(ctx, "d/config2", []byte("x"))
	if err != nil || trusted {
		t.Fatalf("trusted %v, %v", trusted, err)
	}
	if err := os.Remove(filepath.Join(dir, "d")); err == nil {
		err = os.Symlink(".git", filepath.Join(dir, "d"))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Apply(ctx, c, []byte("x")); err == nil {
		t.Error("it was written through the link")
	}
	if err := w.Undo(ctx, c); err == nil {
		t.Error("it was undone through the link")
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, ".git")); len(entries) != 0 {
		t.Errorf("something was written: %v", entries)
	}
}
