package pebblestore

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/tipstaff/tipstaff/ports"
)

// poison remembers the first write or sync that failed. After it nothing is
// acknowledged: Pebble may report such a failure to its logger only, and go on.
type poison struct{ cause atomic.Pointer[error] }

func (p *poison) fail(err error) {
	if err != nil {
		p.cause.CompareAndSwap(nil, &err)
	}
}

// error is nil while nothing has failed, and wraps ports.ErrPoisoned after.
func (p *poison) error() error {
	cause := p.cause.Load()
	if cause == nil {
		return nil
	}
	if strings.Contains((*cause).Error(), "no space left") {
		return fmt.Errorf("%w (the disk is full)", ports.ErrPoisoned)
	}
	return fmt.Errorf("%w (%w)", ports.ErrPoisoned, *cause)
}

// Infof is part of Pebble's logger; its remarks are not ours.
func (p *poison) Infof(string, ...any) {}

// Errorf is part of Pebble's logger; its remarks are not ours.
func (p *poison) Errorf(string, ...any) {}

// Fatalf is where Pebble says that it cannot go on. It must not end the
// process: the run's driver has a saga to report.
func (p *poison) Fatalf(format string, args ...any) {
	p.fail(fmt.Errorf(format, args...))
}

// guardedFS is a file system whose failures are remembered.
type guardedFS struct {
	vfs.FS
	poison   *poison
	keepLogs bool
}

func (g guardedFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.Create(name, c)
	return g.file(f, err)
}

func (g guardedFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := g.FS.OpenReadWrite(name, c, o...)
	return g.file(f, err)
}

func (g guardedFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if g.keepLogs {
		if err := g.FS.Remove(old); err != nil {
			return nil, err
		}
		return g.Create(name, c)
	}
	f, err := g.FS.ReuseForWrite(old, name, c)
	return g.file(f, err)
}

func (g guardedFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	return g.file(f, err)
}

func (g guardedFS) file(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return guardedFile{f, g.poison}, nil
}

// Unwrap lets Pebble see the file system below.
func (g guardedFS) Unwrap() vfs.FS { return g.FS }

type guardedFile struct {
	vfs.File
	poison *poison
}

func (f guardedFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.poison.fail(err)
	return n, err
}

func (f guardedFile) Sync() error {
	err := f.File.Sync()
	f.poison.fail(err)
	return err
}

func (f guardedFile) SyncData() error {
	err := f.File.SyncData()
	f.poison.fail(err)
	return err
}

func (f guardedFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	f.poison.fail(err)
	return full, err
}
