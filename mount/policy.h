/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_POLICY_H
#define MOUNT_POLICY_H

#include "mount/stack.h"

/*
 * What a guest allows whatever the command line or an agent asks for, at boot and
 * at run time. A text of key=value lines, packed into the initramfs, which is
 * measured with the kernel, as POLICY_FILE; empty lines and lines that begin with
 * # do not count:
 *
 *   verity=required|optional     required: nothing is mounted that no root hash
 *                                proves, and nothing is written to a scratch disk
 *                                that is not encrypted; directories that a caller
 *                                brings along are the guest's own
 *                                (mount/runtime/own_directory.h). The default.
 *   signature=optional|required
 *                                required: nothing is mounted whose root hash
 *                                carries no signature. Default optional.
 *   modules=locked|open          locked: after the listed modules no other can
 *                                be loaded until the next boot. Default open.
 *   on_corruption=any|stop       stop: panic and restart may be chosen, but not
 *                                eio. Default any.
 */

#define POLICY_FILE "/etc/socle/policy"
#define POLICY_SIZE 4096 /* bytes of the text */

struct policy {
	bool verity_optional;
	bool signature_required;
	bool modules_locked;
	bool corruption_stops;
};

/*
 * Parse a policy of size bytes with a closing NUL, which is written to. name is what
 * messages call it. Unknown or repeated keys are refused. Pure.
 */
int policy_parse(const char *name, char *text, size_t size, struct policy *ret, struct err *e);

/*
 * POLICY_REFUSED, with the volume in e where it is about one, where a volume, a
 * stack or what follows corruption is more than the policy allows. Pure.
 */
int policy_check_volume(const struct policy *policy, const struct volume *v, struct err *e);
int policy_check_upper(const struct policy *policy, const struct upper *u, struct err *e);
int policy_check_corruption(const struct policy *policy, enum verity_corruption on_corruption,
			    struct err *e);
int policy_check_stack(const struct policy *policy, const struct stack *s,
		       enum verity_corruption on_corruption, struct err *e);

#endif
