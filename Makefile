# Thin: every target is one command of tools/, named and timed. `make help` lists them.
TIMED  := tools/step.sh
export PRESET ?= dev

.DEFAULT_GOAL := build
.PHONY: help deps venv build servers test test-interop nightly stress cuda generate check demo peers bench wheel fuzz format clean

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## Install the Debian packages that are missing
	@$(TIMED) deps tools/deps.sh

venv: ## Make .venv with the pinned Python packages
	@$(TIMED) venv tools/venv.sh

build: venv ## Build; afterwards .venv/bin/python imports forebay and .venv/bin/forebay runs (PRESET=release too)
	@$(TIMED) build tools/build.sh

servers: ## Servers that tests start (S3, GCS, Azure, HDFS), as far as they can be had; tests skip what is absent
	@$(TIMED) servers tools/servers.sh

test: build servers ## Every test that a machine without GPU can run
	@$(TIMED) test tools/test.sh

test-interop: build ## Hand-overs to and from other frameworks, in environments made for it (VERSIONS="current newest middle oldest")
	@$(TIMED) interop tools/test_interop.sh $(or $(VERSIONS),current)

nightly: build servers ## What takes long: all sanitizers, fuzzers, wheels from the source, all frameworks and peers (STEP=one of them)
	@tools/nightly.sh $(STEP)

stress: build ## Repeat a test on a busy machine (TEST='HttpStoreTest.*' or TEST=python/tests/stores/test_http.py, TIMES=20)
	@python3 tools/stress.py '$(TEST)' --times $(or $(TIMES),20)

cuda: ## Build with CUDA kernels, by the compiler from PyPI, and test (what needs a GPU is skipped without one)
	@$(TIMED) cuda tools/cuda.sh

generate: build ## Write anew every file that is made from others: DALI's results, stubs, pages, hashes of new cases
	@$(TIMED) generate tools/generate.sh

check: build ## Layers, READMEs, copies, stubs, words, documents, sizes, formatting, types, thread safety
	@$(TIMED) check tools/check.sh

demo: ## Train a small network through the pipeline (DATA=folder for your own pictures)
	@$(TIMED) deps tools/deps.sh build
	@$(TIMED) venv tools/venv.sh
	@$(TIMED) build tools/build.sh _core $(notdir $(wildcard build/$(PRESET)/src/forebay/cli/forebay))
	@$(TIMED) demo tools/demo.sh $(DATA)

peers: ## What the benchmarks compare with: virtual environments, Debian packages
	@$(TIMED) peers tools/peers.sh

bench: PRESET = release
bench: build ## The main benchmark: from JPEG files to training batches (DATA=folder)
	@$(TIMED) bench benchmarks/imagenet_train/run $(if $(DATA),--data $(DATA))

wheel: build ## One wheel in dist/, of what is built
	@$(TIMED) wheel tools/wheel.sh

fuzz: ## Each fuzzer for a short while (SECONDS_EACH=10)
	@$(TIMED) fuzz tools/fuzz.sh $(or $(SECONDS_EACH),10)

format: ## Rewrite C++ and CUDA files as .clang-format says; wrap documents at 120 columns
	@git ls-files '*.h' '*.cc' '*.cu' | xargs clang-format-16 -i
	@python3 tools/check_documents.py --write

clean: ## Remove what was built (the virtual environments stay)
	rm -rf build dist demo .fuzz
