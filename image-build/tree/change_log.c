// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/change_log.h"

#include <stdint.h>
#include <string.h>

#include "image-build/base/memory.h"

#define BLOCK_BYTES (1 << 20)

struct change_block {
	struct change_block *next;
	size_t used;
	uint8_t records[];
};

#define RECORDS_BYTES (BLOCK_BYTES - sizeof(struct change_block))

/* Behind it the rest of the path and the target, without NULs. */
struct record {
	struct inode *inode;
	uint16_t kind;
	uint16_t shared; /* bytes that the path has in common with the one before */
	uint16_t rest, target;
};

static size_t common(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return i;
}

/* Where the next record goes. */
static uint8_t *reserve(struct change_log *log, size_t size)
{
	struct change_block *block = log->last;

	if (!block || RECORDS_BYTES - block->used < size) {
		block = memory_pages(BLOCK_BYTES);
		*(log->last ? &log->last->next : &log->first) = block;
		log->last = block;
	}
	block->used += size;
	return block->records + block->used - size;
}

void change_log_add(struct change_log *log, const struct change *c)
{
	size_t shared = common(log->path, c->path);
	struct record record = {
		.inode = c->inode,
		.kind = (uint16_t)c->kind,
		.shared = (uint16_t)shared,
		.rest = (uint16_t)strlen(c->path + shared),
		.target = (uint16_t)strlen(c->target),
	};
	uint8_t *at = reserve(log, sizeof(record) + record.rest + record.target);

	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), c->path + shared, record.rest);
	memcpy(at + sizeof(record) + record.rest, c->target, record.target);
	memcpy(log->path + shared, c->path + shared, record.rest + 1U);
	log->count++;
}

/* The block that the next record stands in; those that are used up go. */
static struct change_block *current(struct change_log *log)
{
	struct change_block *block = log->first;

	while (block && log->taken == block->used) {
		log->first = block->next;
		log->taken = 0;
		memory_pages_free(block, BLOCK_BYTES);
		block = log->first;
	}
	if (!block)
		log->last = NULL;
	return block;
}

bool change_log_take(struct change_log *log, struct change *ret)
{
	struct change_block *block = current(log);
	const uint8_t *at;
	struct record record;

	if (!block)
		return false;
	at = block->records + log->taken;
	memcpy(&record, at, sizeof(record));
	memcpy(log->path + record.shared, at + sizeof(record), record.rest);
	log->path[record.shared + record.rest] = '\0';
	memcpy(log->target, at + sizeof(record) + record.rest, record.target);
	log->target[record.target] = '\0';
	log->taken += sizeof(record) + record.rest + record.target;
	*ret = (struct change){ (enum change_kind)record.kind, log->path, record.inode,
				log->target };
	return true;
}

void change_log_free(struct change_log *log)
{
	struct change c;

	while (change_log_take(log, &c))
		inode_release(c.inode);
}
