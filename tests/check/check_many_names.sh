#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# A million names, of layers that are merged: 256 MiB are the whole program's, so what reads
# and keeps the names (tests/tars/many_names.c) must leave some of it. How long that takes
# is said beside a tenth of it, and gates nothing: what it counts up to is in test_tree.c.
. tests/check/common.sh

for kind in files jumbled links; do
	tenth=$("$BUILD/tests/many_names" "$kind" 100000) || complain "$kind: $tenth"
	all=$("$BUILD/tests/many_names" "$kind" 1000000) || complain "$kind: $all"
	read -r names _ kib _ <<<"$all"
	echo "$kind: $all (of a tenth: $tenth)"
	[[ $names -ge 1000000 ]] || complain "$kind: names are missing"
	[[ $kib -le $((224 * 1024)) ]] || complain "$kind: more than 224 MiB"
done
exit $status
