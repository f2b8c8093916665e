// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/sys.h"
#include "lib/text.h"
#include "verity/dm.h"

struct finding {
	const struct target *target;
	struct parts *parts;
	struct err *e;
};

static int take_device(void *data, const char *name, dev_t number)
{
	struct finding *f = data;
	struct parts *p = f->parts;

	if (p->count == PARTS_MAX)
		return err_set(f->e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "there are more than %d devices %s*", PARTS_MAX, f->target->prefix);
	p->uppers += !strncmp(name + strlen(f->target->prefix), "upper", 5);
	snprintf(p->part[p->count].name, sizeof(p->part[0].name), "%s", name);
	p->part[p->count].major = major(number);
	p->part[p->count++].minor = minor(number);
	return 0;
}

static bool is_ours(const struct finding *f, const struct mounted *m)
{
	if (text_behind(m->source, f->target->prefix))
		return true;
	for (size_t i = 0; i < f->parts->count; i++)
		if (m->major == f->parts->part[i].major && m->minor == f->parts->part[i].minor)
			return true;
	return false;
}

/* What lies on a path is told by the last mount on it. */
static int take_mount(const struct mounted *m, void *data)
{
	struct finding *f = data;

	if (!strcmp(m->target, f->target->stage))
		f->parts->staged = true;
	if (!strcmp(m->target, f->target->path)) {
		const char *mark = text_behind(m->source, f->target->prefix);

		f->parts->mounted = is_ours(f, m);
		f->parts->foreign = !f->parts->mounted;
		snprintf(f->parts->mark, sizeof(f->parts->mark), "%s", mark ? mark : "");
	}
	return 0;
}

int parts_each_device(const char *prefix,
		      int (*each)(void *context, const char *name, dev_t number), void *context)
{
	int r = dm_each_device(prefix, each, context);

	return r == -ENOENT ? 0 : r;
}

int parts_find(const struct target *t, struct parts *ret, struct err *e)
{
	struct finding f = { t, ret, e };
	int r;

	memset(ret, 0, sizeof(*ret));
	r = parts_each_device(t->prefix, take_device, &f);
	if (r && r != -E2BIG)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "list the devices %s*", t->prefix);
	return r ? r : mounts_each(take_mount, &f, e);
}

#define ROUNDS_MAX   8
#define LEFT_WAIT_MS 500
#define LEFT_STEP_NS 2000000L

static int remove_device(void *data, const char *name, dev_t number)
{
	unsigned int *left = data;
	int r = dm_remove(name);

	(void)number;
	if (r == -EBUSY) {
		r = dm_remove_deferred(name);
		++*left;
	}
	return r == -ENXIO ? 0 : r; /* it has gone by itself */
}

/*
 * A device may stand on another one of the list, which goes after it; and one that was
 * let go of is removed by the kernel in its own time.
 */
static int remove_devices(const struct target *t, unsigned int *ret_left)
{
	static const struct timespec step = { .tv_nsec = LEFT_STEP_NS };
	int64_t end = clock_ms() + LEFT_WAIT_MS;
	int r;

	for (;;) {
		*ret_left = 0;
		r = parts_each_device(t->prefix, remove_device, ret_left);
		if (r || !*ret_left || clock_ms() >= end)
			return r;
		(void)nanosleep(&step, NULL);
	}
}

int parts_clear(const struct target *t, unsigned int *ret_left, struct err *e)
{
	unsigned int left;
	int r;

	/* What was killed while it mounted may have left more than one. */
	for (int i = 0; i < ROUNDS_MAX && !sys_umount(t->stage, MNT_DETACH | UMOUNT_NOFOLLOW); i++)
		;
	r = remove_devices(t, &left);
	if (r)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "remove the devices %s*",
				  t->prefix);
	if (ret_left)
		*ret_left = left;
	return 0;
}

void parts_drop_verify(const struct target *t)
{
	char name[MAPPED_NAME_SIZE];

	parts_verify_name(t, name);
	(void)dm_remove_deferred(name);
}

void parts_verify_name(const struct target *t, char ret[MAPPED_NAME_SIZE])
{
	snprintf(ret, MAPPED_NAME_SIZE, "%sverify", t->prefix);
}
