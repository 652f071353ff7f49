package main

import (
	"context"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tipstaff/tipstaff/conformance"
)

// trusted counts the lines of the trusted base without its tests: all of them,
// and those that hold code.
func trusted(_ context.Context, root string, _ []string, out io.Writer) error {
	sumAll, sumCode := 0, 0
	for _, pkg := range conformance.TrustedBase() {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			return err
		}
		all, code := 0, 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			a, c := countLines(source)
			all, code = all+a, code+c
		}
		if len(files) == 0 {
			fmt.Fprintf(out, "%-16s is not there\n", pkg)
			continue
		}
		fmt.Fprintf(out, "%-16s %6d lines, %6d of code\n", pkg, all, code)
		sumAll, sumCode = sumAll+all, sumCode+code
	}
	fmt.Fprintf(out, "%-16s %6d lines, %6d of code\n", "trusted base", sumAll, sumCode)
	return nil
}

// countLines counts a source's lines, and those a token stands on: no blank line
// and none that is only comment, but every line of a long string.
func countLines(source []byte) (all, code int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0) // what is not Go counts as it can be read
	last := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // the scanner's own, not the source's
		}
		first := file.PositionFor(pos, false).Line
		end := first + strings.Count(text, "\n")
		code += max(0, end-max(first, last+1)+1)
		last = max(last, end)
	}
	all = strings.Count(string(source), "\n")
	if len(source) > 0 && source[len(source)-1] != '\n' {
		all++
	}
	return all, code
}
