// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Open volumes become one tree on a target. */
#include "mount/runtime/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "lib/cleanup.h"
#include "lib/sys.h"
#include "mount/fs/make.h"
#include "mount/fs/overlay.h"
#include "mount/fs/tmpfs.h"
#include "mount/fs/deletions.h"
#include "mount/arm_all.h"
#include "mount/mount.h"
#include "verity/dm.h"

/* What is mounted in it spreads nowhere, and one umount takes all of it away. */
static int mount_stage(const struct target *t, struct err *e)
{
	char source[sizeof(TARGET_PREFIX) + TARGET_ID_SIZE + 8];
	int r = make_dir(t->stage, 0700, e);

	snprintf(source, sizeof(source), TARGET_PREFIX "%s.stage", t->id);
	if (!r)
		r = tmpfs_mount(source, t->stage, "1m", FAIL_MOUNT_FAILED, e);
	if (!r && sys_mount(NULL, t->stage, NULL, MS_PRIVATE, NULL))
		r = err_errno(e, FAIL_MOUNT_FAILED, "make %s private", t->stage);
	return r;
}

static int mount_layer(const struct open_volume *o, const char *place, bool alone, struct err *e)
{
	int r = make_dir(place, 0755, e);

	if (!r)
		r = volume_mount(o, place, alone, e);
	if (!r && o->volume->refuse_whiteouts)
		r = err_volume(e, deletions_refuse(place, e), o->volume->name);
	return r;
}

static int mount_layers(struct work *w, struct places *p, struct err *e)
{
	bool alone = stack_is_alone(&w->stack);
	int r = 0;

	for (size_t i = 0; !r && i < w->stack.count; i = stack_next(&w->stack, i)) {
		char *place = p->lower[p->count];

		snprintf(place, PLACE_SIZE, "%s/%zu", w->target.stage, p->count);
		r = mount_layer(&w->open[i], place, alone, e);
		p->lowerdirs[p->count++] = place;
	}
	return r;
}

/* overlayfs takes no single layer without an upper: an empty one is below it, then. */
static int take_directories(struct work *w, struct places *p, struct err *e)
{
	const struct stack *s = &w->stack;

	for (size_t i = 0; i < s->directories; i++)
		p->lowerdirs[p->count++] = s->directory[i];
	if (p->count != 1 || s->upper.kind != UPPER_NONE)
		return 0;
	snprintf(p->lower[1], PLACE_SIZE, "%s/empty", w->target.stage);
	p->lowerdirs[p->count++] = p->lower[1];
	return make_dir(p->lower[1], 0755, e);
}

static int make_upper_dirs(struct places *p, const char *in, struct err *e)
{
	int r;

	snprintf(p->upperdir, sizeof(p->upperdir), "%s/upper", in);
	snprintf(p->workdir, sizeof(p->workdir), "%s/work", in);
	r = make_dir(p->upperdir, 0755, e);
	return r ? r : make_dir(p->workdir, 0755, e);
}

static int mount_disk(struct work *w, const struct places *p, struct err *e)
{
	char name[MAPPED_NAME_SIZE];
	int r;

	w->step = "scratch";
	snprintf(name, sizeof(name), "%supper", w->target.prefix);
	r = scratch_open(&w->wishes[w->disk_wish].found, &w->stack.upper, name, &w->scratch, e);
	if (!r)
		r = scratch_mount(&w->scratch, p->upper, e);
	return err_volume(e, r, "upper");
}

static int make_upper(struct work *w, struct places *p, struct err *e)
{
	const struct upper *u = &w->stack.upper;
	int r;

	if (u->kind == UPPER_NONE)
		return 0;
	if (u->kind == UPPER_DIRECTORY)
		return make_upper_dirs(p, u->directory, e);
	snprintf(p->upper, sizeof(p->upper), "%s/upper", w->target.stage);
	r = make_dir(p->upper, 0755, e);
	if (r)
		return r;
	if (u->kind == UPPER_TMPFS)
		r = tmpfs_mount("socle-upper", p->upper, u->size, FAIL_OVERLAY_FAILED, e);
	else
		r = mount_disk(w, p, e);
	return r ? r : make_upper_dirs(p, p->upper, e);
}

