/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_PRINT_H
#define MOUNT_DESCRIBE_PRINT_H

#include "mount/stack.h"

/*
 * A stack as text for people, or as JSON: at most size bytes with a closing NUL. Returns
 * the length of the whole text, which is more where it was cut. Pure.
 */
size_t stack_print(const struct stack *s, bool as_json, char *text, size_t size);

#endif
