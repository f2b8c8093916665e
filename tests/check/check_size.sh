#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The guest's code stays small enough to be read.  A line counts where something is left of
# it without comments, in every .c, .h and .def of the four rooms.  Prints the numbers.
. tests/check/common.sh

# The goal is for what the guest did when it was set, in 6,856 lines.  Moved into rooms that
# was 6,700; by what has come since:
#   190	the initramfs must be whole, and so must the command line (socle.length=, quotes)
#   190	erofs with more devices or 48 bits, and why a kernel refuses a mount
#   180	devices: what is there and not taken, udev's links
#   140	libsocle.a with an interface of its own
#    60	one assembly of a plan, which socle-image shares
#    45	every system call that changes something in lib/sys
goal=6300
limit=8200 # a ceiling, which only goes down: what is added is paid for by what goes
function_limit=60

# Lines that are left of files without comments.
count_lines() { cat "$@" | gcc -fpreprocessed -dD -E -P -w -x c - | grep -c '[^[:space:]]'; }

# What only socle-volume and libsocle.a have; socle-init has our own form of describe/.
runtime=(-path 'mount/runtime/*' -o -path 'mount/program/*' -o -path 'mount/serve/*' -o
	-path 'mount/describe/*' -not -name 'socle.[ch]' -o -path 'mount/stack.[ch]' -o
	-path 'mount/policy_read.[ch]' -o -path 'mount/fs/deletions.[ch]')
runtime_limit=7000

total=0
for room in lib verity mount init; do
	mapfile -t files < <(find "$room" \( -name '*.[ch]' -o -name '*.def' \) -not \( "${runtime[@]}" \))
	lines=$(count_lines "${files[@]}")
	echo "$room: $lines lines in ${#files[@]} files"
	total=$((total + lines))
done
echo "guest, for the boot: $total lines of code; the goal is $goal"
[[ $total -le $limit ]] || complain "the guest has grown by $((total - limit)) lines too many"

mapfile -t files < <(find mount -name '*.[ch]' \( "${runtime[@]}" \))
lines=$(count_lines "${files[@]}")
echo "guest, for volumes at run time: $lines lines of code in ${#files[@]} files"
[[ $lines -le $runtime_limit ]] || complain "the run-time part has grown by $((lines - runtime_limit)) lines too many"

mapfile -t sources < <(find lib verity mount init image-build -name '*.[ch]')
wc -l "${sources[@]}" | sort -rn | sed -n '2s/^ */longest file: /p'

# As clang-format leaves it, a function's braces stand alone in the first column.
longest=$(awk '/^\{/ { start = FNR }
	/^\}$/ && start { print FNR - start - 1, FILENAME ":" start; start = 0 }' "${sources[@]}" |
	sort -rn | head -n 1)
echo "longest function: $longest"
[[ ${longest%% *} -le $function_limit ]] || complain "that is more than $function_limit lines"
exit $status
