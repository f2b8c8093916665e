# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# What the tests are made of, and how they are run: see tests/README.md.

# The agent of the test images tells over a channel of its own what it finds.
define agent_rule
$(BUILD)/$(1)/test-agent: $(call linked_objects,$(1),tests/qemu/agent lib verity mount) $(BUILD)/$(1)/flags
	$$(link_guest)
endef
$(foreach arch,$(ARCHES),$(eval $(call agent_rule,$(arch))))

# A program that has nothing but libsocle.a of ours, as somebody else would write it.
define example_rules
$(BUILD)/$(1)/tests/example/%.o: tests/example/%.c $(BUILD)/$(1)/flags | $(SYSROOT_$(1))/sources
	$$(compile_guest) -Imount/runtime
$(BUILD)/$(1)/example-agent: $(BUILD)/$(1)/tests/example/agent.o $(BUILD)/$(1)/libsocle.a $(BUILD)/$(1)/flags
	$$(link_guest)
endef
$(foreach arch,$(ARCHES),$(eval $(call example_rules,$(arch))))

# tests/unit mirrors the tree; each test_*.c in it is a program, everything else helps them.
# A test is linked with everything but the mains, from archives: a symbol that the test
# or a helper of its own defines wins.  So a test that names fake_sys (of fake_sys.h) gets
# tests/unit/fake_sys.c in the place of lib/sys.c.
test_objects = $(patsubst %.c,$(BUILD)/tests/%.o,$(call sources,$(1)))
unit_tests := $(patsubst %.c,$(BUILD)/tests/%,$(call find,tests/unit,test_*.c))

# Libsocle on a kernel in memory, which has the names of all others: whole, and only in the
# tests beside it.
machine := tests/unit/mount/runtime/machine
machine_tests := $(call find,$(machine),test_*.c)
machine_helpers := $(filter-out $(machine_tests),$(call sources,$(machine)))

$(BUILD)/tests/%.o: %.c $(BUILD)/flags | $(HOST)/sources
	$(say) CC '$@'
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) $(erofs_cflags) -c $< -o $@

mains := %/init/main.o %/mount/program/main.o %/image-build/main.o
$(BUILD)/tests/libtested.a: $(filter-out $(mains),$(call test_objects,lib verity mount init image-build))
	$(archive)
$(BUILD)/tests/libhelpers.a: $(filter-out $(unit_tests:=.o) $(BUILD)/tests/$(machine)/%,$(call test_objects,tests/unit))
	$(archive)

$(machine_tests:%.c=$(BUILD)/tests/%): $(machine_helpers:%.c=$(BUILD)/tests/%.o)
$(unit_tests): %: %.o $(BUILD)/tests/libhelpers.a $(BUILD)/tests/libtested.a $(BUILD)/flags
	$(link_test)

# Each fuzz target with tests/fuzz/main.c, which replays its corpus, is a test as well.
fuzz_tests := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/test_%,$(wildcard tests/fuzz/fuzz_*.c))
$(fuzz_tests): $(BUILD)/tests/test_%: $(BUILD)/tests/tests/fuzz/%.o $(BUILD)/tests/tests/fuzz/main.o $(BUILD)/tests/libtested.a $(BUILD)/flags
	$(link_test)

# What has to bear threads, under ThreadSanitizer: tests/check/check_threads.sh runs it.
threads := $(BUILD)/tsan/threads
threads_objects := $(patsubst %.c,$(BUILD)/tsan/%.o,$(call sources,lib verity mount))
threads_own := $(patsubst %.c,$(BUILD)/tsan/%.o,tests/threads/threads.c tests/unit/unit.c $(machine_helpers))
$(BUILD)/tsan/%.o: %.c $(BUILD)/flags | $(HOST)/sources
	$(say) CC '$@'
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(THREADS_CFLAGS) -c $< -o $@
$(BUILD)/tsan/libtested.a: $(threads_objects)
	$(archive)
$(threads): $(threads_own) $(BUILD)/tsan/libtested.a $(BUILD)/flags
	$(say) LINK '$@'
	$(Q)$(CC) -fsanitize=thread -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS)

