package filetool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tipstaff/tipstaff/protocol"
)

// newFileMode is the mode of a file that was not there.
const newFileMode = 0o644

// Change describes one write well enough to tell whether it happened and to undo
// it. It is what the record keeps before the write.
type Change struct {
	// Path is the place in the workspace, links followed.
	Path string `json:"path"`
	// Existed, Mode and Before are what stood there.
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"`
	Before  []byte      `json:"before"`
	// After is the SHA-256 of what will stand there.
	After string `json:"after"`
	// Made lists the folders that will be made, outermost first.
	Made []string `json:"made"`
}

// Plan looks at what a write would change, and changes nothing.
func (w *Workspace) Plan(ctx context.Context, path string, content []byte) (Change, bool, error) {
	rel, err := w.resolve(path)
	if err != nil {
		return Change{}, false, err
	}
	if rel == "." {
		return Change{}, false, &Error{Path: path, Message: "it is the workspace itself"}
	}
	if len(content) > MaxFileBytes {
		return Change{}, false, &Error{Path: path, Message: fmt.Sprintf("at most %d bytes can be written", MaxFileBytes)}
	}
	s, cut, err := w.look(ctx, path, rel, MaxFileBytes)
	if err != nil {
		return Change{}, false, err
	}
	if cut {
		return Change{}, false, &Error{Path: path, Message: fmt.Sprintf("the file has more than %d bytes: it could not be restored", MaxFileBytes)}
	}
	c := Change{Path: rel, Existed: s.exists, Mode: s.mode, Before: s.bytes, After: digest(content), Made: []string{}}
	if !s.exists {
		c.Mode = newFileMode
	}
	for dir := filepath.Dir(rel); dir != "."; dir = filepath.Dir(dir) {
		info, err := w.root.Lstat(dir)
		if err == nil && !info.IsDir() {
			return Change{}, false, &Error{Path: path, Message: "a file stands where a folder is needed"}
		}
		if err == nil {
			break
		}
		c.Made = append(c.Made, dir)
	}
	slices.Reverse(c.Made)
	local, _ := w.local(path)
	return c, s.linked || trustBearing(rel) || trustBearing(local), nil
}

// errChanged says that somebody changed the file meanwhile.
func errChanged(path, since string) error {
	return &Error{Path: path, Message: "somebody changed the file since it was " + since + ": it is left as it is"}
}

// is tells whether what stands at the place is what stood there before.
func (c Change) isBefore(s state) bool {
	return s.exists == c.Existed && (!s.exists || bytes.Equal(s.bytes, c.Before) && s.mode == c.Mode)
}

// isAfter tells whether it is what was written.
func (c Change) isAfter(s state) bool { return s.exists && digest(s.bytes) == c.After }

// unmoved checks that the place still is the one that was ruled on: no part of its
// path has become a link since, which could lead to a file that is trusted.
func (w *Workspace) unmoved(c Change) error {
	now, err := w.resolve(c.Path)
	if err != nil {
		return err
	}
	if now != c.Path {
		return &Error{Path: c.Path, Message: "a link stands in its path that was not there when it was looked at: it is left as it is"}
	}
	return nil
}

// Apply carries a change out. Doing it twice is doing it once; a file that is
// neither as it was nor as it will be is left alone.
func (w *Workspace) Apply(ctx context.Context, c Change, content []byte) error {
	if err := w.unmoved(c); err != nil {
		return err
	}
	s, _, err := w.look(ctx, c.Path, c.Path, MaxFileBytes)
	if err != nil {
		return err
	}
	if !c.isBefore(s) && !c.isAfter(s) {
		return errChanged(c.Path, "looked at")
	}
	for _, dir := range c.Made {
		if err := w.root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return &Error{Path: c.Path, Message: "its folder cannot be made"}
		}
		if err := w.syncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return w.replace(c, content)
}

// temp is the name of the file that a change, or its undoing, prepares beside
// the one it replaces: the same for every try, so that a left-over is found.
func (c Change) temp() string {
	return filepath.Join(filepath.Dir(c.Path), ".tipstaff-"+digest([]byte(c.Path + " " + c.After))[:16]+".tmp")
}

