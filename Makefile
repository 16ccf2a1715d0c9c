# Two commands: `make demo` shows it working, `make test` shows it right. `make help` lists the rest.
SHELL := /bin/bash -o pipefail
.DEFAULT_GOAL := help
.PHONY: help setup setup-robots setup-test build demo gallery pictures test check bench sanitize fuzz ros wheel python docs format clean
.NOTPARALLEL:

JOBS ?= $(shell nproc)
# Compiles a room at a time, half the work when everything is built once; OFF is for working on single files.
UNITY ?= ON
# 0 leaves the wheel of real robots out of demo and gallery.
ROBOTS ?= 1

CCACHE = $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
CONFIGURE = cmake -S . -G Ninja -Wno-dev --log-level=NOTICE $(CCACHE) -DSTICTION_UNITY=$(UNITY) $(if $(CI),-DSTICTION_WARNINGS_AS_ERRORS=ON)
CTEST = --output-on-failure -j$(JOBS) --no-tests=error

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what building needs and is missing (says what, first)
	@scripts/setup.sh

setup-robots:
	@scripts/setup.sh $(if $(filter 0,$(ROBOTS)),,--robots)

setup-test:
	@scripts/setup.sh --test

build: setup ## the library and the program build/stiction
	$(CONFIGURE) -B build
	cmake --build build -j$(JOBS) --target stiction_cli

demo: setup-robots build ## install, build and show a few scenes (ROBOTS=0: without the wheel of real robots)
	@scripts/demo.sh build

gallery: setup-robots build ## every scenario of the gallery against the verdict it expects
	@scripts/gallery.sh build

pictures: setup-robots build ## draw every scenario anew: docs/pictures and docs/gallery.md
	@. scripts/find_robots.sh && scripts/pictures.py build

TESTS = $(CONFIGURE) -B build -DSTICTION_BUILD_TESTS=ON -DSTICTION_SANITIZED_TESTS

test: setup-test ## all tests; the unit tests also under the sanitizers; the ROS 2 packages; the Python wheel
	$(TESTS)=ON
	cmake --build build -j$(JOBS)
	ctest --test-dir build $(CTEST)
	@$(MAKE) --no-print-directory ros python

check: setup-test ## all tests, without the sanitizers
	$(TESTS)=OFF
	cmake --build build -j$(JOBS)
	ctest --test-dir build $(CTEST)

sanitize: setup-test ## the unit tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
	$(TESTS)=ON
	cmake --build build -j$(JOBS) --target sanitized_tests
	ctest --test-dir build $(CTEST) -L sanitized

FUZZ_SECONDS ?= 60
fuzz: setup-test build ## the fuzz targets with clang's libFuzzer, a minute each (FUZZ_SECONDS=3600: an hour)
	@scripts/fuzz.sh build $(FUZZ_SECONDS) -j$(JOBS)

ros: build ## the ROS 2 packages: all where rclcpp is found, else messages and request handling with wheels
	@scripts/setup.sh --ros
	scripts/test_ros.sh build $(CCACHE) $(if $(CI),-DSTICTION_WARNINGS_AS_ERRORS=ON)

wheel: build ## the Python wheel, in dist: the library of build/ as it is, for the Python that runs `python3`
	@scripts/setup.sh --wheel
	scripts/build_wheel.sh build

python: wheel ## installs the wheel into a new virtual environment, build/python/venv, and tests it there
	scripts/test_python.sh build

docs: wheel ## the documentation as a site, build/docs/site, with the C++ and the Python API (wants doxygen)
	scripts/docs.sh build

bench: setup-test ## benchmarks: a table, and build/bench.json
	$(CONFIGURE) -B build -DSTICTION_BUILD_BENCHMARKS=ON
	cmake --build build -j$(JOBS) --target stiction_bench
	build/bench/stiction_bench --benchmark_out=build/bench.json --benchmark_out_format=json

format: setup-test ## clang-format every source file in place
	scripts/format.sh --in-place

clean: ## remove the build folders (keeps .deps)
	rm -rf build dist
