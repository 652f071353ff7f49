package record

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/tipstaff/tipstaff/protocol"
)

// Damage says where a record is not what it was.
type Damage struct {
	// Run is the run, Seq the first entry that is wrong.
	Run protocol.RunID
	Seq uint64
	// What is wrong there, in words.
	What string
}

// Error names run, seq and fault.
func (d *Damage) Error() string {
	return fmt.Sprintf("run %s, entry %d: %s", d.Run, d.Seq, d.What)
}

// Chain checks lines one after the other, from a run's first.
type Chain struct {
	run  protocol.RunID
	head protocol.Head
}

// NewChain begins before a run's first line. An empty run takes the run of the
// first line.
func NewChain(run protocol.RunID) *Chain { return &Chain{run: run, head: protocol.EmptyHead()} }

// Head is where the chain is.
func (c *Chain) Head() protocol.Head { return c.head }

// Run is whose chain it is.
func (c *Chain) Run() protocol.RunID { return c.run }

// Next checks that a line is the next one and moves on. following is the line
// after it, nil when there is none: when two lines do not fit together, it tells
// which of them was changed. The error is a *Damage.
func (c *Chain) Next(line, following []byte) (protocol.Entry, error) {
	e, err := ParseLine(line)
	switch {
	case err != nil:
		return e, c.damage("%s", err)
	case c.head.Next == 0 && c.run == "":
		c.run = e.Run
	case e.Run != c.run:
		return e, c.damage("it belongs to run %s", e.Run)
	}
	switch {
	case e.Seq != c.head.Next && e.Prev == c.head.Hash:
		return e, c.damage("it was changed: its place is given as %d", e.Seq)
	case e.Seq < c.head.Next:
		return e, &Damage{Run: c.run, Seq: e.Seq, What: "it stands here a second time, or was moved"}
	case e.Seq > c.head.Next:
		return e, c.damage("it is not here: entry %d follows instead", e.Seq)
	case e.Prev != c.head.Hash && c.head.Next > 0 && intact(line, following):
		return e, &Damage{Run: c.run, Seq: c.head.Next - 1, What: "it was changed: the entry after it names another hash"}
	case e.Prev != c.head.Hash:
		return e, c.damage("it does not name the hash of the entry before it")
	case (c.head.Next == 0) != (e.Kind == protocol.KindBegin):
		return e, c.damage("a run begins with %s and only there", protocol.KindBegin)
	}
	c.head = protocol.Head{Next: e.Seq + 1, Hash: DigestOf(line)}
	return e, nil
}

// intact tells whether the line after a line names its hash.
func intact(line, following []byte) bool {
	next, err := ParseLine(following)
	return following != nil && err == nil && next.Prev == DigestOf(line)
}

func (c *Chain) damage(format string, args ...any) *Damage {
	return &Damage{Run: c.run, Seq: c.head.Next, What: fmt.Sprintf(format, args...)}
}

// Expect checks that the chain ends where a head says it ends.
func (c *Chain) Expect(head protocol.Head) error {
	switch {
	case c.head.Next < head.Next:
		return c.damage("%d entries are missing at the end", head.Next-c.head.Next)
	case c.head != head:
		return c.damage("the stored head is another one")
	}
	return nil
}

// Verify checks lines as one run's chain and gives its head. The error is a
// *Damage, or what reading the lines met.
func Verify(run protocol.RunID, lines iter.Seq2[[]byte, error]) (*Chain, error) {
	c := NewChain(run)
	for pair, err := range Pairs(lines) {
		if err != nil {
			return c, err
		}
		if _, err := c.Next(pair.Line, pair.Following); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Pair is a line and the one after it.
type Pair struct{ Line, Following []byte }

// Pairs gives each line with the one after it.
func Pairs(lines iter.Seq2[[]byte, error]) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		var line []byte
		for following, err := range lines {
			if err != nil {
				yield(Pair{}, err)
				return
			}
			following = bytes.Clone(following)
			if line != nil && !yield(Pair{line, following}, nil) {
				return
			}
			line = following
		}
		if line != nil {
			yield(Pair{Line: line}, nil)
		}
	}
}