// replace puts content in a file's place: a reader sees the old or the new one.
func (w *Workspace) replace(c Change, content []byte) error {
	rel, tmp := c.Path, c.temp()
	if err := w.root.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &Error{Path: rel, Message: "its folder cannot be written to"}
	}
	f, err := w.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, c.Mode)
	if err != nil {
		return &Error{Path: rel, Message: "its folder cannot be written to"}
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(c.Mode), f.Sync(), f.Close())
	if err != nil {
		_ = w.root.Remove(tmp) // best effort: the next try removes it too
		return &Error{Path: rel, Message: "it cannot be written: is the disk full?"}
	}
	if err := w.root.Rename(tmp, rel); err != nil {
		_ = w.root.Remove(tmp) // best effort, as above
		return &Error{Path: rel, Message: "it cannot be replaced"}
	}
	return w.syncDir(filepath.Dir(rel))
}

func (w *Workspace) syncDir(rel string) error {
	d, err := w.root.Open(rel)
	if err != nil {
		return &Error{Path: rel, Message: "the folder cannot be made durable", Uncertain: true}
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return &Error{Path: rel, Message: "the folder cannot be made durable", Uncertain: true}
	}
	return nil
}

// Probe finds out whether a change was carried out.
func (w *Workspace) Probe(ctx context.Context, c Change) (protocol.Finding, string, error) {
	s, _, err := w.look(ctx, c.Path, c.Path, MaxFileBytes)
	switch {
	case err != nil:
		return protocol.FoundUnknown, "", err
	case c.isAfter(s):
		return protocol.FoundDone, c.Path + " has the content that was to be written", nil
	case c.isBefore(s):
		return protocol.FoundNotDone, c.Path + " is as it was before", nil
	}
	return protocol.FoundUnknown, c.Path + " is neither as it was nor as it was to be", nil
}

// Undo restores what stood there: bytes, mode, folders. Undoing twice is undoing
// once; what somebody changed since is left alone.
func (w *Workspace) Undo(ctx context.Context, c Change) error {
	if err := w.unmoved(c); err != nil {
		return err
	}
	s, _, err := w.look(ctx, c.Path, c.Path, MaxFileBytes)
	if err != nil {
		return err
	}
	switch {
	case c.isBefore(s) && c.isAfter(s), c.Existed && c.isBefore(s):
	case !c.isAfter(s) && !c.isBefore(s):
		return errChanged(c.Path, "written")
	case c.Existed:
		if err := w.replace(c, c.Before); err != nil {
			return err
		}
	case s.exists:
		if err := w.root.Remove(c.Path); err != nil {
			return &Error{Path: c.Path, Message: "it cannot be removed"}
		}
		if err := w.syncDir(filepath.Dir(c.Path)); err != nil {
			return err
		}
	}
	return w.sweep(c)
}

// sweep takes away what writes of this change may have left: temporary files, and
// the folders that were made, when nobody uses them.
func (w *Workspace) sweep(c Change) error {
	if err := w.root.Remove(c.temp()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &Error{Path: c.Path, Message: "a temporary file beside it cannot be removed"}
	}
	for _, dir := range slices.Backward(c.Made) {
		if err := w.root.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break // somebody else's files are in it
		}
	}
	return nil
}

// ProbeUndo finds out whether a change was undone.
func (w *Workspace) ProbeUndo(ctx context.Context, c Change) (protocol.Finding, string, error) {
	s, _, err := w.look(ctx, c.Path, c.Path, MaxFileBytes)
	switch {
	case err != nil:
		return protocol.FoundUnknown, "", err
	case c.isBefore(s) && w.gone(c.Made):
		return protocol.FoundDone, c.Path + " is as it was before", nil
	case c.isBefore(s), c.isAfter(s):
		return protocol.FoundNotDone, c.Path + " is not all as it was before", nil
	}
	return protocol.FoundUnknown, c.Path + " is neither as it was nor as it was written", nil
}

func (w *Workspace) gone(dirs []string) bool {
	for _, dir := range dirs {
		if _, err := w.root.Lstat(dir); err == nil {
			return false
		}
	}
	return true
}
