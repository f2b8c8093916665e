#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# socle-image layers and merge agree, refuse and warn as their manual says.
set -euo pipefail

cd "${BASH_SOURCE[0]%/*}/../.."
exec "${PYTHON:-/usr/bin/python3}" -B tests/tars/images.py "${BUILD:-build}/socle-image"
