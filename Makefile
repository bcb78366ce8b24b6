# Thin: every target is one command of tools/, named and timed. `make help` lists them.
STEP   := tools/step.sh
PYTHON := .venv/bin/python
export PRESET ?= dev

.DEFAULT_GOAL := build
.PHONY: help deps venv build servers test test-all cuda check demo peers bench wheel fuzz format clean

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## Install the Debian packages that are missing
	@$(STEP) deps tools/deps.sh

venv: ## Make .venv with the pinned Python packages
	@$(STEP) venv tools/venv.sh

build: venv ## Build; afterwards .venv/bin/python imports forebay and .venv/bin/forebay runs (PRESET=release too)
	@$(STEP) build tools/build.sh

servers: ## Servers that tests start (S3, GCS, Azure, HDFS), as far as they can be had; tests skip what is absent
	@$(STEP) servers tools/servers.sh

test: build servers ## Every test that a machine without GPU can run
	@$(STEP) test tools/test.sh

test-interop: build ## Hand-overs to and from other frameworks, in environments made for it (VERSIONS="newest middle oldest")
	@$(STEP) interop tools/test_interop.sh $(or $(VERSIONS),newest)

test-all: test ## Besides: every sanitizer on every folder, longer runs of the fuzzers, wheels compiled from the source
	@$(STEP) "from source" $(PYTHON) -m pytest -m nightly
	@$(STEP) sanitizers tools/sanitize.sh address undefined thread
	@$(STEP) fuzz tools/fuzz.sh 120
	@$(STEP) interop tools/test_interop.sh newest middle oldest

cuda: ## Build with CUDA kernels, by the compiler from PyPI, and test (what needs a GPU is skipped without one)
	@$(STEP) cuda tools/cuda.sh

check: build ## Layers, READMEs, copies, stubs, words, documents, sizes, formatting, types, thread safety
	@$(STEP) check tools/check.sh

demo: ## Train a small network through the pipeline (DATA=folder for your own pictures)
	@$(STEP) deps tools/deps.sh build
	@$(STEP) venv tools/venv.sh
	@$(STEP) build tools/build.sh forebay _core
	@$(STEP) demo tools/demo.sh $(DATA)

peers: ## What the benchmarks compare with: virtual environments, Debian packages
	@$(STEP) peers tools/peers.sh

bench: PRESET = release
bench: build ## The main benchmark: from JPEG files to training batches (DATA=folder)
	@$(STEP) bench benchmarks/imagenet_train/run $(if $(DATA),--data $(DATA))

wheel: build ## One wheel in dist/, of what is built
	@$(STEP) wheel tools/wheel.sh

fuzz: ## Each fuzzer for a short while (SECONDS_EACH=10)
	@$(STEP) fuzz tools/fuzz.sh $(or $(SECONDS_EACH),10)

format: ## Rewrite C++ and CUDA files as .clang-format says; wrap documents at 120 columns
	@git ls-files '*.h' '*.cc' '*.cu' | xargs clang-format-16 -i
	@python3 tools/check_documents.py --write

clean: ## Remove what was built (the virtual environments stay)
	rm -rf build dist demo .fuzz
