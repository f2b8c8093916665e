#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The built guest programs are static, small and free of this machine's paths.
set -euo pipefail

for arch in ${SOCLE_ARCHES:-x86_64}; do
	for program in init volume; do
		tests/check/guest_program.sh "${BUILD:-build}/$arch/socle-$program" 500000
	done
done
