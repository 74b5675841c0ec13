# Everything a fresh Debian machine with Swift needs: `make run` and `make test`.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .build/venv
PACKAGES := libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libcurl4-openssl-dev libnats-dev pkg-config
TEST_PACKAGES := caddy chromium chromium-driver curl gcc haproxy libc6-dev nats-server nginx nodejs openssl prometheus
DEB_PACKAGES := binutils dpkg-dev lintian
MEASURE_PACKAGES := debootstrap systemd-container
COUNT_PACKAGES := binutils gcc libc6-dev valgrind
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
ARGS ?=

.PHONY: run build deb test measure unit tests run-tests receiver end-to-end sanitize sanitize-hub lint format docs instructions instructions-accepted bench bench-broadcasting bench-cluster bench-webhooks clean dependencies test-dependencies

run: build ## Build release and serve on 127.0.0.1:8080 with the embedded log in ./data.
	exec .build/release/clarion serve $(ARGS)

BUILD := swift build

build: dependencies
	$(BUILD) -c release --product clarion

deb: dependencies ## Make the Debian package .build/clarion_*.deb, with Swift's libraries in the program.
	$(call install,$(DEB_PACKAGES))
	swift build -c release --product clarion --static-swift-stdlib --scratch-path .build/deb
	rm -f .build/clarion_*.deb
	deploy/debian/build .build/deb/release/clarion .build/deb/checkouts .build
	lintian --fail-on error,warning --tag-display-limit 0 .build/clarion_*.deb

# What is downloaded for the tests comes while they are built. The release is built beside the tests in Swift, which run one
# at a time, and stands back for them.
test: dependencies ## Pass all tests.
	$(MAKE) --jobs=2 tests test-dependencies
	$(MAKE) --jobs=2 run-tests receiver BUILD='nice swift build --ignore-lock'
	$(MAKE) end-to-end

measure: build deb test-dependencies ## Enforce the figures of time and memory that `make test` only tells. Needs a machine to itself.
	$(call install,$(MEASURE_PACKAGES))
	CLARION_LOAD=full $(VENV)/bin/python -m pytest -q -m measured Tests/EndToEnd
	CLARION_LOAD=full swift test --no-parallel --filter MicroHTTPTests
	CLARION_PROPERTY_CASES=100000 swift test --no-parallel --filter 'ClarionTests|WebhooksTests'

unit: tests
	$(MAKE) run-tests

tests: dependencies
	swift build --build-tests

# One test at a time: some measure time and memory, and all share the machine. What failed is said once more at the end.
run-tests:
	set -o pipefail; swift test --skip-build --ignore-lock --no-parallel 2>&1 | tee .build/$@.log || \
		{ grep -E '✘|error:' .build/$@.log; exit 1; }

end-to-end: receiver test-dependencies
	Tests/EndToEnd/run

receiver: build
	$(BUILD) -c release --product WebhookReceiver

sanitize: dependencies ## Concurrency code under Thread Sanitizer, C boundaries under Address Sanitizer; see also sanitize-hub.
	swift test --no-parallel --scratch-path .build/tsan --sanitize=thread --filter 'AccessTests|BroadcastingTests|MicroHTTPTests|ClusterLogTests|EventLogTests|HTTPTransportTests|WebhooksTests|ClarionTests'
	swift test -c release --no-parallel --scratch-path .build/tsan-release --sanitize=thread --filter BroadcastingTests
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leak-sanitizer.supp \
		swift test --no-parallel --scratch-path .build/asan --sanitize=address --filter 'AccessTests|MicroHTTPTests|ClusterLogTests|EventLogTests|HTTPTransportTests|WebhooksTests'
	# What weak references lead through looks like a leak: the runtime keeps its address in another form.
	ASAN_OPTIONS=detect_leaks=0 swift test --no-parallel --scratch-path .build/asan --sanitize=address --filter BroadcastingTests
	ASAN_OPTIONS=detect_leaks=0 swift test -c release --no-parallel --scratch-path .build/asan-release --sanitize=address --filter BroadcastingTests

