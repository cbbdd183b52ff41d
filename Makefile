# Thin front of CMake. `make demo` and `make test` install what they need, build, and run.
.DEFAULT_GOAL := build
.PHONY: configure deps deps-test deps-extra deps-bench deps-view deps-site build demo view page test test-extra bench plot-methods docs site film heroes fuzz install package clean

RELEASE := build/release
PREFIX ?= /usr/local

deps deps-test deps-extra deps-bench deps-view deps-site:
	@bash scripts/deps.sh $@

configure: deps
	@test -f $(RELEASE)/build.ninja || cmake --preset release

build: configure
	@cmake --build --preset release

# only the command: the demo waits for no test and no bench
demo: configure
	@cmake --build --preset release --target pliant
	@bash scripts/demo.sh $(RELEASE)/bin

# the page of `pliant view`, bundled into one file
page:
	@bash scripts/page.sh

# play with it in the browser; ARGS="scenes/bar.json", ARGS="out/demo/run"
ARGS ?=
view: deps deps-view page
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target pliant
	@$(RELEASE)/bin/pliant view $(ARGS)

# tests and benches compare our direct solver with CHOLMOD; what is installed does not need it
with_cholmod = cmake --preset release -DPLIANT_CHOLMOD=$$(test -f /usr/include/suitesparse/cholmod.h && echo ON || echo OFF) >/dev/null

test: deps deps-test
	@$(with_cholmod)
	@cmake --build --preset release
	@ctest --preset release

test-extra: deps-extra build
	@bash scripts/test_extra.sh $(RELEASE)

# other libraries to compare with, where they are installed
with_peers = cmake --preset release -DPLIANT_PEERS=ON >/dev/null || \
	{ echo "s0-peers and s3-peers go without the libraries named above" >&2; cmake --preset release -DPLIANT_PEERS=OFF >/dev/null; }

bench: deps deps-bench
	@$(with_cholmod)
	@$(with_peers)
	@cmake --build --preset release
	@bash scripts/bench.sh $(RELEASE)/bin

# error against seconds of all methods: the plot and the table of docs/methods/choosing.md
plot-methods: build
	@mkdir -p out/bench
	@$(RELEASE)/bin/pliant-bench methods --json >out/bench/methods.json
	@python3 scripts/plot_methods.py out/bench/methods.json

docs: build
	@bash scripts/docs.sh $(RELEASE)/bin

# the documents as pages with search, in build/site; they need no net and no server
site: deps-site
	@/usr/bin/python3 scripts/site.py build/site

# twenty seconds of several scenes, in out/film
film: configure
	@cmake --build --preset release --target pliant
	@bash scripts/film.sh $(RELEASE)/bin

# pictures of 3840x2160 in out/heroes, smaller ones in docs/images
heroes: configure
	@cmake --build --preset release --target pliant
	@bash scripts/heroes.sh $(RELEASE)/bin

# a night's work: every mesh reader for an hour
FUZZ_SECONDS ?= 3600
fuzz: deps-extra
	@bash scripts/fuzz.sh $(FUZZ_SECONDS)

# what is installed: without tests, benches and CHOLMOD
INSTALL := build/install
install: deps
	@cmake --preset install >/dev/null
	@cmake --build --preset install
	@cmake --install $(INSTALL) --prefix $(PREFIX)

# pliant_VERSION_ARCH.deb in build/package, for any CPU with AVX2
package: deps
	@bash scripts/package.sh

clean:
	rm -rf build out
