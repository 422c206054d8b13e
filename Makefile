# Weft. `make demo` and `make test` set everything up in .venv; they need Python 3.11 or later with its module venv.

# The interpreter for the virtual environment; `make test PYTHON=/path/to/python3` names another one.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13; do \
	"$$p" -c '$(VERSION_CHECK)' 2>/dev/null && echo "$$p" && break; done)
VERSION_CHECK := import sys; sys.exit(sys.version_info < (3, 11))

# C programs that use Weft load Python as a shared library, which Debian packs apart.
LIBPYTHON_CHECK := import os, sys; from sysconfig import get_config_var as v; \
	sys.exit(not os.path.exists(os.path.join(v("LIBDIR"), v("INSTSONAME"))))
LIBPYTHON = libpython$(shell $(PY) -c 'import sys; print("%d.%d" % sys.version_info[:2])')

# The machine that `make wheel` builds for.
MACHINE ?= $(shell uname -m)

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check install -qq
PEERS := .venv-bench
# Neighbouring tests stay in one process, which has their kernels compiled.
PARALLEL := -n auto --dist worksteal

# A change in one of these makes a new installation: the native parts are compiled when Weft is installed.
NATIVE := pyproject.toml setup.py $(filter-out weft/builtins/% weft/frontend/%, \
	$(wildcard weft/*/*.[ch] weft/*/*/*.[ch] weft/*/*/*/*.[ch] weft/*/build_*.py) \
	weft/icd/generate.py weft/icd/prototypes.py weft/icd/toolchain.py weft/runtime/identity.py \
	weft/device/server_imports.py weft/device/emulators.py)

# Debian packages are an addition: without apt-get or root the tests that need them are left out.
define apt_install
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "==> installing Debian packages: $(1)"; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get install -qq -y --no-install-recommends $(1) >/dev/null 2>&1 \
			|| { apt-get update -qq && apt-get install -qq -y --no-install-recommends $(1); } >/dev/null 2>&1 \
			|| echo "==> not installed, going on without: $(1)"; \
	else echo "==> not root or no apt-get, going on without Debian packages: $(1)"; fi
endef

.PHONY: help setup demo wheel test-wheel test test-all test-clients test-targets fuzz accuracy lint format bench divergence presburger maps clvectorizer tta calibrate clean debian-clients debian-peers

help:
	@echo "make demo      render a picture with an OpenCL kernel on all cores (mandelbrot.png)"
	@echo "make test      run the tests"
	@echo "make test-all  run all tests, including the slow ones, then make lint"
	@echo "make fuzz      compile and run 5000 random kernels; ARGS=--help for options"
	@echo "make accuracy  measure the accuracy of math functions and write docs/accuracy.md; ARGS=--help"
	@echo "make test-clients  install and run OpenCL programs (OpenCV, silx, OpenMM, Halide, reikna, LightGBM, pyFAI, dpnp, clpeak, hashcat, ffmpeg, clFFT, clBLAST)"
	@echo "make test-targets  run kernel tests and random kernels for other processors in qemu; ARGS=--help"
	@echo "make lint      run ruff and mypy"
	@echo "make format    format the sources with ruff"
	@echo "make bench     compare with other OpenCL implementations for CPUs; ARGS=--help for options"
	@echo "make divergence  run the study of divergent loops and write docs/divergence.md; ARGS=--help"
	@echo "make presburger  run the study of consecutive accesses and write docs/presburger.md; ARGS=--help"
	@echo "make maps      measure the gain of vectors by memory access pattern and update weft vectorize's table; ARGS=--help"
	@echo "make clvectorizer  run the study of source-to-source vectorization and write docs/clvectorizer.md; ARGS=--help"
	@echo "make tta       simulate kernels on a transport-triggered processor and write docs/tta.md; ARGS=--help"
	@echo "make calibrate  measure instruction costs on this processor and update its cost table; ARGS=--help"
	@echo "make setup     only set up .venv"
	@echo "make wheel     build a wheel in dist/; MACHINE=aarch64 for 64-bit ARM"
	@echo "make test-wheel  build the wheel for 64-bit ARM, install it in qemu, run the demo there; ARGS=--help"
	@echo "make clean     remove all build products"

# Where Python is told not to write bytecode, every process would compile Weft's modules again.
setup: $(VENV)/.installed
	@$(PY) -m compileall -q weft tests bench tools
	@$(PY) -m weft.cli prepare >/dev/null

demo: setup
	@$(PY) examples/mandelbrot.py $(ARGS)

