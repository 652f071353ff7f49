// Package host puts the parts together: configuration, the home with its record,
// the tools, and the way a run is started, taken up and summed up. bind.go is the
// only file of the program that imports adapters.
package host
