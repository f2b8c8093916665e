// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Every device that the plan names, found or waited for. */
#include <errno.h>
#include <string.h>

#include "init/steps.h"
#include "mount/device/match.h"

/*
 * The host chooses what an unverified extension's disk looks like, but not
 * whether a tree on it counts: with one, its parameters must have been given.
 */
static int refuse_unused_tree(const struct boot *b, const struct volume *v, struct err *e)
{
	struct devref tree = v->data;
	struct blockdev found;
	int r;

	tree.partition = 2;
	if (v->proof != VOLUME_RAW || v->data.partition != 1 ||
	    !devref_match(&b->search.set, &tree, &found))
		return 0;
	r = err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL,
		    "%s has a hash partition, but the command line has no parameters for it",
		    found.disk);
	return err_volume(e, r, v->name);
}

int step_devices(struct boot *b, struct err *e)
{
	int timeout_ms = (int)b->plan.timeout_s * 1000;
	const struct volume *v;
	size_t count = 0, volumes;
	int r = device_search_open(&b->search, e);

	if (r)
		return r;
	for (size_t i = 0; (v = plan_volume(&b->plan, i)); i++) {
		b->first_wish[i] = count;
		count = volume_wishes(v, b->wishes, count);
	}
	volumes = count;
	if (b->plan.upper.kind == UPPER_DISK) {
		b->scratch_wish = &b->wishes[count++];
		b->scratch_wish->ref = &b->plan.upper.disk;
		strcpy(b->scratch_wish->volume, "upper");
	}
	r = device_search_wait(&b->search, b->wishes, count, timeout_ms, e);
	for (size_t i = 0; !r && (v = plan_volume(&b->plan, i)); i++)
		r = refuse_unused_tree(b, v, e);
	if (!r && b->scratch_wish)
		r = err_volume(e,
			       scratch_refuse_shared(&b->scratch_wish->found, b->wishes, volumes,
						     e),
			       "upper");
	return r;
}
