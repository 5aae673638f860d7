# FaceGauge: `make demo` and `make test` need nothing but Debian 12, Swift 6.2 and a network; on Debian 13 they install the compiler too.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
BUILD := .build
FACEGAUGE = $(BUILD)/release/facegauge
export FACEGAUGE_MODELS ?= $(CURDIR)/$(BUILD)/models
# The commit in records, with + after it if files have changed since.
export FACEGAUGE_COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null || echo +)
DEMO := Reports/local/demo
VENV := $(BUILD)/oracles
LIVE := $(BUILD)/python
SLURM := $(BUILD)/slurm

# The compiler, where there is none: Debian 13 has it as a package. Packages of ours link the C++ library too.
COMPILER := $(shell command -v swift >/dev/null || echo swiftlang g++)
# Warnings are errors. Swift 6.0 and 6.1 know other warnings, and cannot read the tests: they build a rewritten copy.
OLD = $(shell swift --version 2>&1 | grep -o 'Swift version 6\.[01]\b')
STRICT = $(if $(OLD),,-Xswiftc -warnings-as-errors)
TESTS = $(if $(OLD),$(BUILD)/rewritten,.)
LIBRARIES := pkg-config libhdf5-dev libmatio-dev zlib1g-dev libdeflate-dev libopenblas-dev libturbojpeg0-dev libpng-dev libssl-dev
# Decodes videos for `import`.
PROGRAMS := ffmpeg
PYTHON := python3 python3-pip python3-venv
RELEASE := $(shell . /etc/os-release; echo $$VERSION_ID)
# The browser that opens reports, shells whose completions are tried, the formatter of the manual page, what compiles and
# runs kernels for 64-bit ARM, and what MediaPipe's wheel needs, which there is not for the Python of Debian 13.
TESTING := chromium default-jdk-headless zsh fish groff-base bsdutils qemu-user libc6-dev-arm64-cross \
  $(if $(filter 13,$(RELEASE)),libgcc-14-dev-arm64-cross,libgcc-12-dev-arm64-cross libgl1 libglib2.0-0)

# What `make fuzz` runs: all targets, unless one is named, that many seconds each.
TARGET :=
SECONDS := 600
FUZZ := $(BUILD)/fuzz

.PHONY: demo test test-ray test-manifests test-datumaro test-onnx-page test-portable time-peers build wheel deb packages models lint oracles fuzz clean help

help:
	@echo "make demo     build, fetch models and two portraits, make clips, evaluate, track, sweep, profile, report"
	@echo "make test     build and run every test"
	@echo "make test-ray run an evaluation in shards on Ray, from PyPI, on this machine"
	@echo "make test-manifests check the guide's manifests against the schemas of Kubernetes and AWS Batch, from PyPI"
	@echo "make test-datumaro read labels of other tools through datumaro, from PyPI"
	@echo "make test-onnx-page run a model in ONNX Runtime Web in a page, from PyPI, and compare with ONNX Runtime"
	@echo "make test-portable compile the C code for macOS and Linux on 64-bit ARM, with zig from PyPI"
	@echo "make time-peers time evaluation, models and pipeline against packages from PyPI (IMAGES=folder for the pipeline)"
	@echo "make wheel    build a wheel for pip, with everything inside, in $(BUILD)/packages"
	@echo "make deb      build a Debian package in $(BUILD)/packages"
	@echo "make lint     check format and imports"
	@echo "make oracles  compute the expected values of the tests again with the oracle libraries"
	@echo "make fuzz     feed every parser with broken bytes (TARGET=model SECONDS=60 for one)"
	@echo "make clean    remove what was built"

# Installs only what dpkg does not list yet, so that a second run needs no network and no root.
packages:
	@missing=""; for p in $(COMPILER) $(LIBRARIES) $(PROGRAMS) $(PYTHON) $(ALSO); do \
	  dpkg -s $$p 2>/dev/null | grep '^Status: install ok installed' >/dev/null || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  $(SUDO) apt-get update -qq && \
	  case "$$missing " in *" swiftlang "*) apt-cache policy swiftlang | grep 'Candidate: [6-9]' >/dev/null || { \
	    echo "error: cannot build: expected Swift 6, found none; Debian has it from release 13 on, for others see swift.org/install" >&2; \
	    exit 69; };; esac && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

