// Package conformance holds what tipstaff means: one suite a port version, which
// every adapter of the port passes, and the checks of the house itself.
package conformance
