#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# What make does about Debian's packages, with a dpkg-query and an apt-get of our own in
# front: those that are missing are installed, whatever an earlier make has left, and the
# same make goes on to its target; one that was upgraded makes the objects again.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/build"
real=$(command -v dpkg-query)
absent=shellcheck
upgraded=libzstd-dev

# "-W -f FORMAT" is deps/packages.sh asking what is installed, "-W" the Makefile for versions.
cat >"$work/bin/dpkg-query" <<EOF2
#!/bin/bash
if [[ \$2 == -f && ! -e $work/installed ]]; then
	"$real" "\$@" | sed '/ $absent\$/d'
elif [[ -e $work/upgraded ]]; then
	"$real" "\$@" | sed '/^${upgraded}[:\t]/s/\$/+upgraded/'
else
	exec "$real" "\$@"
fi
EOF2
cat >"$work/bin/apt-get" <<EOF2
#!/bin/bash
echo "\$@" >>$work/asked
[[ " \$* " != *" install "* ]] || touch $work/installed
EOF2
printf '#!/bin/bash\n' >"$work/bin/apt-cache"
# shellcheck disable=SC2016 # for the script that this makes
printf '#!/bin/bash\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/"*

# The make above us has handed down its flags and its job server.
run_make()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH="$work/bin:$PATH" make BUILD="$work/build" \
		ARCH="${SOCLE_ARCH:-x86_64}" "$@" >"$work/said" 2>&1
}

# make run has been here, and make test needs more than that did.
echo '# nothing is missing any more' >"$work/build/packages.mk"
run_make "$work/build/flags" || complain "packages.mk from before: $(tail -n 3 "$work/said")"
[[ -f $work/build/flags ]] || complain "make did not go on to its target"
grep -q "install.* $absent\$" "$work/asked" || complain "$absent was not installed: $(cat "$work/asked")"

# Without the means to install them it says which, and stops.
rm -f "$work/installed"
echo '# nothing is missing any more' >"$work/build/packages.mk"
printf '#!/bin/bash\nexit 100\n' >"$work/bin/apt-get"
! run_make "$work/build/flags" || complain "went on without $absent"
grep -q "installing 1 .*: $absent\$" "$work/said" || complain "without apt: $(tail -n 3 "$work/said")"
touch "$work/installed"

object=$work/build/host/lib/hex.o
is_made() { run_make "$object" && grep -q "CC .*$object" "$work/said"; }
is_made || complain "first: $(cat "$work/said")"
! is_made || complain "made again for nothing"
touch "$work/upgraded"
is_made || complain "$upgraded was upgraded, and $object is the old one"
! is_made || complain "made again for nothing, after the upgrade"
exit "$status"