wheel: setup
	@$(PY) -m pip --disable-pip-version-check wheel -qq --no-build-isolation --no-deps -w dist \
		-C--build-option=--plat-name=linux_$(MACHINE) .
	@ls -t dist/*_$(MACHINE).whl | head -1

test-wheel:
	@command -v qemu-aarch64-static >/dev/null || { $(call apt_install,qemu-user-static); }
	@$(MAKE) --no-print-directory wheel MACHINE=aarch64
	@$(PY) -m tools.try_wheel dist/weft-*_aarch64.whl $(ARGS)

test: setup debian-clients
	@$(PY) -m pytest $(PARALLEL) -m "not slow" $(ARGS)

test-all: setup debian-clients
	@$(PY) -m pytest $(PARALLEL) $(ARGS)
	@$(MAKE) --no-print-directory lint

fuzz: setup
	@$(PY) tests/fuzz/fuzz_run.py $(ARGS)

accuracy: setup
	@$(PY) tests/builtins/accuracy_run.py $(ARGS)

test-clients: setup $(VENV)/.clients debian-clients
	@command -v clpeak hashcat clFFT-client clblast_test_xgemv ffmpeg | wc -l | grep -q 5 \
		|| { $(call apt_install,clpeak hashcat clfft-client clblast-tests ffmpeg); }
	@$(PY) -m pytest tests/clients $(ARGS)

test-targets: setup
	@command -v qemu-aarch64-static >/dev/null || { $(call apt_install,qemu-user-static); }
	@$(PY) tests/kernels/targets_run.py $(ARGS)

lint: $(VENV)/.lint
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(PY) -m mypy bench examples tools

format: $(VENV)/.lint
	@$(PY) -m ruff format .

bench: setup $(PEERS)/.installed debian-peers
	@$(PY) -m bench $(ARGS)

divergence: setup $(PEERS)/.installed debian-peers
	@command -v valgrind >/dev/null || { $(call apt_install,valgrind); }
	@$(PY) -m bench.divergence $(ARGS)

presburger: setup $(PEERS)/.installed debian-peers
	@$(PY) -m bench.presburger $(ARGS)

maps: setup $(PEERS)/.installed debian-peers
	@$(PY) -m bench.maps $(ARGS)

clvectorizer: setup $(PEERS)/.installed debian-peers
	@$(PY) -m bench.clvectorizer $(ARGS)

tta: setup
	@$(PY) -m bench.tta $(ARGS)

calibrate: setup
	@$(PY) -m tools.calibrate $(ARGS)

clean:
	rm -rf $(VENV) $(PEERS) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf mandelbrot.png bench/results weft/icd/libweft_opencl.python
	find weft -name '*.so' -delete
	find . -name __pycache__ -prune -exec rm -rf {} +

$(PY):
	@if [ -z "$(PYTHON)" ] || ! "$(PYTHON)" -c '$(VERSION_CHECK)'; then \
		echo "Weft needs Python 3.11 or later; name one with: make PYTHON=/path/to/python3.11" >&2; exit 1; fi
	@"$(PYTHON)" -c 'import ensurepip' 2>/dev/null || { $(call apt_install,python3-venv); }
	@"$(PYTHON)" -c 'import ensurepip' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments: install the package python3-venv," >&2; \
		echo "or name another Python with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "==> new virtual environment in $(VENV) with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# Without build isolation the compiler's wheel (100 MB) is fetched and unpacked once, not twice.
$(VENV)/.installed: $(NATIVE) | $(PY)
	@echo "==> installing the C compiler from PyPI (ziglang)"
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		> $(VENV)/build-requirements.txt
	@$(PIP) -r $(VENV)/build-requirements.txt
	@echo "==> compiling and installing Weft with its dependencies"
	@$(PIP) --no-build-isolation -e '.[test]'
	@echo "==> registering Weft with pyopencl: $$($(PY) -m weft.cli icd register)"
	@touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/.installed
	@echo "==> installing ruff and mypy"
	@$(PIP) --no-build-isolation -e '.[lint]'
	@touch $@

$(VENV)/.clients: Makefile | $(VENV)/.installed
	@echo "==> installing programs that use OpenCL from PyPI"
	@$(PIP) opencv-python-headless openmm scipy silx halide reikna lightgbm pyFAI dpctl dpnp && touch $@

debian-clients: | $(PY)
	@command -v clinfo >/dev/null && [ -e /usr/include/CL/cl_icd.h ] || { $(call apt_install,clinfo opencl-c-headers); }
	@$(PY) -c '$(LIBPYTHON_CHECK)' || { $(call apt_install,$(LIBPYTHON)); }

$(PEERS)/.installed: bench/peers.txt | $(PY)
	@echo "==> installing Intel's OpenCL runtime from PyPI into $(PEERS)"
	@$(PY) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip --disable-pip-version-check install -qq -r bench/peers.txt \
		&& touch $@ || echo "==> not installed, comparing without Intel's runtime"

debian-peers:
	@[ -e /etc/OpenCL/vendors/pocl.icd ] || { $(call apt_install,pocl-opencl-icd); }
