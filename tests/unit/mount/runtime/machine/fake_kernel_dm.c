// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The fake kernel's device-mapper: drivers/md/dm-ioctl.c, with one target a device. */
#include "tests/unit/mount/runtime/machine/fake_kernel.h"

#include <errno.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/array.h"
#include "lib/sys.h"

/* --- devices ------------------------------------------------------------------------- */

struct fake_device *fake_kernel_device(const char *name)
{
	for (unsigned int i = 0; i < FAKE_DEVICES; i++)
		if (fake_kernel->device[i].there && !strcmp(fake_kernel->device[i].name, name))
			return &fake_kernel->device[i];
	return NULL;
}

static unsigned int minor_of(const struct fake_device *d)
{
	return (unsigned int)(d - fake_kernel->device);
}

/* The first device that a table names; of verity's it is behind the version. */
static bool data_of(const struct fake_table *t, unsigned int *ret_major, unsigned int *ret_minor)
{
	const char *line = t->line;

	if (!strcmp(t->type, "verity"))
		line += strcspn(line, " ");
	return t->there && sscanf(line, "%u:%u", ret_major, ret_minor) == 2;
}

unsigned int fake_kernel_openers(unsigned int minor)
{
	unsigned int openers = fake_kernel->device[minor].others, ma, mi;

	for (unsigned int i = 0; i < FAKE_FILESYSTEMS; i++) {
		const struct fake_filesystem *fs = &fake_kernel->filesystem[i];

		for (unsigned int j = 0; fs->there && j < fs->devices; j++)
			openers += fs->device[j] == minor;
	}
	for (unsigned int i = 0; i < FAKE_DEVICES; i++)
		if (fake_kernel->device[i].there &&
		    data_of(&fake_kernel->device[i].live, &ma, &mi) && ma == FAKE_DM_MAJOR)
			openers += mi == minor;
	return openers + fake_kernel_fd_open("node", minor);
}

bool fake_kernel_remove_deferred(void)
{
	bool changed = false;

	for (unsigned int i = 0; i < FAKE_DEVICES; i++) {
		struct fake_device *d = &fake_kernel->device[i];

		if (!d->there || !d->deferred || fake_kernel_openers(i))
			continue;
		d->there = false;
		changed = true;
	}
	return changed;
}

bool fake_kernel_meet(struct fake_device *d, enum fake_met met)
{
	struct fake_event *event = &fake_kernel->event[fake_kernel->events % FAKE_EVENTS];
	const struct fake_disk *disk;
	unsigned int ma, mi;

	if (strcmp(d->live.type, "verity") || !data_of(&d->live, &ma, &mi) || ma != FAKE_DISK_MAJOR)
		return false;
	disk = &fake_kernel->disk[mi];
	if (!disk->bad || disk->met != met)
		return false;
	d->corrupt = true;
	*event = (struct fake_event){ minor_of(d), disk->bad_metadata, disk->bad_block };
	fake_kernel->events++;
	return !disk->unnoticed;
}

/* --- requests ------------------------------------------------------------------------ */

static void answer(const struct fake_device *d, struct dm_ioctl *q)
{
	unsigned int minor = minor_of(d);

	q->dev = (minor & 0xff) | (FAKE_DM_MAJOR << 8) | ((uint64_t)(minor & ~0xffU) << 12);
	q->open_count = (int)fake_kernel_openers(minor);
	q->target_count = d->live.there;
	q->flags = (d->live.there ? DM_ACTIVE_PRESENT_FLAG : DM_SUSPEND_FLAG) |
		   (d->live.there && d->live.read_only ? DM_READONLY_FLAG : 0) |
		   (d->loaded.there ? DM_INACTIVE_PRESENT_FLAG : 0) |
		   (d->deferred ? DM_DEFERRED_REMOVE : 0);
	strcpy(q->uuid, d->uuid);
}

