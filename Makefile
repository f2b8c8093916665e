# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# socle: everything is built from here.  `make help` lists the targets.
#
# Sources are found by folder, so a new .c file needs no line here:
#   guest	lib verity mount init	-> build/ARCH/socle-init	(static, musl)
#		lib verity mount	-> build/ARCH/libsocle.a
#   host	image-build, and of the guest's what is pure -> build/socle-image
# Further rules: packages, what is linked and booted in deps/*.mk, our own kernels in
# kernel-config/kernel.mk, the tests in tests/tests.mk.
#
# Variables for the command line:
#   V=1			show the commands
#   ARCH=x86_64		the guest's architecture: x86_64, s390x or aarch64 (arm64)
#   SOCLE_CACHE=DIR	where downloads, sysroots and kernels are kept
#   DEBIAN_MIRROR=URI	a Debian archive other than the machine's own
#   DEPS=no		install no packages
#   KERNEL=prebuilt	which kernels the tests boot: Debian's (prebuilt), those of
#			kernel-config/ (built, for x86_64 and s390x), or all: ours for
#			every test that they can show, Debian's for the rest and the core
#   EMBED=1 DEBUG=1	for make kernel, and SOCLE_TRUSTED_KEYS=FILE.pem: see there
#   CI=1		warnings are errors

ARCH		?= x86_64
ALL_ARCHES	:= x86_64 s390x aarch64
SOCLE_CACHE	?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/socle
BUILD		?= build
V		?= 0
CC		:= gcc
CLANG		?= clang
# Not a python of the user's: pytest is Debian's.
PYTHON		:= /usr/bin/python3

# As uname says it, whatever Debian and the kernel call it.
override ARCH	:= $(patsubst arm64,aarch64,$(strip $(ARCH)))
ifeq ($(filter $(ARCH),$(ALL_ARCHES)),)
$(error ARCH=$(ARCH) is not one of $(ALL_ARCHES))
endif
ifneq ($(and $(filter run shell,$(MAKECMDGOALS)),$(filter-out x86_64,$(ARCH))),)
$(error make run and make shell boot an image of x86_64)
endif
KERNEL		?= prebuilt
ifeq ($(filter $(KERNEL),prebuilt built all),)
$(error KERNEL=$(KERNEL) is not one of prebuilt built all)
endif
# All tests and the lock are about every architecture, the rest is about one.
ARCHES		:= $(strip $(ARCH) $(if $(filter test lock,$(MAKECMDGOALS)),$(filter-out $(ARCH),$(ALL_ARCHES))))

export SOCLE_ARCH := $(ARCH)
export SOCLE_CACHE SOCLE_TRUSTED_KEYS

include deps/packages.mk

ifeq ($(V),1)
Q :=
say := @:
else
Q := @
say := @printf '  %-8s%s\n'
MAKEFLAGS += --no-print-directory
endif

all: ## build socle-init, libsocle.a and socle-image (the default)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile *.mk */*.mk | \
		awk -F'|' '{ printf "  %-15s%s\n", $$1, $$2 }'

clean: ## remove what was built; the caches stay
	$(Q)rm -rf $(BUILD)

# The folder is removed only if a recipe has marked it as ours to make again.
distclean: clean ## remove the caches too
	$(Q)if [ -f "$(SOCLE_CACHE)/CACHEDIR.TAG" ]; then rm -rf "$(SOCLE_CACHE)"; fi

format: ## format the C sources in place
	$(Q)clang-format -i $(call sources,$(c_folders)) $(call find,$(c_folders),*.h)

include install.mk

.PHONY: all help clean distclean format
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

c_folders := lib verity mount init image-build kernel-config tests/example tests/unit tests/fuzz tests/qemu/agent tests/bench
find = $(sort $(shell find $(1) -type f -name '$(2)'))
sources = $(call find,$(1),*.c)

# The rest needs the packages: for these targets nothing of it is read.
quick := help clean distclean format install uninstall
ifneq ($(filter-out $(quick),$(or $(MAKECMDGOALS),all)),)

# What is evaluated below depends on packages (pkg-config, the compiler), so missing
# ones come first: make remakes a file that it includes, then reads all this again.
ifneq ($(DEPS),no)
missing := $(shell deps/packages.sh --missing $(foreach name,$(PACKAGES),'$(name)'))
endif
ifneq ($(missing),)

