// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Every device that the plan names, found or waited for. */
#include "init/log.h"
#include "init/steps.h"

int step_devices(struct boot *b, struct err *e)
{
	int timeout_ms = (int)b->plan.timeout_s * 1000;
	size_t count = 0;
	int r = device_search_open(&b->search, e);

	if (r)
		return r;
	for (size_t i = 0; i < b->plan.layers; i++) {
		b->first_wish[i] = count;
		count = volume_wishes(&b->plan.layer[i], b->wishes, count);
	}
	return device_search_wait(&b->search, b->wishes, count, timeout_ms, e);
}
