package pebblestore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// Format is the version of the store's layout. A store of another version is
// refused.
const Format = 1

// Sizes of the embedded store. The record is written once and rarely read, so
// memory goes to the write path.
const (
	memTableBytes = 32 << 20
	cacheBytes    = 8 << 20
	// maxGroup bounds how many batches share one sync.
	maxGroup = 4096
	// maxGroupBytes bounds how many bytes of lines and content do.
	maxGroupBytes = 16 << 20
)

// Options are the few things a caller may choose. The zero value is right for a
// home on a disk.
type Options struct {
	// FS is the file system; nil is the machine's.
	FS vfs.FS
	// KeepLogs switches off the reuse of old log files, which crash tests on an
	// in-memory file system need.
	KeepLogs bool
	// ReadOnly opens without changing anything; Append is refused.
	ReadOnly bool
}

// Mem gives options for a store in memory: the real store on a file system that
// is not there afterwards.
func Mem() Options { return Options{FS: vfs.NewMem(), KeepLogs: true} }

// Store is a record in Pebble. It satisfies ports.RecordV1.
type Store struct {
	db       *pebble.DB
	poison   *poison
	requests chan *request
	gate     sync.RWMutex // held for reading by every Append, for writing by Close
	closed   bool
	done     sync.WaitGroup
	syncs    atomic.Uint64
	readOnly bool
	heads    headCache
}

var formatKey = []byte("m/format")

// Open opens the store in dir, or makes one. It fails when another process has
// it open, when it was written by a newer version, or when it is damaged.
func Open(dir string, o Options) (*Store, error) {
	fs := o.FS
	if fs == nil {
		fs = vfs.Default
	}
	p := &poison{}
	guarded := guardedFS{FS: fs, poison: p, keepLogs: o.KeepLogs}
	fresh := !exists(fs, dir)
	db, err := pebble.Open(dir, options(guarded, p, o))
	if err != nil {
		return nil, fmt.Errorf("the record in %s cannot be opened: %w", dir, err)
	}
	if fresh && !o.ReadOnly {
		// The first log of a new store has the old format's weak checksums:
		// begin in the second.
		if err := errors.Join(db.Set(formatKey, []byte(strconv.Itoa(Format)), pebble.Sync), db.Close()); err != nil {
			return nil, fmt.Errorf("the record in %s cannot be made: %w", dir, err)
		}
		if db, err = pebble.Open(dir, options(guarded, p, o)); err != nil {
			return nil, fmt.Errorf("the record in %s cannot be opened: %w", dir, err)
		}
	}
	s := &Store{db: db, poison: p, requests: make(chan *request, maxGroup), readOnly: o.ReadOnly, heads: newHeadCache()}
	if err := s.checkFormat(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.done.Add(1)
	go s.commitLoop()
	return s, nil
}

func exists(fs vfs.FS, dir string) bool {
	names, err := fs.List(dir)
	return err == nil && len(names) > 0
}

func options(fs vfs.FS, p *poison, o Options) *pebble.Options {
	opts := &pebble.Options{
		FS:                          fs,
		FormatMajorVersion:          pebble.FormatNewest,
		ReadOnly:                    o.ReadOnly,
		Logger:                      p,
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 4,
		CacheSize:                   cacheBytes,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       32,
		MaxOpenFiles:                512,
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { p.fail(err) },
		},
	}
	for i := range opts.Levels {
		opts.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	return opts
}

func (s *Store) checkFormat() error {
	v, closer, err := s.db.Get(formatKey)
	if errors.Is(err, pebble.ErrNotFound) {
		return errors.New("this is not a tipstaff record: its format mark is missing")
	}
	if err != nil {
		return fmt.Errorf("the record cannot be read: %w", err)
	}
	defer closer.Close()
	if n, err := strconv.Atoi(string(v)); err != nil || n != Format {
		return fmt.Errorf("the record has format %q, this program writes format %d: use the tipstaff that wrote it, or a newer one", v, Format)
	}
	return nil
}

// Close waits for the batches that were taken and closes the store.
func (s *Store) Close() error {
	s.gate.Lock()
	already := s.closed
	s.closed = true
	s.gate.Unlock()
	if already {
		return errClosed
	}
	close(s.requests)
	s.done.Wait()
	err := s.db.Close()
	if s.poison.error() != nil {
		return s.poison.error()
	}
	return err
}

// Syncs counts the durability waits so far.
func (s *Store) Syncs() uint64 { return s.syncs.Load() }

// Get gives one value; ports.ErrNotFound when there is none.
func (s *Store) Get(_ context.Context, key protocol.Key) ([]byte, error) {
	v, closer, err := s.db.Get(encodeKey(key))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, ports.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("the record cannot be read: %w", err)
	}
	defer closer.Close()
	return append([]byte(nil), v...), nil
}

// encodeKey lays a key out: space, name, and eight bytes of seq where the space
// has one, so that a run's entries stand in order.
func encodeKey(k protocol.Key) []byte {
	b := append([]byte{byte(k.Space), '/'}, k.Name...)
	if sequenced(k.Space) {
		b = append(b, '/')
		b = binary.BigEndian.AppendUint64(b, k.Seq)
	}
	return b
}

func sequenced(s protocol.Space) bool {
	return s == protocol.SpaceEntry || s == protocol.SpaceCheckpoint
}

// decodeKey undoes encodeKey.
func decodeKey(b []byte) protocol.Key {
	k := protocol.Key{Space: protocol.Space(b[0])}
	rest := b[2:]
	if sequenced(k.Space) {
		k.Seq = binary.BigEndian.Uint64(rest[len(rest)-8:])
		rest = rest[:len(rest)-9]
	}
	k.Name = string(rest)
	return k
}
