# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # shared with those who source it
#
# What the kernel calls the architecture $machine (as uname -m has it), which
# compiler makes it, and what the build's result is.

case $machine in
x86_64) kernel_arch=x86_64 image=arch/x86/boot/bzImage ;;
s390x) kernel_arch=s390 image=arch/s390/boot/bzImage ;;
aarch64 | arm64) machine=aarch64 kernel_arch=arm64 image=arch/arm64/boot/Image.gz ;;
*) echo "${0##*/}: no fragments are there for $machine" >&2; exit 2 ;;
esac
tools=''
[[ $machine == "$(uname -m)" ]] || tools=$machine-linux-gnu-

# Where the kernel of a folder of build.sh is built and stays, for link.sh.
tree_of() { echo "${1/kernel-built/kernel-tree}"; }

# The kernel's own make: in the tree, so that no path gets into its result, and
# with nothing in it of who built it when and where.
kernel_make()
{
	make -C "$tree" ARCH="$kernel_arch" CROSS_COMPILE="$tools" \
		KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970' \
		KBUILD_BUILD_VERSION=1 KBUILD_BUILD_USER=socle KBUILD_BUILD_HOST=socle "$@"
}
