package pebblestore

import (
	"context"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2"

	"github.com/tipstaff/tipstaff/protocol"
)

// Scan gives the values from a key on, in order, as they were when it was
// called: within the key's run for entries and checkpoints, within its space
// otherwise. An empty name scans the whole space.
func (s *Store) Scan(ctx context.Context, from protocol.Key) iter.Seq2[protocol.Item, error] {
	return func(yield func(protocol.Item, error) bool) {
		lower, upper := encodeKey(from), []byte{byte(from.Space), '/' + 1}
		switch {
		case from.Name == "":
			lower = []byte{byte(from.Space), '/'}
		case sequenced(from.Space):
			upper = append([]byte{byte(from.Space), '/'}, from.Name...)
			upper = append(upper, '/'+1)
		}
		it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: lower, UpperBound: upper})
		if err != nil {
			yield(protocol.Item{}, fmt.Errorf("the record cannot be read: %w", err))
			return
		}
		defer it.Close()
		for ok := it.First(); ok; ok = it.Next() {
			if err := ctx.Err(); err != nil {
				yield(protocol.Item{}, err)
				return
			}
			item := protocol.Item{Key: decodeKey(it.Key()), Value: append([]byte(nil), it.Value()...)}
			if !yield(item, nil) {
				return
			}
		}
		if err := it.Error(); err != nil {
			yield(protocol.Item{}, fmt.Errorf("the record cannot be read: %w", err))
		}
	}
}
