#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# Debian's prebuilt cloud kernel for SOCLE_ARCH, for quick runs and tests.
#
# Result: vmlinuz, config, modules/lib/modules/VERSION/ with modules.dep.

machine=${SOCLE_ARCH:-x86_64}
# shellcheck source=deps/machine.sh
. "${BASH_SOURCE[0]%/*}/machine.sh"
arch=$debian_arch
name=kernel-$machine
sources=("kernel:$debian_kernel")
steps=1
# Nothing is compiled here.
export SOCLE_GCC=true
# shellcheck source=deps/recipe.sh
. "${BASH_SOURCE[0]%/*}/recipe.sh"

build()
{
	local version

	step "unpacking the kernel $(version_of "kernel:$debian_kernel")"
	dpkg-deb -x "${have[kernel:$debian_kernel]}" deb
	version=$(basename deb/usr/lib/modules/*)
	mkdir -p "$out/modules/lib/modules"
	cp "deb/boot/vmlinuz-$version" "$out/vmlinuz"
	cp "deb/boot/config-$version" "$out/config"
	mv "deb/usr/lib/modules/$version" "$out/modules/lib/modules/"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$out/modules" "$version" >>"$log" 2>&1
}

recipe "$@"
