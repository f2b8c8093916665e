/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_PLAN_JSON_H
#define IMAGE_BUILD_PLAN_PLAN_JSON_H

#include "init/plan/plan.h"

/* A boot plan as JSON: what plan_print() says, for programs. The caller frees it. */
char *plan_json(const struct boot_plan *plan);

#endif