SANITIZED_TESTS := $(addprefix Tests/EndToEnd/test_,fuzzing.py unfinished_requests.py hostile_heads.py reconnecting.py names.py history.py descriptors.py \
	credentials.py key_sets.py tenants.py limits.py loops.py trusted_proxies.py tls.py)

sanitize-hub: dependencies test-dependencies ## The running hub under both sanitizers, fuzzed and stormed.
	swift build -c release --product clarion --scratch-path .build/hub-tsan --sanitize=thread
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.supp:atexit_sleep_ms=0 \
		CLARION_EXECUTABLE=.build/hub-tsan/release/clarion $(VENV)/bin/python -m pytest -q $(SANITIZED_TESTS)
	swift build -c release --product clarion --scratch-path .build/hub-asan --sanitize=address
	ASAN_OPTIONS=detect_leaks=0 CLARION_EXECUTABLE=.build/hub-asan/release/clarion $(VENV)/bin/python -m pytest -q $(SANITIZED_TESTS)

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Examples

format:
	swift format --in-place --recursive Package.swift Sources Tests Examples

DOCUMENTED := Broadcasting Clarion ClarionClient

docs: $(addprefix .build/docs/,$(addsuffix .doccarchive,$(DOCUMENTED))) ## Build the documentation of the libraries, for a web server. A warning is an error.
	@echo 'Serve .build/docs/NAME.doccarchive, for each of $(DOCUMENTED), and open /documentation/name/'

.PHONY: FORCE
.build/docs/%.doccarchive: FORCE
	swift build --target $*
	rm -rf .build/docs/$*.symbols && mkdir -p .build/docs/$*.symbols
	swift symbolgraph-extract -module-name $* -minimum-access-level public -skip-synthesized-members \
		-I "$$(swift build --show-bin-path)/Modules" \
		$$(find Sources .build/checkouts "$$(swift build --show-bin-path)/" -name module.modulemap -not -path '*-tool.build*' -printf '-I %h\n') \
		-output-dir .build/docs/$*.symbols \
		-target "$$(swift -print-target-info | sed -n '/"triple"/{s/.*: "\(.*\)".*/\1/p;q;}')"
	docc convert Sources/$*/$*.docc --warnings-as-errors --fallback-display-name $* --fallback-bundle-identifier $* \
		--additional-symbol-graph-dir .build/docs/$*.symbols --output-dir $@

instructions: build ## Count the instructions of posts and deliveries; more than accepted is a failure. See Benchmarks/README.md.
	$(call install,$(COUNT_PACKAGES))
	$(MAKE) --silent -C Benchmarks instructions
	Benchmarks/instructions/count.py $(ARGS)

instructions-accepted: ## Accept what is counted now.
	$(MAKE) instructions ARGS=--accept

bench: build ## Measure against peers in the same run; see Benchmarks/README.md.
	Benchmarks/run $(ARGS)

bench-broadcasting: ## Measure the in-process library against a bare array, NotificationCenter and OpenCombine.
	Benchmarks/Broadcasting/run $(ARGS)

bench-webhooks: build ## Measure webhook deliveries against libcurl alone.
	$(MAKE) --silent -C Benchmarks webhooks
	Benchmarks/webhooks/measure.py $(ARGS)

bench-cluster: build ## Measure hubs that share a log on NATS JetStream beside the embedded log.
	$(MAKE) --silent -C Benchmarks cluster
	Benchmarks/cluster/measure.py $(ARGS)

clean:
	rm -rf .build

# Installs only what is missing, so that it costs nothing the second time.
define install
@missing=$$(for package in $(1); do \
	dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || echo $$package; done); \
if [ -n "$$missing" ]; then \
	echo "installing $$missing"; \
	$(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq $$missing >/dev/null; \
fi
endef

dependencies:
	$(call install,$(PACKAGES))

test-dependencies: $(VENV)/installed
	$(call install,$(TEST_PACKAGES))

$(VENV)/installed: Tests/EndToEnd/requirements.txt
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || \
		{ $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq python3-venv >/dev/null && $(PYTHON) -m venv $(VENV); }
	@$(VENV)/bin/pip install -q --disable-pip-version-check -r Tests/EndToEnd/requirements.txt
	@touch $@
