/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_REQUEST_H
#define MOUNT_RUNTIME_REQUEST_H

#include "mount/describe/describe.h"
#include "mount/runtime/socle.h"

/*
 * A caller's request as a stack, and what it says beside it. Pure. The stack refers to
 * the request's texts. VALUE_INVALID and what describe() says.
 */
int request_read(const struct socle_request *request, struct stack *ret_stack,
		 enum verity_corruption *ret_on_corruption, int *ret_timeout_ms, struct err *e);

#endif
