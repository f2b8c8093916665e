#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# liberofs for socle-image, static, and the tools of the same source as oracles
# for the tests.  No compression: layers stay as they are, so that a page of a
# file is one read, and so that no compressor has a say in reproducibility.
#
# Result: lib/liberofs.a, lib/pkgconfig/liberofs.pc, include/, bin/.

name=host
arch=${SOCLE_HOST_DEBARCH:-$(dpkg --print-architecture)}
sources=(src:erofs-utils)
steps=2
# shellcheck source=deps/recipe.sh
. "${BASH_SOURCE[0]%/*}/recipe.sh"

build()
{
	local version flags

	version=$(version_of src:erofs-utils)
	step "preparing erofs-utils $version"
	enter_source src:erofs-utils
	# Debian ships the tarball without a configure script.
	autoreconf -fi >>"$log" 2>&1

	step "building liberofs $version for this machine"
	flags="-O2 -fPIE -fstack-protector-strong -fstack-clash-protection"
	flags+=" -ftrivial-auto-var-init=zero -D_FORTIFY_SOURCE=2"
	flags+=" -ffunction-sections -fdata-sections"
	flags+=" -ffile-prefix-map=$PWD=erofs-utils"
	./configure CC="$compiler" --prefix=/ --disable-shared --enable-static \
		--disable-lz4 --disable-lzma --without-zlib --without-libdeflate \
		--without-libzstd --without-qpl --without-xxhash --without-uuid \
		--without-selinux --disable-fuse --disable-multithreading \
		CFLAGS="$flags" LDFLAGS="-pie -Wl,-z,relro,-z,now" >>"$log" 2>&1
	make -j"$jobs" >>"$log" 2>&1

	mkdir -p "$out"/{bin,lib/pkgconfig,include/liberofs/erofs}
	cp lib/.libs/liberofs.a "$out/lib/"
	cp mkfs/mkfs.erofs fsck/fsck.erofs dump/dump.erofs "$out/bin/"
	cp include/erofs/*.h "$out/include/liberofs/erofs/"
	cp include/erofs_fs.h "$out/include/liberofs/"
	# The headers ask <config.h> what the library was built with.  Only what
	# they can ask for stays: the package's name is not ours.
	grep -E '^#define (HAVE|EROFS)_' config.h >"$out/include/liberofs/config.h"
	# -isystem: their headers are not clean under our warnings.
	cat >"$out/lib/pkgconfig/liberofs.pc" <<-EOF
	prefix=\${pcfiledir}/../..

	Name: liberofs
	Description: writes and reads EROFS images
	Version: $version
	Cflags: -DHAVE_CONFIG_H -isystem \${prefix}/include/liberofs
	Libs: \${prefix}/lib/liberofs.a
	EOF
}

recipe "$@"
