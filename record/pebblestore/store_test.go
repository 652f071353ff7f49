package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestRecordV1InMemory(t *testing.T) {
	conformance.RecordV1(t, func(t *testing.T) ports.RecordV1 { return open(t, "home", Mem()) })
}

func TestRecordV1OnDisk(t *testing.T) {
	conformance.RecordV1(t, func(t *testing.T) ports.RecordV1 { return open(t, t.TempDir(), Options{}) })
}

// TestSyncsAreShared: many runs that append at once wait for far fewer syncs
// than they append.
func TestSyncsAreShared(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	const runs, batches = 64, 20
	before := s.Syncs()
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			chain := conformance.NewRun(i)
			for range batches {
				if err := s.Append(context.Background(), chain.Next(2, true)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := s.Syncs() - before; n >= runs*batches/2 {
		t.Errorf("%d batches took %d syncs", runs*batches, n)
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	if err := s.db.Set(formatKey, []byte("2"), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("a store of format 2 opened: %v", err)
	}
}

// faultyFS fails the n-th write or sync, and all after it.
type faultyFS struct {
	vfs.FS
	left *atomic.Int64
}

var errBroken = errors.New("the disk is broken")

func (f faultyFS) fails() bool { return f.left.Add(-1) < 0 }

func (f faultyFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	return faultyFile{file, f}, nil
}

type faultyFile struct {
	vfs.File
	fs faultyFS
}

func (f faultyFile) Write(b []byte) (int, error) {
	if f.fs.fails() {
		return 0, errBroken
	}
	return f.File.Write(b)
}

func (f faultyFile) Sync() error {
	if f.fs.fails() {
		return errBroken
	}
	return f.File.Sync()
}

func (f faultyFile) SyncData() error {
	if f.fs.fails() {
		return errBroken
	}
	return f.File.SyncData()
}

// TestFailedWriteOrSync fails the disk at every point of a workload in turn.
// What was acknowledged is there after a restart that loses all unsynced data;
// nothing is acknowledged after the failure.
func TestFailedWriteOrSync(t *testing.T) {
	for at := int64(0); at < 60; at++ {
		mem := vfs.NewCrashableMem()
		left := &atomic.Int64{}
		left.Store(1 << 40)
		s, err := Open("home", Options{FS: faultyFS{mem, left}, KeepLogs: true})
		if err != nil {
			t.Fatal(err)
		}
		left.Store(at)
		chain := conformance.NewRun(1)
		acknowledged, failed := uint64(0), false
		for range 30 {
			b := chain.Next(1, true)
			err := s.Append(context.Background(), b)
			switch {
			case err == nil && failed:
				t.Fatalf("fault %d: acknowledged after a failure", at)
			case err == nil:
				acknowledged = b.Head.Next
			case !errors.Is(err, ports.ErrPoisoned):
				t.Fatalf("fault %d: %v", at, err)
			default:
				failed = true
			}
		}
		if !failed {
			t.Fatalf("fault %d was never met", at)
		}
		after := mem.CrashClone(vfs.CrashCloneCfg{})
		_ = s.Close()
		requireEntries(t, after, acknowledged, fmt.Sprintf("fault %d", at))
	}
}

// TestFullDisk: the words say what to do about it.
func TestFullDisk(t *testing.T) {
	left := &atomic.Int64{}
	left.Store(1 << 40)
	s, err := Open("home", Options{FS: faultyFS{vfs.NewCrashableMem(), left}, KeepLogs: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.poison.fail(errors.New("write home/000004.log: no space left on device"))
	if err := s.Append(context.Background(), conformance.NewRun(1).Next(1, true)); !errors.Is(err, ports.ErrPoisoned) || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("%v", err)
	}
}

// TestCrashImages crashes a workload of several runs at many points and loses
// unsynced data in random ways: every acknowledged batch is there, whole.
func TestCrashImages(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 40 {
		mem := vfs.NewCrashableMem()
		s, err := Open("home", Options{FS: mem, KeepLogs: true})
		if err != nil {
			t.Fatal(err)
		}
		chain := conformance.NewRun(1)
		acknowledged := uint64(0)
		for range rng.IntN(12) {
			b := chain.Next(1+rng.IntN(4), rng.IntN(3) > 0)
			if err := s.Append(context.Background(), b); err != nil {
				t.Fatal(err)
			}
			if b.Sync {
				acknowledged = b.Head.Next
			}
		}
		image := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		_ = s.Close()
		requireEntries(t, image, acknowledged, fmt.Sprintf("seed %d, round %d", seed, round))
	}
}

// requireEntries opens an image and looks for at least the acknowledged entries,
// without a hole, and a head that fits them.
func requireEntries(t *testing.T, fs vfs.FS, acknowledged uint64, what string) {
	t.Helper()
	s, err := Open("home", Options{FS: fs, KeepLogs: true})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer s.Close()
	run := conformance.NewRun(1).ID()
	n := uint64(0)
	for item, err := range s.Scan(context.Background(), protocol.EntryKey(run, 0)) {
		if err != nil || item.Key.Seq != n {
			t.Fatalf("%s: entry %d, %v", what, item.Key.Seq, err)
		}
		n++
	}
	head, err := s.head(run)
	if err != nil || head.Next != n || n < acknowledged {
		t.Fatalf("%s: %d entries, %d acknowledged, head %d, %v", what, n, acknowledged, head.Next, err)
	}
}
