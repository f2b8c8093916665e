# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make install: what make has built, to $(DESTDIR)$(PREFIX).  It builds nothing and reads
# nothing of the caches, so that sudo, which has another home, installs what the user made.

PREFIX	?= /usr/local

# mode, folder below PREFIX, file
installed := \
	755|bin|$(BUILD)/socle-image \
	644|share/man/man1|image-build/socle-image.1 \
	755|lib/socle/$(ARCH)|$(BUILD)/$(ARCH)/socle-init \
	644|share/man/man8|init/socle-init.8
files_installed = $(foreach row,$(installed),$(call word_of,3,$(row)))
word_of = $(word $(1),$(subst |, ,$(2)))
place_of = $(DESTDIR)$(PREFIX)/$(call word_of,2,$(1))

define install_one
	$(Q)install -d -m 755 '$(call place_of,$(1))'
	$(Q)install -m $(call word_of,1,$(1)) $(call word_of,3,$(1)) '$(call place_of,$(1))'

endef

install: $(filter all,$(MAKECMDGOALS)) ## install what was built: DESTDIR=, PREFIX=/usr/local
	$(Q)for file in $(files_installed); do \
		[ -f $$file ] || { echo "$$file is missing: run make first" >&2; exit 1; }; done
	$(foreach row,$(installed),$(call install_one,$(row)))

uninstall: ## remove what install has put there
	$(Q)rm -f $(foreach row,$(installed),'$(call place_of,$(row))/$(notdir $(call word_of,3,$(row)))')

.PHONY: install uninstall
