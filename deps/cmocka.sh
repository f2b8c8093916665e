#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# cmocka for tests that are built as the guest of SOCLE_ARCH is: static, against the
# sysroot's musl.  Nothing of it gets into a guest.
#
# Result: lib/libcmocka.a, include/.

machine=${SOCLE_ARCH:-x86_64}
# shellcheck source=deps/machine.sh
. "${BASH_SOURCE[0]%/*}/machine.sh"
arch=$debian_arch
export SOCLE_GCC=${SOCLE_GCC:-${tools}gcc}
name=cmocka-$machine
sources=(src:cmocka)
steps=1
# shellcheck source=deps/recipe.sh
. "${BASH_SOURCE[0]%/*}/recipe.sh"

# The sysroot is the compiler here.
sysroot=$("$recipes/sysroot.sh" --dir 2>/dev/null)
further_inputs() { basename "$sysroot"; }

# shellcheck disable=SC2129 # one line per command, as everywhere here
build()
{
	step "building cmocka $(version_of src:cmocka) for $machine"
	"$recipes/sysroot.sh"
	enter_source src:cmocka
	cmake -B made -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" \
		-DCMAKE_C_COMPILER="$sysroot/bin/cc" -DCMAKE_C_FLAGS=-Os \
		-DCMAKE_AR="$(command -v "${tools}ar")" \
		-DCMAKE_RANLIB="$(command -v "${tools}ranlib")" \
		-DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF \
		-DUNIT_TESTING=OFF -DWITH_EXAMPLES=OFF \
		-DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib >>"$log" 2>&1
	make -C made -j"$jobs" >>"$log" 2>&1
	make -C made install DESTDIR="$PWD/installed" >>"$log" 2>&1
	mkdir -p "$out/lib"
	cp installed/usr/lib/libcmocka*.a "$out/lib/"
	cp -r installed/usr/include "$out/include"
}

recipe "$@"
