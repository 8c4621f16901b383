# Two commands do everything: `make demo` (a whole game, refereed live) and `make test` (everything).
# The rest is what they are made of. Python packages go into .venv from requirements.lock; system packages by apt where that can be done.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PORT ?= 8080
ARGS ?=

.PHONY: demo test bench lint format types system firmware clean lock help

help:
	@echo "make demo    a whole game on the digital twin, refereed live in the browser (PORT=$(PORT))"
	@echo "make test    everything that is tested"
	@echo "make bench   figures that take long, written to rig/bench/RESULTS.md (ARGS='link rules' for some)"
	@echo "make lint    ruff, formatting, mypy --strict, cppcheck"
	@echo "make lock    pin the newest packages that pyproject.toml allows"

demo: $(STAMP) firmware
	$(BIN)/paletti demo --port $(PORT) $(ARGS)

test: $(STAMP) firmware
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

bench: $(STAMP) firmware
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m rig.bench $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if command -v cppcheck >/dev/null; then $(MAKE) -s -C firmware check; else echo "cppcheck is missing: the firmware's C was not checked"; fi

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

firmware: system
	@if command -v avr-gcc >/dev/null; then $(MAKE) -s -C firmware; \
	else echo "avr-gcc is missing: the pure-Python base stands in for the firmware (apt-get install gcc-avr avr-libc arduino-core-avr libsimavr-dev)"; fi

system:
	@sh .ci/system-packages

$(STAMP): requirements.lock pyproject.toml | system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

lock:
	$(PYTHON) -m venv build/lock-venv
	build/lock-venv/bin/python -m pip install --quiet pip-tools
	build/lock-venv/bin/pip-compile --quiet --extra twin --extra dev --strip-extras --upgrade \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build firmware/build .mypy_cache .ruff_cache .pytest_cache .hypothesis
