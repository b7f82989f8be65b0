# SPDX-License-Identifier: GPL-2.0-only
# The two commands: `make sweep` (as root) and `make test`. Both install what is missing first (tools/setup).

BUILD      ?= build
CLANG      ?= clang
BPFTOOL    ?= bpftool
PKG_CONFIG ?= pkg-config
PRESET     ?= ordering-quick
KERNEL     ?= 6.12
KERNELS    ?= $(KERNEL)
RELEASE    ?= all

# Make has a CC of its own, which ?= would keep.
ifeq ($(origin CC),default)
CC = gcc
endif

# Empty it would be the root directory.
ifneq ($(words $(BUILD)),1)
$(error BUILD is '$(BUILD)': the name of a directory, without blanks, is wanted)
endif

export PATH := $(PATH):/usr/sbin:/sbin
export BUILD

CFLAGS  ?= -O2 -g
LIBS     = libbpf libelf zlib libzstd inih jansson
WARNINGS = -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes

# V=1 prints commands, otherwise a word for each: $(call say,WORD,FILE).
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))
Q   = $(if $(V),,@)

# As a user after `sudo make` every file that is made would be an error of its own.
ifneq ($(filter-out help uninstall format test-fresh,$(or $(MAKECMDGOALS),all)),)
closed := $(shell [ ! -d $(BUILD) ] || find $(BUILD) ! -type l ! -writable -print -quit)
ifneq ($(closed),)
$(error $(BUILD) is not yours to write ($(closed)), as after `sudo make`: \
sudo chown -R "$$USER" $(BUILD), or make BUILD=DIR)
endif
endif

# Asked once, at first use and not before: pkg-config may be a thing that `setup` has yet to install.
once     = $(eval $(1) := $(2))$($(1))
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(shell $(PKG_CONFIG) --cflags $(LIBS)))
PKG_LIBS   = $(call once,PKG_LIBS,$(shell $(PKG_CONFIG) --libs $(LIBS)))

# Generated headers are system headers to the compiler: our warnings are not meant for bpftool's code.
# -MD and not -MMD, so that they are dependencies all the same.
CPPFLAGS_ALL = -D_GNU_SOURCE -Iuserspace -isystem $(BUILD)/gen -MD -MP $(CPPFLAGS)
CFLAGS_ALL   = -std=gnu11 $(CFLAGS) $(WARNINGS) $(SANITIZE) -pthread $(PKG_CFLAGS)
LDLIBS       = $(PKG_LIBS) -lm -pthread
COMPILE      = $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL)
COMPILE_BPF  = $(CLANG) -g -O2 -target bpf -Wall -Werror -Ivmlinux -Ibpf -MMD -MP