build: packages
	swift build -c release $(STRICT) --product facegauge

models: build
	@$(FACEGAUGE) models pull

demo: build
	$(FACEGAUGE) demo -o $(DEMO) --force

# Linked again from the objects of the build, with the Swift runtime and all libraries inside.
wheel: build
	Sources/Packaging/link static $(BUILD)/packages/facegauge-static
	python3 Sources/Packaging/build_wheel.py $(BUILD)/packages/facegauge-static $(BUILD)/packages

# The Swift runtime inside, Debian's own libraries next to it.
deb: build
	Sources/Packaging/link shared $(BUILD)/packages/facegauge-shared
	Sources/Packaging/build_deb $(BUILD)/packages/facegauge-shared $(BUILD)/packages

test: ALSO := $(TESTING)
test: models lint $(LIVE)/done $(SLURM)/done
	[ -z "$(OLD)" ] || python3 Tests/Packaging/rewrite_tests.py $(TESTS)
	cd $(TESTS) && swift build -c release $(STRICT) --build-tests
	cd $(TESTS) && FACEGAUGE_PYTHON=$(CURDIR)/$(LIVE)/bin/python FACEGAUGE_SLURM=$(CURDIR)/$(SLURM) \
	  swift test -c release $(STRICT) --skip-build 2>&1 | tee $(CURDIR)/$(BUILD)/tests.log
	@.ci/left-out $(BUILD)/tests.log
	$(LIVE)/bin/python Tests/Oracles/check_record_schema.py Reports/demo/record.json \
	  Datasets/portraits/gates.json Datasets/portraits/portraits.json

# The format is that of Swift 6.2's formatter and newer; 6.0 crashes in the check of imports.
lint: packages
	[ -n "$(OLD)" ] || swift format lint --strict -r -p Sources Tests Package.swift
	[ -n "$(OLD)" ] || swift build -c release $(STRICT) --explicit-target-dependency-import-check error --product facegauge

# Python with h5py and MediaPipe, for the tests that exchange files with them.
$(LIVE)/done: Tests/Oracles/requirements-live.txt | packages
	python3 -m venv $(LIVE)
	$(LIVE)/bin/pip install -q -r Tests/Oracles/requirements-live.txt
	touch $@

# Slurm's programs, unpacked and not installed: no service starts. Without them the tests of the driver are left out.
$(SLURM)/done: | packages
	mkdir -p $(SLURM)
	-cd $(SLURM) && get() { apt-get download -qq slurmctld slurmd slurm-client slurm-wlm-basic-plugins libhwloc15; } && \
	  { get || { $(SUDO) apt-get update -qq && get; }; } 2>/dev/null && \
	  for package in *.deb; do dpkg -x $$package .; done && rm *.deb && touch done

# The driver for Ray with Ray itself, 70 MB from PyPI, in 2 minutes.
test-ray: build
	python3 -m venv $(BUILD)/ray
	$(BUILD)/ray/bin/pip install -q 'ray>=2.9,<3' h5py numpy
	cd Tests/Packaging && FACEGAUGE=$(CURDIR)/$(FACEGAUGE) PYTHONPATH=$(CURDIR)/Sources/Packaging/Python \
	  $(CURDIR)/$(BUILD)/ray/bin/python -m unittest -v test_ray

# The schemas are 140 MB from PyPI, in half a minute.
test-manifests:
	python3 -m venv $(BUILD)/manifests
	$(BUILD)/manifests/bin/pip install -q kubernetes-validate botocore pyyaml
	cd Tests/Packaging && $(CURDIR)/$(BUILD)/manifests/bin/python -m unittest -v test_manifests

# datumaro with pandas, pyarrow and OpenCV is 560 MB from PyPI, in a minute.
test-datumaro: build
	python3 -m venv $(BUILD)/datumaro
	$(BUILD)/datumaro/bin/pip install -q 'datumaro>=1.13,<2' h5py
	cd Tests/Packaging && FACEGAUGE=$(CURDIR)/$(FACEGAUGE) $(CURDIR)/$(BUILD)/datumaro/bin/python -m unittest -v test_datumaro

