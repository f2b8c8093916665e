// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/arm_all.h"

#include <errno.h>

#include "lib/together.h"
#include "verity/arm.h"

static int load_policy(const struct open_volume *o, enum verity_corruption policy, struct err *e)
{
	struct verity_signature buf;
	const struct verity_signature *signature;
	int r;

	if (o->volume->proof == VOLUME_RAW)
		return 0;
	r = verity_signature_load(&o->volume->signature, o->signatures, &buf, &signature, e);
	if (!r)
		r = verity_arm_load(&o->device, policy, signature, e);
	return r < 0 ? err_volume(e, r, o->volume->name) : r;
}

/* A device whose table waits to be swapped in. */
struct swap {
	const struct open_volume *open;
	int result;
};

static void swap(void *item)
{
	struct swap *s = item;

	s->result = verity_arm_swap(&s->open->device);
}

int volumes_arm(const struct open_volume *open, size_t count, enum verity_corruption policy,
		struct err *e)
{
	struct swap swaps[VOLUMES_ARM_MAX];
	size_t n = 0;

	if (count > VOLUMES_ARM_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "more than %d volumes",
			       VOLUMES_ARM_MAX);
	for (size_t i = 0; i < count; i++) {
		int r = load_policy(&open[i], policy, e);

		if (r < 0)
			return r;
		if (r)
			swaps[n++].open = &open[i];
	}
	together(swap, swaps, sizeof(swaps[0]), n);
	for (size_t i = 0; i < n; i++)
		if (swaps[i].result)
			return err_volume(e,
					  verity_arm_failed(&swaps[i].open->device, swaps[i].result,
							    e),
					  swaps[i].open->volume->name);
	return 0;
}
