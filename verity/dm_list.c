// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Device-mapper's lists, which have no size that is known before. */
#include <errno.h>
#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "verity/dm.h"
#include "verity/dm_request.h"

#define LIST_SIZE_MIN 65536U /* bytes; some 1,000 devices */
#define LIST_SIZE_MAX (128U * LIST_SIZE_MIN)

/* A list as the kernel wrote it. */
struct list {
	struct dm_ioctl *request;
	size_t size; /* bytes of its mapping */
};

static void list_cleanup(struct list *l)
{
	if (l->request)
		munmap(l->request, l->size);
}

#define auto_list __attribute__((cleanup(list_cleanup)))

/* Into pages of its own, which are zero before; -E2BIG where they are too few. */
static int read_once(unsigned int command, const char *name, size_t size, struct list *ret)
{
	struct list l auto_list = { NULL, size };
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	if (pages == MAP_FAILED)
		return -errno;
	l.request = pages;
	if (strlen(name) >= sizeof(l.request->name))
		return -ENAMETOOLONG;
	strcpy(l.request->name, name);
	r = dm_ask(command, l.request, size);
	if (!r && l.request->flags & DM_BUFFER_FULL_FLAG)
		r = -E2BIG;
	if (!r && (l.request->data_size > size || l.request->data_start > size))
		r = -EIO;
	if (r)
		return r;
	*ret = l;
	l.request = NULL;
	return 0;
}

static int read_list(unsigned int command, const char *name, struct list *ret)
{
	int r = -E2BIG;

	for (size_t size = LIST_SIZE_MIN; r == -E2BIG && size <= LIST_SIZE_MAX; size *= 2)
		r = read_once(command, name, size, ret);
	return r;
}

/* The entry at an offset of a list; NULL where nothing of this size and a name is there. */
static const void *entry_at(const struct list *l, size_t at, size_t size)
{
	const char *start = (const char *)l->request;

	if (at > l->request->data_size || l->request->data_size - at <= size ||
	    !memchr(start + at + size, '\0', l->request->data_size - at - size))
		return NULL;
	return start + at;
}

int dm_each_device(const char *prefix, int (*each)(void *context, const char *name, dev_t number),
		   void *context)
{
	struct list l auto_list = { NULL, 0 };
	const struct dm_name_list *entry;
	size_t at;
	/* A kernel that knows no prefix there gives all. */
	int r = read_list(DM_LIST_DEVICES, prefix, &l);

	for (at = r ? 0 : l.request->data_start; !r; at += entry->next) {
		entry = entry_at(&l, at, offsetof(struct dm_name_list, name));
		if (!entry || !entry->dev)
			break;
		if (!strncmp(entry->name, prefix, strlen(prefix)))
			r = each(context, entry->name, dm_number(entry->dev));
		if (!entry->next)
			break;
	}
	return r;
}

int dm_target_version(const char *type, unsigned int ret_version[3])
{
	struct list l auto_list = { NULL, 0 };
	const struct dm_target_versions *entry;
	size_t at;
	int r = read_list(DM_LIST_VERSIONS, "", &l);

	for (at = r ? 0 : l.request->data_start; !r; at += entry->next) {
		entry = entry_at(&l, at, offsetof(struct dm_target_versions, name));
		if (!entry)
			break;
		if (!strcmp(entry->name, type)) {
			memcpy(ret_version, entry->version, sizeof(entry->version));
			return 1;
		}
		if (!entry->next)
			break;
	}
	return r;
}
