package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/tipstaff/tipstaff/xtask/bench"
)

// benchRecord measures the record with 1, 16, 128 and 1,000 busy runs.
func benchRecord(_ context.Context, _ string, _ []string, out io.Writer) error {
	dir, err := os.MkdirTemp(".", ".bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const each = 3 * time.Second
	return bench.Store(out, dir, []int{1, 16, 128, 1000}, each)
}
