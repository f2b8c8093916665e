#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# The kernel of SOCLE_ARCH that fits: Debian's source, our fragments, no modules.
#
#   build.sh [debug] [--dir | --lock]	as any recipe (see initramfs/recipe.sh)
#   build.sh [debug] --embed INITRAMFS OUT	a kernel with INITRAMFS in it, as OUT
#
# Result of the recipe: what initramfs/kernel.sh makes of a prebuilt kernel, and
# vmlinux, stripped, for hypervisors that start the ELF file.  The tree is kept
# beside it, so that a build with an initramfs costs a link only.
#
# SOCLE_TRUSTED_KEYS=FILE.pem	certificates whose signatures of root hashes count

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
debug=''
[[ ${1:-} != debug ]] || { debug=debug; shift; }
machine=${SOCLE_ARCH:-x86_64}
# shellcheck source=kernel-config/machine.sh
. "$here/machine.sh"
export SOCLE_GCC=${SOCLE_GCC:-${tools}gcc}
name=kernel-built${debug:+-$debug}-$machine
# The package is the same for all architectures.
arch=amd64
sources=(deb:linux-source-6.12)
steps=4
# shellcheck source=initramfs/recipe.sh
. "$here/../initramfs/recipe.sh"

# Besides a recipe's usual inputs: the fragments, and the tools whose versions show
# in the result.
recipe_dir()
{
	local key

	key=$({
		cat "$recipes/recipe.sh" "$here"/{build,configure,fragments,machine}.sh
		cat "$here/renamed"
		(cd "$here/fragments" && "$here/fragments.sh" "$machine" ${debug:+"$debug"} | xargs sha256sum)
		[[ -z ${SOCLE_TRUSTED_KEYS:-} ]] || cat "$SOCLE_TRUSTED_KEYS"
		lock_lines
		"$compiler" --version 2>/dev/null | head -n 1
		"${tools}ld" --version 2>/dev/null | head -n 1
		zstd --version 2>/dev/null
	} | sha256sum | cut -c1-16)
	echo "$cache/$name-$key"
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

# Where the kernel is built and stays, for --embed.
tree_of() { echo "${1/kernel-built/kernel-tree}"; }

set_option() { "$tree/scripts/config" --file "$tree/.config" "$@"; }

trust_keys()
{
	[[ -n ${SOCLE_TRUSTED_KEYS:-} ]] || return 0
	cp "$SOCLE_TRUSTED_KEYS" "$tree/certs/socle-trusted.pem"
	set_option --set-str SYSTEM_TRUSTED_KEYS certs/socle-trusted.pem
}

# Removes what no later build in this tree looks at: of other architectures and of
# drivers and sound the sources that no object was made from.
prune()
{
	local srcarch=${image#arch/}

	srcarch=${srcarch%%/*}
	cd "$tree"
	find . -name '.*.cmd' -exec grep -ohE '[A-Za-z0-9_./-]+\.[chS]\b' {} + |
		sort -u | tr '\n' '\0' | xargs -0 realpath -ms --relative-to=. |
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
	trust_keys
	kernel_make olddefconfig >>"$log" 2>&1

	step "building Linux $(version_of "${sources[0]}") for $machine"
	kernel_make -j"$jobs" "${image##*/}" 2>&1 | count_files
	cp "$tree/.config" "$out/config"
	cp "$tree/$image" "$out/vmlinuz"
	"${tools}strip" -o "$out/vmlinux" "$tree/vmlinux"
	describe_modules "$(kernel_make -s kernelrelease)"

	step "keeping what a build with an initramfs needs"
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

# Links the kernel anew, with an initramfs in it.
embed()
{
	local initramfs=$1 result=$2

	tree=$(tree_of "$(recipe_dir)")
	log=$cache/log/$name-embed.log
	: >"$log"
	exec 7>"$tree.lock"
	flock 7
	# Not packed by itself: it is with the kernel.
	cp "$initramfs" "$tree/socle-initramfs.cpio"
	set_option --set-str INITRAMFS_SOURCE socle-initramfs.cpio --enable INITRAMFS_COMPRESSION_NONE
	echo "build.sh: linking the kernel with $initramfs in it (log: $log)" >&2
	if ! kernel_make olddefconfig >>"$log" 2>&1 ||
		! kernel_make -j"$jobs" "${image##*/}" >>"$log" 2>&1; then
		tail -n 25 "$log" >&2
		echo "build.sh: the kernel could not be linked; the whole log is $log" >&2
		exit 1
	fi
	cp "$tree/$image" "$result.new"
	mv "$result.new" "$result"
}

if [[ ${1:-} == --embed ]]; then
	"$here/build.sh" ${debug:+"$debug"}
	embed "$2" "$3"
else
	recipe "$@"
fi