# One that an earlier make left would count as remade already.
$(shell rm -f $(BUILD)/packages.mk)
include $(BUILD)/packages.mk
$(BUILD)/packages.mk:
	$(Q)deps/packages.sh $(foreach name,$(PACKAGES),'$(name)')
	$(Q)mkdir -p $(@D)
	$(Q)echo '# nothing is missing any more' >$@

else

MAKEFLAGS += -j$(shell nproc)
$(shell mkdir -p $(BUILD) $(ARCHES:%=$(BUILD)/%))

include deps/deps.mk

# --- flags -----------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wvla -Wformat=2 \
	-Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wwrite-strings -Wundef \
	-Wimplicit-fallthrough -Wswitch-enum
ifneq ($(CI),)
WARNINGS += -Werror
endif
# Not for gcc: it cannot know that a function which returns no error has filled what
# it was given, so it doubts every caller.  clang has no such guess among -Wall.
GCC_WARNINGS := $(WARNINGS) -Wno-maybe-uninitialized

common := -std=gnu11 -D_GNU_SOURCE -I. $(GCC_WARNINGS) -MMD -MP \
	-fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero \
	-ffunction-sections -fdata-sections -ffile-prefix-map=$(CURDIR)=.
hardened_link := -Wl,--gc-sections,-z,noexecstack,-z,relro,-z,now,--build-id=none

# Nothing unwinds in the guest, so it carries no tables for that.
guest_cc = $(SYSROOT_$(1))/bin/cc
guest_cflags = $(common) -Os -fno-asynchronous-unwind-tables -fvisibility=hidden -ffile-prefix-map=$(SYSROOT_$(1))=sysroot
GUEST_LDFLAGS := -static $(hardened_link)
GUEST_LIBS := -ljson-c -lblkid -luuid

# liberofs.pc is the recipe's, everything else Debian's.
packages := libarchive json-c libcrypto libzstd liblzma liblz4 zlib uuid blkid
# Debian has it for some architectures, see deps/packages.mk; zlib and tables do elsewhere.
isal := $(if $(ISAL_PACKAGE),libisal)
packages += $(isal)
packages_cflags := $(shell pkg-config --cflags $(packages)) $(if $(isal),-DHAVE_ISAL)
packages_libs := $(shell pkg-config --libs $(packages))
# Asked only when a command needs the answer: the recipe has to run first.
erofs_cflags = $(shell pkg-config --cflags $(HOST)/lib/pkgconfig/liberofs.pc)
erofs_libs = $(shell pkg-config --libs $(HOST)/lib/pkgconfig/liberofs.pc)

HOST_CFLAGS := $(common) -O2 -g -fPIE -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$(HOST)=host $(packages_cflags)
HOST_LDFLAGS := -pie $(hardened_link)
TEST_CFLAGS := $(common) -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(packages_cflags)
THREADS_CFLAGS := $(common) -O1 -g -fno-omit-frame-pointer -fsanitize=thread $(packages_cflags)
TEST_LDFLAGS := -fsanitize=address,undefined
TEST_LIBS := $(packages_libs) $(shell pkg-config --libs cmocka libcryptsetup)

# Objects are made again when the words on any command line change, or the compiler, or
# the headers of a package that they were made with.
headers := $(shell dpkg-query -W linux-libc-dev $(filter binutils %-dev,$(PACKAGES)) 2>/dev/null || pkg-config --modversion $(packages))
compiler = $(shell $(1) --version | head -n 1)
define keep_flags
	$(Q)$(file >$@.new,$(1))
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef
flags := $(CC) $(call compiler,$(CC)) $(HOST) $(HOST_CFLAGS) $(HOST_LDFLAGS) \
	$(packages_libs) $(TEST_CFLAGS) $(THREADS_CFLAGS) $(TEST_LIBS) $(headers)
$(BUILD)/flags: FORCE
	$(call keep_flags,$(flags))

FORCE:
.PHONY: FORCE deps lock

# --- objects and archives ----------------------------------------------------

guest_objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(call sources,$(2)))
# Without what is socle-volume's alone.
linked_objects = $(filter-out $(call guest_objects,$(1),$(wildcard mount/program mount/serve)),$(call guest_objects,$(1),$(2)))
host_objects = $(patsubst %.c,$(BUILD)/host/%.o,$(call sources,$(1)))

$(BUILD)/host/%.o: %.c $(BUILD)/flags | $(HOST)/sources
	$(say) CC '$@'
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) $(erofs_cflags) -c $< -o $@

