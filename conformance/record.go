package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// Run makes batches of one run for tests of record stores.
type Run struct {
	id   protocol.RunID
	head protocol.Head
}

// NewRun begins the n-th run.
func NewRun(n int) *Run {
	return &Run{id: protocol.RunID(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)), head: protocol.EmptyHead()}
}

// ID is the run's id.
func (r *Run) ID() protocol.RunID { return r.id }

// Next is the run's next batch of n lines.
func (r *Run) Next(n int, sync bool) protocol.Batch {
	b := protocol.Batch{Run: r.id, Expect: r.head, Sync: sync}
	for range n {
		line := protocol.MustMarshal(protocol.Entry{
			Version: 1, Run: r.id, Seq: r.head.Next, Prev: r.head.Hash, Kind: protocol.KindTick, Body: []byte(`{}`),
		})
		sum := sha256.Sum256(line)
		r.head = protocol.Head{Next: r.head.Next + 1, Hash: protocol.Digest(hex.EncodeToString(sum[:]))}
		b.Lines = append(b.Lines, line)
	}
	b.Head = r.head
	return b
}

// RecordV1 is what ports.RecordV1 means.
func RecordV1(t *testing.T, open func(t *testing.T) ports.RecordV1) {
	ctx := context.Background()
	t.Run("an entry comes back as it went in", func(t *testing.T) {
		s, r := open(t), NewRun(1)
		b := r.Next(3, true)
		must(t, s.Append(ctx, b))
		for i, want := range b.Lines {
			got, err := s.Get(ctx, protocol.EntryKey(r.ID(), uint64(i)))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("entry %d is %q, %v", i, got, err)
			}
		}
		head, err := s.Get(ctx, protocol.HeadKey(r.ID()))
		if err != nil || !bytes.Equal(head, protocol.MustMarshal(b.Head)) {
			t.Errorf("the head is %q, %v", head, err)
		}
	})
	t.Run("what is not there is not found", func(t *testing.T) {
		s := open(t)
		for _, k := range []protocol.Key{protocol.EntryKey("x", 0), protocol.HeadKey("x"), protocol.ContentKey("x"), protocol.ClaimKey("t", "k")} {
			if _, err := s.Get(ctx, k); !errors.Is(err, ports.ErrNotFound) {
				t.Errorf("%v: %v", k, err)
			}
		}
	})
	t.Run("a batch on another head is refused and changes nothing", func(t *testing.T) {
		s, r := open(t), NewRun(1)
		must(t, s.Append(ctx, r.Next(1, true)))
		other := NewRun(1).Next(2, true)
		other.Contents = []protocol.Content{{Digest: "d", Bytes: []byte("x")}}
		if err := s.Append(ctx, other); !errors.Is(err, ports.ErrHeadMoved) {
			t.Errorf("not refused: %v", err)
		}
		if _, err := s.Get(ctx, protocol.ContentKey("d")); !errors.Is(err, ports.ErrNotFound) {
			t.Errorf("part of a refused batch is there: %v", err)
		}
		must(t, s.Append(ctx, r.Next(1, true)))
	})
	t.Run("of those who append at one head one wins", func(t *testing.T) { recordContention(t, open(t)) })
	t.Run("content, claims and checkpoints come with the batch", func(t *testing.T) { recordExtras(t, open(t)) })
	t.Run("a scan is in order and stays in its run", func(t *testing.T) { recordScan(t, open(t)) })
	t.Run("a cancelled append is not taken", func(t *testing.T) {
		s, r := open(t), NewRun(1)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.Append(gone, r.Next(1, true)); !errors.Is(err, context.Canceled) {
			t.Errorf("taken: %v", err)
		}
		must(t, s.Append(ctx, NewRun(1).Next(1, true)))
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func recordContention(t *testing.T, s ports.RecordV1) {
	const writers = 16
	var mu sync.Mutex
	var wg sync.WaitGroup
	won := 0
	for i := range writers {
		wg.Go(func() {
			b := NewRun(1).Next(1+i, true)
			err := s.Append(context.Background(), b)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.Is(err, ports.ErrHeadMoved) {
				t.Errorf("lost with %v", err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d writers won", won)
	}
}

func recordExtras(t *testing.T, s ports.RecordV1) {
	ctx, r := context.Background(), NewRun(1)
	b := r.Next(2, true)
	b.Contents = []protocol.Content{{Digest: "aa", Bytes: []byte("content")}}
	b.Claims = []protocol.Claim{{Tenant: "t", Key: "k/1", Value: []byte("v")}}
	b.State = []byte("state")
	must(t, s.Append(ctx, b))
	for k, want := range map[protocol.Key]string{
		protocol.ContentKey("aa"):       "content",
		protocol.ClaimKey("t", "k/1"):   "v",
		protocol.CheckpointKey(r.id, 2): "state",
	} {
		if got, err := s.Get(ctx, k); err != nil || string(got) != want {
			t.Errorf("%v is %q, %v", k, got, err)
		}
	}
	same := r.Next(1, true)
	same.Claims = b.Claims
	must(t, s.Append(ctx, same))
	before := *r
	taken := r.Next(1, true)
	taken.Claims = []protocol.Claim{{Tenant: "t", Key: "k/1", Value: []byte("other")}}
	if err := s.Append(ctx, taken); !errors.Is(err, ports.ErrClaimed) {
		t.Errorf("a claim was taken twice: %v", err)
	}
	*r = before
	must(t, s.Append(ctx, r.Next(1, true)))
}

func recordScan(t *testing.T, s ports.RecordV1) {
	ctx := context.Background()
	runs := []*Run{NewRun(1), NewRun(2), NewRun(3)}
	for range 300 { // more than one byte of seq
		for _, r := range runs {
			must(t, s.Append(ctx, r.Next(1, false)))
		}
	}
	must(t, s.Append(ctx, runs[1].Next(1, true)))
	next := uint64(250)
	for item, err := range s.Scan(ctx, protocol.EntryKey(runs[1].id, 250)) {
		if err != nil || item.Key != protocol.EntryKey(runs[1].id, next) {
			t.Fatalf("%v where entry %d should be, %v", item.Key, next, err)
		}
		next++
	}
	if next != 301 {
		t.Errorf("the scan ended before entry %d", next)
	}
	heads := 0
	for item, err := range s.Scan(ctx, protocol.Key{Space: protocol.SpaceHead}) {
		if err != nil || item.Key != protocol.HeadKey(runs[heads].id) {
			t.Fatalf("%v, %v", item.Key, err)
		}
		heads++
	}
	if heads != 3 {
		t.Errorf("%d heads", heads)
	}
}
