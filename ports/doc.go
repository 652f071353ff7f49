// Package ports says what tipstaff needs from the world: one file a port, one
// to three methods each, the contract written on the method.
//
// A version is part of a type's name. A released port never changes: what needs
// another shape is a V2 in a file of its own, with a function that makes a V2 of
// a V1. Data types are protocol's; a port owns behaviour. What a port means in
// every corner is its suite in package conformance, and an adapter is right when
// it passes that suite.
//
// Deadlines, retries, panics, output bounds and idempotency keys belong to the
// broker, once. An adapter with a retry loop is in the wrong place.
package ports
