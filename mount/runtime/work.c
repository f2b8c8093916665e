// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/work.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "mount/runtime/parts.h"
#include "verity/dm.h"

static int in_use(const struct target *t, const char *why, struct err *e)
{
	return err_set(e, FAIL_TARGET_IN_USE, EBUSY, "%.200s: %s", t->path, why);
}

/* Every volume open under its name as it would be opened now, and nothing else. */
static bool is_same_stack(const struct work *w, const struct parts *parts)
{
	size_t further = w->stack.upper.kind == UPPER_DISK ? scratch_devices(&w->stack.upper) : 0;

	if (parts->count != w->stack.count + further ||
	    parts->writable != (w->stack.upper.kind != UPPER_NONE) || w->stack.directories)
		return false;
	for (size_t i = 0; i < w->stack.count; i++) {
		const struct volume *v = &w->stack.volume[i];

		if (!volume_is_open(v, &w->wishes[w->first_wish[i]]))
			return false;
	}
	return true;
}

/* What there is already: 1: just this; 0: nothing any more. */
static int settle_with_present(struct work *w, struct err *e)
{
	static const char other[] = "another stack is mounted there";
	struct parts parts;
	unsigned int left = 0;
	int r = parts_find(&w->target, &parts, e);

	if (r)
		return r;
	if (parts.mounted)
		return is_same_stack(w, &parts) ? 1 : in_use(&w->target, other, e);
	if (parts.foreign)
		return in_use(&w->target, "something else is mounted there", e);
	/* Whoever mounted it was interrupted, or it was moved elsewhere. */
	if (parts.count || parts.staged)
		parts_clear(&w->target, &left);
	return left ? in_use(&w->target, "devices of an earlier mount are still open", e) : 0;
}

/* A bad block that was met on the way is the reason, whatever failed of it. */
static int diagnose(struct work *w, int r, struct err *e)
{
	for (size_t i = 0; i < w->open_count; i++)
		if (volume_diagnose(&w->open[i], w->search.uevents, e)) {
			w->step = "verity";
			return -EBADMSG;
		}
	return r;
}

static int mount_held(struct work *w, struct err *e)
{
	int r = work_find_disks(w, e);

	if (!r)
		r = settle_with_present(w, e);
	if (r)
		return r > 0 ? 0 : r;
	r = work_open(w, e);
	if (!r) {
		w->step = "mounts";
		r = work_stack(w, e);
		if (r)
			r = diagnose(w, r, e);
	}
	if (r)
		parts_clear(&w->target, NULL);
	return r;
}

int work_mount(struct work *w, const char *target, struct err *e)
{
	int fd, r;

	w->step = "mounts";
	r = target_open(target, true, &w->target, e);
	if (r)
		return r;
	fd = target_hold(&w->target, w->timeout_ms, e);
	if (fd < 0)
		return fd;
	w->step = "devices";
	r = device_search_open(&w->search, e);
	if (!r) {
		r = mount_held(w, e);
		device_search_close(&w->search);
	}
	target_release(&w->target, &fd);
	return r;
}
