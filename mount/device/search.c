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

/* Kinds of reference, a bit each. Only a partition table can answer to these: */
#define BY_TABLE (1U << DEVREF_PARTUUID | 1U << DEVREF_PARTLABEL)
/* and only the start of a file system to these. */
#define BY_FILESYSTEM (1U << DEVREF_UUID | 1U << DEVREF_LABEL)

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

	if (1U << wish->ref->kind & BY_TABLE || wish->ref->partition || wish->ref->partition_offset)
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
	unsigned int kinds = 0;

	*ret_missing = NULL;
	for (size_t i = 0; i < count; i++)
		kinds |= 1U << wishes[i].ref->kind;
	/* PARTUUIDs are in the list of what is there, for who names the wrong one. */
	if (kinds & (BY_TABLE | BY_FILESYSTEM))
		probe_partitions(s->dev, &s->set);
	if (kinds & BY_FILESYSTEM)
		probe_filesystems(s->dev, &s->set);
	for (size_t i = 0; i < count; i++) {
		size_t answers = wishes[i].ref->kind == DEVREF_FILE ?
					 1 :
					 devref_match(&s->set, wishes[i].ref, &wishes[i].found);

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

/* Best effort, as all that asks: channel, target and LUN, or a dash for all of each. */
static void ask_scsi_hosts(int sysfs, const char *address)
{
	int fd = openat(sysfs, "class/scsi_host", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	char path[300];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "class/scsi_host/%s/scan", entry->d_name);
		if (entry->d_name[0] != '.')
			(void)io_write_text(sysfs, path, address);
	}
	if (dir)
		closedir(dir);
	else
		cleanup_fd(&fd);
}

/* Nobody else's search waits for a scan of all addresses where one is known. */
static void ask_for_addresses(struct device_search *s, const struct device_wish *wishes,
			      size_t count)
{
	struct blockdev ignored;
	char address[32];

	for (size_t i = 0; i < count; i++) {
		const struct devref *ref = wishes[i].ref;

		if (ref->kind != DEVREF_SCSI || devref_match(&s->set, ref, &ignored))
			continue;
		snprintf(address, sizeof(address), "0 %u %u", ref->major, ref->minor);
		ask_scsi_hosts(s->sysfs, address);
	}
}

static bool all_have_addresses(const struct device_wish *wishes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (wishes[i].ref->kind != DEVREF_SCSI)
			return false;
	return true;
}

/* A bus without hotplug events shows its new disks only when asked. */
static void ask_for_rescan(struct device_search *s, const struct device_wish *wishes, size_t count)
{
	(void)io_write_text(s->sysfs, "bus/pci/rescan", "1");
	ask_for_addresses(s, wishes, count);
	if (!all_have_addresses(wishes, count))
		ask_scsi_hosts(s->sysfs, "- - -");
}

static void wait_for_uevent(int fd, int64_t until_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int64_t left = until_ms - clock_ms();

	(void)poll(&poll_fd, 1, left > 0 ? (int)left : 0);
}

/* One wait for all of the wishes. */
struct wait {
	struct device_wish *wishes;
	size_t count;
	int64_t rescan_ms, end_ms;
	bool waited;
	bool asked; /* for the rescan */
};

/* Wait until something changed (1), the limit is reached (0), or an error. */
static int wait_for_change(struct device_search *s, struct wait *w, struct err *e)
{
	for (;;) {
		int64_t now = clock_ms();
		int r;

		if (!w->asked && now >= w->rescan_ms) {
			ask_for_rescan(s, w->wishes, w->count);
			w->asked = true;
		}
		wait_for_uevent(s->uevents, w->asked ? w->end_ms : w->rescan_ms);
		r = take_uevents(s, e);
		if (r || clock_ms() >= w->end_ms)
			return r;
	}
}

static int wait_for_all(struct device_search *s, struct wait *w, int timeout_ms, struct err *e)
{
	struct device_wish *missing;

	for (;; w->waited = true) {
		/* Before the look at what is there: a host cannot put the end off. */
		bool late = clock_ms() >= w->end_ms;
		int r = match_all(s, w->wishes, w->count, &missing, e);

		if (r || !missing)
			return r;
		if (late)
			return not_found(s, missing, timeout_ms, e);
		if (!w->waited)
			ask_for_addresses(s, w->wishes, w->count);
		r = wait_for_change(s, w, e);
		if (r < 0)
			return r;
	}
}

int device_search_wait(struct device_search *s, struct device_wish *wishes, size_t count,
		       int timeout_ms, struct err *e)
{
	int64_t start = clock_ms();
	struct wait w = {
		.wishes = wishes,
		.count = count,
		.rescan_ms = start + timeout_ms / 2,
		.end_ms = start + timeout_ms,
	};
	struct device_wish *missing = NULL;
	int r = blockdev_scan(s->sysfs, &s->set, e);

	if (!r)
		r = wait_for_all(s, &w, timeout_ms, e);
	if (r || !w.waited)
		return r;
	/* A second device that answers may have come while the last one was waited for. */
	r = blockdev_scan(s->sysfs, &s->set, e);
	if (!r)
		r = match_all(s, wishes, count, &missing, e);
	if (!r && missing)
		return not_found(s, missing, timeout_ms, e);
	return r;
}