# What a second reader is held against: tests/check/check_tars.sh.
print_tars := $(BUILD)/tests/print_tars
$(print_tars): $(BUILD)/tests/tests/tars/print_tars.o $(BUILD)/tests/libtested.a $(BUILD)/flags
	$(link_test)

# A million names, whose memory is counted: built as socle-image is, without sanitizers.
many_names := $(BUILD)/tests/many_names
$(many_names): $(BUILD)/host/tests/tars/many_names.o $(filter-out $(mains),$(call host_objects,image-build $(shared))) $(BUILD)/flags
	$(say) LINK '$@'
	$(Q)$(CC) $(HOST_LDFLAGS) -o $@ $(filter %.o,$^) $(erofs_libs) $(packages_libs)

# The server of pulled images alone, with mounts that are none: tests/check/check_serve.sh.
serve_alone := $(BUILD)/tests/serve
$(serve_alone): $(BUILD)/tests/tests/check/serve.o $(BUILD)/tests/libhelpers.a $(BUILD)/tests/libtested.a $(BUILD)/flags
	$(link_test)

define link_test
	$(say) LINK '$@'
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(erofs_libs) $(TEST_LIBS)
endef

# The tests of what runs in the guest once more, built as the guest is: musl, -Os, static,
# each architecture's own byte order.  run.sh runs a foreign machine's in qemu-user.
guest_rooms := lib verity mount init
guest_tests := $(call find,$(guest_rooms:%=tests/unit/%),test_*.c)
guest_test_programs = $(guest_tests:%.c=$(BUILD)/$(1)/%)
# What the plan's tests print with.
printing := image-build/plan/plan_print.c

define guest_test_rules
$(BUILD)/$(1)/tests/unit/%.o: tests/unit/%.c $(BUILD)/$(1)/flags | $(CMOCKA_$(1))/sources
	$$(compile_guest) -isystem $$(CMOCKA_$(1))/include -D_UINTPTR_T_DEFINED

$(BUILD)/$(1)/tests/libtested.a: $(filter-out %/main.o,$(call guest_objects,$(1),$(guest_rooms) $(printing)))
	$$(archive)
$(BUILD)/$(1)/tests/libhelpers.a: $(patsubst %.c,$(BUILD)/$(1)/%.o,$(filter-out tests/unit/image-build/% $(machine)/% $(guest_tests),$(call sources,tests/unit)))
	$$(archive)

$(machine_tests:%.c=$(BUILD)/$(1)/%): $(machine_helpers:%.c=$(BUILD)/$(1)/%.o)
$(call guest_test_programs,$(1)): %: %.o $(BUILD)/$(1)/tests/libhelpers.a $(BUILD)/$(1)/tests/libtested.a $(BUILD)/$(1)/flags
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
	SOCLE_THREADS='$(abspath $(threads))' \
	SOCLE_ARCHES='$(ARCHES)' SOCLE_IMAGE='$(abspath $(BUILD)/socle-image)' \
	$(call programs_of,$(or $(filter x86_64,$(ARCHES)),$(ARCH))) $(foreach arch,$(ARCHES),$(call programs_of,$(arch),_$(arch))) &&
run_needs := all $(GUEST)/test-agent $(KERNEL_$(ARCH))/sources
test_needs := $(run_needs) $(unit_tests) $(fuzz_tests) $(print_tars) $(many_names) $(threads) $(serve_alone) $(clang_seen) $(foreach arch,$(ARCHES), \
	$(KERNEL_$(arch))/sources $(BUILD)/$(arch)/socle-init $(BUILD)/$(arch)/socle-volume $(BUILD)/$(arch)/test-agent $(BUILD)/$(arch)/example-agent \
	$(call guest_test_programs,$(arch)))

# Kernels with what belongs to an image in them: an initramfs (vmlinuz), and a key whose
# signatures of root hashes count (vmlinuz-keys).
LINKED := $(BUILD)/x86_64/linked
$(LINKED)/key.pem:
	$(Q)mkdir -p $(@D)
	$(Q)openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj /CN=socle-tests \
		-keyout $@ -out $(@D)/cert.pem 2>$(@D)/log || { cat $(@D)/log; exit 1; }
