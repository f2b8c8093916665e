/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_PRINT_H
#define IMAGE_BUILD_PLAN_PRINT_H

#include <stdio.h>

#include "init/plan/plan.h"

/* The plan as text, one fact a line, the same on every machine. */
void plan_print(const struct boot_plan *plan, FILE *to);

/* The word for what the root is. */
const char *plan_root_word(enum plan_root root);

/* Where a failure is reported, as socle.report= takes it, in text; NULL: nowhere. */
const char *plan_report_text(const struct plan_failure *failure, char text[PLAN_PATH_SIZE]);

#endif
