# Two commands: `make demo` shows it working, `make test` shows it right. `make help` lists the rest.
SHELL := /bin/bash -o pipefail
.DEFAULT_GOAL := help
.PHONY: help setup setup-test build demo test check bench sanitize tsan ros format clean
.NOTPARALLEL:

JOBS ?= $(shell nproc)

CCACHE = $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
CONFIGURE = cmake -S . -G Ninja -Wno-dev --log-level=NOTICE $(CCACHE) $(if $(CI),-DSTICTION_WARNINGS_AS_ERRORS=ON)
# Sanitized builds keep assertions; -O1 with line tables compiles Pinocchio in a minute instead of three.
SANITIZED = $(CONFIGURE) -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1' -DSTICTION_UNITY=ON -DSTICTION_BUILD_TESTS=ON
CTEST = --output-on-failure -j$(JOBS) --no-tests=error
# The sanitizers of older compilers do not cope with the address-space randomisation of newer kernels.
NO_ASLR = $(shell setarch -R true 2>/dev/null && echo setarch -R)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what building needs and is missing (says what, first)
	@scripts/setup.sh

setup-test:
	@scripts/setup.sh --test

build: setup ## the library and the program build/stiction
	$(CONFIGURE) -B build
	cmake --build build -j$(JOBS) --target stiction_cli

demo: build ## install, build and check every scenario of the gallery
	@scripts/demo.sh build

test: check sanitize tsan ros ## all tests, then the unit tests again under the sanitizers, then the ROS 2 packages
	@echo; grep -H 'tests passed' build/ctest.log build-asan/ctest.log build-tsan/ctest.log build/ros/*/ctest.log
	@cat build/ros/skipped

check: setup-test ## all tests, optimised build only
	$(CONFIGURE) -B build -DSTICTION_BUILD_TESTS=ON $(if $(CI),-DSTICTION_UNITY=ON)
	cmake --build build -j$(JOBS)
	ctest --test-dir build $(CTEST) -O build/ctest.log

SANITIZED_ROOMS ?= problem cone solve proof ask scene io
sanitize: setup-test ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(SANITIZED) -B build-asan -DSTICTION_SANITIZE=address,undefined
	cmake --build build-asan -j$(JOBS) --target $(SANITIZED_ROOMS:%=test_%)
	UBSAN_OPTIONS=print_stacktrace=1 $(NO_ASLR) ctest --test-dir build-asan $(CTEST) \
	  -L '^($(subst $(eval) ,|,$(SANITIZED_ROOMS)))$$' -O build-asan/ctest.log

ifeq ($(wildcard tests/threads/*.cpp),)
tsan:
	@echo "tsan: tests/threads has no tests yet, nothing to run"
else
tsan: setup-test ## tests of concurrent use under ThreadSanitizer
	$(SANITIZED) -B build-tsan -DSTICTION_SANITIZE=thread
	cmake --build build-tsan -j$(JOBS) --target test_threads
	$(NO_ASLR) ctest --test-dir build-tsan $(CTEST) -L threads -O build-tsan/ctest.log
endif

ros: build ## the ROS 2 packages: all where rclcpp is found, else messages and request handling with wheels
	@scripts/setup.sh --ros
	scripts/test_ros.sh build $(CCACHE) $(if $(CI),-DSTICTION_WARNINGS_AS_ERRORS=ON)

ifeq ($(wildcard bench/CMakeLists.txt),)
bench:
	@echo "bench: bench/ has no benchmarks yet, nothing to run"
else
bench: setup-test ## benchmarks: a table, and build/bench.json
	$(CONFIGURE) -B build -DSTICTION_BUILD_BENCHMARKS=ON
	cmake --build build -j$(JOBS) --target stiction_bench
	build/bench/stiction_bench --benchmark_out=build/bench.json --benchmark_out_format=json
endif

format: ## clang-format every source file in place
	@command -v clang-format >/dev/null || { echo "format: clang-format not found; install the package clang-format"; exit 1; }
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean: ## remove the build folders (keeps .deps)
	rm -rf build build-asan build-tsan
