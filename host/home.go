package host

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pkg/errors"

	"github.com/tipstaff/tipstaff/record"
	"github.com/tipstaff/tipstaff/record/pebblestore"
)

// Host owns a home: the record and everything runs need.
type Host struct {
	config Config
	store  *pebblestore.Store
	door   *record.Door
	slots  chan struct{}
}

// effectsPerCore bounds how many effects are carried out at once: they mostly
// wait.
const effectsPerCore = 16

// Open opens the home, and makes it when it is not there. One process owns a home
// at a time; the error says who.
func Open(config Config) (*Host, error) {
	h := &Host{config: config, slots: make(chan struct{}, effectsPerCore*runtime.NumCPU())}
	if err := os.MkdirAll(config.Home, 0o700); err != nil {
		return nil, usage(errors.Wrap(err, "the home cannot be made"))
	}
	key, err := redactionKey(config.Home)
	if err != nil {
		return nil, err
	}
	h.door = record.NewDoor(record.NewRedactor(key, knownSecrets(Environ())...))
	holder := filepath.Join(config.Home, "holder")
	h.store, err = pebblestore.Open(filepath.Join(config.Home, "record"), pebblestore.Options{})
	if err != nil {
		if locked(err) {
			who, _ := os.ReadFile(holder)
			return nil, errors.Errorf("the home %s is in use by %s: wait for it or stop it", config.Home, orSomebody(string(who)))
		}
		return nil, err
	}
	me := fmt.Sprintf("process %d (%s)", os.Getpid(), strings.Join(firstWords(os.Args), " "))
	if err := os.WriteFile(holder, []byte(me), 0o600); err != nil {
		_ = h.store.Close() // the first error is the one to tell
		return nil, errors.Wrap(err, "the home cannot be written to")
	}
	return h, nil
}

// firstWords are program and command, without arguments that may be private.
func firstWords(args []string) []string {
	out := []string{filepath.Base(args[0])}
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		out = append(out, args[1])
	}
	return out
}

func orSomebody(who string) string {
	if who == "" {
		return "another process"
	}
	return who
}

// locked tells whether a store could not be opened because somebody has it.
func locked(err error) bool {
	text := err.Error()
	return strings.Contains(text, "lock held by current process") || strings.Contains(text, "resource temporarily unavailable")
}

// redactionKey is the home's key for the digests in redaction markers.
func redactionKey(home string) ([]byte, error) {
	const keyBytes = 32
	path := filepath.Join(home, "redaction.key")
	key, err := os.ReadFile(path)
	if err == nil && len(key) == keyBytes {
		return key, nil
	}
	if err == nil || !os.IsNotExist(err) {
		return nil, errors.Errorf("%s is damaged: restore it, or remove it and lose the link between old and new markers", path)
	}
	key = make([]byte, keyBytes)
	rand.Read(key)
	return key, errors.Wrap(os.WriteFile(path, key, 0o600), "the home cannot be written to")
}

// knownSecrets are the values of environment variables that hold secrets by
// their names: they must never be written down.
func knownSecrets(environ map[string]string) []string {
	var out []string
	for name, value := range environ {
		for _, word := range []string{"KEY", "SECRET", "TOKEN", "PASSWORD"} {
			if strings.Contains(name, word) && len(value) >= 8 {
				out = append(out, value)
				break
			}
		}
	}
	return out
}

// Close closes the home.
func (h *Host) Close() error { return h.store.Close() }

// content reads a piece of content that stands outside the entries.
func (h *Host) content(ctx context.Context, t textRef) (string, error) {
	return t.whole(ctx, h.store)
}
