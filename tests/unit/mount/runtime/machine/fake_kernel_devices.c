// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The fake kernel's disks, nodes in /dev, and uevents. */
#include "tests/unit/mount/runtime/machine/fake_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/sys.h"
#include "lib/uevent.h"
#include "mount/device/search.h"
#include "verity/device.h"

/* --- disks --------------------------------------------------------------------------- */

void fake_kernel_add_disks(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct fake_disk *d = &fake_kernel->disk[fake_kernel->disks++];

		d->size_bytes = 1 << 20;
		if (i < 26)
			snprintf(d->name, sizeof(d->name), "vd%c", 'a' + (int)i);
		else
			snprintf(d->name, sizeof(d->name), "vd%c%c", 'a' - 1 + (int)(i / 26),
				 'a' + (int)(i % 26));
	}
}

int device_search_open(struct device_search *s, struct err *e)
{
	s->sysfs = s->dev = -1;
	s->uevents = uevent_open();
	return s->uevents < 0 ? err_result(e, FAIL_SYSTEM_CALL_FAILED, s->uevents,
					   "open the uevent socket") :
				0;
}

void device_search_close(struct device_search *s)
{
	cleanup_fd(&s->uevents);
}

static int find(struct device_wish *wish, struct err *e)
{
	const char *wanted = wish->ref->value;

	for (unsigned int i = 0; i < fake_kernel->disks; i++) {
		const struct fake_disk *d = &fake_kernel->disk[i];

		if (strcmp(d->name, wanted))
			continue;
		wish->found = (struct blockdev){
			.major = FAKE_DISK_MAJOR,
			.minor = i,
			.size_bytes = d->size_bytes,
			.sector_bytes = 512,
		};
		snprintf(wish->found.name, sizeof(wish->found.name), "%s", d->name);
		return 0;
	}
	return err_volume(e, err_set(e, FAIL_DEVICE_NOT_FOUND, ENODEV, "no disk %s", wanted),
			  wish->volume);
}

/* Every reference is a name here. */
int device_search_wait(struct device_search *s, struct device_wish *wishes, size_t count,
		       int timeout_ms, struct err *e)
{
	in_kernel;
	int r = 0;

	(void)s;
	if (fake_kernel_call("search %zu %d", count, timeout_ms))
		return err_errno(e, FAIL_DEVICE_NOT_FOUND, "search");
	for (size_t i = 0; !r && i < count; i++)
		r = find(&wishes[i], e);
	return r;
}

/* --- nodes --------------------------------------------------------------------------- */

/* So many zeros as can be read of a device's node; the rest is an I/O error. */
static off_t readable(unsigned int minor, const char *name)
{
	struct fake_device *d = &fake_kernel->device[minor];
	bool verifies = strstr(name, "verify");

	if (!d->live.there)
		return 0;
	if (fake_kernel_meet(d, MET_BY_PROOF))
		return 0;
	if (verifies && fake_kernel_meet(d, MET_BY_VERIFY))
		return 4096;
	return (off_t)d->live.sectors * 512;
}

static int open_node(unsigned int major, unsigned int minor)
{
	off_t size;
	int fd;

	if (major == FAKE_DISK_MAJOR && minor < fake_kernel->disks)
		size = (off_t)fake_kernel->disk[minor].size_bytes;
	else if (major == FAKE_DM_MAJOR && fake_kernel->device[minor].there)
		size = readable(minor, fake_kernel->device[minor].name);
	else
		return fake_kernel_refuse(ENOENT);
	fd = fake_kernel_fd(major == FAKE_DM_MAJOR ? "node" : "disk", minor);
	return fd < 0 || ftruncate(fd, size) ? -1 : fd;
}

int device_node_open(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	in_kernel;
	int fd;

	(void)dev;
	fd = fake_kernel_call("open %s", name) ? -1 : open_node(major, minor);
	return fd < 0 ? err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s", name) : fd;
}

/* --- uevents: a socket's place in the list is its descriptor's offset ------------------ */

int uevent_open(void)
{
	in_kernel;
	int fd;

	if (fake_kernel_call("uevents"))
		return -errno;
	fd = fake_kernel_fd("uevents", 0);
	return lseek(fd, fake_kernel->events, SEEK_SET) < 0 ? -errno : fd;
}

int uevent_next(int fd, struct uevent *ret)
{
	in_kernel;
	off_t at = lseek(fd, 0, SEEK_CUR);
	const struct fake_event *event = &fake_kernel->event[at % FAKE_EVENTS];

	if (at < 0 || at >= fake_kernel->events)
		return at < 0 ? -EBADF : 0;
	(void)lseek(fd, 1, SEEK_CUR);
	ret->size = (size_t)snprintf(ret->text, sizeof(ret->text),
				     "change@/devices/virtual/block/dm-%u%cMAJOR=%d%cMINOR=%u%c"
				     "DM_VERITY_ERR_BLOCK_NR=%u,%u%c",
				     event->minor, 0, FAKE_DM_MAJOR, 0, event->minor, 0,
				     event->type, event->block, 0);
	return 1;
}

/* --- no loop devices ------------------------------------------------------------------- */

int sys_loop_get_free(int control)
{
	in_kernel;

	(void)control;
	return fake_kernel_refuse(ENOTSUP);
}

int sys_loop_configure(int loop, const struct loop_config *config)
{
	in_kernel;

	(void)loop;
	(void)config;
	return fake_kernel_refuse(ENOTSUP);
}
