// Command xtask does the chores of the repository:
//
//	go run ./xtask conformance kernel   the evidence matrix of the kernel
//	go run ./xtask imports              who imports whom
//	go run ./xtask purity               what must not stand in the core
//	go run ./xtask frozen [-update]     released words do not change
//	go run ./xtask docs [-check]        generated pages
//	go run ./xtask testenv              what the tests need and what is here
//	go run ./xtask trusted              the size of the trusted base
//	go run ./xtask bench                the record against the disk's own limit
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tipstaff/tipstaff/conformance"
)

// chore is one thing xtask does. It works at the module's root.
type chore struct {
	name, says string
	do         func(ctx context.Context, root string, args []string, out io.Writer) error
}

func chores() []chore {
	return []chore{
		{"conformance", "kernel: print the evidence matrix", matrix},
		{"imports", "check who imports whom", findings(conformance.Imports)},
		{"purity", "check what must not stand in the core", findings(conformance.Purity)},
		{"frozen", "check released words; -update accepts additions", frozen},
		{"docs", "write the generated pages; -check only compares", docs},
		{"testenv", "say what the tests need and what is here", testenv},
		{"trusted", "count the lines of the trusted base", trusted},
		{"bench", "measure the record against the disk's own limit", benchRecord},
	}
}

func main() {
	if err := run(context.Background(), ".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "xtask:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, args []string, out io.Writer) error {
	all := chores()
	if len(args) > 0 {
		if i := slices.IndexFunc(all, func(c chore) bool { return c.name == args[0] }); i >= 0 {
			return all[i].do(ctx, root, args[1:], out)
		}
	}
	for _, c := range all {
		fmt.Fprintf(out, "  %-12s %s\n", c.name, c.says)
	}
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("there is no chore called %q", args[0])
}
