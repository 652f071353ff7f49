package kernel

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type testRow struct{ N, V uint64 }

func (r testRow) key() uint64 { return r.N }

// TestTableAgainstSlice compares a table with a plain slice over random changes,
// and makes sure that no earlier table is changed by a later one.
func TestTableAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var have table[testRow]
		var want []testRow
		type version struct {
			table table[testRow]
			rows  []testRow
		}
		var versions []version
		next := uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "changes") {
			versions = append(versions, version{have, slices.Clone(want)})
			switch {
			case len(want) == 0 || rapid.IntRange(0, 2).Draw(t, "kind") == 0:
				next += rapid.Uint64Range(1, 3).Draw(t, "gap")
				have, want = have.put(testRow{next, 0}), append(want, testRow{next, 0})
			case rapid.Bool().Draw(t, "drop"):
				i := rapid.IntRange(0, len(want)-1).Draw(t, "at")
				have, want = have.drop(want[i].N), slices.Delete(slices.Clone(want), i, i+1)
			default:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "at")
				want = slices.Clone(want)
				want[i].V++
				have = have.put(want[i])
			}
			same(t, have, want)
		}
		for _, v := range versions {
			same(t, v.table, v.rows)
		}
	})
}

func same(t *rapid.T, have table[testRow], want []testRow) {
	if got := slices.Collect(have.all); !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	back := slices.Collect(have.backward)
	slices.Reverse(back)
	if !slices.Equal(back, want) || have.size() != len(want) || have.empty() != (len(want) == 0) {
		t.Fatalf("backward %v, size %d", back, have.size())
	}
	for _, row := range want {
		if got, ok := have.find(row.N); !ok || got != row {
			t.Fatalf("row %d is %v, %v", row.N, got, ok)
		}
	}
}
