// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The disks of a stack, found and opened. */
#include "mount/runtime/work.h"

#include <string.h>

#include "lib/cleanup.h"
#include "mount/device/loop.h"
#include "mount/runtime/linear.h"

int work_find_disks(struct work *w, struct err *e)
{
	size_t count = 0;
	int r;

	w->step = "devices";
	for (size_t i = 0; i < w->stack.count; i++) {
		target_dm_name(&w->target, i, w->stack.volume[i].dm_name);
		w->first_wish[i] = count;
		count = volume_wishes(&w->stack.volume[i], w->wishes, count);
	}
	w->disk_wish = count;
	if (w->stack.upper.kind == UPPER_DISK) {
		w->wishes[count].ref = &w->stack.upper.disk;
		strcpy(w->wishes[count++].volume, "upper");
	}
	r = device_search_wait(&w->search, w->wishes, count, w->timeout_ms, e);
	if (r || w->stack.upper.kind != UPPER_DISK)
		return r;
	w->step = "scratch";
	return err_volume(e,
			  scratch_refuse_shared(&w->wishes[w->disk_wish].found, w->wishes,
						w->disk_wish, e),
			  "upper");
}

/* Files of the guest among a volume's devices; each descriptor keeps one. */
static int attach_files(struct device_wish *wishes, size_t count, int fds[VOLUME_DEVICES_MAX],
			struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < count; i++)
		if (wishes[i].ref->kind == DEVREF_FILE)
			r = loop_attach(wishes[i].ref->value, &wishes[i].found, &fds[i], e);
	return r;
}

/* What nothing proves gets a device of ours as well: by its name it is found again. */
static int open_devices(struct work *w, size_t i, struct err *e)
{
	const struct volume *v = &w->stack.volume[i];
	const struct device_wish *wishes = &w->wishes[w->first_wish[i]];
	int r;

	r = volume_open(v, w->stack.signatures, wishes, w->search.uevents, &w->open[i], e);
	if (!r && v->proof == VOLUME_RAW)
		r = err_volume(e,
			       linear_open(v->dm_name, v->dm_mark, &wishes->found,
					   &w->open[i].device, e),
			       v->name);
	return r;
}

static int open_one(struct work *w, size_t i, struct err *e)
{
	const struct volume *v = &w->stack.volume[i];
	struct device_wish *wishes = &w->wishes[w->first_wish[i]];
	int fds[VOLUME_DEVICES_MAX] = { -1, -1, -1 };
	int r = err_volume(e, attach_files(wishes, volume_devices(v), fds, e), v->name);

	if (!r)
		r = open_devices(w, i, e);
	for (size_t j = 0; j < VOLUME_DEVICES_MAX; j++)
		cleanup_fd(&fds[j]);
	return r;
}

int work_open(struct work *w, struct err *e)
{
	struct kernel_checked checked = { 0 };
	int r = 0;

	w->step = "verity";
	for (size_t i = 0; !r && i < w->stack.count; i++)
		r = volume_check_kernel(&w->stack.volume[i], w->search.sysfs, &checked, e);
	for (size_t i = 0; !r && i < w->stack.count; i++) {
		r = open_one(w, i, e);
		w->open_count += !r;
	}
	return r;
}
