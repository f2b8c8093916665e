# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# socle: everything is built from here.  `make help` lists the targets.
#
# Sources are found by folder, so a new .c file needs no line here:
#   guest	lib verity mount init	-> build/ARCH/socle-init	(static, musl)
#   host	lib verity image-build	-> build/socle-image
#   tests	each tests/unit/test_*.c -> build/tests/test_*	(sanitizers)
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
PYTHON		:= /usr/bin/python3	# not a python of the user's: pytest is Debian's
PYTHON		:= $(strip $(PYTHON))

# As uname says it, whatever Debian and the kernel call it.
override ARCH	:= $(patsubst arm64,aarch64,$(strip $(ARCH)))
ifeq ($(filter $(ARCH),$(ALL_ARCHES)),)
$(error ARCH=$(ARCH) is none of $(ALL_ARCHES))
endif
ifneq ($(and $(filter run shell,$(MAKECMDGOALS)),$(filter-out x86_64,$(ARCH))),)
$(error make run and make shell boot an image of x86_64)
endif
KERNEL		?= prebuilt
ifeq ($(filter $(KERNEL),prebuilt built all),)
$(error KERNEL=$(KERNEL) is none of prebuilt built all)
endif
# All tests and the lock are about every architecture, the rest is about one.
ARCHES		:= $(strip $(ARCH) $(if $(filter test lock,$(MAKECMDGOALS)),$(filter-out $(ARCH),$(ALL_ARCHES))))

export SOCLE_CACHE
export SOCLE_ARCH := $(ARCH)
export SOCLE_TRUSTED_KEYS

# Every Debian package that building, running and testing need.  Of "one|other" either
# will do: Debian's releases differ.
PACKAGES := \
	make gcc libc6-dev binutils clang pkg-config shellcheck clang-format \
	dpkg-dev debian-archive-keyring xz-utils zstd util-linux \
	autoconf automake libtool autopoint gettext bison flex cmake kmod \
	libarchive-dev libjson-c-dev libcryptsetup-dev libdevmapper-dev \
	libblkid-dev uuid-dev libssl-dev libzstd-dev zlib1g-dev libcmocka-dev \
	openssl ovmf systemd-repart|systemd \
	python3 python3-pytest python3-pytest-xdist qemu-system-x86 mmdebstrap umoci busybox-static \
	cryptsetup-bin e2fsprogs erofs-utils cpio git

# And what a guest of another architecture than this machine's needs on top.
cross_x86_64	:= gcc-x86-64-linux-gnu
cross_s390x	:= gcc-s390x-linux-gnu qemu-system-s390x|qemu-system-misc
cross_aarch64	:= gcc-aarch64-linux-gnu qemu-system-arm
foreign		:= $(filter-out $(shell uname -m),$(ARCHES))
PACKAGES	+= $(foreach arch,$(foreign),$(cross_$(arch))) $(if $(foreign),qemu-user)
# The tests boot kernels of ours on these.
BUILT_ARCHES	:= $(and $(filter test deps,$(MAKECMDGOALS)),$(filter built all,$(KERNEL)),$(filter $(ARCHES),x86_64 s390x))
# What the kernel's own make needs.
PACKAGES	+= $(if $(BUILT_ARCHES)$(filter kernel kernel-newest,$(MAKECMDGOALS)),bc libelf-dev)

# ---------------------------------------------------------------------------

ifeq ($(V),1)
Q :=
say := @:
else
Q := @
say := @printf '  %-8s%s\n'
MAKEFLAGS += --no-print-directory
endif

all: ## build socle-init and socle-image (the default)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		awk -F'|' '{ printf "  %-15s%s\n", $$1, $$2 }'

clean: ## remove what was built; the caches stay
	$(Q)rm -rf $(BUILD)

# The folder is removed only if a recipe has marked it as ours to make again.
distclean: clean ## remove the caches too
	$(Q)if [ -f "$(SOCLE_CACHE)/CACHEDIR.TAG" ]; then rm -rf "$(SOCLE_CACHE)"; fi

