package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

// portsPage lists every port with the contract of its methods, and its suite if
// it has one.
func portsPage(root string) (string, error) {
	v, err := readVocabulary(root, "ports")
	if err != nil {
		return "", err
	}
	suites, err := suitesOf(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Ports\n\n" + generated + "What tipstaff needs from the world. The suite in `conformance` is the meaning of a port; those that have one are named here.\n\n")
	for _, e := range v.types {
		port, ok := e.spec.Type.(*ast.InterfaceType)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", e.name, e.doc)
		for _, m := range port.Methods.List {
			if len(m.Names) == 1 {
				fmt.Fprintf(&b, "- `%s%s`: %s\n", m.Names[0].Name, strings.TrimPrefix(v.code(m.Type), "func"), text(m.Doc))
			}
		}
		if bytes.Contains(suites, []byte("\nfunc "+e.name+"(")) {
			fmt.Fprintf(&b, "\nSuite: `conformance.%s`.\n", e.name)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// suitesOf is the source of package conformance; empty when there is none.
func suitesOf(root string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(root, "conformance", "*.go"))
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(append(all, '\n'), raw...)
	}
	return all, nil
}
