PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled when they are first imported: most never are.
INSTALL := $(BIN)/python -m pip --disable-pip-version-check -q install --no-compile
# A lock names all that is needed: pip does not have to find that out again.
INSTALL_LOCK := $(INSTALL) --no-deps --require-hashes -r

# Tests start hundreds of processes; modules that each had to compile again would be half of their work.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run setup setup-dev check check-code check-pages format test test-fast docs pictures bench soak lock \
	wheel binary deb image sbom checksums release help clean

DOCS := $(shell find docs release/site -type f -not -name '*.pyc') ui/src/styles/tokens.css src/logboom/base/version.py
PAGES := $(shell find ui/src) $(wildcard ui/*.json ui/*.ts ui/*.js ui/*.html)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

run: setup ## set everything up and serve on port 7300
	exec $(BIN)/logboom serve

setup: .venv/.runtime .venv/.pages .venv/.docs ## install what the server needs, and build pages and documentation
setup-dev: ## the same, plus what checks and tests need
	@$(MAKE) --silent --jobs=2 .venv/.runtime .venv/.dev .venv/.clients .venv/.pages-dev .venv/.docs

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.packages: requirements/runtime.lock | .venv/bin/python
	$(INSTALL_LOCK) requirements/runtime.lock
	@touch $@

.venv/.runtime: .venv/.packages pyproject.toml setup.py $(wildcard src/logboom/*/*.pyx src/logboom/*/*/*.pyx src/logboom/model/native/*.pxi src/logboom/model/native/*.h)
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# The pages for a browser; without Node there are none, and the rest works.
.venv/.pages: $(PAGES) requirements/node.lock scripts/pages | .venv/.runtime
	@scripts/pages
	@touch $@

.venv/.pages-dev: $(PAGES) requirements/node.lock scripts/pages | .venv/.system
	@scripts/pages dev
	@touch $@ .venv/.pages

# The documentation as a site, which the program serves at /docs/.
.venv/.docs: $(DOCS) | .venv/.runtime
	@$(BIN)/python -m release.site src/logboom/ui/site
	@touch $@

.venv/.dev: requirements/dev.lock .venv/.packages
	$(INSTALL_LOCK) requirements/dev.lock
	@touch $@

.venv/.system: scripts/system-packages | .venv/bin/python
	@scripts/system-packages
	@touch $@

.venv/.release: requirements/release.lock .venv/.packages
	$(INSTALL_LOCK) requirements/release.lock
	@touch $@

.venv/.clients: tests/clients/node/package-lock.json scripts/node-packages | .venv/.system
	@scripts/node-packages
	@touch $@

check: setup-dev ## format, lint, types, import order, licences
	@$(MAKE) --no-print-directory --jobs=2 check-code check-pages

check-code:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m release.sbom

check-pages: check-pages-types check-pages-lint check-pages-style

check-pages-%:
	@scripts/ui $*

format: setup-dev ## fix what can be fixed automatically
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@scripts/ui format

# Tests wait for disks, processes and browsers as much as for cores: two workers more than there are cores.
test: setup-dev ## all tests but the long ones
	@scripts/ui test
	scripts/in-memory $(BIN)/python -m pytest -m "not soak" -n $$(($$(nproc) + 2)) --dist loadfile --no-loadscope-reorder

# The heart of it: events, the language, most of the engine, and the two requests that everything is about.
FAST := tests/test_architecture.py tests/test_config.py $(filter-out %_buckets.py %_google.py,$(wildcard tests/base/test_*.py)) \
	$(addprefix tests/,lang model api/requests/test_ingest_api.py api/events/test_search_api.py) \
	$(addprefix tests/engine/,filters pipes rows terms)

test-fast: setup-dev ## the most useful tests, in about a minute
	$(BIN)/python -m pytest -m "not soak" -n $$(nproc) --dist loadfile --no-loadscope-reorder $(FAST)

docs: setup ## regenerate the reference from the code, and build the site that is served at /docs/
	@$(BIN)/python -m release.reference
	@$(BIN)/python -m release.site src/logboom/ui/site

pictures: setup-dev ## take screenshots of the pages, into build/screenshots
	LOGBOOM_SCREENSHOTS=build/screenshots $(BIN)/python -m pytest tests/ui/test_pictures.py

# Most properties say how many examples they need; more rounds give them more, with other seeds each time.
soak: setup-dev .venv/.release ## the long crash and power-cut campaigns, and every property with random examples
	$(BIN)/python -m pytest -m soak --hypothesis-profile=soak
	for round in 1 2 3 4 5 6 7 8 9 10; do \
		$(BIN)/python -m pytest -m "hypothesis and not soak" --hypothesis-profile=soak --timeout=3600 || exit; \
	done

bench: setup-dev ## run the benchmarks
	$(BIN)/python -m bench

lock: setup-dev ## regenerate the pinned requirements
	scripts/lock

wheel: setup .venv/.release ## the wheel for this Python and the source package, into dist/
	@$(BIN)/python -m release.wheel

# Everything that a service needs in one folder; executable, Debian package and image are made from it.
build/bundle/licences: requirements/runtime.lock release/bundle.py $(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxi')
	@$(MAKE) --no-print-directory wheel
	@$(BIN)/python -m release.bundle "$$(ls -t dist/*.whl | head -1)" build/bundle

binary: build/bundle/licences ## one file that runs without Python: dist/logboom
	@$(BIN)/python -m release.binary build/bundle dist/logboom

deb: build/bundle/licences ## the Debian package, into dist/
	@$(BIN)/python -m release.deb build/bundle dist

BASE ?= docker.io/library/debian:13-slim
image: build/bundle/licences ## the container image logboom:latest, with buildah or another BUILDER
	$(or $(BUILDER),buildah) build --format docker --build-arg BASE=$(BASE) -f deploy/Containerfile -t logboom:latest .

sbom: setup ## the software bill of materials, as CycloneDX: dist/logboom.cdx.json
	@$(BIN)/python -m release.sbom dist/logboom.cdx.json

checksums: ## the checksums of everything in dist/
	@cd dist && sha256sum $$(ls | grep -v -x -e SHA256SUMS -e SHA256SUMS.asc) > SHA256SUMS && cat SHA256SUMS

release: check ## everything that RELEASING.md publishes, into dist/
	@$(MAKE) --no-print-directory wheel binary deb sbom checksums

clean: ## remove everything that was built, but no data
	rm -rf .venv build dist src/*.egg-info src/logboom/*/_*.c src/logboom/*/*.so src/logboom/*/*/_*.c src/logboom/*/*/*.so tests/clients/node/node_modules ui/node_modules src/logboom/ui/pages src/logboom/ui/site
