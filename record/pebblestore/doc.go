// Package pebblestore keeps the record in Pebble, embedded.
//
// Many runs share one durability wait: a committer takes every batch that waits,
// checks each against the head of its run, writes all of them as one Pebble
// batch and syncs once. Nobody is told before the sync is known to be good. A
// write or sync that failed poisons the store: it takes nothing more until it is
// opened again, because only reopening tells what is on the disk.
package pebblestore
