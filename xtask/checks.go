package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/tipstaff/tipstaff/conformance"
)

// findings makes a chore of a check: it prints what it finds, and fails when it
// finds something.
func findings(check func(root string) ([]conformance.Finding, error)) func(context.Context, string, []string, io.Writer) error {
	return func(_ context.Context, root string, _ []string, out io.Writer) error {
		found, err := check(root)
		if err != nil {
			return err
		}
		for _, f := range found {
			fmt.Fprintln(out, f)
		}
		if len(found) > 0 {
			return fmt.Errorf("%d findings", len(found))
		}
		return nil
	}
}

// frozen compares the words with their snapshots.
func frozen(_ context.Context, root string, args []string, out io.Writer) error {
	check, update := conformance.Frozen, slices.Contains(args, "-update")
	if update {
		check = conformance.UpdateFrozen
	}
	drifts, err := check(root)
	if err != nil {
		return err
	}
	n := 0
	for _, d := range drifts {
		if update {
			fmt.Fprintf(out, "%s: %d additions accepted\n", d.Package, len(d.Added))
			d.Added = nil
		}
		for _, f := range d.Findings() {
			fmt.Fprintln(out, f)
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d words differ from their snapshot; -update accepts additions", n)
	}
	return nil
}

// matrix prints the evidence matrix. It fails when a row is red; an open row is
// printed as open.
func matrix(ctx context.Context, root string, args []string, out io.Writer) error {
	if len(args) != 1 || args[0] != "kernel" {
		return fmt.Errorf("conformance of what? kernel")
	}
	checks, err := conformance.NewLoader().Purity(root)
	if err != nil {
		return err
	}
	counts, err := conformance.WriteMatrix(out, conformance.Judge(root, conformance.Matrix(), checks, conformance.GoTest(ctx, root)))
	if err != nil {
		return err
	}
	if red := counts[conformance.Red]; red > 0 {
		return fmt.Errorf("%d rows are red", red)
	}
	return nil
}
