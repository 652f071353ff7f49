package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/tipstaff/tipstaff/ports"
	"github.com/tipstaff/tipstaff/protocol"
)

// errClosed refuses what comes after Close.
var errClosed = errors.New("the record is closed")

// request is a batch that waits for its commit.
type request struct {
	batch  protocol.Batch
	result chan error
}

// Append adds a batch, all or nothing. ctx can take a batch back only until the
// committer has it; after that Append waits for what comes of it.
func (s *Store) Append(ctx context.Context, batch protocol.Batch) error {
	if s.readOnly {
		return errors.New("the record is open for reading only")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return errClosed
	}
	r := &request{batch: batch, result: make(chan error, 1)}
	select {
	case s.requests <- r:
		return <-r.result
	case <-ctx.Done():
		return ctx.Err()
	}
}

// commitLoop takes all that waits, over and over, until the store is closed.
func (s *Store) commitLoop() {
	defer s.done.Done()
	group := make([]*request, 0, maxGroup)
	for r := range s.requests {
		group = s.gather(append(group[:0], r))
		s.commit(group)
	}
}

// gather adds what else waits, without waiting for it.
func (s *Store) gather(group []*request) []*request {
	size := group[0].size()
	for len(group) < maxGroup && size < maxGroupBytes {
		select {
		case r, open := <-s.requests:
			if !open {
				return group
			}
			group = append(group, r)
			size += r.size()
		default:
			return group
		}
	}
	return group
}

func (r *request) size() int {
	n := len(r.batch.State)
	for _, l := range r.batch.Lines {
		n += len(l)
	}
	for _, c := range r.batch.Contents {
		n += len(c.Bytes)
	}
	return n
}

// commit writes a group as one batch. A request that does not fit its run's head
// is refused alone; a failed write refuses them all, and everything after.
func (s *Store) commit(group []*request) {
	if err := s.poison.error(); err != nil {
		answer(group, err)
		return
	}
	b := s.db.NewBatch()
	defer b.Close()
	taken := make([]*request, 0, len(group))
	g := groupState{heads: map[protocol.RunID]protocol.Head{}, claims: map[string][]byte{}}
	sync := false
	for _, r := range group {
		if err := s.add(b, g, r.batch); err != nil {
			r.result <- err
			continue
		}
		taken = append(taken, r)
		sync = sync || r.batch.Sync
	}
	if len(taken) == 0 {
		return
	}
	for run, head := range g.heads {
		b.Set(encodeKey(protocol.HeadKey(run)), protocol.MustMarshal(head), nil)
	}
	opts := pebble.NoSync
	if sync {
		opts = pebble.Sync
		s.syncs.Add(1)
	}
	err := b.Commit(opts)
	if err != nil {
		s.poison.fail(err)
	}
	// The logger may have been told of a failed sync without Commit returning
	// it: the poison decides, not the return value.
	if err := s.poison.error(); err != nil {
		answer(taken, err)
		return
	}
	for run, head := range g.heads {
		s.heads.put(run, head)
	}
	answer(taken, nil)
}

func answer(group []*request, err error) {
	for _, r := range group {
		r.result <- err
	}
}

// groupState is what the group itself changes: where its runs will end and which
// keys it takes.
type groupState struct {
	heads  map[protocol.RunID]protocol.Head
	claims map[string][]byte
}

// add puts one request into the group's batch, when it fits.
func (s *Store) add(b *pebble.Batch, g groupState, batch protocol.Batch) error {
	head, ok := g.heads[batch.Run]
	if !ok {
		var err error
		if head, err = s.head(batch.Run); err != nil {
			return err
		}
	}
	if head != batch.Expect {
		return ports.ErrHeadMoved
	}
	if batch.Head.Next != batch.Expect.Next+uint64(len(batch.Lines)) {
		return fmt.Errorf("a batch of %d lines cannot move a head from %d to %d", len(batch.Lines), batch.Expect.Next, batch.Head.Next)
	}
	for _, c := range batch.Claims {
		held, err := s.claimed(g, c)
		if err != nil {
			return err
		}
		if held != nil && !bytes.Equal(held, c.Value) {
			return ports.ErrClaimed
		}
	}
	s.write(b, batch)
	g.heads[batch.Run] = batch.Head
	for _, c := range batch.Claims {
		g.claims[string(encodeKey(protocol.ClaimKey(c.Tenant, c.Key)))] = c.Value
	}
	return nil
}

// claimed is what a key is bound to, in the group or before; nil when it is free.
func (s *Store) claimed(g groupState, c protocol.Claim) ([]byte, error) {
	key := protocol.ClaimKey(c.Tenant, c.Key)
	if v, ok := g.claims[string(encodeKey(key))]; ok {
		return v, nil
	}
	v, err := s.Get(context.Background(), key)
	if errors.Is(err, ports.ErrNotFound) {
		return nil, nil
	}
	return v, err
}

// write cannot fail: Pebble's batches are memory until they are committed.
func (s *Store) write(b *pebble.Batch, batch protocol.Batch) {
	for i, line := range batch.Lines {
		b.Set(encodeKey(protocol.EntryKey(batch.Run, batch.Expect.Next+uint64(i))), line, nil)
	}
	for _, c := range batch.Contents {
		b.Set(encodeKey(protocol.ContentKey(c.Digest)), c.Bytes, nil)
	}
	for _, c := range batch.Claims {
		b.Set(encodeKey(protocol.ClaimKey(c.Tenant, c.Key)), c.Value, nil)
	}
	if batch.State != nil {
		b.Set(encodeKey(protocol.CheckpointKey(batch.Run, batch.Head.Next)), batch.State, nil)
	}
}

// head is where a run's chain ends.
func (s *Store) head(run protocol.RunID) (protocol.Head, error) {
	if h, ok := s.heads.get(run); ok {
		return h, nil
	}
	v, closer, err := s.db.Get(encodeKey(protocol.HeadKey(run)))
	if errors.Is(err, pebble.ErrNotFound) {
		return protocol.EmptyHead(), nil
	}
	if err != nil {
		return protocol.Head{}, fmt.Errorf("the record cannot be read: %w", err)
	}
	defer closer.Close()
	var h protocol.Head
	if err := protocol.Unmarshal(v, &h); err != nil {
		return h, fmt.Errorf("the head of run %s is damaged: %w", run, err)
	}
	return h, nil
}

// maxHeads bounds the heads that are remembered: those of the busy runs.
const maxHeads = 16384

// headCache remembers heads, so that a busy run's is not read back each time. It
// belongs to the committer.
type headCache struct {
	heads map[protocol.RunID]protocol.Head
}

func newHeadCache() headCache { return headCache{map[protocol.RunID]protocol.Head{}} }

func (c headCache) get(run protocol.RunID) (protocol.Head, bool) {
	h, ok := c.heads[run]
	return h, ok
}

func (c headCache) put(run protocol.RunID, h protocol.Head) {
	if len(c.heads) >= maxHeads {
		clear(c.heads)
	}
	c.heads[run] = h
}