$(LINKED)/vmlinuz: $(BUILD)/x86_64/initramfs.cpio | $(BUILT_x86_64)/sources
	$(Q)mkdir -p $(@D)
	$(Q)SOCLE_ARCH=x86_64 SOCLE_TRUSTED_KEYS= kernel-config/link.sh $@ $<
$(LINKED)/vmlinuz-keys: $(LINKED)/key.pem | $(BUILT_x86_64)/sources
	$(Q)SOCLE_ARCH=x86_64 SOCLE_TRUSTED_KEYS=$(LINKED)/cert.pem kernel-config/link.sh $@
linked := $(LINKED)/vmlinuz $(LINKED)/vmlinuz-keys

groups_prebuilt := qemu
groups_built := config built
groups_all := core config built
groups := unit guest check $(groups_$(KERNEL))
test_built := $(foreach arch,$(BUILT_ARCHES),SOCLE_BUILT_$(arch)='$(BUILT_$(arch))') \
	SOCLE_KERNEL_LINKED='$(abspath $(LINKED)/vmlinuz)' SOCLE_KERNEL_KEYS='$(abspath $(LINKED)/vmlinuz-keys)' SOCLE_SIGNING_KEY='$(abspath $(LINKED))'

test: $(test_needs) $(if $(BUILT_ARCHES),$(linked)) ## all tests: unit, checks, and boots in QEMU (KERNEL=built: of our kernels)
	$(Q)$(run_environment) $(test_built) tests/check/run.sh $(groups)

check: $(test_needs) ## the tests that need no boot
	$(Q)$(run_environment) tests/check/run.sh unit guest check

unit: $(unit_tests) $(fuzz_tests) ## the unit tests alone
	$(Q)$(run_environment) tests/check/run.sh unit

# ARCH= chooses whose, TESTS= which: TESTS='tests/qemu/test_boots.py -k corrupt'.
boots: $(run_needs) ## boots in QEMU of one architecture, some with TESTS=
	$(Q)$(run_environment) $(PYTHON) -m pytest -p no:cacheprovider -m 'not built' $(or $(TESTS),tests/qemu)

run: $(run_needs) ## boot a real container image as verified layers
	$(Q)$(run_environment) $(run_py)

shell: $(run_needs) ## the same with an interactive console
	$(Q)$(run_environment) $(run_py) --shell

run_py = $(PYTHON) tests/qemu/run.py --kernel "$$SOCLE_KERNEL" --modules "$$SOCLE_MODULES" \
	--init "$$SOCLE_INIT" --socle-image "$$SOCLE_IMAGE" \
	--work $(BUILD)/run --cache "$(SOCLE_CACHE)"

$(BUILD)/x86_64/bench-agent: $(BUILD)/x86_64/tests/bench/agent.o $(BUILD)/x86_64/flags
	$(link_guest)

# More with BENCH=: BENCH='--layers 1,8 --runs 1 --verbose'.
bench: $(run_needs) $(BUILD)/x86_64/bench-agent $(BUILT_x86_64)/sources ## how long boots of our kernel take, in the guest's time
	$(Q)$(run_environment) SOCLE_KERNEL_x86_64='$(BUILT_x86_64)/vmlinuz' \
		SOCLE_MODULES_x86_64="$$(echo $(BUILT_x86_64)/modules/lib/modules/*)" \
		SOCLE_AGENT_x86_64='$(abspath $(BUILD)/x86_64/bench-agent)' \
		$(PYTHON) tests/bench/boot_time.py $(BENCH)

# More with BENCH=: BENCH='--rounds 1 --megabytes 300'.
bench-build: all ## layers beside mkfs.erofs and veritysetup: time, memory, room
	$(Q)$(run_environment) $(PYTHON) -B tests/bench/build_images.py '$(abspath $(BUILD)/socle-image)' --work $(BUILD) $(BENCH)

.PHONY: test check unit boots bench bench-build run shell

