# What people run: each target does its own set-up, with python3 + venv, make and git and nothing else.
PYTHON ?= python3
BIN := .venv/bin

# Tests start hubs and units by the hundred: what they import is compiled once, whatever the caller set.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo compiled test tests test-long pictures bench setup lock lint deb bundle image release clean

setup: .venv/.ready

# The stamp is the last thing written.
.venv/.ready: requirements.lock pyproject.toml
	@sh tests/tools/set_up.sh $(PYTHON)

demo: setup
	@$(BIN)/roundtap demo $(ARGS)

lint: setup
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# What tests import is compiled once, instead of by each worker; what is wrong with it is said by the tests themselves.
compiled: setup
	@$(BIN)/pytest --collect-only -qq -m "" $(ARGS) >/dev/null || true

# Side by side: a worker often waits for a browser, or for a hub of its own.
test: setup
	@$(MAKE) --no-print-directory --jobs=2 lint tests

tests: compiled
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

# What takes minutes, or thousands of cases: every page in every state, chaos, fuzz, monkeys, whole simulations, races.
test-long: compiled
	$(BIN)/pytest -n auto --dist worksteal -m "long or examples" --hypothesis-profile=many $(ARGS)

# Every screen, slip and page as a PNG, to be looked at.
pictures: setup
	PYTHONPATH=tests:tests/core:tests/hub:tests/kit $(BIN)/python -m gallery pictures $(ARGS)

bench: setup
	$(BIN)/python tests/benchmarks/run_all.py $(ARGS)

# Needs pip-tools in .venv, and patience.
lock: setup
	$(BIN)/pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-header --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --extra hub --extra postgres --extra unit --extra station --extra dev \
		--output-file requirements.lock pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-header --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --constraint requirements.lock \
		--extra hub --extra postgres --extra unit --extra station \
		--output-file systemd/debian/requirements-run.lock pyproject.toml

# The Debian packages of the last commit and their wheel, to dist/: make deb ARCH="arm64 amd64". systemd/README.md.
deb:
	sh systemd/debian/build_deb.sh $(ARCH)

# An image of Raspberry Pi OS Lite (64-bit) that installs the bundle at its first start: make image BASE=…raspios….img.xz
# It wants mtools, and the newest bundle for arm64 in dist (make deb bundle ARCH=arm64).
BUNDLE ?= $(firstword $(shell ls -t dist/roundtap-offline_*_arm64.tar 2> /dev/null))
image: setup
	$(BIN)/roundtap card "$(BASE)" --bundle "$(BUNDLE)" --output dist/roundtap.img $(ARGS)

# The package and all that it needs from Debian, in one tar for a machine without network: make deb bundle ARCH=arm64.
# With BASE= also from the image's own archives, what that image lacks.
bundle:
	BASE="$(BASE)" sh systemd/debian/make_bundle.sh $(ARCH)

# Wheel, packages, bundles, checksums and notes of the last commit, to dist/release-VERSION. systemd/README.md.
release:
	sh systemd/debian/make_release.sh $(ARCH)

clean:
	rm -rf dist .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
