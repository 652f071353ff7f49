package record

import (
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

// Next checks that a line is the next one and moves on. The error is a *Damage.
func (c *Chain) Next(line []byte) (protocol.Entry, error) {
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
	case e.Seq != c.head.Next:
		return e, c.damage("its place is given as %d: an entry was dropped, moved or doubled", e.Seq)
	case e.Prev != c.head.Hash:
		return e, c.damage("it does not follow from the entry before: one of them was changed")
	case (c.head.Next == 0) != (e.Kind == protocol.KindBegin):
		return e, c.damage("a run begins with %s and only there", protocol.KindBegin)
	}
	c.head = protocol.Head{Next: e.Seq + 1, Hash: DigestOf(line)}
	return e, nil
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
	for line, err := range lines {
		if err != nil {
			return c, err
		}
		if _, err := c.Next(line); err != nil {
			return c, err
		}
	}
	return c, nil
}
