#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# libsocle is called from several threads: ThreadSanitizer sees no race in it, every thread
# gets what it asked for, and nothing is left (tests/threads/threads.c).
. tests/check/common.sh

said=$BUILD/tests/log/threads.said
mkdir -p "${said%/*}"
# ThreadSanitizer has a thread of its own, and a process of several cannot become root of a
# user namespace: it is that before.
as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(unshare --user --map-root-user)
ended=0
run() { timeout 300 "${as_root[@]}" "$@" "${SOCLE_THREADS:?}" >"$said" 2>&1 || ended=$?; }

run
# With more random bits in its addresses than it can follow, ThreadSanitizer does not start.
if grep -q 'unexpected memory mapping' "$said"; then
	ended=0
	run setarch -R
fi
[[ $ended -eq 0 ]] || complain "status $ended"
grep -q '^8 threads, .*: 0 devices and 0 mounts left$' "$said" || complain "it did not come to its end"
! grep -q 'WARNING: ThreadSanitizer' "$said" || complain "there is a race"
[[ $status -eq 0 ]] || cat "$said"
exit $status