format: ## format the C sources in place
	$(Q)clang-format -i $(wildcard $(c_folders:=/*.c) $(c_folders:=/*.h))

.PHONY: all help clean distclean format
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

c_folders := lib verity mount init image-build tests/unit tests/fuzz tests/qemu/agent

# The rest needs the packages: for these targets nothing of it is read.
quick := help clean distclean format
ifneq ($(filter-out $(quick),$(or $(MAKECMDGOALS),all)),)

# What is evaluated below depends on packages (pkg-config, the compiler), so missing
# ones come first: make remakes a file that it includes, then reads all this again.
ifneq ($(DEPS),no)
missing := $(shell initramfs/packages.sh --missing $(foreach name,$(PACKAGES),'$(name)'))
endif
ifneq ($(missing),)

include $(BUILD)/packages.mk
$(BUILD)/packages.mk: FORCE
	$(Q)initramfs/packages.sh $(foreach name,$(PACKAGES),'$(name)')
	$(Q)mkdir -p $(@D)
	$(Q)echo '# nothing is missing any more' >$@
FORCE:

else

MAKEFLAGS += -j$(shell nproc)
$(shell mkdir -p $(BUILD) $(ARCHES:%=$(BUILD)/%))

# --- the cached dependencies: each is made once, under the hash of its inputs ---

HOST	:= $(shell initramfs/host.sh --dir)
$(foreach arch,$(ARCHES),$(eval SYSROOT_$(arch) := $(shell SOCLE_ARCH=$(arch) initramfs/sysroot.sh --dir)))
$(foreach arch,$(ARCHES),$(eval KERNEL_$(arch) := $(shell SOCLE_ARCH=$(arch) initramfs/kernel.sh --dir)))
$(foreach arch,$(ARCHES),$(eval CMOCKA_$(arch) := $(shell SOCLE_ARCH=$(arch) initramfs/cmocka.sh --dir)))

# One after the other: each uses all processors, and their progress is for people.
$(HOST)/sources:
	$(Q)initramfs/host.sh
last := $(HOST)/sources

define recipes_of
$$(SYSROOT_$(1))/sources: | $$(last)
	$$(Q)SOCLE_ARCH=$(1) initramfs/sysroot.sh
$$(KERNEL_$(1))/sources: | $$(SYSROOT_$(1))/sources
	$$(Q)SOCLE_ARCH=$(1) initramfs/kernel.sh
$$(CMOCKA_$(1))/sources: | $$(KERNEL_$(1))/sources
	$$(Q)SOCLE_ARCH=$(1) initramfs/cmocka.sh
last := $$(CMOCKA_$(1))/sources
endef
$(foreach arch,$(ARCHES),$(eval $(call recipes_of,$(arch))))

# The kernels of kernel-config/; each keeps the processors busy for a quarter of an hour.
$(foreach arch,$(BUILT_ARCHES),$(eval BUILT_$(arch) := $(shell SOCLE_ARCH=$(arch) kernel-config/build.sh --dir)))
define built_recipe_of
$$(BUILT_$(1))/sources: | $$(last)
	$$(Q)SOCLE_ARCH=$(1) kernel-config/build.sh
last := $$(BUILT_$(1))/sources
endef
$(foreach arch,$(BUILT_ARCHES),$(eval $(call built_recipe_of,$(arch))))

deps: $(last) ## install packages, fill the caches; build nothing
	@echo "everything that is needed is in place"

# A dependency's version is taken over on purpose, by a commit to sources.lock.
lock: ## write the newest versions of the dependencies to initramfs/sources.lock
	$(Q)sed -n '1,/^# arch,/p' initramfs/sources.lock >$(BUILD)/sources.lock
	$(Q)initramfs/host.sh --lock >$(BUILD)/newest
	$(Q)for arch in $(ALL_ARCHES); do for recipe in sysroot cmocka kernel; do \
		SOCLE_ARCH=$$arch initramfs/$$recipe.sh --lock >>$(BUILD)/newest || exit 1; \
	done; done
	$(Q)kernel-config/build.sh --lock >>$(BUILD)/newest
	$(Q)awk '!seen[$$0]++' $(BUILD)/newest >>$(BUILD)/sources.lock
	$(Q)mv $(BUILD)/sources.lock initramfs/sources.lock

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
guest_cflags = $(common) -Os -fno-asynchronous-unwind-tables -ffile-prefix-map=$(SYSROOT_$(1))=sysroot
GUEST_LDFLAGS := -static $(hardened_link)
GUEST_LIBS := -lcryptsetup -ldevmapper -ljson-c -lblkid -luuid

# liberofs.pc is the recipe's, everything else Debian's.
packages := libcryptsetup libarchive json-c libcrypto libzstd zlib uuid blkid devmapper
packages_cflags := $(shell pkg-config --cflags $(packages))
packages_libs := $(shell pkg-config --libs $(packages))
# Asked only when a command needs the answer: the recipe has to run first.
erofs_cflags = $(shell pkg-config --cflags $(HOST)/lib/pkgconfig/liberofs.pc)
erofs_libs = $(shell pkg-config --libs $(HOST)/lib/pkgconfig/liberofs.pc)

HOST_CFLAGS := $(common) -O2 -g -fPIE -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$(HOST)=host $(packages_cflags)
HOST_LDFLAGS := -pie $(hardened_link)
TEST_CFLAGS := $(common) -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(packages_cflags)
TEST_LDFLAGS := -fsanitize=address,undefined
TEST_LIBS := $(packages_libs) $(shell pkg-config --libs cmocka)

# Objects are made again when the words on any command line change.
define keep_flags
	$(Q)$(file >$@.new,$(1))
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef
flags := $(CC) $(shell $(CC) -dumpfullversion) $(HOST) $(HOST_CFLAGS) $(HOST_LDFLAGS) \
	$(packages_libs) $(TEST_CFLAGS) $(TEST_LIBS)
$(BUILD)/flags: FORCE
	$(call keep_flags,$(flags))

FORCE:
.PHONY: FORCE deps lock

# --- objects and archives ----------------------------------------------------

sources = $(foreach folder,$(1),$(wildcard $(folder)/*.c))
guest_objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(call sources,$(2)))
host_objects = $(patsubst %.c,$(BUILD)/host/%.o,$(call sources,$(1)))
test_objects = $(patsubst %.c,$(BUILD)/tests/%.o,$(call sources,$(1)))

$(BUILD)/host/%.o: %.c $(BUILD)/flags | $(HOST)/sources
	$(say) CC '$@'
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) $(erofs_cflags) -c $< -o $@

$(BUILD)/tests/%.o: %.c $(BUILD)/flags | $(HOST)/sources
	$(say) CC '$@'
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) $(erofs_cflags) -c $< -o $@

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
define link_guest
	$(say) LINK '$@'
	$(Q)$(call guest_cc,$(arch_of)) $(GUEST_LDFLAGS) -s -o $@ $(sort $(filter %.o,$^)) $(filter %.a,$^) $(GUEST_LIBS)
endef

# Expanded once for each architecture, so what belongs to a recipe has $$.
define guest_rules
$(BUILD)/$(1)/flags: FORCE
	$$(call keep_flags,$(call guest_cc,$(1)) $$(call guest_cflags,$(1)) \
		$$(GUEST_LDFLAGS) $$(GUEST_LIBS))

$(BUILD)/$(1)/%.o: %.c $(BUILD)/$(1)/flags | $(SYSROOT_$(1))/sources
	$$(compile_guest)

# An archive, so that what a program does not call is not in it.
$(BUILD)/$(1)/libsocle.a: $(call guest_objects,$(1),lib verity mount)
	$$(archive)

$(BUILD)/$(1)/socle-init: $(call guest_objects,$(1),init) $(BUILD)/$(1)/libsocle.a $(BUILD)/$(1)/flags
	$$(link_guest)
	$$(Q)tests/check/guest_program.sh $$@ 800000

# The agent of the test images tells over a channel of its own what it finds.
$(BUILD)/$(1)/test-agent: $(call guest_objects,$(1),tests/qemu/agent) $(BUILD)/$(1)/libsocle.a $(BUILD)/$(1)/flags
	$$(link_guest)
endef
$(foreach arch,$(ARCHES),$(eval $(call guest_rules,$(arch))))

# --- the build machine ---------------------------------------------------------

# The plan half of init and mount as well, for socle-image plan.
$(BUILD)/host/libsocle.a: $(filter-out %/init/main.o,$(call host_objects,lib verity mount init))
	$(archive)

$(BUILD)/socle-image: $(call host_objects,image-build) $(BUILD)/host/libsocle.a $(BUILD)/flags
	$(say) LINK '$@'
	$(Q)$(CC) $(HOST_LDFLAGS) -o $@ $(sort $(filter %.o,$^)) $(BUILD)/host/libsocle.a $(erofs_libs) $(packages_libs)

all: $(GUEST)/socle-init $(GUEST)/test-agent $(BUILD)/socle-image

# --- a kernel that fits: see kernel-config/README.md ------------------------------

build_kernel := kernel-config/build.sh $(if $(DEBUG),debug)
link_kernel := kernel-config/link.sh $(if $(DEBUG),debug)

$(BUILD)/%/initramfs.cpio: $(BUILD)/%/socle-init $(BUILD)/socle-image
	$(Q)$(BUILD)/socle-image initramfs --init $< --output $@

kernel: $(if $(EMBED),$(GUEST)/initramfs.cpio) ## build a kernel that fits (EMBED=1: with the initramfs in it)
	$(Q)$(build_kernel)
	$(Q)mkdir -p $(GUEST)/kernel
	$(Q)for file in vmlinuz vmlinux config; do \
		cp "$$($(build_kernel) --dir)/$$file" $(GUEST)/kernel/ || exit 1; \
	done
	$(Q)$(if $(EMBED)$(SOCLE_TRUSTED_KEYS),$(link_kernel) $(GUEST)/kernel/vmlinuz-linked $<)
	@ls -l $(GUEST)/kernel

kernel-newest: ## check that the fragments survive on Debian's newest kernel
	$(Q)kernel-config/check-config.sh --newest

kata: $(GUEST)/socle-init $(BUILD)/socle-image ## lay out what Kata's packaging takes up below DESTDIR=
	$(Q)initramfs/kata.sh $(ARCH) $^ '$(DESTDIR)'

.PHONY: kernel kernel-newest kata

# --- tests ---------------------------------------------------------------------

# A test is linked with everything but the two mains, from archives: a symbol that
# the test defines itself wins.  A test with the comment "link: fake_sys" gets
# tests/unit/fake_sys.c in the place of lib/sys.c.  Other files in tests/unit are
# helpers for all.
unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
fake_sys_tests := $(patsubst tests/unit/%.c,$(BUILD)/tests/%, \
	$(shell grep -ls 'link: fake_sys' tests/unit/test_*.c))

not_linked := %/init/main.o %/image-build/main.o
$(BUILD)/tests/libsocle.a: $(filter-out $(not_linked),$(call test_objects,lib verity mount init image-build))
	$(archive)
$(BUILD)/tests/libhelpers.a: $(filter-out %/fake_sys.o $(BUILD)/tests/tests/unit/test_%.o,$(call test_objects,tests/unit))
	$(archive)

$(fake_sys_tests): $(BUILD)/tests/tests/unit/fake_sys.o
$(unit_tests): $(BUILD)/tests/%: $(BUILD)/tests/tests/unit/%.o $(BUILD)/tests/libhelpers.a $(BUILD)/tests/libsocle.a $(BUILD)/flags
	$(link_test)

# Each fuzz target with tests/fuzz/main.c, which replays its corpus, is a test as well.
fuzz_tests := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/test_%,$(wildcard tests/fuzz/fuzz_*.c))
$(fuzz_tests): $(BUILD)/tests/test_%: $(BUILD)/tests/tests/fuzz/%.o $(BUILD)/tests/tests/fuzz/main.o $(BUILD)/tests/libsocle.a $(BUILD)/flags
	$(link_test)

define link_test
	$(say) LINK '$@'
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(erofs_libs) $(TEST_LIBS)
endef

# The tests of what runs in the guest once more, built as the guest is: musl, -Os, static,
# each architecture's own byte order.  run.sh runs a foreign machine's in qemu-user.
guest_tested := $(filter-out tests/unit/image_%,$(shell grep -L '"image-build/' tests/unit/*.c))
guest_tests := $(filter tests/unit/test_%,$(guest_tested))
guest_fake_sys_tests := $(shell grep -ls 'link: fake_sys' $(guest_tests))
guest_helpers := $(filter-out $(guest_tests) %/fake_sys.c,$(guest_tested))
guest_test_objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(2))
guest_test_programs = $(patsubst tests/unit/%.c,$(BUILD)/$(1)/tests/%,$(2))

define guest_test_rules
$(BUILD)/$(1)/tests/unit/%.o: tests/unit/%.c $(BUILD)/$(1)/flags | $(CMOCKA_$(1))/sources
	$$(compile_guest) -isystem $$(CMOCKA_$(1))/include -D_UINTPTR_T_DEFINED

$(BUILD)/$(1)/tests/libsocle.a: $(filter-out %/main.o,$(call guest_objects,$(1),lib verity mount init))
	$$(archive)
$(BUILD)/$(1)/tests/libhelpers.a: $(call guest_test_objects,$(1),$(guest_helpers))
	$$(archive)

$(call guest_test_programs,$(1),$(guest_fake_sys_tests)): $(BUILD)/$(1)/tests/unit/fake_sys.o
$(call guest_test_programs,$(1),$(guest_tests)): $(BUILD)/$(1)/tests/%: $(BUILD)/$(1)/tests/unit/%.o \
		$(BUILD)/$(1)/tests/libhelpers.a $(BUILD)/$(1)/tests/libsocle.a $(BUILD)/$(1)/flags
	$$(link_guest) $(CMOCKA_$(1))/lib/libcmocka.a
endef
$(foreach arch,$(ARCHES),$(eval $(call guest_test_rules,$(arch))))

# clang's eye on the same sources; it sees other things than gcc does.
clang_seen := $(patsubst %.c,$(BUILD)/clang/%.seen,$(call sources,lib verity mount init image-build tests/unit tests/fuzz))
$(BUILD)/clang/%.seen: %.c $(BUILD)/flags | $(HOST)/sources
	$(say) CLANG '$<'
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -fsyntax-only -std=gnu11 -D_GNU_SOURCE -I. $(WARNINGS) $(packages_cflags) \
		$(erofs_cflags) -MMD -MP -MF $(@:.seen=.d) -MT $@ $<
	$(Q)touch $@

# What the tests and the runs below find in their environment: the programs of x86_64 where
# they are at hand, else of ARCH, and with the architecture behind their names all others'.
programs_of = SOCLE_KERNEL$(2)='$(KERNEL_$(1))/vmlinuz' \
	SOCLE_MODULES$(2)="$$(echo $(KERNEL_$(1))/modules/lib/modules/*)" \
	SOCLE_INIT$(2)='$(abspath $(BUILD)/$(1)/socle-init)' \
	SOCLE_AGENT$(2)='$(abspath $(BUILD)/$(1)/test-agent)'
run_environment = export PATH="$(HOST)/bin:$$PATH" BUILD='$(BUILD)' PYTHON='$(PYTHON)' \
	SOCLE_ARCHES='$(ARCHES)' SOCLE_IMAGE='$(abspath $(BUILD)/socle-image)' \
	$(call programs_of,$(or $(filter x86_64,$(ARCHES)),$(ARCH))) $(foreach arch,$(ARCHES),$(call programs_of,$(arch),_$(arch))) &&
run_needs := all $(KERNEL_$(ARCH))/sources
test_needs := $(run_needs) $(unit_tests) $(fuzz_tests) $(clang_seen) $(foreach arch,$(ARCHES), \
	$(KERNEL_$(arch))/sources $(BUILD)/$(arch)/socle-init $(BUILD)/$(arch)/test-agent \
	$(call guest_test_programs,$(arch),$(guest_tests)))

# One kernel with what belongs to an image in it: an initramfs, and a key whose signatures
# of root hashes count.
LINKED := $(BUILD)/x86_64/linked
$(LINKED)/key.pem:
	$(Q)mkdir -p $(@D)
	$(Q)openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj /CN=socle-tests \
		-keyout $@ -out $(@D)/cert.pem 2>$(@D)/log || { cat $(@D)/log; exit 1; }
$(LINKED)/vmlinuz: $(BUILD)/x86_64/initramfs.cpio $(LINKED)/key.pem | $(BUILT_x86_64)/sources
	$(Q)SOCLE_ARCH=x86_64 SOCLE_TRUSTED_KEYS=$(LINKED)/cert.pem kernel-config/link.sh $@ $<

groups_prebuilt := qemu
groups_built := config built
groups_all := core config built
groups := unit guest check $(groups_$(KERNEL))
test_built := $(foreach arch,$(BUILT_ARCHES),SOCLE_BUILT_$(arch)='$(BUILT_$(arch))') \
	SOCLE_KERNEL_LINKED='$(abspath $(LINKED)/vmlinuz)' SOCLE_SIGNING_KEY='$(abspath $(LINKED))'

test: $(test_needs) $(if $(BUILT_ARCHES),$(LINKED)/vmlinuz) ## all tests: unit, checks, and boots in QEMU (KERNEL=built: of our kernels)
	$(Q)$(run_environment) $(test_built) tests/check/run.sh $(groups)

check: $(test_needs) ## the tests that need no boot
	$(Q)$(run_environment) tests/check/run.sh unit guest check

run: $(run_needs) ## boot a real container image as verified layers
	$(Q)$(run_environment) $(run_py)

shell: $(run_needs) ## the same with an interactive console
	$(Q)$(run_environment) $(run_py) --shell

run_py = $(PYTHON) tests/qemu/run.py --kernel "$$SOCLE_KERNEL" --modules "$$SOCLE_MODULES" \
	--init "$$SOCLE_INIT" --socle-image "$$SOCLE_IMAGE" \
	--work $(BUILD)/run --cache "$(SOCLE_CACHE)"

.PHONY: test check run shell

-include $(patsubst %.o,%.d,$(foreach arch,$(ARCHES),$(call guest_objects,$(arch),$(c_folders))) $(call host_objects,$(c_folders)) \
	$(call test_objects,$(c_folders))) $(clang_seen:.seen=.d)

endif
endif
