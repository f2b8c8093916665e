#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# What changes the machine goes through lib/sys.h, where tests see it and make it fail:
# no other object of the guest's names such a function of libc's.
. tests/check/common.sh

calls='mount|umount2?|pivot_root|chroot|chdir|mk(dir|nod|fifo)(at)?|(sym)?link(at)?|unlink(at)?|rmdir'
calls+='|rename(at2?)?|[lf]?ch(mod|own)(at)?|[lf]?(set|remove)xattr|(f|p)?truncate|utimensat'
calls+='|(f?init|delete)_module|f?exec(ve?|vpe?)|v?fork|dup[23]?|reboot|klogctl|setrlimit|prlimit'
calls+='|sethostname|setns|unshare|clone|prctl|umask|swapo(n|ff)|syscall'

for arch in ${SOCLE_ARCHES:?}; do
	objects=0
	while read -r object; do
		objects=$((objects + 1))
		[[ $object != */lib/sys.o ]] || continue
		found=$(nm -u "$object" | grep -oxE " +U ($calls)") || continue
		complain "$object: $(tr -d ' U\n' <<<"$found") past lib/sys.h"
	done < <(find "$BUILD/$arch"/{lib,verity,mount,init} -name '*.o')
	[[ $objects -gt 0 ]] || complain "$arch: no objects"
done
exit $status
