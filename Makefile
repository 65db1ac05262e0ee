# SPDX-License-Identifier: GPL-3.0-or-later
# make help lists the targets. CFLAGS and LDFLAGS are yours; V=1 shows the commands.

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= gcc
CXX ?= g++
# Sanitized objects are for tests, which -O1 builds in little more than half the time and runs as fast.
DEBUG ?= -g
CFLAGS ?= $(if $(SANITIZE),-O1 -g1,-O2 $(DEBUG))
CXXFLAGS ?= $(CFLAGS)
SANITIZE ?=
V ?= 0

BUILD ?= build$(if $(SANITIZE),/sanitized)
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

# The set-up runs before anything is asked of pkg-config.
LIBRARIES := libelf libdw gsl sqlite3 jansson nettle libarchive libzstd libconfig
pkg = $(shell pkg-config $(1) $(LIBRARIES) 2>/dev/null)

# A plugin is built for the compiler in use, and for each gcc-N whose plugin interface (gcc-N-plugin-dev) is installed.
major = $(firstword $(subst ., ,$(shell $(1) -dumpversion 2>/dev/null)))
OWN_VERSION := $(call major,$(CXX))
plugin_include = $(shell $(if $(filter $(OWN_VERSION),$(1)),$(CXX),gcc-$(1)) -print-file-name=plugin)/include
PLUGIN_VERSIONS ?= $(sort $(OWN_VERSION) $(foreach version,11 12 13 14,$(if $(shell command -v gcc-$(version) 2>/dev/null),$(if $(wildcard \
	$(call plugin_include,$(version))/gcc-plugin.h),$(version)))))
PLUGIN_VERSIONS := $(PLUGIN_VERSIONS)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla -Werror
SANITIZER := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CPPFLAGS_ALL = -I. -D_GNU_SOURCE -DINTERFERO_VERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL = -std=c11 $(WARNINGS) $(SANITIZER) $(CFLAGS)
DEPENDENCIES = -MMD -MP

