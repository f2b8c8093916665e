#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# A second reader, in tests/tars, reads the tars of a generator as the canonicaliser does, and
# those of SOCLE_FIXTURES and SOCLE_FAULTS where these name folders.  TARS= is how many.
set -euo pipefail

cd "${BASH_SOURCE[0]%/*}/../.."
exec "${PYTHON:-/usr/bin/python3}" -B tests/tars/compare.py "${BUILD:-build}/tests/print_tars" "${TARS:-4000}"
