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

// frozen compares the words with their snapshots. With -update it takes additions
// in; a change is never taken.
func frozen(_ context.Context, root string, args []string, out io.Writer) error {
	update := slices.Contains(args, "-update")
	check := conformance.Frozen
	if update {
		check = conformance.UpdateFrozen
	}
	drifts, err := check(root)
	n := 0
	for _, d := range drifts {
		if update && err == nil {
			fmt.Fprintf(out, "%s: %d additions accepted\n", d.Package, len(d.Added))
			continue
		}
		for _, f := range d.Findings() {
			fmt.Fprintln(out, f)
			n++
		}
	}
	if err == nil && n > 0 {
		err = fmt.Errorf("%d words differ from their snapshot; -update accepts additions", n)
	}
	return err
}

// matrix prints what stands before the evidence matrix, and the matrix. It fails
// when anything is red; an open row is printed as open and is not claimed.
func matrix(ctx context.Context, root string, args []string, out io.Writer) error {
	if len(args) != 1 || args[0] != "kernel" {
		return fmt.Errorf("conformance of what? kernel")
	}
	checks, err := conformance.NewLoader().Purity(root)
	if err != nil {
		return err
	}
	rows := conformance.Matrix()
	house, err := conformance.House(root, rows, checks)
	if err != nil {
		return err
	}
	judged := conformance.Judge(root, rows, checks, conformance.GoTest(ctx, root))
	if err := conformance.WriteMatrix(out, slices.Concat(house, judged)); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d rows: %d green, %d red, %d open. Green says what its row says, and nothing of how mature the product is.\n", len(judged),
		conformance.Count(judged, conformance.Green), conformance.Count(judged, conformance.Red), conformance.Count(judged, conformance.Open))
	if red := conformance.Count(slices.Concat(house, judged), conformance.Red); red > 0 {
		return fmt.Errorf("%d rows are red", red)
	}
	return nil
}
