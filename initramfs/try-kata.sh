#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# try-kata.sh KATA STEP...: the commands of kata.md in a checkout of Kata Containers in
# which `make kata` has laid out, as they are in that file. A step is a block of it that
# begins with "```sh STEP"; without one the steps are listed. For the environment:
#	ARCH, VERSION	of the kernel; default: this machine's, versions.yaml's
#	ROOTFS, OUT, CONTENT	folders; the step says what for
# After step kernel the configuration is compared with what the fragments ask for.
set -euo pipefail

if [[ $# -lt 1 || $1 == -* ]]; then
	echo "usage: try-kata.sh KATA [STEP...]" >&2
	exit 2
fi
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
KATA=$(cd "$1" && pwd)
OURS=$KATA/tools/packaging/kernel/configs/fragments/build-type/socle
shift
export KATA OURS ARCH=${ARCH:-$(uname -m)}
[[ -f $OURS/INSTALL ]] || { echo "try-kata.sh: first: make kata ARCH=$ARCH DESTDIR=$KATA" >&2; exit 1; }
# A container that builds as root may have no sudo.
command -v sudo >/dev/null || [[ $(id -u) -ne 0 ]] || {
	sudo() { [[ $1 != -E ]] || shift; env "$@"; }
	export -f sudo
}

commands() { awk -v s="$1" '$1 == "```sh" && $2 == s { on = 1; next } $1 == "```" { on = 0 } on' "$here/kata.md"; }

# What did not survive Kata's own options; its script misses less than that.
compare_configuration()
{
	local config lost

	config=$(find "$KATA/tools/packaging/kernel" -maxdepth 2 -path '*/kata-linux-socle-*/.config')
	lost=$(find "$OURS" -name '*.conf' -exec grep -h '^CONFIG_' {} + | sort -u |
		grep -vxFf "$config" || true)
	[[ -z $lost ]] || { echo "try-kata.sh: asked for, and not in $config: ${lost//$'\n'/ }" >&2; return 1; }
	echo "try-kata.sh: all of ours is in $config"
}

if [[ $# -eq 0 ]]; then
	awk '$1 == "```sh" { print $2 }' "$here/kata.md"
	exit
fi
for step in "$@"; do
	text=$(commands "$step")
	[[ -n $text ]] || { echo "try-kata.sh: kata.md has no step $step" >&2; exit 2; }
	echo "== $step"
	bash -euo pipefail -c "$text"
	[[ $step != kernel ]] || compare_configuration
done
