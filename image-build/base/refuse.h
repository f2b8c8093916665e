/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_REFUSE_H
#define IMAGE_BUILD_BASE_REFUSE_H

#include <errno.h>

#include "lib/err.h"

/*
 * The three ways in which the builder says no; each returns -errno. The value
 * stands in the macro so that a compiler sees that it is not 0.
 */

/* The input is not what it must be. */
#define refuse(e, ...) (err_set(e, FAIL_VALUE_INVALID, EINVAL, __VA_ARGS__), -EINVAL)
/* The input has more of something than image-build/base/limits.h allows. */
#define refuse_limit(e, ...) (err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, __VA_ARGS__), -E2BIG)
/* A system call failed; errno's description is added. */
#define system_failed(e, ...) err_errno(e, FAIL_SYSTEM_CALL_FAILED, __VA_ARGS__)
/* The same with what the call returned: -errno, or too short a count. */
#define system_result(e, result, ...) err_result(e, FAIL_SYSTEM_CALL_FAILED, result, __VA_ARGS__)

#endif
