# A thin front: what is behind each word is CMake (CMakePresets.json) and the scripts in tools/.

MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)

.PHONY: all setup configure build demo test test-long bench fuzz format clean

all: build

setup:
	@tools/setup.sh

configure: setup
	@cmake --preset release

build: configure
	@cmake --build --preset release --parallel $(JOBS)

demo: configure
	@cmake --build --preset release --parallel $(JOBS) --target comshu_runtime
	@examples/demo.sh build/release build/demo

test:
	@tools/run_tests.sh

test-long:
	@tools/run_tests.sh --long

bench: build
	@cmake --build --preset release --parallel $(JOBS) --target comshu_benchmarks
	@bench/run.py build/release
	@bench/qmpi_bench.sh build/release

fuzz: setup
	@tools/run_fuzz.sh 60

format:
	@tools/format.sh --all

clean:
	@cmake -E rm -rf build
