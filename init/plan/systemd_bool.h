/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_SYSTEMD_BOOL_H
#define INIT_PLAN_SYSTEMD_BOOL_H

#include <stdbool.h>

/*
 * systemd's words for yes and no, in any case of letters; what is neither is not
 * known to either. Pure.
 *
 * Source: systemd.syntax(7).
 */

bool systemd_is_yes(const char *value);
bool systemd_is_no(const char *value);

#endif
