// Package driver moves a run: the one executor of the kernel's actions, and the
// one broker of effects (S2-052, S2-113).
//
// A run is one goroutine. Its whole life: take a command; scrub it; reduce it;
// write the command and all it caused; make that durable before anything that
// can be seen outside; keep the new state; do the actions in order. It builds no
// prompt, chooses no context, starts no process (S2-115): it moves, but only
// through ports.
//
// Submissions wait in a bounded queue that hands back what does not fit. Answers
// of ports have reserved places of their own and go first, so that a full queue
// can never hold an effect's terminal up. An observer is a cursor over the
// record; the one attached client has a bounded channel, and when it is full the
// run waits.
package driver
