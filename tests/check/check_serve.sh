#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The server of pulled images under a client, a data hub and an attestation agent in Python.
set -euo pipefail

cd "${BASH_SOURCE[0]%/*}/../.."
build=${BUILD:-build}
real=$build/$(uname -m)/socle-volume
# The real program as well, where this machine's is among those that were built.
[[ " ${SOCLE_ARCHES:?} " == *" $(uname -m) "* ]] || real=
exec "${PYTHON:-/usr/bin/python3}" -B tests/check/call_serve.py "$build/tests/serve" ${real:+"$real"}
