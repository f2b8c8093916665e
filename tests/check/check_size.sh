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
# and with volumes at run time, whose opening the boot shares:
#   850	scratch disks: an empty one found, its key, an ext4 made on it
#   470	JSON that says nothing twice, and where in it something is wrong
#   300	device-mapper by the kernel's own ioctls, all devices side by side: libcryptsetup and
#	libdevmapper, which did that, were never counted here
#   200	what an erofs needs of its kernel, and whether its numbers fit its device
#   100	SHA-256 and CRC-32C, in the place of AF_ALG
#    70	what the boot leaves in /run/socle
#   190	marks by which a stack is known again, directories that must be the guest's own,
#	the target held while it is mounted on, an end for verify
# and 300 in what was there, for opening by number, loop devices and trailers.
goal=6300
limit=9890 # a ceiling, which only goes down: what is added is paid for by what goes
runtime_limit=7290
function_limit=60

# Lines that are left of files without comments.
count_lines() { cat "$@" | gcc -fpreprocessed -dD -E -P -w -x c - | grep -c '[^[:space:]]'; }

# What the boot is made of is what the linker has left in socle-init, and the headers of that;
# the rest of the guest is only in socle-volume and libsocle.a, for volumes at run time.
objects=${BUILD:-build}/${SOCLE_ARCH:-x86_64}
mapfile -t linked < <(awk -v objects="$objects/" '
	/^Linker script and memory map/ { on = 1 }
	on && /^ \.[a-z]/ { text = /^ \.text/ }
	on && text && index($NF, objects) == 1 && $(NF - 1) ~ /^0x0*[1-9a-f]/ { print $NF }' \
	"$objects/map.socle-init" | sort -u)
[[ ${#linked[@]} -gt 50 ]] || complain "$objects/map.socle-init tells of only ${#linked[@]} files"
boot=$(cat "${linked[@]/%.o/.d}" | tr ' ' '\n' |
	grep -E '^(lib|verity|mount|init)/.*\.(c|h|def)$' | sort -u)

total=0
for room in lib verity mount init; do
	mapfile -t files < <(grep "^$room/" <<<"$boot")
	lines=$(count_lines "${files[@]}")
	echo "$room: $lines lines in ${#files[@]} files"
	total=$((total + lines))
done
echo "guest, for the boot: $total lines of code; the goal is $goal"
[[ $total -le $limit ]] || complain "the guest has grown by $((total - limit)) lines too many"

mapfile -t files < <(find lib verity mount init -name '*.[ch]' -o -name '*.def' | sort | comm -23 - <(echo "$boot"))
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
