# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# What is linked and booted, in the cache: each is made once, under the hash of its inputs.

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

