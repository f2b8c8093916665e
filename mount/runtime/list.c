// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/hex.h"
#include "lib/text.h"
#include "mount/policy_read.h"
#include "mount/runtime/parts.h"
#include "verity/dm.h"
#include "verity/table_read.h"

/* Stacks on their way; it is more than a guest has memory for. */
#define STACKS_MAX 16384

struct ids {
	size_t count, size;
	char (*id)[TARGET_ID_SIZE];
};

static int note_id(struct ids *ids, const char *name)
{
	char id[TARGET_ID_SIZE];

	if (!target_id_of(name, id))
		return 0;
	/* Names come in order, so devices of one stack follow each other. */
	for (size_t i = ids->count; i; i--)
		if (!strcmp(ids->id[i - 1], id))
			return 0;
	if (ids->count == STACKS_MAX)
		return -E2BIG;
	if (ids->count == ids->size) {
		size_t size = ids->size ? 2 * ids->size : 16;
		void *grown = realloc(ids->id, size * sizeof(ids->id[0]));

		if (!grown)
			return -ENOMEM;
		ids->id = grown;
		ids->size = size;
	}
	strcpy(ids->id[ids->count++], id);
	return 0;
}

static int note_device(void *data, const char *name, dev_t number)
{
	(void)number;
	return note_id(data, name);
}

/* A stack of directories has no device, and its stage alone where that was interrupted. */
static int note_mount(const struct mounted *m, void *data)
{
	return note_id(data, m->source);
}

/* One stack while it is told. */
struct telling {
	char id[TARGET_ID_SIZE];
	size_t count;
	struct socle_layer_info layer[PARTS_MAX];
	dev_t number[PARTS_MAX]; /* of the same devices, as device-mapper lists them */
	bool mounted, staged, writable;
	char target[MOUNTS_PATH_SIZE];
};

static bool tell_verity(const char *name, struct socle_layer_info *l)
{
	char line[DM_LINE_SIZE];
	struct verity_table table;
	const struct verity_params *p = &table.params;

	if (dm_table(name, "verity", line, sizeof(line), NULL) ||
	    verity_table_read(line, &table, NULL))
		return false;
	strcpy(l->kind, "verified");
	snprintf(l->data, sizeof(l->data), "%s", table.data);
	hex_encode(p->root_hash, p->root_hash_size, l->root_hash);
	l->size_bytes = p->data_blocks * p->data_block_size;
	if (!dm_status(name, "verity", line, sizeof(line)))
		l->status = line[0];
	return true;
}

static bool tell_linear(const char *name, struct socle_layer_info *l)
{
	char line[DM_LINE_SIZE];
	uint64_t sectors;

	if (dm_table(name, "linear", line, sizeof(line), &sectors))
		return false;
	strcpy(l->kind, "unverified");
	snprintf(l->data, sizeof(l->data), "%.*s", (int)strcspn(line, " "), line);
	l->size_bytes = sectors * 512;
	return true;
}

/* Of what an interrupted mount has left a device may have no table yet. */
static bool is_scratch(const char *name)
{
	char line[DM_LINE_SIZE];

	return !dm_table(name, "crypt", line, sizeof(line), NULL) ||
	       !dm_table(name, "integrity", line, sizeof(line), NULL);
}

static int tell_device(void *data, const char *name, dev_t number)
{
	struct telling *t = data;
	struct socle_layer_info *l = &t->layer[t->count];
	const struct mapped_device device = mapped_device(name, number);

	if (t->count == PARTS_MAX)
		return -E2BIG;
	memset(l, 0, sizeof(*l));
	snprintf(l->name, sizeof(l->name), "%s", name);
	snprintf(l->device, sizeof(l->device), "%s", device.path);
	if (!tell_verity(name, l) && !tell_linear(name, l))
		strcpy(l->kind, is_scratch(name) ? "scratch" : "leftover");
	t->number[t->count++] = number;
	return 0;
}

static bool is_on_device(const struct telling *t, const struct mounted *m)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->number[i] == makedev(m->major, m->minor))
			return true;
	return false;
}

static int find_target(const struct mounted *m, void *data)
{
	struct telling *t = data;
	const char *id = text_behind(m->source, TARGET_PREFIX);

	if (text_behind(m->target, RUN_SOCLE "/")) {
		t->staged = t->staged || (id && !strncmp(id, t->id, strlen(t->id)));
		return 0;
	}
	if (!((id && !strncmp(id, t->id, strlen(t->id))) || is_on_device(t, m)))
		return 0;
	t->mounted = true;
	t->writable = m->writable;
	strcpy(t->target, m->target);
	return 1;
}

/* By the number at the end of the name: 2 before 10; what has none comes last. */
static int by_number(const void *a, const void *b)
{
	const struct socle_layer_info *x = a, *y = b;
	size_t xlen = strlen(x->name), ylen = strlen(y->name);

	if (xlen != ylen)
		return xlen < ylen ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int tell(struct telling *t, int (*each)(const struct socle_mount_info *mount, void *data),
		void *data, struct err *e)
{
	char prefix[sizeof(TARGET_PREFIX) + TARGET_ID_SIZE];
	struct socle_mount_info info = { .id = t->id, .layers = t->layer };
	int r;

	t->count = 0;
	t->mounted = t->staged = t->writable = false;
	snprintf(prefix, sizeof(prefix), TARGET_PREFIX "%s.", t->id);
	r = parts_each_device(prefix, tell_device, t);
	if (r)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "list the devices %s*", prefix);
	qsort(t->layer, t->count, sizeof(t->layer[0]), by_number);
	r = mounts_each(find_target, t, e);
	if (r < 0)
		return r;
	if (!t->count && !t->mounted && !t->staged)
		return 0; /* it went away meanwhile */
	info.target = t->mounted ? t->target : NULL;
	info.writable = t->writable;
	info.layer_count = t->count;
	return each(&info, data);
}

static int tell_all(const struct ids *ids,
		    int (*each)(const struct socle_mount_info *mount, void *data), void *data,
		    struct err *e)
{
	struct telling *t = calloc(1, sizeof(*t));
	int r = t ? 0 : err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "out of memory");

	for (size_t i = 0; !r && i < ids->count; i++) {
		strcpy(t->id, ids->id[i]);
		r = tell(t, each, data, e);
	}
	free(t);
	return r;
}

int runtime_list(int (*each)(const struct socle_mount_info *mount, void *data), void *data,
		 struct err *e)
{
	struct ids ids = { 0 };
	int r = parts_each_device(TARGET_PREFIX, note_device, &ids);

	if (!r)
		r = mounts_each(note_mount, &ids, NULL);
	if (r)
		(void)err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "list what is mounted");
	else
		r = tell_all(&ids, each, data, e);
	free(ids.id);
	return r;
}
