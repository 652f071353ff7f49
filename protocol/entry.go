package protocol

import "encoding/json"

// Entry is one line of a run's record (CONTRACT section 4). The stored bytes are
// the hashed bytes.
type Entry struct {
	// Version is ProtocolVersion.
	Version int `json:"v"`
	// Run is whose entry it is and Seq its place, from 0 without gaps.
	Run RunID  `json:"run"`
	Seq uint64 `json:"seq"`
	// Prev is the SHA-256 of the line before, ZeroDigest for the first.
	Prev Digest `json:"prev"`
	// At is Unix milliseconds.
	At int64 `json:"at"`
	// Kind says what Body is.
	Kind string `json:"kind"`
	// Body is the command or event.
	Body json.RawMessage `json:"body"`
}

// Head is where a chain ends.
type Head struct {
	// Next is the seq the next entry will have; 0 for a run that does not exist.
	Next uint64 `json:"next"`
	// Hash is the SHA-256 of the last line, ZeroDigest before the first.
	Hash Digest `json:"hash"`
}

// EmptyHead is the head of a run that does not exist yet.
func EmptyHead() Head { return Head{Hash: ZeroDigest} }

// Batch is what one step adds to one run, all or nothing.
type Batch struct {
	// Run is the run; Expect is the head the lines were chained onto. A store
	// whose head differs refuses the batch.
	Run    RunID
	Expect Head
	// Lines are the entries, chained; Head is where the chain ends after them.
	Lines [][]byte
	Head  Head
	// Contents are kept by digest, durable with the lines.
	Contents []Content
	// Claims are idempotency keys taken with this batch.
	Claims []Claim
	// State is a checkpoint of the state after the lines; nil when none.
	State []byte
	// Sync asks that the batch be durable before Append returns.
	Sync bool
}

// Content is a piece of content outside the entries.
type Content struct {
	Digest Digest
	Bytes  []byte
}

// Claim binds a tenant's idempotency key to a value, once.
type Claim struct {
	Tenant TenantID
	Key    string
	Value  []byte
}

// Space is one of the record's key spaces (DESIGN section 6).
type Space byte

// The key spaces.
const (
	SpaceEntry      Space = 'e'
	SpaceHead       Space = 'h'
	SpaceCheckpoint Space = 'c'
	SpaceContent    Space = 'b'
	SpaceClaim      Space = 'k'
)

// Key names one value of the record.
type Key struct {
	// Space is which key space.
	Space Space
	// Name is the run, the digest, or tenant and key joined by a slash.
	Name string
	// Seq is the place in the run, in the spaces that have one.
	Seq uint64
}

// EntryKey names a run's entry.
func EntryKey(run RunID, seq uint64) Key { return Key{Space: SpaceEntry, Name: string(run), Seq: seq} }

// HeadKey names a run's head.
func HeadKey(run RunID) Key { return Key{Space: SpaceHead, Name: string(run)} }

// CheckpointKey names a run's checkpoint before entry seq.
func CheckpointKey(run RunID, seq uint64) Key {
	return Key{Space: SpaceCheckpoint, Name: string(run), Seq: seq}
}

// ContentKey names a piece of content.
func ContentKey(d Digest) Key { return Key{Space: SpaceContent, Name: string(d)} }

// ClaimKey names a tenant's idempotency key.
func ClaimKey(t TenantID, key string) Key { return Key{Space: SpaceClaim, Name: string(t) + "/" + key} }

// Item is one value of the record with its key.
type Item struct {
	Key   Key
	Value []byte
}
