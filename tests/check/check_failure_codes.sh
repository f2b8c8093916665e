#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Every failure code is expected by a test: by a row or call of a unit test's
# (FAIL_CODE, in code that does not set it), by a golden (code CODE) or by a boot
# ("CODE").  Prints who expects what.
set -euo pipefail

status=0

# test_err.c is about the sentences themselves, with whatever code
mapfile -t unit < <(find tests/unit -name "test_*.c" ! -name test_err.c)

# files that have a line with the pattern, but for lines that record a failure
expecting()
{
	grep -nE "$1" "${@:2}" /dev/null | grep -vE 'err_(set|errno|result)\(' | cut -d: -f1 | sort -u
}

while read -r code; do
	files=$(expecting "\\bFAIL_$code\\b" "${unit[@]}"
		expecting "^code $code\$" tests/unit/golden/*.fail
		expecting "\"$code\"|\\bcode=$code\\b" tests/qemu/test_*.py) || true
	if [[ -z $files ]]; then
		echo "$code: no test expects it"
		status=1
	else
		echo "$code: $(tr '\n' ' ' <<<"${files//tests\//}")"
	fi
done < <(sed -n 's/^FAIL(\([A-Z0-9_]*\),.*/\1/p' lib/failure.def)
exit $status
