package record

import (
	"github.com/tipstaff/tipstaff/protocol"
)

// Writer chains a run's lines and gathers them into batches. It is for one
// goroutine: the run's.
type Writer struct {
	run     protocol.RunID
	head    protocol.Head // where the lines end
	durable protocol.Head // where the store ends
	batch   protocol.Batch
}

// NewWriter continues a run at its head.
func NewWriter(run protocol.RunID, head protocol.Head) *Writer {
	return &Writer{run: run, head: head, durable: head}
}

// Head is where the chain ends, with what has not been stored yet.
func (w *Writer) Head() protocol.Head { return w.head }

// Pending tells whether something has not been stored yet.
func (w *Writer) Pending() bool { return len(w.batch.Lines) > 0 }

// Step writes a command and everything it caused.
func (w *Writer) Step(s Scrubbed, actions []protocol.Action) {
	c := s.command
	w.line(c.Stamp(), c.CommandKind(), commandBody(c, DigestActions(actions)))
	w.batch.Contents = append(w.batch.Contents, s.contents...)
	for _, a := range actions {
		if emit, ok := a.(protocol.Emit); ok {
			w.line(c.Stamp(), emit.Event.EventKind(), protocol.MustMarshal(emit.Event))
		}
	}
}

func (w *Writer) line(at int64, kind string, body []byte) {
	line := protocol.MustMarshal(protocol.Entry{
		Version: protocol.ProtocolVersion, Run: w.run, Seq: w.head.Next, Prev: w.head.Hash, At: at, Kind: kind, Body: body,
	})
	w.batch.Lines = append(w.batch.Lines, line)
	w.head = protocol.Head{Next: w.head.Next + 1, Hash: DigestOf(line)}
}

// Keep stores content that must be exact to be of use, such as what undoes a
// call. It goes by digest only and stands in no entry.
func (w *Writer) Keep(content []byte) protocol.Digest {
	d := DigestOf(content)
	w.batch.Contents = append(w.batch.Contents, protocol.Content{Digest: d, Bytes: content})
	return d
}

// Claim takes an idempotency key together with the next batch.
func (w *Writer) Claim(c protocol.Claim) { w.batch.Claims = append(w.batch.Claims, c) }

// Checkpoint stores a state together with the next batch.
func (w *Writer) Checkpoint(state []byte) { w.batch.State = state }

// Batch is everything that has not been stored yet, for one Append.
func (w *Writer) Batch(sync bool) protocol.Batch {
	b := w.batch
	b.Run, b.Expect, b.Head, b.Sync = w.run, w.durable, w.head, sync
	return b
}

// Stored says that the last Batch was taken.
func (w *Writer) Stored() {
	w.durable = w.head
	w.batch = protocol.Batch{}
}
