# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# A kernel that fits: see kernel-config/README.md.

# What the tests boot of it; each keeps the processors busy for a quarter of an hour.
$(foreach arch,$(BUILT_ARCHES),$(eval BUILT_$(arch) := $(shell SOCLE_ARCH=$(arch) kernel-config/build.sh --dir)))
define built_recipe_of
$$(BUILT_$(1))/sources: | $$(last)
	$$(Q)SOCLE_ARCH=$(1) kernel-config/build.sh
last := $$(BUILT_$(1))/sources
endef
$(foreach arch,$(BUILT_ARCHES),$(eval $(call built_recipe_of,$(arch))))
deps: $(last)
further_recipes += kernel-config/build.sh

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

.PHONY: kernel kernel-newest
