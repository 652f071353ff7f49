// Package filetool reads and writes the files of one folder, the workspace.
//
// Every access goes through os.Root, so that no name, link or race leads out of
// the folder. A write is atomic, keeps the file's mode, and is described
// beforehand by a [Change] that is enough to find out whether it happened and to
// undo it. Undoing never overwrites what somebody else changed since.
package filetool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Bounds of the file tools.
const (
	// MaxPathBytes bounds a path.
	MaxPathBytes = 4096
	// MaxReadBytes bounds what is read of a file at once.
	MaxReadBytes = 1 << 20
	// MaxFileBytes bounds a file that is written, before and after.
	MaxFileBytes = 8 << 20
	// maxLinks bounds the links one path may lead through.
	maxLinks = 10
)

// Error refuses an access. It names only the path the caller gave.
type Error struct {
	// Path is the caller's, Message what is wrong with it.
	Path    string
	Message string
	// Uncertain says that something may have been changed.
	Uncertain bool
}

// Error gives path and words.
func (e *Error) Error() string { return fmt.Sprintf("%q: %s", clip(e.Path), e.Message) }

func clip(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Workspace is one folder. It is safe for concurrent use.
type Workspace struct {
	root *os.Root
	dir  string
}

// Open opens a folder as workspace.
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", dir, err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("workspace %s: there is no such folder", dir)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: it is not a folder that can be opened", dir)
	}
	return &Workspace{root: root, dir: abs}, nil
}

// Close closes the workspace.
func (w *Workspace) Close() error { return w.root.Close() }

// Dir is the folder's absolute path.
func (w *Workspace) Dir() string { return w.dir }

// local turns a caller's path into one relative to the workspace, by its letters
// alone.
func (w *Workspace) local(path string) (string, error) {
	switch {
	case path == "":
		return "", &Error{Path: path, Message: "a path is needed"}
	case len(path) > MaxPathBytes:
		return "", &Error{Path: path, Message: fmt.Sprintf("a path has at most %d bytes", MaxPathBytes)}
	case strings.IndexByte(path, 0) >= 0 || !utf8.ValidString(path):
		return "", &Error{Path: path, Message: "the path has bytes that no name has"}
	}
	rel := filepath.Clean(path)
	if filepath.IsAbs(rel) {
		inside, err := filepath.Rel(w.dir, rel)
		if err != nil {
			return "", &Error{Path: path, Message: "it is outside the workspace"}
		}
		rel = inside
	}
	if !filepath.IsLocal(rel) {
		return "", &Error{Path: path, Message: "it is outside the workspace"}
	}
	return rel, nil
}

// resolve follows the links of a path, as far as it exists, and gives the place
// it leads to. The last name may be missing; folders before it may be too.
func (w *Workspace) resolve(path string) (string, error) {
	rel, err := w.local(path)
	if err != nil {
		return "", err
	}
	done, todo := ".", strings.Split(rel, string(filepath.Separator))
	for links := 0; len(todo) > 0; {
		next := filepath.Join(done, todo[0])
		info, err := w.root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(append([]string{done}, todo...)...), nil
		}
		if err != nil {
			return "", &Error{Path: path, Message: "it cannot be reached inside the workspace"}
		}
		todo = todo[1:]
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", &Error{Path: path, Message: "it leads through too many links"}
		}
		target, err := w.root.Readlink(next)
		if err != nil {
			return "", &Error{Path: path, Message: "it leads through a link that cannot be read"}
		}
		if filepath.IsAbs(target) {
			return "", &Error{Path: path, Message: "it leads through a link out of the workspace"}
		}
		joined := filepath.Join(done, target)
		if !filepath.IsLocal(joined) {
			return "", &Error{Path: path, Message: "it leads through a link out of the workspace"}
		}
		done, todo = ".", append(strings.Split(joined, string(filepath.Separator)), todo...)
	}
	return done, nil
}

// state is what stands at a path.
type state struct {
	exists bool
	mode   fs.FileMode
	bytes  []byte
	linked bool // it has another name too
}

// look reads what stands at a resolved path, whole. cut is set when it has more
// than limit bytes.
func (w *Workspace) look(ctx context.Context, path, rel string, limit int) (s state, cut bool, err error) {
	f, err := w.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, false, nil
	}
	if err != nil {
		return state{}, false, &Error{Path: path, Message: "it cannot be opened"}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return state{}, false, &Error{Path: path, Message: "it is not a regular file"}
	}
	if err := ctx.Err(); err != nil {
		return state{}, false, err
	}
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return state{}, false, &Error{Path: path, Message: "it cannot be read"}
	}
	s = state{exists: true, mode: info.Mode().Perm(), bytes: b, linked: names(info) > 1}
	if len(b) > limit {
		s.bytes, cut = b[:limit], true
	}
	return s, cut, nil
}

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// Read gives a file's text. Longer files are cut, and say so.
func (w *Workspace) Read(ctx context.Context, path string) (string, error) {
	rel, err := w.resolve(path)
	if err != nil {
		return "", err
	}
	s, cut, err := w.look(ctx, path, rel, MaxReadBytes)
	switch {
	case err != nil:
		return "", err
	case !s.exists:
		return "", &Error{Path: path, Message: "there is no such file"}
	case s.linked:
		return "", &Error{Path: path, Message: "it has a second name, which may be outside the workspace"}
	}
	text := string(s.bytes)
	if cut {
		text = strings.ToValidUTF8(text, "") + "\n[cut here: the file is longer]"
	}
	if !utf8.ValidString(text) || bytes.IndexByte(s.bytes, 0) >= 0 {
		return "", &Error{Path: path, Message: "it is not text"}
	}
	return text, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
