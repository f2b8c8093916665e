#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Nothing that shellcheck says about any shell script is left open.
set -euo pipefail

mapfile -t scripts < <(git ls-files -co --exclude-standard '*.sh' .ci/run)
shellcheck -x "${scripts[@]}"
