# Chores of tipstaff. `make` alone lists them.

GO          ?= go
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.DEFAULT_GOAL := help

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build bin/tipstaff (no C compiler needed)
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/tipstaff ./host/tipstaff

demo: build ## build and play the demo: real files, a real database file, no network, no key
	./bin/tipstaff demo

test: ## run all tests, the short form of the long campaigns
	$(GO) run ./xtask testenv
	$(GO) test ./...

race: ## run the tests of the core and the command line under the race detector
	$(GO) test -race ./protocol ./kernel/... ./record/... ./tool ./adapters/... ./host/...

check: ## format, vet, staticcheck, imports, purity, frozen words, generated docs
	@bad=$$($(GO) run $(GOFUMPT) -l .); if [ -n "$$bad" ]; then echo "not gofumpt'd:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) run ./xtask imports
	$(GO) run ./xtask purity
	$(GO) run ./xtask frozen
	$(GO) run ./xtask docs -check

fix: ## format and write the generated docs anew
	$(GO) run $(GOFUMPT) -w .
	$(GO) run ./xtask docs

conformance: ## print the evidence matrix of the kernel
	$(GO) run ./xtask conformance kernel

bench: ## measure the kernel and the record against the disk's own limit
	$(GO) test -run '^$$' -bench . -benchmem ./kernel ./record
	$(GO) run ./xtask bench

fuzz: ## fuzz every target for a minute each
	$(GO) test -run '^$$' -fuzz FuzzEvaluate -fuzztime 60s ./adapters/calculator
	$(GO) test -run '^$$' -fuzz FuzzRedact -fuzztime 60s ./record
	$(GO) test -run '^$$' -fuzz FuzzCanonical -fuzztime 60s ./protocol

kill-loop: ## kill a run with SIGKILL at every entry, ten times over
	$(GO) test -count 10 -run 'Killed' ./host/tipstaff

clean: ## remove what was built
	rm -rf bin

.PHONY: help build demo test race check fix conformance bench fuzz kill-loop clean
