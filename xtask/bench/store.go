// Package bench measures the record against what the disk allows, in one run, so
// that the ratio holds on any machine.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tipstaff/tipstaff/conformance"
	"github.com/tipstaff/tipstaff/record/pebblestore"
)

// lineBytes is the size of the records that are written.
const lineBytes = 1 << 10

// Store prints, for each number of busy runs, how many synced batches a second
// the record takes and how many a bare file with one write and one sync for all
// that wait does: L, the practical limit of the disk.
func Store(w io.Writer, dir string, runs []int, each time.Duration) error {
	fmt.Fprintf(w, "%8s %14s %14s %8s %14s\n", "runs", "record/s", "L/s", "ratio", "batches/sync")
	for _, n := range runs {
		limit, err := groupSync(filepath.Join(dir, fmt.Sprint("limit-", n)), n, each)
		if err != nil {
			return err
		}
		rate, perSync, err := record(filepath.Join(dir, fmt.Sprint("record-", n)), n, each)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%8d %14.0f %14.0f %8.2f %14.1f\n", n, rate, limit, rate/limit, perSync)
	}
	return nil
}

// record measures synced batches of so many runs, each waiting for its own.
func record(dir string, runs int, each time.Duration) (rate, perSync float64, err error) {
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		return 0, 0, err
	}
	var done atomic.Int64
	var failed atomic.Pointer[error]
	before := s.Syncs()
	took := until(runs, each, func(i int, more func() bool) {
		chain := conformance.NewRun(i)
		for more() {
			b := chain.Next(1, true)
			b.Lines[0] = append(b.Lines[0], make([]byte, lineBytes-len(b.Lines[0]))...)
			if err := s.Append(context.Background(), b); err != nil {
				failed.Store(&err)
				return
			}
			done.Add(1)
		}
	})
	syncs := s.Syncs() - before
	err = s.Close()
	if p := failed.Load(); p != nil {
		err = errors.Join(err, *p)
	}
	return float64(done.Load()) / took.Seconds(), float64(done.Load()) / float64(max(1, syncs)), err
}

// until lets so many workers go on for a while, and says how long it took.
func until(workers int, each time.Duration, work func(i int, more func() bool)) time.Duration {
	began := time.Now()
	more := func() bool { return time.Since(began) < each }
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { work(i, more) })
	}
	wg.Wait()
	return time.Since(began)
}

// groupSync measures a bare append-only file: all that waits, one write, one
// sync.
func groupSync(path string, writers int, each time.Duration) (float64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	waiting := make(chan chan error, writers)
	var committer sync.WaitGroup
	committer.Go(func() {
		buf := make([]byte, 0, writers*lineBytes)
		var group []chan error
		for first := range waiting {
			group = append(group[:0], first)
			for n := len(waiting); n > 0; n-- {
				group = append(group, <-waiting)
			}
			_, err := f.Write(buf[:len(group)*lineBytes])
			if err == nil {
				err = f.Sync()
			}
			for _, g := range group {
				g <- err
			}
		}
	})
	var done atomic.Int64
	took := until(writers, each, func(_ int, more func() bool) {
		answer := make(chan error, 1)
		for more() {
			waiting <- answer
			if <-answer != nil {
				return
			}
			done.Add(1)
		}
	})
	close(waiting)
	committer.Wait()
	return float64(done.Load()) / took.Seconds(), f.Close()
}
