# SPDX-License-Identifier: GPL-2.0-only
# The two commands: `make sweep` (as root) and `make test`. Both install what is missing first (tools/setup).

BUILD      ?= build
CC         ?= gcc
CLANG      ?= clang
BPFTOOL    ?= bpftool
PKG_CONFIG ?= pkg-config
PRESET     ?= ordering-quick
VERSION    := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

export PATH := $(PATH):/usr/sbin:/sbin

LIBS     = libbpf libelf zlib libzstd inih jansson
WARNINGS = -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS = -D_GNU_SOURCE -Iuserspace -I$(BUILD)/gen -MMD -MP
CFLAGS  ?= -O2 -g
CFLAGS_ALL = -std=gnu11 $(CFLAGS) $(WARNINGS) $(SANITIZE) -pthread \
	     $(shell $(PKG_CONFIG) --cflags $(LIBS) 2>/dev/null)
LDLIBS   = $(shell $(PKG_CONFIG) --libs $(LIBS) 2>/dev/null) -lm -pthread

# A room is a folder of userspace/; each becomes an archive. The order is that of linking: users first.
ROOMS    = report live sim spec trace core
PURE     = report sim spec trace core
sources  = $(sort $(wildcard userspace/$(1)/*.c userspace/$(1)/*/*.c))
objects  = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
MAIN_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(wildcard userspace/*.c))
ARCHIVES = $(ROOMS:%=$(BUILD)/%.a)
UNIT     = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

all: setup $(BUILD)/holbench

setup:
	@tools/setup

sweep: all
	@$(BUILD)/holbench sweep $(PRESET)

$(BUILD)/holbench: $(MAIN_OBJ) $(ARCHIVES)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $(MAIN_OBJ) -Wl,--start-group $(ARCHIVES) -Wl,--end-group $(LDLIBS)

define room_rule
$(BUILD)/$(1).a: $(call objects,$(1))
	@rm -f $$@
	$(AR) rcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_rule,$(r))))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

# The probe: BPF object, then its skeleton. The skeleton is generated code: built with its own warnings off.
$(BUILD)/bpf/%.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) -g -O2 -target bpf -Wall -Werror -Ivmlinux -Ibpf -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

$(BUILD)/gen/%.skel.h: $(BUILD)/bpf/%.o
	@mkdir -p $(@D)
	$(BPFTOOL) gen skeleton $< name $* > $@.tmp && mv $@.tmp $@

$(BUILD)/userspace/live/probe.o: $(BUILD)/gen/probe.skel.h

# Unit tests see every room but live/: a program each, exit 0, TAP on standard output.
$(BUILD)/tests/%: tests/unit/%.c $(PURE:%=$(BUILD)/%.a)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS_ALL) $(LDFLAGS) -MF $@.d -o $@ $< \
		-Wl,--start-group $(PURE:%=$(BUILD)/%.a) -Wl,--end-group $(LDLIBS)

clean:
	rm -rf $(BUILD)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all setup sweep clean

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
