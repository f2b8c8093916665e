// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/work.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "lib/sys.h"
#include "mount/runtime/parts.h"
#include "verity/dm.h"

static int in_use(const struct target *t, const char *why, struct err *e)
{
	return err_set(e, FAIL_TARGET_IN_USE, EBUSY, "%.200s: %s", t->path, why);
}

/* By the marks: of what was found now, as whoever mounts it will leave them. */
static void make_marks(struct work *w)
{
	struct stack *s = &w->stack;

	for (size_t i = 0; i < s->count; i++)
		mark_volume(&s->volume[i], s->signatures, &w->wishes[w->first_wish[i]],
			    w->on_corruption, s->volume[i].dm_mark);
	if (!stack_is_alone(s))
		mark_overlay(s, &w->wishes[w->disk_wish], w->mark);
}

static int differs(const struct work *w, const char *what, struct err *e)
{
	char why[160];

	snprintf(why, sizeof(why), "another stack is mounted there: %s", what);
	return in_use(&w->target, why, e);
}

/* 0: just what is asked for is mounted. */
static int check_same(const struct work *w, const struct parts *parts, struct err *e)
{
	const struct stack *s = &w->stack;
	size_t count = parts->count - parts->uppers;
	char what[64];

	snprintf(what, sizeof(what), "it has %zu volume%s, not %zu", count, count == 1 ? "" : "s",
		 s->count);
	if (count != s->count)
		return differs(w, what, e);
	for (size_t i = 0; i < s->count; i++) {
		const struct volume *v = &s->volume[i];
		struct dm_state state;
		int r = dm_state(v->dm_name, &state);

		if (r < 0)
			return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "ask for %s", v->dm_name);
		snprintf(what, sizeof(what), "its %s is of another disk or parameters", v->name);
		if (!r || !strstr(state.uuid, v->dm_mark))
			return differs(w, what, e);
	}
	return strcmp(parts->mark, w->mark) ?
		       differs(w, "what is written to or its directories are others", e) :
		       0;
}

/* Whoever mounted it may have been killed between the last two calls. */
static int settle_with_mounted(struct work *w, const struct parts *parts, struct err *e)
{
	int r = check_same(w, parts, e);

	if (!r && parts->staged)
		(void)sys_umount(w->target.stage, MNT_DETACH | UMOUNT_NOFOLLOW);
	return r ? r : 1;
}

/* What there is already: 1: just this; 0: nothing any more. */
static int settle_with_present(struct work *w, struct err *e)
{
	struct parts parts;
	unsigned int left = 0;
	int r;

	w->step = "mounts";
	parts_drop_verify(&w->target);
	r = parts_find(&w->target, &parts, e);

	if (r)
		return r;
	if (parts.mounted)
		return settle_with_mounted(w, &parts, e);
	if (parts.foreign)
		return in_use(&w->target, "something else is mounted there", e);
	/* Whoever mounted it was interrupted, or it was moved elsewhere. */
	if (parts.count || parts.staged)
		r = parts_clear(&w->target, &left, e);
	return r    ? r :
	       left ? in_use(&w->target, "devices of an earlier mount are still open", e) :
		      0;
}

static int mount_held(struct work *w, struct err *e)
{
	int r = work_find_disks(w, e);

	if (!r)
		make_marks(w);
	if (!r)
		r = settle_with_present(w, e);
	if (r)
		return r > 0 ? 0 : r;
	r = work_open(w, e);
	if (!r) {
		w->step = "mounts";
		r = work_stack(w, e);
	}
	if (r)
		(void)parts_clear(&w->target, NULL, NULL);
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
