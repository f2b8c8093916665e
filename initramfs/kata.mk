# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# Into Kata's build: see initramfs/kata.md.

kata: $(GUEST)/socle-init $(BUILD)/socle-image ## lay out what Kata's packaging takes up below DESTDIR=
	$(Q)initramfs/kata.sh $(ARCH) $^ '$(DESTDIR)'

.PHONY: kata
