#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Nothing tracked names a mirror or a place on the machine of whoever wrote it: the
# mirror comes from the machine's own apt, places from the environment.
set -euo pipefail

hosts='[a-z0-9-]+\.debian\.(org|net)|[a-z]+\.ubuntu\.com|(crates|pypi)\.(io|org)|registry\.npmjs'
status=0

if git grep -nIE "$hosts"; then
	echo "these lines name the host of a package registry"
	status=1
fi
places=("$HOME/." "${SOCLE_CACHE:-$HOME/.cache}")
# A checkout right below / has a name that may stand anywhere.
[[ $PWD != /*/* ]] || places+=("$PWD/")
for place in "${places[@]}"; do
	if git grep -nIF -- "$place"; then
		echo "these lines name $place, a place on this machine"
		status=1
	fi
done
exit $status