# ONNX Runtime Web in Chromium: its files are in a wheel of 106 MB from PyPI. A minute and a half.
test-onnx-page: ALSO := chromium
test-onnx-page: build
	python3 -m venv $(BUILD)/onnx-page
	$(BUILD)/onnx-page/bin/pip install -q onnx onnxruntime h5py aiohttp numpy pillow
	echo 'open-webui==0.12.4 --hash=sha256:02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6' \
	  > $(BUILD)/onnx-page/wheel.txt
	$(BUILD)/onnx-page/bin/pip download -q --no-deps -d $(BUILD)/onnx-page -r $(BUILD)/onnx-page/wheel.txt
	cd Tests/Packaging && FACEGAUGE=$(CURDIR)/$(FACEGAUGE) PYTHONPATH=$(CURDIR)/Sources/Packaging/Python \
	  $(CURDIR)/$(BUILD)/onnx-page/bin/python -m unittest -v test_onnx_page

# The compiler with the headers of both systems, 100 MB from PyPI; the first time takes a minute.
test-portable: packages
	python3 -m venv $(BUILD)/zig
	$(BUILD)/zig/bin/pip install -q ziglang
	$(BUILD)/zig/bin/python Tests/Portability/compile_c.py

# Peers are 1.1 GB from PyPI. On an idle machine seven minutes for evaluation, one for models, three for the pipeline.
time-peers: models $(LIVE)/done
	swift build -c release $(STRICT) --product coco-timing
	swift build -c release $(STRICT) --product model-turns
	python3 -m venv $(BUILD)/peers
	$(BUILD)/peers/bin/pip install -q -r Tests/Peers/requirements.txt
	$(BUILD)/peers/bin/python Tests/Peers/time_evaluation.py $(FACEGAUGE) $(BUILD)/release/coco-timing
	$(BUILD)/peers/bin/python Tests/Peers/time_models.py $(BUILD)/release/model-turns $(FACEGAUGE_MODELS)
	[ -z "$(IMAGES)" ] || $(BUILD)/peers/bin/python Tests/Peers/time_pipeline.py $(FACEGAUGE) \
	  $(FACEGAUGE_MODELS)/face_landmarker.task $(IMAGES) --wheel $(LIVE)/bin/python

# The oracle libraries are needed to make expected values, not to run the tests.
$(VENV)/done: Tests/Oracles/requirements.txt | packages
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -q -r Tests/Oracles/requirements.txt
	$(VENV)/bin/pip install -q --no-deps netcal==1.4.0
	touch $@

oracles: models $(VENV)/done
	@for script in $(filter-out %/check_record_schema.py,$(wildcard Tests/Oracles/*.py)); do echo $$script; $(VENV)/bin/python $$script || exit 1; done

# Stops at the first target that crashes, hangs or grows; its input is then in .build/fuzz/found.
fuzz: $(LIVE)/done
	FACEGAUGE_FUZZ=1 swift build -c release $(STRICT) --scratch-path $(FUZZ) --product fuzz --sanitize=address \
	  -Xswiftc -sanitize=fuzzer -Xcc -fsanitize=fuzzer-no-link
	rm -rf $(FUZZ)/seeds
	$(LIVE)/bin/python Tests/Fuzzing/make_corpus.py $(FUZZ)/seeds
	@for target in $(or $(TARGET),$$($(FUZZ)/release/fuzz | sed -n 's/^  //p')); do \
	  echo "$$target"; mkdir -p $(FUZZ)/corpus/$$target $(FUZZ)/found $(FUZZ)/seeds/$$target; \
	  echo "# Words of the format, if any" >> $(FUZZ)/seeds/$$target.dict; \
	  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0 $(FUZZ)/release/fuzz $$target \
	    -max_total_time=$(SECONDS) -rss_limit_mb=512 -malloc_limit_mb=512 -timeout=10 \
	    -print_final_stats=1 -artifact_prefix=$(FUZZ)/found/$$target- \
	    -dict=$(FUZZ)/seeds/$$target.dict $(FUZZ)/corpus/$$target $(FUZZ)/seeds/$$target \
	    2>&1 | tee $(FUZZ)/$$target.log | tail -8 || exit 1; \
	done

clean:
	rm -rf $(BUILD) Reports/local
