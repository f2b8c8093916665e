#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Every C source is as `make format` leaves it.  Versions of clang-format differ, so only
# Debian 12's has a say.
set -euo pipefail

version=$(clang-format --version | grep -oE 'version [0-9]+')
if [[ $version != 'version 14' ]]; then
	echo "clang-format has $version, so nothing was compared"
	exit 0
fi
git ls-files -co --exclude-standard -z '*.c' '*.h' | xargs -0 clang-format --dry-run --Werror
