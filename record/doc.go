// Package record writes down what happens so that it can be proved.
//
// A run's record is a chain of lines. Each line carries the SHA-256 of the line
// before it; the stored bytes are the hashed bytes, so `sha256sum` alone can
// check a chain. A command and every event it caused stand next to each other,
// and the command's line also carries a digest of the actions it caused, so that
// a replay which differs names the exact line.
//
// There is one door in. A [Writer] takes nothing but a [Scrubbed] command, and
// only [Door.Scrub] makes one: secrets are taken out, text is cleaned, long text
// is put aside by digest. The kernel reduces the scrubbed command, so a replay
// sees what the kernel saw, byte for byte (S2-081).
//
// The package computes and compares; a store (package pebblestore) keeps.
package record
