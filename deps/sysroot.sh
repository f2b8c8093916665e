#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# The guest's libraries for SOCLE_ARCH: musl and the kernel's headers as Debian
# built them, and static libblkid, libuuid and json-c built here from Debian's
# sources against musl.
#
# Result: bin/cc (a compiler that knows only this folder), include/, lib/.

machine=${SOCLE_ARCH:-x86_64}
# shellcheck source=deps/machine.sh
. "${BASH_SOURCE[0]%/*}/machine.sh"
arch=$debian_arch
export SOCLE_GCC=${SOCLE_GCC:-${tools}gcc}
name=sysroot-$machine
sources=(deb:musl-dev deb:linux-libc-dev src:util-linux src:json-c)
steps=4
# shellcheck source=deps/recipe.sh
. "${BASH_SOURCE[0]%/*}/recipe.sh"

# Small, each function in its own section for --gc-sections, hardened as our own
# code is.  Nothing unwinds here, so there are no tables for it.
flags="-Os -ffunction-sections -fdata-sections"
flags+=" -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero"
flags+=" -fno-asynchronous-unwind-tables -fno-unwind-tables"

musl_and_headers()
{
	local folder

	dpkg-deb -x "${have[deb:musl-dev]}" debs
	dpkg-deb -x "${have[deb:linux-libc-dev]}" debs
	mkdir -p "$out"/{bin,lib,include}
	cp -a "debs/usr/include/$machine-linux-musl/." "$out/include/"
	cp -a "debs/usr/lib/$machine-linux-musl/"{crt1.o,crti.o,crtn.o,lib*.a} "$out/lib/"
	for folder in linux asm-generic mtd scsi misc; do
		mkdir -p "$out/include/$folder"
		cp -a "debs/usr/include/$folder/." "$out/include/$folder/"
	done
	cp -aL "debs/usr/include/$machine-linux-gnu/asm" "$out/include/"

	# %R is the folder given as --sysroot, so the folder can be moved.
	# libgcc and the compiler's own headers are the only things from outside.
	cat >"$out/gcc.specs" <<-'EOF'
	%rename cpp_options old_cpp_options

	*cpp_options:
	-nostdinc -isystem %R/include -isystem include%s %(old_cpp_options)

	*cc1:
	%(cc1_cpu) -nostdinc -isystem %R/include -isystem include%s

	*link_libgcc:
	-L%R/lib -L .%s

	*libgcc:
	libgcc.a%s libgcc_eh.a%s

	*startfile:
	%R/lib/crt1.o %R/lib/crti.o crtbeginT.o%s

	*endfile:
	crtend.o%s %R/lib/crtn.o

	*link:
	-nostdlib -static
	EOF
	# Not -static-pie: with these start files it leaves a PT_INTERP, and the
	# kernel then finds no interpreter for /init.
	cat >"$out/bin/cc" <<-EOF
	#!/bin/bash
	here=\${0%/*}/..
	exec $compiler --sysroot="\$here" -specs="\$here/gcc.specs" -fno-pie -static "\$@"
	EOF
	chmod +x "$out/bin/cc"
}

# The flags for the package whose source is the current folder.  No path of this
# machine may get into the guest through __FILE__.
package_flags() { echo "$flags -ffile-prefix-map=$PWD=. -ffile-prefix-map=$out=sysroot"; }

# Always a cross build, also for this machine's own architecture, so that every
# architecture gets the same answers.  musl's are given where a configure script
# would have to run a program to know.
configure_for_guest()
{
	./configure --build="$(uname -m)-linux-gnu" --host="$machine-linux-musl" \
		CC="$out/bin/cc" AR="${tools}ar" RANLIB="${tools}ranlib" \
		CFLAGS="$(package_flags)" --prefix=/ --disable-shared \
		ac_cv_func_malloc_0_nonnull=yes ac_cv_func_realloc_0_nonnull=yes \
		"$@" >>"$log" 2>&1
}

util_linux()
{
	enter_source src:util-linux
	configure_for_guest --enable-static --disable-all-programs \
		--enable-libblkid --enable-libuuid --disable-nls --disable-rpath \
		--without-python --without-systemd --without-udev --without-selinux \
		--without-econf --without-cap-ng --without-ncursesw --without-ncurses \
		--without-tinfo --without-readline --without-libz --without-libmagic
	make -j"$jobs" libblkid.la libuuid.la >>"$log" 2>&1
	cp .libs/libblkid.a .libs/libuuid.a "$out/lib/"
	mkdir -p "$out"/include/{blkid,uuid}
	cp libblkid/src/blkid.h "$out/include/blkid/"
	cp libuuid/src/uuid.h "$out/include/uuid/"
}

# shellcheck disable=SC2129 # one line per command, as everywhere here
json_c()
{
	enter_source src:json-c
	cmake -B made -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" \
		-DCMAKE_C_COMPILER="$out/bin/cc" -DCMAKE_C_FLAGS="$(package_flags)" \
		-DCMAKE_AR="$(command -v "${tools}ar")" \
		-DCMAKE_RANLIB="$(command -v "${tools}ranlib")" \
		-DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF -DBUILD_APPS=OFF \
		-DBUILD_TESTING=OFF -DDISABLE_EXTRA_LIBS=ON -DDISABLE_WERROR=ON \
		-DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib >>"$log" 2>&1
	make -C made -j"$jobs" >>"$log" 2>&1
	make -C made install DESTDIR="$PWD/installed" >>"$log" 2>&1
	cp installed/usr/lib/libjson-c.a "$out/lib/"
	cp -r installed/usr/include/json-c "$out/include/"
}

# That all of it links to one program, static and without an interpreter.
try_sysroot()
{
	cat >try.c <<-'EOF'
	#include <blkid/blkid.h>
	#include <json-c/json.h>
	int main(void)
	{
		return !blkid_new_probe() || !json_tokener_parse("{}");
	}
	EOF
	"$out/bin/cc" try.c -o try -Wl,--gc-sections -ljson-c -lblkid -luuid >>"$log" 2>&1
	# A pipe into a grep that may stop early would fail under pipefail.
	"${tools}readelf" -lW try >program-headers
	! grep INTERP program-headers >>"$log"
}

build()
{
	# No package of the machine may be found.
	export PKG_CONFIG_LIBDIR=$scratch/no-packages

	step "unpacking musl $(version_of deb:musl-dev) and Linux headers for $machine"
	musl_and_headers
	step "building libblkid and libuuid $(version_of src:util-linux)"
	util_linux
	step "building json-c $(version_of src:json-c)"
	json_c
	step "linking a program with all of them"
	cd "$scratch"
	try_sysroot
}

recipe "$@"