static int create(struct dm_ioctl *q)
{
	if (fake_kernel_device(q->name))
		return EBUSY;
	for (unsigned int i = 0; i < FAKE_DEVICES; i++) {
		struct fake_device *d = &fake_kernel->device[i];

		if (d->there)
			continue;
		memset(d, 0, sizeof(*d));
		d->there = true;
		strcpy(d->name, q->name);
		strcpy(d->uuid, q->uuid);
		answer(d, q);
		return 0;
	}
	return ENOMEM;
}

static bool has_key(const char *name)
{
	size_t length = strcspn(name, " ");

	for (unsigned int i = 0; i < fake_kernel->keys; i++)
		if (strlen(fake_kernel->key[i]) == length &&
		    !strncmp(fake_kernel->key[i], name, length))
			return true;
	return false;
}

static int check_verity(const char *line)
{
	static const char option[] = " root_hash_sig_key_desc ";
	const char *key = strstr(line, option);

	if (fake_kernel->unknown_word && strstr(line, fake_kernel->unknown_word))
		return EINVAL;
	if (key ? !has_key(key + strlen(option)) : fake_kernel->require_signatures)
		return ENOKEY;
	return 0;
}

static int load(struct fake_device *d, const struct dm_ioctl *q)
{
	const struct dm_target_spec *spec = (const void *)((const char *)q + q->data_start);
	struct fake_table t = {
		.there = true,
		.read_only = q->flags & DM_READONLY_FLAG,
		.sectors = spec->length,
	};
	unsigned int ma, mi;

	snprintf(t.type, sizeof(t.type), "%s", spec->target_type);
	snprintf(t.line, sizeof(t.line), "%s", (const char *)(spec + 1));
	if (!data_of(&t, &ma, &mi) ||
	    !(ma == FAKE_DISK_MAJOR ? mi < fake_kernel->disks : fake_kernel->device[mi].there))
		return ENODEV;
	if (!strcmp(t.type, "verity") && check_verity(t.line))
		return check_verity(t.line);
	d->loaded = t;
	return 0;
}

static int resume(struct fake_device *d)
{
	if (!d->loaded.there)
		return d->live.there ? 0 : EINVAL;
	d->live = d->loaded;
	d->loaded.there = false;
	d->corrupt = false;
	return 0;
}

static int remove_device(struct fake_device *d, const struct dm_ioctl *q)
{
	bool is_open = fake_kernel_openers(minor_of(d));

	if (is_open && !(q->flags & DM_DEFERRED_REMOVE))
		return EBUSY;
	d->deferred = is_open;
	d->there = is_open;
	return 0;
}

static int tell_table(const struct fake_device *d, struct dm_ioctl *q, bool table)
{
	struct dm_target_spec *spec = (void *)(q + 1);
	const char *text = table                          ? d->live.line :
			   strcmp(d->live.type, "verity") ? "" :
			   d->corrupt                     ? "C" :
							    "V";

	answer(d, q);
	if (sizeof(*q) + sizeof(*spec) + strlen(text) >= q->data_size) {
		q->flags |= DM_BUFFER_FULL_FLAG;
		return 0;
	}
	q->data_start = sizeof(*q);
	memset(spec, 0, sizeof(*spec));
	spec->length = d->live.sectors;
	snprintf(spec->target_type, sizeof(spec->target_type), "%s", d->live.type);
	strcpy((char *)(spec + 1), text);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct fake_device *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* In the order of their names, those that begin with the request's. */
static int list_devices(struct dm_ioctl *q)
{
	const struct fake_device *found[FAKE_DEVICES];
	struct dm_name_list *entry = NULL;
	size_t count = 0, at = sizeof(*q);

	for (unsigned int i = 0; i < FAKE_DEVICES; i++)
		if (fake_kernel->device[i].there &&
		    !strncmp(fake_kernel->device[i].name, q->name, strlen(q->name)))
			found[count++] = &fake_kernel->device[i];
	qsort(found, count, sizeof(found[0]), by_name);
	q->data_start = sizeof(*q);
	for (size_t i = 0; i < count; i++) {
		struct dm_ioctl about = { 0 };
		size_t size = (sizeof(*entry) + strlen(found[i]->name) + 1 + 7) & ~(size_t)7;

		if (at + size > q->data_size) {
			q->flags |= DM_BUFFER_FULL_FLAG;
			return 0;
		}
		if (entry)
			entry->next = (uint32_t)((char *)q + at - (char *)entry);
		entry = (void *)((char *)q + at);
		answer(found[i], &about);
		entry->dev = about.dev;
		entry->next = 0;
		strcpy(entry->name, found[i]->name);
		at += size;
	}
	q->data_size = (uint32_t)(entry ? at : at + sizeof(*entry));
	return 0;
}

static int list_targets(struct dm_ioctl *q)
{
	static const char *const targets[] = { "linear", "crypt", "verity" };
	struct dm_target_versions *entry = NULL;
	size_t at = sizeof(*q);

	q->data_start = sizeof(*q);
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++, at += 32) {
		if (entry)
			entry->next = 32;
		entry = (void *)((char *)q + at);
		strcpy(entry->name, targets[i]);
	}
	entry->next = 0;
	q->data_size = (uint32_t)at;
	return 0;
}

