// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_dm.h"

#include <errno.h>
#include <linux/dm-ioctl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tests/unit/fake_sys.h"
#include "tests/unit/unit.h"

#define MAJOR 253

struct fake_dm fake_dm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct fake_dm_device *fake_dm_find(const char *name)
{
	for (size_t i = 0; i < FAKE_DM_DEVICES_MAX; i++)
		if (*name && !strcmp(fake_dm.device[i].name, name))
			return &fake_dm.device[i];
	return NULL;
}

static uint64_t encode(unsigned int minor)
{
	return (minor & 0xff) | MAJOR << 8 | (minor & ~0xffU) << 12;
}

static void tell_state(const struct fake_dm_device *d, struct dm_ioctl *q)
{
	q->dev = encode(d->minor);
	q->open_count = d->open_count;
	q->target_count = d->live.targets;
	q->flags &= ~(uint32_t)(DM_READONLY_FLAG | DM_SUSPEND_FLAG);
	q->flags |= (d->live.read_only ? DM_READONLY_FLAG : 0) |
		    (d->suspended ? DM_SUSPEND_FLAG : 0) |
		    (*d->live.type ? DM_ACTIVE_PRESENT_FLAG : 0) |
		    (*d->loaded.type ? DM_INACTIVE_PRESENT_FLAG : 0) |
		    (d->deferred ? DM_DEFERRED_REMOVE : 0);
	strcpy(q->uuid, d->uuid);
}

static int create(struct fake_dm_device *d, struct dm_ioctl *q)
{
	if (d)
		return EBUSY;
	for (size_t i = 0; i < FAKE_DM_DEVICES_MAX; i++) {
		d = &fake_dm.device[i];
		if (*d->name)
			continue;
		*d = (struct fake_dm_device){ .minor = (unsigned int)i + 7, .suspended = true };
		strcpy(d->name, q->name);
		strcpy(d->uuid, q->uuid);
		tell_state(d, q);
		return 0;
	}
	return ENOMEM;
}

static int load(struct fake_dm_device *d, struct dm_ioctl *q)
{
	const struct dm_target_spec *spec = (void *)((char *)q + q->data_start);
	const char *line = (const char *)(spec + 1);

	assert_int_equal(q->target_count, 1);
	assert_int_equal(spec->sector_start, 0);
	assert_true(line + strlen(line) < (const char *)q + q->data_size);
	if (fake_dm.refused && strstr(line, fake_dm.refused))
		return fake_dm.refused_errno;
	d->loaded = (struct fake_dm_table){
		.sectors = spec->length,
		.read_only = q->flags & DM_READONLY_FLAG,
		.targets = 1,
	};
	strcpy(d->loaded.type, spec->target_type);
	strcpy(d->loaded.line, line);
	return 0;
}

static int resume(struct fake_dm_device *d, struct dm_ioctl *q)
{
	/* nothing of ours ever suspends, freezes or flushes */
	assert_int_equal(q->flags, DM_SKIP_LOCKFS_FLAG | DM_NOFLUSH_FLAG);
	if (fake_dm.interrupts) {
		fake_dm.interrupts--;
		return EINTR;
	}
	if (*d->loaded.type)
		d->live = d->loaded;
	d->loaded = (struct fake_dm_table){ .targets = 0 };
	if (!*d->live.type)
		return EINVAL;
	d->suspended = false;
	return 0;
}

static int take_away(struct fake_dm_device *d, struct dm_ioctl *q)
{
	if (d->open_count && q->flags & DM_DEFERRED_REMOVE)
		d->deferred = true;
	else if (d->open_count)
		return EBUSY;
	else
		*d = (struct fake_dm_device){ .minor = 0 };
	return 0;
}

static int tell_line(struct fake_dm_device *d, struct dm_ioctl *q)
{
	struct dm_target_spec *spec = (void *)((char *)q + sizeof(*q));
	const char *line = q->flags & DM_STATUS_TABLE_FLAG ? d->live.line : fake_dm.status;
	size_t room = q->data_size - sizeof(*q) - sizeof(*spec);

	tell_state(d, q);
	q->data_start = sizeof(*q);
	if (!*d->live.type)
		return 0;
	*spec = (struct dm_target_spec){ .length = d->live.sectors };
	strcpy(spec->target_type, d->live.type);
	if (strlen(line) + 1 >= room)
		q->flags |= DM_BUFFER_FULL_FLAG;
	snprintf((char *)(spec + 1), room, "%s", line);
	return 0;
}

