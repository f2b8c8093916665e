#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The built guest programs are static, small and free of this machine's paths.
set -euo pipefail

for program in "${BUILD:-build}"/*/socle-*; do
	tests/check/guest_program.sh "$program" 500000
done