# A room is a folder of userspace/; each becomes an archive.
ROOMS    = report live sim spec trace core
PURE     = report sim spec trace core
sources  = $(sort $(wildcard userspace/$(1)/*.c userspace/$(1)/*/*.c))
objects  = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
MAIN_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard userspace/*.c)))
ALL_OBJ  = $(MAIN_OBJ) $(foreach r,$(ROOMS),$(call objects,$(r)))
BPF_OBJ  = $(patsubst bpf/%.bpf.c,$(BUILD)/bpf/%.o,$(sort $(wildcard bpf/*.bpf.c)))
SKELS    = $(patsubst $(BUILD)/bpf/%.o,$(BUILD)/gen/%.skel.h,$(BPF_OBJ))
program  = $(patsubst tests/$(1)/%.c,$(BUILD)/$(2)/%,$(sort $(wildcard tests/$(1)/$(3)*.c)))
UNIT     = $(call program,unit,tests,test_)
LIVE     = $(call program,unit-live,tests-live)
# What tests start other programs with, on a kernel that is made to be another.
HELPERS  = $(call program,unit-live/helper,tests-live/helper)
BENCH    = $(patsubst tools/bench/%.c,$(BUILD)/bench/%,$(sort $(wildcard tools/bench/*.c)))
group    = -Wl,--start-group $(1:%=$(BUILD)/%.a) -Wl,--end-group $(LDLIBS)
# What every compilation needs first: its flags, and the headers that any source may include.
READY    = $(BUILD)/flags | $(BUILD)/gen/version.h

##  make             install what is missing, build $(BUILD)/holbench
all: $(BUILD)/holbench

##  make sweep       as root: the same, then the preset $(PRESET), and its table (PRESET=ordering for all of it)
sweep: all
	@$(BUILD)/holbench sweep $(PRESET)

# Before anything is compiled; what it sees to depends on the targets that were asked for.
NEEDS = $(if $(filter-out test-fresh,$(filter test% vm format,$(MAKECMDGOALS))),test) \
	$(filter bench,$(MAKECMDGOALS)) $(if $(filter test-fresh,$(MAKECMDGOALS)),fresh) \
	$(if $(filter test-sanitize,$(MAKECMDGOALS)),sanitize) \
	$(if $(filter vm test-vm test-matrix $(if $(KERNELS),test),$(MAKECMDGOALS)),vm) $(filter deb,$(MAKECMDGOALS)) \
	$(if $(filter test test-bats,$(MAKECMDGOALS)),$(if $(wildcard /usr/bin/dpkg-deb),deb))
setup:
	@tools/setup $(NEEDS)

$(BUILD)/holbench: $(MAIN_OBJ) $(ROOMS:%=$(BUILD)/%.a)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $(MAIN_OBJ) $(call group,$(ROOMS))

define room_rule
$(BUILD)/$(1).a: $(call objects,$(1)) $(BUILD)/files
	@rm -f $$@
	$$(Q)$(AR) rcs $$@ $(call objects,$(1))
endef
$(foreach r,$(ROOMS),$(eval $(call room_rule,$(r))))

$(BUILD)/%.o: %.c $(READY)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -c -o $@ $<

# The probe: BPF object, then its skeleton.
$(BUILD)/bpf/%.o: bpf/%.bpf.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,BPF,$<)
	$(Q)$(COMPILE_BPF) -MF $(@:.o=.d) -MT $@ -c -o $@ $<

$(BUILD)/gen/%.skel.h: $(BUILD)/bpf/%.o
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name $* > $@.tmp && mv $@.tmp $@

# First builds know no dependencies yet, so the rooms that include a skeleton say so.
$(call objects,live): | $(SKELS)

# The presets: each INI file a row { name, help, text }. Its second line is the help.
PRESETS = $(sort $(wildcard userspace/spec/presets/*.ini))
$(BUILD)/gen/presets.h: $(PRESETS) $(BUILD)/files
	@mkdir -p $(@D)
	$(Q)for p in $(PRESETS); do \
		printf '{"%s", "%s",\n' "$$(basename $$p .ini)" "$$(sed -n '2s/^; //p' $$p)"; \
		sed 's/[\\"]/\\&/g; s/.*/ "&\\n"/' $$p; echo '},'; \
	done > $@

$(BUILD)/userspace/spec/presets.o: $(BUILD)/gen/presets.h

# Unit tests see every room but live/: a program each, exit 0, TAP on standard output.
$(BUILD)/tests/%: tests/unit/%.c $(PURE:%=$(BUILD)/%.a) $(READY)
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(COMPILE) -Itests/unit $(LDFLAGS) -MF $@.d -MT $@ -o $@ $< $(call group,$(PURE))

# Those that need root and a kernel see all rooms; benchmarks do as well.
$(BUILD)/tests-live/%: tests/unit-live/%.c $(ROOMS:%=$(BUILD)/%.a) $(READY)
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(COMPILE) -Itests/unit $(LDFLAGS) -MF $@.d -MT $@ -o $@ $< $(call group,$(ROOMS))

$(BUILD)/bench/%: tools/bench/%.c $(ROOMS:%=$(BUILD)/%.a) $(READY)
	@mkdir -p $(@D)
	$(call say,BENCH,$<)
	$(Q)$(COMPILE) $(LDFLAGS) -MF $@.d -MT $@ -o $@ $< $(call group,$(ROOMS))

# Files whose time changes only when their text does: $(call keep,TEXT) writes such a file.
keep = @mkdir -p $(@D); printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
quote = '$(subst ','\'',$(1))'

$(BUILD)/flags: FORCE | setup
	$(call keep,$(call quote,$(COMPILE) $(LDFLAGS) $(LDLIBS)) $(call quote,$(COMPILE_BPF)))

# An archive changes when one of its sources goes away, too; so do the presets.
$(BUILD)/files: FORCE
	$(call keep,$(ALL_OBJ) $(PRESETS))

