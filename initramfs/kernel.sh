#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# Debian's prebuilt cloud kernel for SOCLE_ARCH, for quick runs and tests.
#
# Result: vmlinuz, config, modules/lib/modules/VERSION/ with modules.dep.

machine=${SOCLE_ARCH:-x86_64}
case $machine in
x86_64) arch=amd64 meta=linux-image-cloud-amd64 ;;
aarch64) arch=arm64 meta=linux-image-cloud-arm64 ;;
s390x) arch=s390x meta=linux-image-s390x ;;
*) echo "kernel.sh: no kernel is known for $machine" >&2; exit 2 ;;
esac
name=kernel-$machine
sources=("kernel:$meta")
steps=1
# Nothing is compiled here.
export SOCLE_GCC=true
# shellcheck source=initramfs/recipe.sh
. "${BASH_SOURCE[0]%/*}/recipe.sh"

build()
{
	local version

	step "unpacking the kernel $(version_of "kernel:$meta")"
	dpkg-deb -x "${have[kernel:$meta]}" deb
	version=$(basename deb/usr/lib/modules/*)
	mkdir -p "$out/modules/lib/modules"
	cp "deb/boot/vmlinuz-$version" "$out/vmlinuz"
	cp "deb/boot/config-$version" "$out/config"
	mv "deb/usr/lib/modules/$version" "$out/modules/lib/modules/"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$out/modules" "$version" >>"$log" 2>&1
}

recipe "$@"
