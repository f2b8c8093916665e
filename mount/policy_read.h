/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_POLICY_READ_H
#define MOUNT_POLICY_READ_H

#include "mount/policy.h"

/*
 * What socle has of its own while a guest runs: from socle-init the policy of the boot and
 * socle-volume (init/root/run_socle.h), and a directory for each target that is worked
 * on (mount/runtime/target.h).
 */
#define RUN_SOCLE "/run/socle"

/* Where socle-init leaves the policy of the boot, whether one was packed or not. */
#define POLICY_RUN_FILE RUN_SOCLE "/policy"

/*
 * The policy of the guest that runs: of POLICY_RUN_FILE, or where that is absent
 * POLICY_FILE of the root. Where there is neither, socle-init has not booted this
 * guest: *ret_found is false, and *ret forbids nothing. POLICY_REFUSED where others
 * than root may write the file; it counts also where it cannot be read or parsed,
 * as a failure.
 */
int policy_read(struct policy *ret, bool *ret_found, struct err *e);

#endif
