# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# What is linked and booted, in the cache: each is made once, under the hash of its inputs.

HOST	:= $(shell deps/host.sh --dir)
$(foreach arch,$(ARCHES),$(eval SYSROOT_$(arch) := $(shell SOCLE_ARCH=$(arch) deps/sysroot.sh --dir)))
$(foreach arch,$(ARCHES),$(eval KERNEL_$(arch) := $(shell SOCLE_ARCH=$(arch) deps/kernel.sh --dir)))
$(foreach arch,$(ARCHES),$(eval CMOCKA_$(arch) := $(shell SOCLE_ARCH=$(arch) deps/cmocka.sh --dir)))

# One after the other: each uses all processors, and their progress is for people.
$(HOST)/sources:
	$(Q)deps/host.sh
last := $(HOST)/sources

define recipes_of
$$(SYSROOT_$(1))/sources: | $$(last)
	$$(Q)SOCLE_ARCH=$(1) deps/sysroot.sh
$$(KERNEL_$(1))/sources: | $$(SYSROOT_$(1))/sources
	$$(Q)SOCLE_ARCH=$(1) deps/kernel.sh
$$(CMOCKA_$(1))/sources: | $$(KERNEL_$(1))/sources
	$$(Q)SOCLE_ARCH=$(1) deps/cmocka.sh
last := $$(CMOCKA_$(1))/sources
endef
$(foreach arch,$(ARCHES),$(eval $(call recipes_of,$(arch))))

deps: $(last) ## install packages, fill the caches; build nothing
	@echo "everything that is needed is in place"

# A dependency's version is taken over on purpose, by a commit to sources.lock.  Recipes
# of other folders add themselves to further_recipes.
lock: ## write the newest versions of the dependencies to deps/sources.lock
	$(Q)sed -n '1,/^# arch,/p' deps/sources.lock >$(BUILD)/sources.lock
	$(Q)deps/host.sh --lock >$(BUILD)/newest
	$(Q)for arch in $(ALL_ARCHES); do for recipe in sysroot cmocka kernel; do \
		SOCLE_ARCH=$$arch deps/$$recipe.sh --lock >>$(BUILD)/newest || exit 1; \
	done; done
	$(Q)for recipe in $(further_recipes); do $$recipe --lock >>$(BUILD)/newest || exit 1; done
	$(Q)awk '!seen[$$0]++' $(BUILD)/newest >>$(BUILD)/sources.lock
	$(Q)mv $(BUILD)/sources.lock deps/sources.lock