/* Entries of a list begin at multiples of eight bytes. */
static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static int list(struct dm_ioctl *q)
{
	size_t at = sizeof(*q), all = q->data_size;
	struct dm_name_list *last = NULL;

	q->data_start = (uint32_t)at;
	q->data_size = (uint32_t)at;
	for (size_t i = 0; i < FAKE_DM_DEVICES_MAX; i++) {
		const struct fake_dm_device *d = &fake_dm.device[i];
		struct dm_name_list *entry = (void *)((char *)q + at);

		if (!*d->name ||
		    (!fake_dm.no_prefixes && strncmp(d->name, q->name, strlen(q->name))))
			continue;
		at = aligned(at + offsetof(struct dm_name_list, name) + strlen(d->name) + 1) + 8;
		if (at > all) {
			q->flags |= DM_BUFFER_FULL_FLAG;
			return 0;
		}
		if (last)
			last->next = (uint32_t)((char *)entry - (char *)last);
		entry->dev = encode(d->minor);
		entry->next = 0;
		strcpy(entry->name, d->name);
		last = entry;
		q->data_size = (uint32_t)at;
	}
	return 0;
}

static int versions(struct dm_ioctl *q)
{
	size_t at = sizeof(*q);
	struct dm_target_versions *last = NULL;

	q->data_start = (uint32_t)at;
	for (size_t i = 0; i < ARRAY_SIZE(fake_dm.targets) && fake_dm.targets[i]; i++) {
		struct dm_target_versions *entry = (void *)((char *)q + at);

		if (last)
			last->next = (uint32_t)((char *)entry - (char *)last);
		*entry = (struct dm_target_versions){ .version = { 1, (uint32_t)i, 3 } };
		strcpy(entry->name, fake_dm.targets[i]);
		at = aligned(at + sizeof(*entry) + strlen(entry->name) + 1);
		last = entry;
	}
	q->data_size = (uint32_t)at;
	return 0;
}

/* Each request as a line, and whether it is its turn to fail. */
static int write_down(unsigned int command, const struct dm_ioctl *q)
{
	const struct dm_target_spec *spec = (const void *)((const char *)q + q->data_start);

	switch (command) {
	case DM_DEV_CREATE:
		return fake_sys_call("dm_create %s %s\n", q->name, *q->uuid ? q->uuid : "-");
	case DM_TABLE_LOAD:
		return fake_sys_call("dm_load %s %s %llu %s %s\n", q->name,
				     q->flags & DM_READONLY_FLAG ? "ro" : "rw",
				     (unsigned long long)spec->length, spec->target_type,
				     (const char *)(spec + 1));
	case DM_DEV_SUSPEND:
		return fake_sys_call("dm_resume %s\n", q->name);
	case DM_DEV_REMOVE:
		return fake_sys_call("dm_remove %s%s\n", q->name,
				     q->flags & DM_DEFERRED_REMOVE ? " deferred" : "");
	case DM_DEV_STATUS:
		return fake_sys_call("dm_state %s\n", q->name);
	case DM_TABLE_STATUS:
		return fake_sys_call("dm_%s %s\n",
				     q->flags & DM_STATUS_TABLE_FLAG ? "table" : "status", q->name);
	case DM_LIST_DEVICES:
		return fake_sys_call("dm_list %s\n", q->name);
	case DM_LIST_VERSIONS:
		return fake_sys_call("dm_versions\n");
	default:
		fail_msg("device-mapper is asked %#x", command);
		return -1;
	}
}

static int answer(unsigned int command, struct dm_ioctl *q)
{
	struct fake_dm_device *d = fake_dm_find(q->name);

	if (command == DM_LIST_DEVICES || command == DM_LIST_VERSIONS)
		return command == DM_LIST_DEVICES ? list(q) : versions(q);
	if (command == DM_DEV_CREATE)
		return create(d, q);
	if (!d)
		return ENXIO;
	switch (command) {
	case DM_TABLE_LOAD:
		return load(d, q);
	case DM_DEV_SUSPEND:
		return resume(d, q);
	case DM_DEV_REMOVE:
		return take_away(d, q);
	case DM_TABLE_STATUS:
		return tell_line(d, q);
	default:
		tell_state(d, q);
		return 0;
	}
}

static int ask(unsigned int command, struct dm_ioctl *q)
{
	int errnum;

	assert_int_equal(q->version[0], 4);
	assert_true(q->data_size >= sizeof(*q));
	pthread_mutex_lock(&lock);
	fake_dm.wiped += q->flags & DM_SECURE_DATA_FLAG ? 1 : 0;
	errnum = write_down(command, q) ? fake_sys.fail_errno : answer(command, q);
	pthread_mutex_unlock(&lock);
	errno = errnum;
	return errnum ? -1 : 0;
}

const struct mapped_device *fake_dm_reset(unsigned int fail_call)
{
	static const struct mapped_device device = {
		.name = FAKE_DM_NAME,
		.major = MAJOR,
		.minor = 7,
		.path = "/dev/dm-7",
	};

	fake_sys_reset(fail_call, EIO);
	fake_sys.dm = ask;
	memset(&fake_dm, 0, sizeof(fake_dm));
	fake_dm.status = "V";
	fake_dm.refused_errno = EINVAL;
	fake_dm.targets[0] = "linear";
	fake_dm.targets[1] = "verity";
	*fake_dm_first = (struct fake_dm_device){
		.name = FAKE_DM_NAME,
		.minor = 7,
		.live = { "verity", FAKE_DM_LINE, 4096, true, 1 },
	};
	return &device;
}
