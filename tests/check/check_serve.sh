#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The server of pulled images under a client, a data hub and an attestation agent in Python.
set -euo pipefail

cd "${BASH_SOURCE[0]%/*}/../.."
exec "${PYTHON:-/usr/bin/python3}" -B tests/check/call_serve.py "${BUILD:-build}/tests/serve"
