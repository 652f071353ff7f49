package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tipstaff/tipstaff/conformance"
)

// trusted counts the lines of the trusted base: all of them, and those that are
// neither blank nor only comment.
func trusted(_ context.Context, root string, _ []string, out io.Writer) error {
	sumAll, sumCode := 0, 0
	for _, pkg := range conformance.TrustedBase() {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			return err
		}
		all, code := 0, 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			a, c, err := count(file)
			if err != nil {
				return err
			}
			all, code = all+a, code+c
		}
		fmt.Fprintf(out, "%-16s %6d lines, %6d of code\n", pkg, all, code)
		sumAll, sumCode = sumAll+all, sumCode+code
	}
	fmt.Fprintf(out, "%-16s %6d lines, %6d of code\n", "trusted base", sumAll, sumCode)
	return nil
}

func count(file string) (all, code int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		all++
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "//") {
			code++
		}
	}
	return all, code, s.Err()
}
