/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_STEPS_H
#define INIT_STEPS_H

#include "init/boot.h"

/*
 * The steps of a boot, in the order in which init/main.c runs them. Each does
 * its part of the plan or fails with a sentence; none of them logs a failure.
 */

int step_api(struct boot *b, struct err *e);
int step_initramfs(struct boot *b, struct err *e);
int step_plan(struct boot *b, struct err *e);
int step_modules(struct boot *b, struct err *e);
int step_manifest(struct boot *b, struct err *e);
int step_devices(struct boot *b, struct err *e);
int step_verity(struct boot *b, struct err *e);
int step_mounts(struct boot *b, struct err *e);
int step_handover(struct boot *b, struct err *e); /* returns on failure only */

#endif
