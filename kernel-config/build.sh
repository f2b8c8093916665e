#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# The kernel of SOCLE_ARCH that fits: Debian's source, our fragments, no modules, and
# in it an /init that refuses (refuse.c), for when no other arrives.
#
#   build.sh [debug] [--dir | --lock]	as any recipe (see deps/recipe.sh)
#
# Result: what deps/kernel.sh makes of a prebuilt kernel, and vmlinux, stripped,
# for hypervisors that start the ELF file.  The tree is kept beside it, so that a
# kernel with an initramfs or with keys in it costs a link only (link.sh).

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
debug=''
[[ ${1:-} != debug ]] || { debug=debug; shift; }
machine=${SOCLE_ARCH:-x86_64}
# shellcheck source=deps/machine.sh
. "$here/../deps/machine.sh"
# shellcheck source=kernel-config/tree.sh
. "$here/tree.sh"
export SOCLE_GCC=${SOCLE_GCC:-${tools}gcc}
name=kernel-built${debug:+-$debug}-$machine
# The package is the same for all architectures.
arch=amd64
sources=(deb:linux-source-6.12)
steps=5
# shellcheck source=deps/recipe.sh
. "$here/../deps/recipe.sh"

# The fragments, and the tools whose versions show in the result.
further_inputs()
{
	cat "$here"/{configure,fragments,tree}.sh "$here"/renamed "$here"/refuse.{c,list}
	(cd "$here/fragments" && "$here/fragments.sh" "$machine" ${debug:+"$debug"} | xargs sha256sum)
	"$compiler" --version 2>/dev/null | head -n 1
	"${tools}ld" --version 2>/dev/null | head -n 1
	zstd --version 2>/dev/null
}

# Says every so often how many files have been compiled.
count_files()
{
	awk '
		{ print >>log_file }
		/^  (CC|AS|HOSTCC) / && ++n % 200 == 0 {
			printf "[%s] %d files\n", step, n >"/dev/stderr"
			fflush()
		}' step="$step_number/$steps" log_file="$log"
}

# What fragments/refuse names: refuse.c, with the tree's own libc and headers only.
put_refusal()
{
	local flags=(-std=gnu11 -Os -Wall -Wextra -Werror -nostdinc -isystem
		"$("$compiler" -print-file-name=include)"
		-I "$tree/tools/include/nolibc" -I "$tree/usr/include"
		-static -nostdlib -fno-pie -no-pie -fno-stack-protector
		-fno-asynchronous-unwind-tables '-Wl,-z,noexecstack,--build-id=none' -s)

	kernel_make headers >>"$log" 2>&1
	"$compiler" "${flags[@]}" -o "$tree/socle-refuse" "$here/refuse.c" -lgcc >>"$log" 2>&1
	cp "$here/refuse.list" "$tree/socle-refuse.list"
}

# Removes what no later build in this tree looks at: of other architectures and of
# drivers and sound the sources that no object was made from.
prune()
{
	local srcarch=${kernel_image#arch/}

	srcarch=${srcarch%%/*}
	cd "$tree"
	find . -name '.*.cmd' -exec grep -ohE '[A-Za-z0-9_./-]+\.[chS]\b' {} + |
		sort -u | tr '\n' '\0' | xargs -0 realpath -ms --relative-to=. -- |
		sort -u >"$scratch/used"
	find arch drivers sound samples -type f ! -path "arch/$srcarch/*" \
		! -path '*/generated/*' \( -name '*.[chS]' -o -name '*.dts*' \) |
		sort | comm -23 - "$scratch/used" | tr '\n' '\0' | xargs -0 rm -f
	find Documentation -type f ! -name 'Kconfig*' ! -name Makefile -delete
	rm -rf tools/testing tools/perf
	cd "$scratch"
}

build()
{
	# Not in the scratch folder: objtool is made again when the tree has moved,
	# and then everything else is.
	tree=$(tree_of "$final")
	rm -rf "$tree"

	step "unpacking the source of Linux $(version_of "${sources[0]}")"
	dpkg-deb --fsys-tarfile "${have[${sources[0]}]}" |
		tar -xO --wildcards './usr/src/*.tar.xz' | tar -xJ --no-same-owner
	mv linux-source-* "$tree"

	step "configuring it for $machine with kernel-config/fragments"
	"$here/configure.sh" "$machine" "$tree" ${debug:+"$debug"} 2>&1 | tee -a "$log" >&2

	step "making the /init that refuses"
	put_refusal

	step "building Linux $(version_of "${sources[0]}") for $machine"
	kernel_make -j"$jobs" "${kernel_image##*/}" 2>&1 | count_files
	cp "$tree/.config" "$out/config"
	cp "$tree/$kernel_image" "$out/vmlinuz"
	"${tools}strip" -o "$out/vmlinux" "$tree/vmlinux"
	describe_modules "$(kernel_make -s kernelrelease)"

	step "keeping what linking it anew needs"
	prune
}

# A folder as modular kernels have it, in which all modules are built in.
describe_modules()
{
	local folder=$out/modules/lib/modules/$1

	mkdir -p "$folder"
	cp "$tree"/modules.builtin{,.modinfo} "$folder/"
	: >"$folder/modules.order"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$out/modules" "$1" >>"$log" 2>&1
}

recipe "$@"
