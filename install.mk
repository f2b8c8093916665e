# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make install: what make has built, to $(DESTDIR)$(PREFIX).  It builds nothing and reads
# nothing of the caches, so that sudo, which has another home, installs what the user made.

PREFIX	?= /usr/local
# Debian's packages have theirs elsewhere.
ZSH_FOLDER ?= share/zsh/site-functions

# mode, folder below PREFIX, file
guest_folder := lib/socle/$(ARCH)
installed := \
	755|bin|$(BUILD)/socle-image \
	644|share/man/man1|image-build/socle-image.1 \
	644|share/bash-completion/completions|$(BUILD)/completion/socle-image \
	644|$(ZSH_FOLDER)|$(BUILD)/completion/_socle-image \
	755|$(guest_folder)|$(BUILD)/$(ARCH)/socle-init \
	644|$(guest_folder)|$(BUILD)/$(ARCH)/sources \
	644|$(guest_folder)|$(BUILD)/$(ARCH)/libsocle.a \
	644|include|mount/runtime/socle.h \
	755|$(guest_folder)|$(BUILD)/$(ARCH)/socle-volume \
	644|share/man/man8|init/socle-init.8 \
	644|share/man/man8|mount/socle-volume.8
word_of = $(word $(1),$(subst |, ,$(2)))
files_installed := $(foreach row,$(installed),$(call word_of,3,$(row)))
place_of = $(DESTDIR)$(PREFIX)/$(call word_of,2,$(1))
# With the library, for it is of one architecture as well.
pc_folder = $(DESTDIR)$(PREFIX)/$(guest_folder)/pkgconfig

define install_one
	$(Q)install -d -m 755 '$(call place_of,$(1))'
	$(Q)install -m $(call word_of,1,$(1)) $(call word_of,3,$(1)) '$(call place_of,$(1))'

endef

install: $(filter all,$(MAKECMDGOALS)) ## install what was built: DESTDIR=, PREFIX=/usr/local
	$(Q)for file in $(files_installed); do \
		[ -f $$file ] || { echo "$$file is missing: run make first" >&2; exit 1; }; done
	$(foreach row,$(installed),$(call install_one,$(row)))
	$(Q)install -d -m 755 '$(pc_folder)'
	$(Q)version=$$(sed -n 's/^#define SOCLE_VERSION "\(.*\)"/\1/p' mount/runtime/socle.h); \
		sed 's,@PREFIX@,$(PREFIX),; s,@ARCH@,$(ARCH),; s,@VERSION@,'$$version, \
		mount/runtime/socle.pc.in >'$(pc_folder)/socle.pc'
	$(Q)chmod 644 '$(pc_folder)/socle.pc'

uninstall: ## remove what install has put there
	$(Q)rm -f '$(pc_folder)/socle.pc' $(foreach row,$(installed),'$(call place_of,$(row))/$(notdir $(call word_of,3,$(row)))')

.PHONY: install uninstall
