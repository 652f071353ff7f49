package kernel

import (
	"slices"

	"github.com/tipstaff/tipstaff/protocol"
)

// chunkRows is how many rows one chunk of a table holds at most: what a change
// copies is one chunk and the list of chunks.
const chunkRows = 16

// keyed is a row of a table. Keys grow in the order rows are added.
type keyed interface{ key() uint64 }

// table is an ordered collection with value semantics: a change gives a new
// table and leaves the old one as it was. It stands where other programs have a
// map, because its order is its meaning.
type table[T keyed] struct{ chunks [][]T }

// all yields the rows in order.
func (t table[T]) all(yield func(T) bool) {
	for _, chunk := range t.chunks {
		for _, row := range chunk {
			if !yield(row) {
				return
			}
		}
	}
}

// backward yields the rows from the last to the first.
func (t table[T]) backward(yield func(T) bool) {
	for _, chunk := range slices.Backward(t.chunks) {
		for _, row := range slices.Backward(chunk) {
			if !yield(row) {
				return
			}
		}
	}
}

// size is the number of rows.
func (t table[T]) size() int {
	n := 0
	for _, chunk := range t.chunks {
		n += len(chunk)
	}
	return n
}

// empty tells whether there is no row.
func (t table[T]) empty() bool { return len(t.chunks) == 0 }

// locate finds where the row with a key is.
func (t table[T]) locate(key uint64) (chunk, row int, ok bool) {
	chunk, ok = slices.BinarySearchFunc(t.chunks, key, func(c []T, k uint64) int {
		switch {
		case c[len(c)-1].key() < k:
			return -1
		case c[0].key() > k:
			return 1
		}
		return 0
	})
	if !ok {
		return 0, 0, false
	}
	row, ok = slices.BinarySearchFunc(t.chunks[chunk], key, func(r T, k uint64) int {
		switch {
		case r.key() < k:
			return -1
		case r.key() > k:
			return 1
		}
		return 0
	})
	return chunk, row, ok
}

// find gives the row with a key.
func (t table[T]) find(key uint64) (row T, ok bool) {
	c, r, ok := t.locate(key)
	if !ok {
		return row, false
	}
	return t.chunks[c][r], true
}

// put gives the table with a row added at the end, or in place of the one with
// the same key.
func (t table[T]) put(row T) table[T] {
	if c, r, ok := t.locate(row.key()); ok {
		chunk := slices.Clone(t.chunks[c])
		chunk[r] = row
		return t.with(c, chunk)
	}
	last := len(t.chunks) - 1
	if last >= 0 && t.chunks[last][len(t.chunks[last])-1].key() > row.key() {
		broken("a row was added out of order")
	}
	if last < 0 || len(t.chunks[last]) == chunkRows {
		return table[T]{append(slices.Clip(t.chunks), []T{row})}
	}
	chunk := make([]T, len(t.chunks[last])+1)
	copy(chunk, t.chunks[last])
	chunk[len(chunk)-1] = row
	return t.with(last, chunk)
}

// drop gives the table without the row of a key.
func (t table[T]) drop(key uint64) table[T] {
	c, r, ok := t.locate(key)
	if !ok {
		return t
	}
	if len(t.chunks[c]) == 1 {
		return table[T]{slices.Concat(t.chunks[:c], t.chunks[c+1:])}
	}
	return t.with(c, slices.Concat(t.chunks[c][:r], t.chunks[c][r+1:]))
}

func (t table[T]) with(i int, chunk []T) table[T] {
	chunks := slices.Clone(t.chunks)
	chunks[i] = chunk
	return table[T]{chunks}
}

// MarshalJSON writes the rows as one array, so that a snapshot does not depend
// on how a table came to be.
func (t table[T]) MarshalJSON() ([]byte, error) {
	rows := make([]T, 0, t.size())
	for row := range t.all {
		rows = append(rows, row)
	}
	return protocol.Marshal(rows)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *table[T]) UnmarshalJSON(data []byte) error {
	var rows []T
	if err := protocol.Unmarshal(data, &rows); err != nil {
		return err
	}
	*t = table[T]{}
	for chunk := range slices.Chunk(rows, chunkRows) {
		t.chunks = append(t.chunks, chunk)
	}
	return nil
}
