# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# shellcheck shell=bash disable=SC2154 # for those who have sourced deps/machine.sh
#
# A kernel's source tree, $tree, and its own make.

# Where the kernel of a folder of build.sh is built and stays, for link.sh.
tree_of() { echo "${1/kernel-built/kernel-tree}"; }

# In the tree, so that no path gets into its result, and with nothing in it of who
# built it when and where.  Tools that it would find on PATH and ask for their versions
# are none of its packages: the configuration would differ from one machine to the next.
kernel_make()
{
	make -C "$tree" ARCH="$kernel_arch" CROSS_COMPILE="$tools" \
		KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970' \
		KBUILD_BUILD_VERSION=1 KBUILD_BUILD_USER=socle KBUILD_BUILD_HOST=socle \
		RUSTC='' BINDGEN='' PAHOLE='' "$@"
}