# What each program is made of: folders, not files. main.c files hold a program's main().
sources = $(sort $(filter-out %/main.c,$(foreach folder,$(1),$(shell find $(folder) -name '*.c'))))
objects = $(patsubst %.c,$(BUILD)/objects/%.o,$(1))
# The runtime's own allocator is in the library for tests; only the preloaded file puts it in malloc's place.
RUNTIME_CORE := $(filter-out runtime/log_read.c,$(sort $(wildcard runtime/*.c))) common/random.c
RUNTIME_SOURCES := $(RUNTIME_CORE) $(call sources,runtime/preload)
# The same in a program that is recorded, with marks around what it does.
RECORDED_SOURCES := $(filter-out runtime/os_memory.c,$(RUNTIME_CORE)) runtime/preload/malloc.c $(call sources,runtime/recorded)
RECORDED_WRAPPED := allocate resize free usable
# One recorder is a plugin of qemu's; what of it needs no qemu is in the library for tests.
RECORDER_SOURCES := $(call sources,model/recorder/qemu) common/buffer.c common/random.c
# The other is a tool of Valgrind's, without a C library.
TOOL_SOURCES := $(call sources,model/recorder/valgrind) common/random.c
# Compiled once for each set of vector instructions; the rest of the program runs on every x86-64.
VECTOR_SOURCES := $(wildcard model/replay/vector/*.c)
VECTOR_OBJECTS := $(foreach set,avx2 avx512,$(VECTOR_SOURCES:%.c=$(BUILD)/objects/$(set)/%.o))
LIBRARY_SOURCES := $(filter-out $(VECTOR_SOURCES) $(wildcard model/recorder/*.c model/recorder/valgrind/*.c) $(addprefix \
	model/recorder/qemu/,recorder.c prefetches.c writer.c syscalls.c),$(call sources,common compiletime kit relinker unlinker model harness)) $(sort $(wildcard runtime/*.c))
MACHINES := $(sort $(wildcard model/machines/*.cfg))
LIBRARY := $(BUILD)/libinterfero.a
WRAPPER_SOURCES := wrapper/compiler.c wrapper/requested_layout.c $(call sources,common)
ASSEMBLER_SOURCES := wrapper/assembler.c $(call sources,compiletime common) kit/store.c kit/digest.c
PROPER_SOURCES := wrapper/proper.c $(call sources,wrapper/proper compiletime common) kit/store.c kit/digest.c
CAPTURE_SOURCES := wrapper/linker.c $(call sources,wrapper/capture compiletime kit common)
PLUGIN_SOURCES := $(wildcard plugin/*.cc)
PLUGIN_DECISIONS := $(call sources,plugin)

BIN := $(BUILD)/bin
LIBEXEC := $(BUILD)/libexec/interfero
# The wrapper goes by all these names; the last three are what build systems look for beside a compiler. Names with a
# version call that version.
GCC_NAMES := gcc g++ gfortran gcc-ar gcc-nm gcc-ranlib
VERSIONED := $(foreach version,$(PLUGIN_VERSIONS),$(GCC_NAMES:%=%-$(version)))
ALIASES := $(filter-out gcc,$(GCC_NAMES)) clang clang++ $(VERSIONED)
COMPILERS := gcc $(ALIASES)
PLUGINS := $(PLUGIN_VERSIONS:%=$(LIBEXEC)/gcc-%/interfero.so)
COMPILERS_PROPER := cc1 cc1plus f951 lto1
LINKERS := ld ld.bfd ld.gold ld.lld ld.mold
PROGRAMS := $(BIN)/interfero $(COMPILERS:%=$(BIN)/interfero-%) $(PLUGINS) $(LIBEXEC)/probe \
	$(LIBEXEC)/keep-ltrans $(LIBEXEC)/relink_plugin.so $(LIBEXEC)/recorder-qemu.so $(LIBEXEC)/recorder-valgrind $(LIBEXEC)/marks.so \
	$(LIBEXEC)/redirect.so $(LIBEXEC)/objects.so $(LIBEXEC)/player $(LINKERS:%=$(LIBEXEC)/ld/%) $(LIBEXEC)/as/as \
	$(COMPILERS_PROPER:%=$(LIBEXEC)/cc/%) $(LIBEXEC)/libinterfero.so
LIBS = $(call pkg,--libs) -lZydis -lpfm -lbfd -liberty -lm -ldl

.PHONY: all
all: $(PROGRAMS) ## build everything into build/

.PHONY: help
help: ## list the targets
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-12s %s\n", $$1, $$2}'
	@echo "Variables: PREFIX DESTDIR CC CXX CFLAGS DEBUG LDFLAGS SANITIZE=address,undefined V=1"

# --- compiling -------------------------------------------------------------------------------------------------

$(BUILD)/objects/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(DEPENDENCIES) -c $< -o $@

AVX2 := -mavx2
# The sanitizer's own stack has too little alignment for such vectors (Ref: GCC bug 110027), and gcc 13 and later use it.
AVX512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx512vpopcntdq $(if $(findstring address,$(SANITIZE)),--param asan-use-after-return=0)
$(BUILD)/objects/avx2/%.o: %.c
	$(call say,CC,"$< (for AVX2)")
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(AVX2) $(DEPENDENCIES) -c $< -o $@
$(BUILD)/objects/avx512/%.o: %.c
	$(call say,CC,"$< (for AVX-512)")
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(AVX512) $(DEPENDENCIES) -c $< -o $@

# Descriptions of machines are built in: their text as a table of strings.
$(BUILD)/objects/machine_texts.c: $(MACHINES) scripts/machine_texts
	$(call say,MAKE,$@)
	@mkdir -p $(@D)
	$(Q)scripts/machine_texts $(MACHINES) > $@.new && mv $@.new $@
$(BUILD)/objects/machine_texts.o: $(BUILD)/objects/machine_texts.c
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(DEPENDENCIES) -c $< -o $@

# So is the table of instructions.
INSTRUCTIONS := model/core/instructions.txt model/core/measured.txt
$(BUILD)/objects/instructions_text.c: $(INSTRUCTIONS) scripts/instructions_text
	$(call say,MAKE,$@)
	@mkdir -p $(@D)
	$(Q)scripts/instructions_text $(INSTRUCTIONS) > $@.new && mv $@.new $@
$(BUILD)/objects/instructions_text.o: $(BUILD)/objects/instructions_text.c
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(DEPENDENCIES) -c $< -o $@

$(LIBRARY): $(call objects,$(LIBRARY_SOURCES)) $(VECTOR_OBJECTS) $(BUILD)/objects/machine_texts.o $(BUILD)/objects/instructions_text.o
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BIN)/interfero: $(call objects,harness/main.c) $(LIBRARY)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS) $(LIBS)

$(BIN)/interfero-gcc: $(call objects,$(WRAPPER_SOURCES))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS)

$(ALIASES:%=$(BIN)/interfero-%): $(BIN)/interfero-gcc
	@ln -sf interfero-gcc $@

# It starts for every link, as with as below: it loads nothing that it does not need.
$(LIBEXEC)/ld/ld: $(call objects,$(CAPTURE_SOURCES))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Wl,--as-needed $^ -o $@ $(LDFLAGS) $(LIBS)

$(filter-out %/ld/ld,$(LINKERS:%=$(LIBEXEC)/ld/%)): $(LIBEXEC)/ld/ld
	@ln -sf ld $@

$(LIBEXEC)/keep-ltrans: $(call objects,wrapper/lto/keep_ltrans.c $(call sources,common))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS)

# ld.bfd loads it, and is not sanitized.
RELINK_PLUGIN_C := wrapper/lto/relink_plugin.c wrapper/lto/ir_symbols.c common/buffer.c common/strings.c
$(LIBEXEC)/relink_plugin.so: $(RELINK_PLUGIN_C:%.c=$(BUILD)/objects/pic/%.o)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CFLAGS) $^ -o $@ $(LDFLAGS)

# qemu loads it, and is not sanitized.
$(LIBEXEC)/recorder-qemu.so: $(RECORDER_SOURCES:%.c=$(BUILD)/objects/pic/%.o)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CFLAGS) $^ -o $@ $(LDFLAGS) -lZydis

$(LIBEXEC)/redirect.so: $(BUILD)/objects/pic/harness/exec/redirect/main.o
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CFLAGS) $^ -o $@ $(LDFLAGS)

# It runs in the place of Valgrind, at an address where no program lies. Ref: Valgrind 3.19, Makefile.tool.am.
VALGRIND_INCLUDE := /usr/include/valgrind
VALGRIND_LIBRARIES := $(addprefix -l,coregrind-amd64-linux vex-amd64-linux gcc-sup-amd64-linux gcc)
TOOL_FLAGS := -std=gnu11 -O2 -g $(WARNINGS) -Wno-shadow -ffreestanding -fno-builtin -fno-stack-protector -fno-pie \
	-ffunction-sections -fno-strict-aliasing -isystem $(VALGRIND_INCLUDE) -DVGA_amd64=1 -DVGO_linux=1 \
	-DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1
$(BUILD)/objects/tool/%.o: %.c
	$(call say,CC,"$< (for Valgrind)")
	@[ -e $(VALGRIND_INCLUDE)/pub_tool_tooliface.h ] || \
		{ echo "no headers of Valgrind in $(VALGRIND_INCLUDE): install Debian's package valgrind" >&2; exit 1; }
	@mkdir -p $(@D)
	$(Q)$(CC) -I. $(TOOL_FLAGS) $(DEPENDENCIES) -c $< -o $@
$(LIBEXEC)/recorder-valgrind: $(TOOL_SOURCES:%.c=$(BUILD)/objects/tool/%.o)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static -nostdlib -no-pie -u _start -Wl,--build-id=none,--gc-sections,-Ttext-segment=0x58000000 \
		-Wl,--wrap=vgPlain_di_notify_mmap $^ -o $@ \
		-L$(shell $(CC) -print-file-name=valgrind) -Wl,--start-group $(VALGRIND_LIBRARIES) -Wl,--end-group

$(LIBEXEC)/marks.so: $(BUILD)/objects/pic/model/recorder/marks.o
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CFLAGS) $^ -o $@ $(LDFLAGS)

# It starts for every file: it loads nothing that it does not need.
$(LIBEXEC)/as/as: $(call objects,$(ASSEMBLER_SOURCES))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Wl,--as-needed $^ -o $@ $(LDFLAGS) $(LIBS)

$(LIBEXEC)/cc/cc1: $(call objects,$(PROPER_SOURCES))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Wl,--as-needed $^ -o $@ $(LDFLAGS) $(LIBS)

$(filter-out %/cc/cc1,$(COMPILERS_PROPER:%=$(LIBEXEC)/cc/%)): $(LIBEXEC)/cc/cc1
	@ln -sf cc1 $@

$(LIBEXEC)/probe: $(call objects,harness/exec/probe/main.c)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS)

# The plugin runs inside the compiler, which is not sanitized. GCC's headers, which all its files begin with, are read once:
# #include "plugin/gcc.h" finds the precompiled header in the first folder of -I.
PLUGIN_CXX = $(CXX) -std=gnu++17 -fno-rtti -fno-exceptions -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter \
	-Werror -I$(BUILD)/objects/gcc-$(1) $(CPPFLAGS_ALL) -isystem $(call plugin_include,$(1)) $(CXXFLAGS) $(DEPENDENCIES)
PLUGIN_C := $(PLUGIN_DECISIONS) $(call sources,compiletime) common/axis.c common/buffer.c common/error.c common/file.c common/plan.c \
	common/plan_text.c common/random.c common/strings.c
$(BUILD)/objects/pic/%.o: %.c
	$(call say,CC,"$< (for a plugin)")
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -std=c11 $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden $(DEPENDENCIES) -c $< -o $@

# The compiler loads it for every file: the C++ runtime, of which it needs next to nothing, is linked in.
define plugin_rules
$(BUILD)/objects/gcc-$(1)/plugin/gcc.h.gch: plugin/gcc.h
	$$(call say,CXX,"$$< (for gcc $(1))")
	@mkdir -p $$(@D)
	@[ -e $$(call plugin_include,$(1))/gcc-plugin.h ] || \
		{ echo "no plugin interface of gcc $(1): install Debian's package gcc-$(1)-plugin-dev" >&2; exit 1; }
	$$(Q)$$(call PLUGIN_CXX,$(1)) -x c++-header $$< -o $$@
$(BUILD)/objects/gcc-$(1)/plugin/%.o: plugin/%.cc $(BUILD)/objects/gcc-$(1)/plugin/gcc.h.gch
	$$(call say,CXX,"$$< (for gcc $(1))")
	@mkdir -p $$(@D)
	$$(Q)$$(call PLUGIN_CXX,$(1)) -c $$< -o $$@
$(LIBEXEC)/gcc-$(1)/interfero.so: $(PLUGIN_SOURCES:%.cc=$(BUILD)/objects/gcc-$(1)/%.o) $(PLUGIN_C:%.c=$(BUILD)/objects/pic/%.o)
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CXX) -shared -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL $$^ -o $$@ $$(LDFLAGS)
endef
$(foreach version,$(PLUGIN_VERSIONS),$(eval $(call plugin_rules,$(version))))

# The runtime lives in other programs, sanitized or not: nothing of its own shows but what libinterfero.so replaces.
$(BUILD)/objects/runtime-so/%.o: %.c
	$(call say,CC,"$< (for the runtime)")
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -std=c11 $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden -fno-builtin-malloc \
		-ftls-model=initial-exec -flto $(DEPENDENCIES) -c $< -o $@

$(BUILD)/objects/recorded/%.o: %.c
	$(call say,CC,"$< (for recordings)")
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -std=c11 $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden -fno-builtin-malloc \
		-ftls-model=initial-exec $(DEPENDENCIES) -c $< -o $@

$(LIBEXEC)/objects.so: $(RECORDED_SOURCES:%.c=$(BUILD)/objects/recorded/%.o)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CFLAGS) $(RECORDED_WRAPPED:%=-Wl,--wrap=allocator_%) -Wl,-z,defs -Wl,-z,now $^ -o $@ $(LDFLAGS)

# Answers requests as the runtime does, natively.
$(LIBEXEC)/player: $(patsubst %.c,$(BUILD)/objects/recorded/%.o,$(RUNTIME_CORE) runtime/player/main.c)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS)

$(LIBEXEC)/libinterfero.so: $(RUNTIME_SOURCES:%.c=$(BUILD)/objects/runtime-so/%.o)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(CFLAGS) -flto=1 -Wl,-soname,libinterfero.so -Wl,-z,defs -Wl,-z,now $^ -o $@ $(LDFLAGS)

-include $(shell find $(BUILD)/objects -name '*.d' 2>/dev/null)

# --- setting up, trying out, testing ---------------------------------------------------------------------------

.PHONY: setup
setup: ## install the packages that building and testing need (scripts/packages)
	@scripts/setup

.PHONY: demo
demo: ## measure 24 layouts of an example, to a report
	@scripts/setup demo
	@$(MAKE) --no-print-directory all
	@scripts/demo $(BUILD)

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_OBJECTS := $(call objects,$(filter-out tests/fuzz/fuzz_%.c,$(wildcard tests/fuzz/*.c)))
TEST_OBJECTS := $(call objects,$(PLUGIN_DECISIONS) $(sort $(wildcard wrapper/capture/*.c tests/unit/model_*.c)) wrapper/lto/ir_symbols.c)

# A test's own code runs once or a few times: without optimisation it compiles in less time.
$(BUILD)/objects/tests/unit/test_%.o: CFLAGS := $(CFLAGS) -O0

# A hundred programs are linked for the tests: by the fastest linker that is installed.
TEST_LINKER := $(if $(shell command -v ld.mold 2>/dev/null),-fuse-ld=mold)
$(BUILD)/tests/%: $(BUILD)/objects/tests/unit/%.o $(TEST_OBJECTS) $(LIBRARY)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(TEST_LINKER) $(LDFLAGS) $(LIBS) -lcmocka

$(BUILD)/tests/%: $(BUILD)/objects/tests/fuzz/%.o $(FUZZ_OBJECTS) $(TEST_OBJECTS) $(LIBRARY)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(TEST_LINKER) $(LDFLAGS) $(LIBS)

# The runtime under eight threads. ThreadSanitizer needs a build of its own: BUILD=build/threads SANITIZE=thread.
STRESS_SOURCES := tests/stress/runtime.c $(sort $(wildcard runtime/*.c)) $(call sources,common)
$(BUILD)/tests/stress: $(call objects,$(STRESS_SOURCES))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS) -lpthread

BENCHMARKS := $(addprefix $(BUILD)/tests/,pairs engine memory speed allocators heap_loops analysis rates trace_reader)
$(BENCHMARKS): $(BUILD)/tests/%: $(BUILD)/objects/tests/bench/%.o $(BUILD)/objects/tests/bench/captured.o $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS) $(LIBS)

# At addresses below 2 GiB, and alone in its process.
BLOCKS_RUN := $(BUILD)/tests/blocks_run
$(BLOCKS_RUN): $(call objects,tests/bench/blocks_run.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -static -no-pie $^ -o $@ $(LDFLAGS)

# Compares the bodies of two objects (tests/corpus/bodies.c).
$(BUILD)/tests/bodies: $(call objects,tests/corpus/bodies.c) $(LIBRARY)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS) -lelf -lZydis

# Small C programs by seed, for trying the compiler's axes on.
$(BUILD)/tests/generate: $(call objects,tests/corpus/generate.c) $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDFLAGS)

.PHONY: tests
tests: $(UNIT_TESTS) $(FUZZERS) ## build the unit tests and fuzz targets
# Objects of tests are kept. (.SECONDARY would keep them, too, but then a missing object is not made where its library is newer.)
.PRECIOUS: $(BUILD)/objects/%.o

# The tests need the build itself, sanitized unit tests and fuzz targets, and those that are too long for sanitizers (tests/run);
# at full depth the runtime for ThreadSanitizer, too.
TEST_BUILDS := check-build check-build-sanitized
.PHONY: $(TEST_BUILDS) check-build-threads
check-build: all $(addprefix $(BUILD)/tests/,engine bodies generate test_probe_described test_probe_changes test_probe_levels)
check-build-sanitized:
	@$(MAKE) --no-print-directory tests build/sanitized/tests/stress SANITIZE=address,undefined
check-build-threads:
	@$(MAKE) --no-print-directory build/threads/tests/stress BUILD=build/threads SANITIZE=thread

# As many jobs as processors, unless make was told how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: check
check: setup ## run every test once; ends with "N passed, N failed, N skipped"
	@$(MAKE) --no-print-directory $(JOBS) $(TEST_BUILDS) DEBUG=-g1
	@tests/run $(BUILD) build/sanitized/tests

.PHONY: check-full
check-full: ## run the tests with many seeds and whole matrices, for releases
	@scripts/setup full
	@$(MAKE) --no-print-directory $(JOBS) $(TEST_BUILDS) check-build-threads $(BENCHMARKS)
	@INTERFERO_TEST_DEPTH=full tests/run $(BUILD) build/sanitized/tests

.PHONY: check-other
check-other: ## run every test in the other Debian (12 or 13), made in BUILD/systems
	@scripts/setup full
	@$(MAKE) --no-print-directory $(JOBS) check-build
	@INTERFERO_TEST_DEPTH=full INTERFERO_CHECK_OTHER=1 TEST_FILE_LIMIT=14000 tests/run $(BUILD) build/sanitized/tests e2e/systems

.PHONY: bench
bench: ## measure this build side by side with what people use today
	@scripts/setup bench
	@$(MAKE) --no-print-directory all $(BENCHMARKS) $(BLOCKS_RUN)
	@tests/bench/run $(BUILD)
	@tests/bench/icost $(BUILD)

SOURCES = $(shell git ls-files '*.c' '*.h' '*.cc')
.PHONY: lint
lint: setup ## layout of the code, allowed includes, clang-tidy
	@scripts/lint

.PHONY: format
format: ## put the code into its layout
	scripts/clang-format -i $(SOURCES)

# --- installing ------------------------------------------------------------------------------------------------

COMMANDS := bench audit cure optimize compare calibrate blame predict variants run layout align pin verify heap limit record replay place misses icost \
	trace report explain pack merge piece import kit probe doctor
FORMATS := experiment plan machine
MAN := $(BUILD)/man
FORMAT_PAGES := $(FORMATS:%=interfero-%(5))
MAN_PAGES := $(MAN)/interfero.1 $(MAN)/interfero-gcc.1 $(COMMANDS:%=$(MAN)/interfero-%.1) $(FORMATS:%=$(MAN)/interfero-%.5)
$(MAN)/interfero.1: $(BIN)/interfero scripts/man_page
	@mkdir -p $(@D)
	$(Q)$< --help | scripts/man_page interfero $(VERSION) 'measure many layouts of a program' \
		'$(COMMANDS:%=interfero-%(1)) $(FORMAT_PAGES)' > $@
$(MAN)/interfero-%.1: $(BIN)/interfero scripts/man_page
	@mkdir -p $(@D)
	$(Q)$< $* --help | scripts/man_page interfero-$* $(VERSION) "$$($< --help | sed -n 's/^  $*  *//p')" \
		'interfero(1) $(FORMAT_PAGES)' > $@
$(MAN)/interfero-gcc.1: docs/interfero-gcc.md scripts/man_page
	@mkdir -p $(@D)
	$(Q)scripts/man_page $< $(VERSION) 1 </dev/null > $@
# Tables that the program knows follow the text: of the axes, and of machines, predictors and settings.
$(MAN)/interfero-plan.5: appendix = $< variants --help | sed -n '/^Axes, with/,$$p' | sed '1s/.*/Axes/'
$(MAN)/interfero-machine.5: appendix = echo Values; $< replay --machine help
$(MAN)/interfero-%.5: $(BIN)/interfero docs/interfero-%.md scripts/man_page
	@mkdir -p $(@D)
	$(Q){ $(or $(appendix),:); } | scripts/man_page docs/interfero-$*.md $(VERSION) > $@

.PHONY: man
man: $(MAN_PAGES) ## make the man pages

INSTALL_ROOT = $(DESTDIR)$(PREFIX)
# Where shells look for completions, bash, zsh and fish in this order. Debian has another folder for zsh's.
ZSH_COMPLETIONS ?= share/zsh/site-functions
COMPLETIONS = share/bash-completion/completions/interfero $(ZSH_COMPLETIONS)/_interfero share/fish/vendor_completions.d/interfero.fish
FILL_IN = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@VERSION@|$(VERSION)|g'
.PHONY: install
install: all man ## install below $(DESTDIR)$(PREFIX)
	install -d $(INSTALL_ROOT)/bin $(INSTALL_ROOT)/include $(INSTALL_ROOT)/libexec/interfero/ld \
		$(INSTALL_ROOT)/libexec/interfero/as $(INSTALL_ROOT)/libexec/interfero/cc $(INSTALL_ROOT)/share/man/man1 $(INSTALL_ROOT)/share/man/man5 \
		$(dir $(COMPLETIONS:%=$(INSTALL_ROOT)/%)) $(INSTALL_ROOT)/share/pkgconfig $(INSTALL_ROOT)/share/interfero
	install $(BIN)/interfero $(BIN)/interfero-gcc $(INSTALL_ROOT)/bin
	for name in $(ALIASES); do ln -sf interfero-gcc $(INSTALL_ROOT)/bin/interfero-$$name; done
	for version in $(PLUGIN_VERSIONS); do install -D -m 644 -t $(INSTALL_ROOT)/libexec/interfero/gcc-$$version \
		$(LIBEXEC)/gcc-$$version/interfero.so || exit; done
	install $(LIBEXEC)/probe $(LIBEXEC)/keep-ltrans $(LIBEXEC)/recorder-valgrind $(LIBEXEC)/player $(INSTALL_ROOT)/libexec/interfero
	install -m 644 $(LIBEXEC)/relink_plugin.so $(LIBEXEC)/recorder-qemu.so $(LIBEXEC)/marks.so $(LIBEXEC)/redirect.so \
		$(LIBEXEC)/objects.so $(LIBEXEC)/libinterfero.so $(INSTALL_ROOT)/libexec/interfero
	install $(LIBEXEC)/ld/ld $(INSTALL_ROOT)/libexec/interfero/ld
	install $(LIBEXEC)/as/as $(INSTALL_ROOT)/libexec/interfero/as
	install $(LIBEXEC)/cc/cc1 $(INSTALL_ROOT)/libexec/interfero/cc
	for name in $(filter-out cc1,$(COMPILERS_PROPER)); do ln -sf cc1 $(INSTALL_ROOT)/libexec/interfero/cc/$$name; done
	for linker in $(filter-out ld,$(LINKERS)); do ln -sf ld $(INSTALL_ROOT)/libexec/interfero/ld/$$linker; done
	install -m 644 runtime/interfero.h $(INSTALL_ROOT)/include
	$(FILL_IN) packaging/interfero.pc.in > $(INSTALL_ROOT)/share/pkgconfig/interfero.pc
	$(FILL_IN) packaging/interfero.meson.in > $(INSTALL_ROOT)/share/interfero/interfero.meson
	install -m 644 packaging/interfero.cmake $(INSTALL_ROOT)/share/interfero
	install -m 644 $(filter %.1,$(MAN_PAGES)) $(INSTALL_ROOT)/share/man/man1
	for name in $(ALIASES); do ln -sf interfero-gcc.1 $(INSTALL_ROOT)/share/man/man1/interfero-$$name.1; done
	install -m 644 $(filter %.5,$(MAN_PAGES)) $(INSTALL_ROOT)/share/man/man5
	$(BIN)/interfero --completions bash > $(INSTALL_ROOT)/$(word 1,$(COMPLETIONS))
	$(BIN)/interfero --completions zsh > $(INSTALL_ROOT)/$(word 2,$(COMPLETIONS))
	$(BIN)/interfero --completions fish > $(INSTALL_ROOT)/$(word 3,$(COMPLETIONS))

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(INSTALL_ROOT)/include/interfero.h \
		$(INSTALL_ROOT)/bin/interfero $(COMPILERS:%=$(INSTALL_ROOT)/bin/interfero-%) \
		$(INSTALL_ROOT)/share/man/man1/interfero.1 $(COMPILERS:%=$(INSTALL_ROOT)/share/man/man1/interfero-%.1) $(COMMANDS:%=$(INSTALL_ROOT)/share/man/man1/interfero-%.1) \
		$(FORMATS:%=$(INSTALL_ROOT)/share/man/man5/interfero-%.5) \
		$(COMPLETIONS:%=$(INSTALL_ROOT)/%) $(INSTALL_ROOT)/share/pkgconfig/interfero.pc
	rm -rf $(INSTALL_ROOT)/libexec/interfero $(INSTALL_ROOT)/share/interfero

.PHONY: clean
clean: ## remove build/
	rm -rf build
