package sqlread

import (
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

//go:embed seed.sql
var seed string

// Seed makes the demo database at path: customers, and orders whose totals add up
// to 1200. It never writes over anything: a file that is there, whatever it is, is
// left as it is, and that is no error. The folder must exist.
func Seed(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return unseeded(path)
	}
	// Aside first: whoever looks sees all of it or nothing.
	aside, err := os.MkdirTemp(folder, ".seed-*")
	if err != nil {
		return unseeded(path)
	}
	defer os.RemoveAll(aside)
	made := filepath.Join(aside, "demo.db")
	if err := fill(made); err != nil {
		return unseeded(path)
	}
	if err := place(made, path); err != nil {
		return unseeded(path)
	}
	return nil
}

func unseeded(path string) error {
	return &Error{Unavailable, fmt.Sprintf("the demo database %q cannot be made: make sure its folder exists and can be written", path)}
}

// fill writes the demo's tables into a new file.
func fill(path string) error {
	db, err := sql.Open("sqlite", fileName(path, url.Values{"mode": {"rwc"}}))
	if err != nil {
		return err
	}
	_, err = db.Exec(seed)
	return errors.Join(err, db.Close())
}

// place gives a file its name unless the name is taken. A link does that in one
// step; where there are no links, a look and a renaming have to do.
func place(made, path string) error {
	err := os.Link(made, path)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return os.Rename(made, path)
}
