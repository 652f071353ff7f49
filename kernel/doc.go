// Package kernel rules. It is one pure function,
//
//	Reduce(State, protocol.Command) (State, []protocol.Action)
//
// that reads nothing but its arguments and changes nothing: not even the state
// it was given, which stays valid beside the new one. Everything random or read
// from the world comes in as a field of a command. So the same commands always
// give the same actions, byte for byte, and a record of commands is enough to
// know everything that was ever decided (S2-070, S2-071, S2-077).
//
// # The walk of one call
//
// A model's turn, a plan's step or a client's proposal becomes a row of the
// calls table. The kernel orders Prepare, and the tool's contract says what this
// one call is. Then admission rules, in a fixed order: capability ceiling, trust
// floor, gate, guardrail. An admitted call becomes an effect: its EffectIntent
// is emitted and Perform ordered in the same step, and nowhere else, so that no
// effect can leave without having been written down first. What comes of it is a
// command again, and makes exactly one terminal.
//
// # Families
//
// One file a family, and each field of the state is written by one of them:
//
//	begin      what a run is ruled by
//	submit     what clients and operators say
//	context    what a turn is shown, and its label
//	turn       what a model answered
//	prepare    what a call is
//	admit      whether it may be carried out
//	approval   what a person answers
//	effect     intents and terminals
//	verify     whether a plan's step holds
//	plan       which step is next
//	budget     what was spent
//	saga, fsm  what was committed, how it is undone, and the guardrail
//	control    interrupt, drain, close, rollback
//	reconcile  a driver has taken the run up again
//	boundary   the one place where a run stops or goes on
//
// A family that has a consequence for another queues it with then. Decisions
// (decide, gate, floor, governing, stop, transition) are functions without
// receivers, tested by tables.
//
// # What is not here
//
// No files, no environment, no clock, no randomness, no provider, no prompt, no
// choice of context, no process, no parsing of tool protocols, no screen, no
// training (S2-120 to S2-127). No map either, no goroutine, no channel, no
// floating point, no package variable, no returned error. A refusal is a value,
// a broken invariant is a panic, and nothing else happens.
package kernel
