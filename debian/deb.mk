# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make deb: what was built as Debian packages, made by Debian's own tools.

# As Debian calls the guest's architecture.
deb_arch := $(or $(patsubst x86_64,amd64,$(filter x86_64,$(ARCH))),$(patsubst aarch64,arm64,$(filter aarch64,$(ARCH))),$(ARCH))

DEBS	?= $(BUILD)/deb

# In a folder of their own: the tools write beside what they pack, and above it.
deb: all ## pack what was built as Debian packages, in build/deb/
	$(Q)rm -rf $(DEBS)
	$(Q)mkdir -p $(DEBS)/socle
	$(Q)cp -R debian $(DEBS)/socle/
	$(Q)cd $(DEBS)/socle && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOCLE=$(CURDIR) ARCH=$(ARCH) \
		dpkg-buildpackage --build=binary --no-sign --host-arch=$(deb_arch) --no-check-builddeps
	@ls -l $(DEBS)/*.deb

.PHONY: deb
