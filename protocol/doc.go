// Package protocol is tipstaff's vocabulary: every word that crosses a border
// inside the program or leaves it, with its wire form and its bounds.
//
// Four sums carry everything. An [Op] asks (client to host). A [Command] tells
// (driver to kernel). An [Action] orders (kernel to driver). An [Event] reports
// (to the record and the client). Each sum is sealed: its arms are the types of
// this package that implement it, and a tag nobody here knows becomes the
// Unknown arm, which keeps nothing of what came with it (S2-101, S2-102).
//
// Two rules hold for all of it.
//
// One encoder. [Marshal] is the only way a value becomes bytes, [Unmarshal]
// refuses bytes that Marshal would not have written. So a value has exactly one
// encoding, and the SHA-256 of an encoding names the value.
//
// Bounds have names. Everything of variable length has a Max… constant in
// limits.go, and every contract has a Validate that holds it to them.
//
// The package does no input or output, knows no clock and no random source, and
// imports nothing else of the project.
package protocol