# Members go by their whole name (P): two folders may have a file of one name.
# Order counts for reproducibility; $(wildcard) does not promise any.
define archive
	$(say) AR '$@'
	$(Q)rm -f $@
	$(Q)ar rcsDP $@ $(sort $(filter %.o,$^))
endef

# --- the guest -----------------------------------------------------------------

GUEST := $(BUILD)/$(ARCH)

# The architecture of a target below build/ARCH/.
arch_of = $(word 2,$(subst /, ,$(patsubst $(BUILD)/%,build/%,$@)))

define compile_guest
	$(say) CC '$@'
	$(Q)mkdir -p $(@D)
	$(Q)$(call guest_cc,$(arch_of)) $(call guest_cflags,$(arch_of)) -c $< -o $@
endef
# The map says what is in the program, for tests/check/check_size.sh.
define link_guest
	$(say) LINK '$@'
	$(Q)$(call guest_cc,$(arch_of)) $(GUEST_LDFLAGS) -s -Wl,-Map=$(@D)/map.$(@F) -o $@ $(sort $(filter %.o,$^)) $(filter %.a,$^) $(GUEST_LIBS)
endef

# Expanded once for each architecture, so what belongs to a recipe has $$.
define guest_rules
$(BUILD)/$(1)/flags: FORCE | $(SYSROOT_$(1))/sources
	$$(call keep_flags,$(call guest_cc,$(1)) $$(call compiler,$(call guest_cc,$(1))) $$(call guest_cflags,$(1)) \
		$$(GUEST_LDFLAGS) -Wl,-Map $$(GUEST_LIBS))

$(BUILD)/$(1)/%.o: %.c $(BUILD)/$(1)/flags | $(SYSROOT_$(1))/sources
	$$(compile_guest)

# What an agent may link: one object, in which nothing but the functions of
# mount/runtime/socle.h can be seen from outside.
$(BUILD)/$(1)/socle.o: $(call linked_objects,$(1),lib verity mount) $(BUILD)/$(1)/flags
	$$(say) LD '$$@'
	$$(Q)$(call guest_cc,$(1)) -nostdlib -r -o $$@ $$(sort $$(filter %.o,$$^))
	$$(Q)$$$$($(call guest_cc,$(1)) -print-prog-name=objcopy) --localize-hidden $$@
$(BUILD)/$(1)/libsocle.a: $(BUILD)/$(1)/socle.o
	$$(archive)

# What the programs are linked from, for who packs them: socle-image bundle.
$(BUILD)/$(1)/sources: $(SYSROOT_$(1))/sources
	$$(Q)cp $$< $$@

$(BUILD)/$(1)/socle-volume: $(call guest_objects,$(1),lib verity mount) $(BUILD)/$(1)/flags
	$$(link_guest)
	$$(Q)tests/check/guest_program.sh $$@ 500000

$(BUILD)/$(1)/socle-init: $(call linked_objects,$(1),lib verity mount init) $(BUILD)/$(1)/flags
	$$(link_guest)
	$$(Q)tests/check/guest_program.sh $$@ 500000
endef
$(foreach arch,$(ARCHES),$(eval $(call guest_rules,$(arch))))

# --- the build machine ---------------------------------------------------------

# Of the guest's sources those that are pure: what a plan is, and what it is made of.
shared := lib verity init/plan mount/volume.c mount/stack.c mount/upper.c mount/policy.c mount/describe mount/device/devref.c \
	mount/fs/erofs.c mount/fs/fstype.c

$(BUILD)/socle-image: $(call host_objects,image-build $(shared)) $(BUILD)/flags
	$(say) LINK '$@'
	$(Q)$(CC) $(HOST_LDFLAGS) -o $@ $(sort $(filter %.o,$^)) $(erofs_libs) $(packages_libs)

# Named as the shells look for them.
$(BUILD)/completion/socle-image: shell := bash
$(BUILD)/completion/_socle-image: shell := zsh
completions := $(BUILD)/completion/socle-image $(BUILD)/completion/_socle-image
$(completions): $(BUILD)/socle-image
	$(Q)mkdir -p $(@D)
	$(Q)$< completion $(shell) >$@

all: $(GUEST)/sources $(GUEST)/socle-init $(GUEST)/socle-volume $(GUEST)/libsocle.a $(BUILD)/socle-image $(completions)

include debian/deb.mk
include kernel-config/kernel.mk
include initramfs/kata.mk

include tests/tests.mk

-include $(call find,$(BUILD),*.d)

endif
endif