static int ask_device(unsigned int command, struct dm_ioctl *q)
{
	struct fake_device *d = fake_kernel_device(q->name);

	if (!d)
		return ENXIO;
	switch (command) {
	case DM_TABLE_LOAD:
		return load(d, q);
	case DM_DEV_SUSPEND:
		return resume(d);
	case DM_DEV_REMOVE:
		return remove_device(d, q);
	case DM_TABLE_STATUS:
		return tell_table(d, q, q->flags & DM_STATUS_TABLE_FLAG);
	case DM_DEV_STATUS:
		answer(d, q);
		return 0;
	default:
		return ENOTTY;
	}
}

static const struct {
	unsigned int command;
	const char *name;
} commands[] = {
	{ DM_DEV_CREATE, "create" },    { DM_TABLE_LOAD, "load" },
	{ DM_DEV_SUSPEND, "resume" },   { DM_DEV_REMOVE, "remove" },
	{ DM_TABLE_STATUS, "table" },   { DM_DEV_STATUS, "status" },
	{ DM_LIST_DEVICES, "devices" }, { DM_LIST_VERSIONS, "targets" },
};

int sys_dm(unsigned int command, struct dm_ioctl *request)
{
	in_kernel;
	const char *name = "?";
	int errnum;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].command == command)
			name = commands[i].name;
	if (fake_kernel_call("dm %s %s", name, request->name))
		return -1;
	if (fake_kernel->no_device_mapper)
		return fake_kernel_refuse(ENOENT);
	errnum = command == DM_DEV_CREATE    ? create(request) :
		 command == DM_LIST_DEVICES  ? list_devices(request) :
		 command == DM_LIST_VERSIONS ? list_targets(request) :
					       ask_device(command, request);
	return errnum ? fake_kernel_refuse(errnum) : 0;
}

/* --- keys ---------------------------------------------------------------------------- */

int sys_add_key(const char *description, const void *payload, size_t size)
{
	in_kernel;
	struct fake_kernel *k = fake_kernel;

	(void)payload;
	if (fake_kernel_call("add_key %s %zu", description, size))
		return -1;
	if (k->keys == ARRAY_SIZE(k->key))
		return fake_kernel_refuse(EDQUOT);
	snprintf(k->key[k->keys], sizeof(k->key[0]), "%s", description);
	return (int)++k->keys;
}

/*
 * They go in the order in which they came here. A failure is told by nobody: the key is a
 * public signature, in a keyring that ends with the process.
 */
int sys_unlink_key(int key)
{
	in_kernel;

	(void)fake_kernel_call("unlink_key %d", key);
	fake_kernel->keys--;
	return 0;
}
