#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Every file that can carry a comment names its licence in its first lines.
set -euo pipefail

licence='SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0'
status=0

while read -r file; do
	[[ -f $file ]] || continue
	# Texts for people and test data have no comment syntax.
	case $file in
	*.c | *.h | *.def | *.py | *.sh | *.S | *.[1-8] | *.config | *.toml | *.yml | *.lock) ;;
	Makefile | *.mk | .ci/run | .gitignore | .editorconfig | .clang-format) ;;
	*) continue ;;
	esac
	if ! head -n 5 "$file" | grep -qF "$licence"; then
		echo "$file: no line '$licence' at its top"
		status=1
	fi
done < <(git ls-files -co --exclude-standard)
exit $status
