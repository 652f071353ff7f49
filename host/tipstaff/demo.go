package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{Use: "demo", Args: exactly(), RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context()) }}
}

func (a *app) demo(ctx context.Context) error { return nil }