static int mount_overlay(struct work *w, struct places *p, struct err *e)
{
	bool upper = w->stack.upper.kind != UPPER_NONE;
	const struct overlay overlay = {
		.lowerdirs = p->lowerdirs,
		.count = p->count,
		.upperdir = upper ? p->upperdir : NULL,
		.workdir = upper ? p->workdir : NULL,
		.source = p->source,
		.target = p->merged,
	};
	int r;

	snprintf(p->source, sizeof(p->source), "%s%s", w->target.prefix, w->mark);
	snprintf(p->merged, sizeof(p->merged), "%s/merged", w->target.stage);
	r = make_dir(p->merged, 0755, e);
	if (!r && upper)
		r = overlay_check_upper(p->upperdir, e);
	return r ? r : overlay_mount(&overlay, e);
}

/* From here on a bad block is no error any more, and nobody need clean up after us. */
static int arm(struct work *w, struct err *e)
{
	int r = volumes_arm(w->open, w->open_count, w->on_corruption, e);

	for (size_t i = 0; !r && i < w->open_count; i++) {
		r = dm_remove_deferred(w->open[i].device.name);
		if (r)
			r = err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "mark %s for removal",
				       w->open[i].device.name);
	}
	if (!r && w->stack.upper.kind == UPPER_DISK)
		r = scratch_defer(&w->scratch, e);
	return r;
}

static int move_to_target(const char *tree, const struct target *t, struct err *e)
{
	auto_fd int fd = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %s", tree);
	if (sys_move_mount(fd, t->at))
		return err_errno(e, FAIL_MOUNT_FAILED, "move the mount to %.200s", t->path);
	return 0;
}

static int put_together(struct work *w, struct places *p, struct err *e)
{
	int r = mount_layers(w, p, e);

	if (!r && !w->stack.count)
		r = take_directories(w, p, e);
	if (!r)
		r = make_upper(w, p, e);
	if (!r)
		w->step = "mounts";
	if (r || stack_is_alone(&w->stack))
		return r;
	return mount_overlay(w, p, e);
}

/*
 * A bad block that was met on the way is the reason, whatever failed of it; and it is
 * one where nothing failed. To be asked once: the uevents are gone then.
 */
static int diagnose(struct work *w, int r, struct err *e)
{
	for (size_t i = 0; i < w->open_count; i++)
		if (volume_diagnose(&w->open[i], w->search.uevents, e)) {
			w->step = "verity";
			return -EBADMSG;
		}
	return r;
}

/* With the stage goes all that nobody but the target needs. */
static int leave_stage(const struct target *t, struct err *e)
{
	if (!sys_umount(t->stage, MNT_DETACH | UMOUNT_NOFOLLOW))
		return 0;
	(void)err_errno(e, FAIL_SYSTEM_CALL_FAILED, "unmount %s", t->stage);
	(void)sys_umount(t->at, MNT_DETACH | UMOUNT_NOFOLLOW);
	return -EIO;
}

/*
 * Out of sight in the stage until all of it is proved and armed: nobody can read through
 * the target before the policy is in force. So the move to it is the last thing that
 * can fail, but for what takes the stage away, which undoes it.
 */
int work_stack(struct work *w, struct err *e)
{
	struct places *p = &w->places;
	int r = mount_stage(&w->target, e);

	if (!r)
		r = put_together(w, p, e);
	r = diagnose(w, r, e);
	if (!r)
		r = arm(w, e);
	if (!r)
		r = move_to_target(p->merged[0] ? p->merged : p->lowerdirs[0], &w->target, e);
	return r ? r : leave_stage(&w->target, e);
}
