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

/* What is in the table for it; nothing for a volume that nothing proves. */
static bool has_policy(const struct volume *v, enum verity_corruption policy)
{
	char line[DM_LINE_SIZE];

	if (v->proof == VOLUME_RAW)
		return true;
	if (dm_table(v->dm_name, "verity", line, sizeof(line), NULL))
		return false;
	return !strstr(line, " panic_on_corruption") == (policy != VERITY_ON_CORRUPTION_PANIC) &&
	       !strstr(line, " restart_on_corruption") == (policy != VERITY_ON_CORRUPTION_RESTART);
}

/* What is written goes where it would go now, as far as that can be told. */
static bool is_same_upper(const struct work *w, const struct parts *parts)
{
	const struct upper *u = &w->stack.upper;
	char upperdir[MOUNTS_UPPERDIR_SIZE] = "";

	if (u->kind == UPPER_DIRECTORY)
		snprintf(upperdir, sizeof(upperdir), "%s/upper", u->directory);
	else if (u->kind != UPPER_NONE)
		snprintf(upperdir, sizeof(upperdir), "%s/upper/upper", w->target.stage);
	return parts->uppers == (u->kind == UPPER_DISK ? scratch_devices(u) : 0) &&
	       parts->writable == (u->kind != UPPER_NONE) && !strcmp(parts->upperdir, upperdir);
}

/*
 * Every volume open under its name as it would be opened now, and nothing else. By what a
 * stack of directories could be known nothing tells.
 */
static bool is_same_stack(const struct work *w, const struct parts *parts)
{
	if (parts->count != w->stack.count + parts->uppers || !is_same_upper(w, parts) ||
	    w->stack.directories)
		return false;
	for (size_t i = 0; i < w->stack.count; i++) {
		const struct volume *v = &w->stack.volume[i];

		if (!volume_is_open(v, &w->wishes[w->first_wish[i]]) ||
		    !has_policy(v, w->on_corruption))
			return false;
	}
	return true;
}

/* Whoever mounted it may have been killed between the last two calls. */
static int settle_with_same(struct work *w, const struct parts *parts)
{
	if (parts->staged)
		(void)sys_umount(w->target.stage, MNT_DETACH | UMOUNT_NOFOLLOW);
	return 1;
}

/* What there is already: 1: just this; 0: nothing any more. */
static int settle_with_present(struct work *w, struct err *e)
{
	static const char other[] = "another stack is mounted there";
	struct parts parts;
	unsigned int left = 0;
	int r;

	w->step = "mounts";
	parts_drop_verify(&w->target);
	r = parts_find(&w->target, &parts, e);

	if (r)
		return r;
	if (parts.mounted)
		return is_same_stack(w, &parts) ? settle_with_same(w, &parts) :
						  in_use(&w->target, other, e);
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
