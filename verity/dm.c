// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/dm.h"

#include <errno.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "lib/sys.h"
#include "verity/dm_request.h"

/* As the kernel writes a device's number for user space (new_encode_dev()). */
dev_t dm_number(uint64_t encoded)
{
	return makedev((encoded >> 8) & 0xfff, (encoded & 0xff) | ((encoded >> 12) & 0xfff00));
}

int dm_ask(unsigned int command, struct dm_ioctl *request, size_t size)
{
	request->version[0] = DM_VERSION_MAJOR;
	request->version[1] = 0; /* nothing here is newer than what every kernel has */
	request->version[2] = 0;
	request->data_size = (uint32_t)size;
	request->data_start = sizeof(*request);
	return sys_dm(command, request) ? -errno : 0;
}

/* No name would mean the device of a number. */
static int set_name(struct dm_ioctl *request, const char *name)
{
	size_t size = strlen(name) + 1;

	if (size == 1)
		return -EINVAL;
	if (size > sizeof(request->name))
		return -ENAMETOOLONG;
	memcpy(request->name, name, size);
	return 0;
}

/* A request that is nothing but a name and flags; what came back is in *ret. */
static int ask_simple(unsigned int command, const char *name, uint32_t flags, struct dm_ioctl *ret)
{
	int r;

	*ret = (struct dm_ioctl){ .flags = flags };
	r = set_name(ret, name);
	return r ? r : dm_ask(command, ret, sizeof(*ret));
}

int dm_create(const char *name, const char *uuid, dev_t *ret_number)
{
	struct dm_ioctl request = { 0 };
	int r = set_name(&request, name);

	if (!r && uuid && strlen(uuid) >= sizeof(request.uuid))
		r = -ENAMETOOLONG;
	if (r)
		return r;
	if (uuid)
		strcpy(request.uuid, uuid);
	r = dm_ask(DM_DEV_CREATE, &request, sizeof(request));
	if (!r && ret_number)
		*ret_number = dm_number(request.dev);
	return r;
}

/* A request with one target, and room for its line. */
struct line_request {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char line[DM_LINE_SIZE];
};

int dm_load(const char *name, const struct dm_target *t)
{
	struct line_request q = {
		.head = {
			.flags = DM_SECURE_DATA_FLAG | (t->read_only ? DM_READONLY_FLAG : 0),
			.target_count = 1,
		},
		.target = { .length = t->sectors },
	};
	size_t size = strlen(t->line) + 1, type_size = strlen(t->type) + 1;
	int r = set_name(&q.head, name);

	if (!r && (size > sizeof(q.line) || type_size > sizeof(q.target.target_type)))
		r = -E2BIG;
	if (!r) {
		memcpy(q.target.target_type, t->type, type_size);
		memcpy(q.line, t->line, size);
		size = (offsetof(struct line_request, line) + size + 7) & ~(size_t)7;
		q.target.next = (uint32_t)(size - sizeof(q.head));
		r = dm_ask(DM_TABLE_LOAD, &q.head, size);
	}
	explicit_bzero(&q, sizeof(q));
	return r;
}

int dm_resume(const char *name)
{
	struct dm_ioctl request;
	int r;

	/* A signal may end the wait for what is on its way; the table is still loaded then. */
	do
		r = ask_simple(DM_DEV_SUSPEND, name, DM_SKIP_LOCKFS_FLAG | DM_NOFLUSH_FLAG,
			       &request);
	while (r == -EINTR);
	return r;
}

int dm_open(const char *name, const char *uuid, const struct dm_target *target, dev_t *ret_number)
{
	dev_t number;
	int r = dm_create(name, uuid, &number);

	if (r)
		return r;
	r = dm_load(name, target);
	if (!r)
		r = dm_resume(name);
	if (r)
		(void)dm_remove(name);
	else if (ret_number)
		*ret_number = number;
	return r;
}

int dm_remove(const char *name)
{
	struct dm_ioctl request;

	return ask_simple(DM_DEV_REMOVE, name, 0, &request);
}

int dm_remove_deferred(const char *name)
{
	struct dm_ioctl request;

	return ask_simple(DM_DEV_REMOVE, name, DM_DEFERRED_REMOVE, &request);
}

int dm_state(const char *name, struct dm_state *ret)
{
	struct dm_ioctl request;
	int r = ask_simple(DM_DEV_STATUS, name, 0, &request);

	if (r)
		return r == -ENXIO ? 0 : r;
	*ret = (struct dm_state){
		.number = dm_number(request.dev),
		.open_count = request.open_count,
		.read_only = request.flags & DM_READONLY_FLAG,
		.suspended = request.flags & DM_SUSPEND_FLAG,
		.live = request.flags & DM_ACTIVE_PRESENT_FLAG,
		.loaded = request.flags & DM_INACTIVE_PRESENT_FLAG,
		.deferred = request.flags & DM_DEFERRED_REMOVE,
	};
	snprintf(ret->uuid, sizeof(ret->uuid), "%.*s", (int)sizeof(request.uuid), request.uuid);
	return 1;
}

/* What the kernel wrote into a line_request, for a device of one target of this type. */
static int take_line(struct line_request *q, const char *type, char *line, size_t size)
{
	if (q->head.flags & DM_BUFFER_FULL_FLAG)
		return -E2BIG;
	if (q->head.target_count != 1 || q->head.data_start != sizeof(q->head) ||
	    strncmp(q->target.target_type, type, sizeof(q->target.target_type)))
		return -ENODATA;
	q->line[sizeof(q->line) - 1] = '\0';
	if (strlen(q->line) >= size)
		return -E2BIG;
	strcpy(line, q->line);
	return 0;
}

static int ask_line(uint32_t flags, const char *name, const char *type, char *line, size_t size,
		    uint64_t *ret_sectors)
{
	struct line_request q = { .head.flags = flags | DM_SECURE_DATA_FLAG };
	int r = set_name(&q.head, name);

	if (!r)
		r = dm_ask(DM_TABLE_STATUS, &q.head, sizeof(q));
	if (!r)
		r = take_line(&q, type, line, size);
	if (!r && ret_sectors)
		*ret_sectors = q.target.length;
	explicit_bzero(&q, sizeof(q));
	return r;
}

int dm_table(const char *name, const char *type, char *line, size_t size, uint64_t *ret_sectors)
{
	return ask_line(DM_STATUS_TABLE_FLAG, name, type, line, size, ret_sectors);
}

int dm_status(const char *name, const char *type, char *line, size_t size)
{
	return ask_line(0, name, type, line, size, NULL);
}