# From a tarball there is no git to ask; a repository around it would answer for itself.
$(BUILD)/gen/version.h: FORCE
	$(call keep,"#define HOLBENCH_VERSION \"$$( \
		{ [ -e .git ] && git -c safe.directory='*' describe --tags --always --dirty; } \
		2>/dev/null || echo unknown)\"")

##  make test        everything that is tested: unit, live, command line, style, and test-vm on each of KERNELS=$(KERNELS)
test: test-programs all
	@KERNELS='$(KERNELS)' tests/run
##  make test-unit   only the C programs: those of the pure rooms, then those that need root
test-unit: test-programs
	@tests/run unit live
##  make test-bats   only the command line and the scripts
test-bats: all $(HELPERS)
	@tests/run bats
##  make test-style  only shellcheck, clang-format, symbols, layers, lengths, forbidden text
test-style: $(BUILD)/core.a
	@tests/run style
test-programs: $(UNIT) $(LIVE) $(HELPERS)

##  make test-sanitize  unit tests and a live run under address, undefined-behaviour and thread sanitizers
test-sanitize: setup
	@+tests/run sanitize

##  make test-vm     what needs a kernel, in a VM with KERNEL=$(KERNEL), another X.Y of Debian's, PATH or host
test-vm: $(LIVE) $(HELPERS) all
	@tools/vm test $(KERNEL) $(TESTS)
##  make test-matrix the same on 6.1, 6.12 and 7.2, as many at once as there are CPUs for
test-matrix: $(LIVE) $(HELPERS) all
	@tools/vm matrix
##  make vm          a shell in such a VM
vm: $(LIVE) $(HELPERS) all
	@tools/vm shell $(KERNEL)

##  make test-fresh  as root: the last commit in fresh chroots of Debian, RELEASE=12, 13 or $(RELEASE), and its package
test-fresh: setup
	@tools/fresh $(RELEASE)

##  make bench       what holbench costs, beside other tools: a table
bench: all $(BENCH)
	@tools/bench/run

# Where things go below PREFIX. DESTDIR is for packagers: the root that it will be, elsewhere.
PREFIX  ?= /usr/local
PAGES    = $(wildcard docs/*.[1-8])
DOCDIR   = share/doc/holbench
COMPLETE = share/bash-completion/completions/holbench
page     = share/man/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
below    = $(call quote,$(DESTDIR)$(PREFIX)/$(1))

##  make install     the program, its manual, completion for bash: below PREFIX=$(PREFIX), and DESTDIR before it
install: all
	@install -D -m 755 $(BUILD)/holbench $(call below,bin/holbench)
	@$(foreach p,$(PAGES),install -D -m 644 $(p) $(call below,$(call page,$(p))) &&) true
	@install -D -m 644 -t $(call below,$(DOCDIR)) README.md LICENSE
	@$(BUILD)/holbench --completion bash | install -D -m 644 /dev/stdin $(call below,$(COMPLETE))
##  make uninstall   remove what install put there (the same PREFIX and DESTDIR)
uninstall:
	@rm -f $(call below,bin/holbench) $(foreach p,$(PAGES),$(call below,$(call page,$(p)))) \
		$(call below,$(DOCDIR)/README.md) $(call below,$(DOCDIR)/LICENSE) $(call below,$(COMPLETE))
	@[ ! -d $(call below,$(DOCDIR)) ] || rmdir $(call below,$(DOCDIR)) 2>/dev/null || \
		echo $(call below,$(DOCDIR))' has files of others, and stays'
##  make deb         a Debian package, $(BUILD)/holbench_VERSION_ARCH.deb
deb: all
	@+tools/deb

##  make format      clang-format all C
format: setup
	@tests/style --format

##  make clean       remove $(BUILD)
clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^##  //p' Makefile | sed -e 's/$$(BUILD)/$(subst /,\/,$(BUILD))/' -e 's/$$(PRESET)/$(PRESET)/' \
		-e 's|$$(KERNELS*)|$(KERNEL)|' -e 's|$$(RELEASE)|$(RELEASE)|' -e 's|$$(PREFIX)|$(PREFIX)|'

FORCE:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all sweep setup test test-unit test-bats test-style test-programs test-sanitize test-vm \
	test-matrix test-fresh vm bench install uninstall deb format clean help FORCE

-include $(ALL_OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(UNIT:=.d) $(LIVE:=.d) $(HELPERS:=.d) $(BENCH:=.d)
