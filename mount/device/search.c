// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/io.h"
#include "mount/device/match.h"
#include "mount/device/probe.h"

int device_search_open(struct device_search *s, struct err *e)
{
	int r = 0;

	s->sysfs = s->dev = -1;
	s->uevents = uevent_open();
	if (s->uevents < 0)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, s->uevents, "open the uevent socket");
	s->sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->sysfs < 0)
		r = err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open /sys");
	else if ((s->dev = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		r = err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open /dev");
	if (r)
		device_search_close(s);
	return r;
}

void device_search_close(struct device_search *s)
{
	cleanup_fd(&s->uevents);
	cleanup_fd(&s->sysfs);
	cleanup_fd(&s->dev);
	s->sysfs = s->dev = s->uevents = -1;
}

/* Only a partition table can answer. */
static bool names_partition(const struct devref *ref)
{
	return ref->kind == DEVREF_PARTUUID || ref->kind == DEVREF_PARTLABEL;
}

/* Only the device's own bytes can. */
static bool needs_probe(const struct devref *ref)
{
	return names_partition(ref) || ref->kind == DEVREF_UUID || ref->kind == DEVREF_LABEL;
}

static int ambiguous(const struct device_search *s, const struct device_wish *wish, size_t count,
		     struct err *e)
{
	char ref[DEVREF_TEXT_SIZE], inventory[ERR_TEXT_SIZE];

	(void)err_set(e, FAIL_DEVICE_AMBIGUOUS, ENOTUNIQ, "%zu devices match %s; present: %s",
		      count, devref_print(wish->ref, ref, sizeof(ref)),
		      blockdev_inventory(&s->set, inventory, sizeof(inventory) / 2));
	return err_volume(e, -ENOTUNIQ, wish->volume);
}

#define VIRTIO_BLK_SERIAL 20 /* bytes: VIRTIO_BLK_ID_BYTES */

/* A serial number that is longer than any disk here can show. */
static bool is_too_long_a_serial(const struct blockdev_set *set, const struct devref *ref)
{
	for (size_t i = 0; i < set->count; i++)
		if (strncmp(set->dev[i].name, "vd", 2))
			return false;
	return set->count && ref->kind == DEVREF_SERIAL && strlen(ref->value) > VIRTIO_BLK_SERIAL;
}

static int not_found(struct device_search *s, const struct device_wish *wish, int timeout_ms,
		     struct err *e)
{
	char ref[DEVREF_TEXT_SIZE], inventory[ERR_TEXT_SIZE];
	int r;

	if (names_partition(wish->ref) || wish->ref->partition || wish->ref->partition_offset)
		probe_foreign_gpt(s->dev, &s->set);
	r = err_set(e, FAIL_DEVICE_NOT_FOUND, ENODEV,
		    "no device matched %s within %d s%s; present: %s",
		    devref_print(wish->ref, ref, sizeof(ref)),
		    timeout_ms / 1000 + (timeout_ms % 1000 > 0),
		    is_too_long_a_serial(&s->set, wish->ref) ?
			    " (virtio-blk shows 20 bytes of a serial number, this one is longer)" :
			    "",
		    blockdev_inventory(&s->set, inventory, sizeof(inventory) / 2 + 128));
	return err_volume(e, r, wish->volume);
}

/* 0: *ret_missing is the first wish that no device answers to, or NULL. */
static int match_all(struct device_search *s, struct device_wish *wishes, size_t count,
		     struct device_wish **ret_missing, struct err *e)
{
	bool probed = false;

	*ret_missing = NULL;
	for (size_t i = 0; !probed && i < count; i++)
		if ((probed = needs_probe(wishes[i].ref)))
			probe_ids(s->dev, &s->set);
	for (size_t i = 0; i < count; i++) {
		size_t answers = devref_match(&s->set, wishes[i].ref, &wishes[i].found);

		if (answers > 1)
			return ambiguous(s, &wishes[i], answers, e);
		if (!answers && !*ret_missing)
			*ret_missing = &wishes[i];
	}
	return 0;
}

static const char *kernel_name(const struct uevent *u)
{
	const char *path = uevent_get(u, "DEVPATH");
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : NULL;
}

/* A host that sends more in a row gets its turn again after a look at the clock. */
#define UEVENTS_AT_ONCE 1024

/* Take the waiting uevents into the set. 1: something may have changed. */
static int take_uevents(struct device_search *s, struct err *e)
{
	struct uevent *u = &s->event;
	int changed = 0;

	for (int taken = 0; taken < UEVENTS_AT_ONCE; taken++) {
		const char *subsystem, *name;
		int r = uevent_next(s->uevents, u);

		if (!r)
			break;
		if (r == -ENOBUFS) {
			r = blockdev_scan(s->sysfs, &s->set, e);
			if (r)
				return r;
			changed = 1;
			continue;
		}
		if (r < 0)
			return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "read uevents");
		subsystem = uevent_get(u, "SUBSYSTEM");
		name = kernel_name(u);
		if (!subsystem || strcmp(subsystem, "block") || !name)
			continue;
		r = blockdev_update(s->sysfs, name, &s->set, e);
		if (r)
			return r;
		changed = 1;
	}
	return changed;
}

/* Best effort: a bus without hotplug events shows its new disks only when asked. */
static void ask_for_rescan(int sysfs)
{
	int fd = openat(sysfs, "class/scsi_host", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	char path[300];

	(void)io_write_text(sysfs, "bus/pci/rescan", "1");
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "class/scsi_host/%s/scan", entry->d_name);
		if (entry->d_name[0] != '.')
			(void)io_write_text(sysfs, path, "- - -");
	}
	if (dir)
		closedir(dir);
	else
		cleanup_fd(&fd);
}

static void wait_for_uevent(int fd, int64_t until_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int64_t left = until_ms - clock_ms();

	(void)poll(&poll_fd, 1, left > 0 ? (int)left : 0);
}

/* Wait until something changed (1), the limit is reached (0), or an error. */
static int wait_for_change(struct device_search *s, int64_t rescan_ms, int64_t end_ms, bool *asked,
			   struct err *e)
{
	for (;;) {
		int64_t now = clock_ms();
		int r;

		if (!*asked && now >= rescan_ms) {
			ask_for_rescan(s->sysfs);
			*asked = true;
		}
		wait_for_uevent(s->uevents, *asked ? end_ms : rescan_ms);
		r = take_uevents(s, e);
		if (r || clock_ms() >= end_ms)
			return r;
	}
}

int device_search_wait(struct device_search *s, struct device_wish *wishes, size_t count,
		       int timeout_ms, struct err *e)
{
	int64_t start = clock_ms(), end = start + timeout_ms, rescan = start + timeout_ms / 2;
	struct device_wish *missing;
	bool asked = false;
	int r = blockdev_scan(s->sysfs, &s->set, e);

	while (!r) {
		/* Before the look at what is there: a host cannot put the end off. */
		bool late = clock_ms() >= end;

		r = match_all(s, wishes, count, &missing, e);
		if (r || !missing)
			break;
		if (late)
			return not_found(s, missing, timeout_ms, e);
		r = wait_for_change(s, rescan, end, &asked, e);
		if (r > 0)
			r = 0;
	}
	if (r)
		return r;
	/* A second device that answers may have come while the last one was waited for. */
	r = blockdev_scan(s->sysfs, &s->set, e);
	if (!r)
		r = match_all(s, wishes, count, &missing, e);
	if (!r && missing)
		return not_found(s, missing, timeout_ms, e);
	return r;
}
