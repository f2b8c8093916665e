# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# What is installed from Debian, see deps/packages.sh.

# Every Debian package that building, running and testing need.  Of "one|other" either
# will do: Debian's releases differ.
PACKAGES := \
	make gcc libc6-dev binutils clang pkg-config shellcheck clang-format \
	dpkg-dev debian-archive-keyring xz-utils zstd util-linux \
	autoconf automake libtool autopoint gettext bison flex cmake kmod \
	libarchive-dev libjson-c-dev \
	libblkid-dev uuid-dev libssl-dev libzstd-dev liblzma-dev liblz4-dev zlib1g-dev libcmocka-dev \
	openssl ovmf systemd-repart|systemd \
	python3 python3-pytest python3-pytest-xdist qemu-system-x86 mmdebstrap umoci busybox-static \
	cryptsetup-bin libcryptsetup-dev e2fsprogs erofs-utils cpio git fdisk dosfstools mtools systemd-boot-efi

# Faster than zlib at gzip, and than tables at checksums, for the architectures that it is for.
ISAL_PACKAGE	:= $(if $(filter x86_64 aarch64,$(shell uname -m)),libisal-dev)
PACKAGES	+= $(ISAL_PACKAGE)

# And what a guest of another architecture than this machine's needs on top.
cross_x86_64	:= gcc-x86-64-linux-gnu
cross_s390x	:= gcc-s390x-linux-gnu qemu-system-s390x|qemu-system-misc
cross_aarch64	:= gcc-aarch64-linux-gnu qemu-system-arm
foreign		:= $(filter-out $(shell uname -m),$(ARCHES))
PACKAGES	+= $(foreach arch,$(foreign),$(cross_$(arch))) $(if $(foreign),qemu-user)
# The tests boot kernels of ours on these.
BUILT_ARCHES	:= $(if $(filter bench,$(MAKECMDGOALS)),x86_64,$(and $(filter test deps,$(MAKECMDGOALS)),$(filter built all,$(KERNEL)),$(filter $(ARCHES),x86_64 s390x)))
# What the kernel's own make needs.
PACKAGES	+= $(if $(BUILT_ARCHES)$(filter kernel kernel-newest,$(MAKECMDGOALS)),bc libelf-dev)
# What packs the result: make deb, and the test of it.
PACKAGES	+= $(if $(filter deb check test,$(MAKECMDGOALS)),debhelper lintian zsh)
