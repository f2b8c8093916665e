/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_ROOT_RUN_SOCLE_H
#define INIT_ROOT_RUN_SOCLE_H

#include <stdbool.h>

#include "lib/err.h"

/*
 * What a boot leaves in RUN_SOCLE (mount/policy_read.h), which goes along into the new
 * root, for volumes at run time. All of it came with the initramfs, so it is measured.
 */

/*
 * Leave the policy of the boot (mount/policy_read.h), also where none was packed. To
 * be called before the initramfs is given up. SYSTEM_CALL_FAILED.
 */
int run_socle_policy(struct err *e);

/*
 * And the program PLAN_VOLUME_PROGRAM. in_place: the initramfs stays, so that a link
 * to it will do. PROGRAM_MISSING where it was not packed.
 */
int run_socle_program(bool in_place, struct err *e);

#endif
