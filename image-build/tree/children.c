// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/children.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "image-build/base/memory.h"
#include "image-build/base/siphash.h"

#define ROOM_MIN 4

uint32_t children_hash(const char *name, size_t size)
{
	/* 16 bytes that the kernel chooses for each process. */
	const uint8_t *key = (const uint8_t *)getauxval(AT_RANDOM);

	return (uint32_t)siphash(key, name, size);
}

static int compare(const char *name, size_t size, const struct node *node)
{
	int order = strncmp(name, node->name, size);

	return order ? order : -(node->name[size] != '\0');
}

static uint32_t next(const struct children *c, uint32_t slot)
{
	return (slot + 1) & (c->room - 1);
}

/* The slot of a name, or the free one where it would stand. */
static uint32_t find_hashed(const struct children *c, const char *name, size_t size)
{
	uint32_t hash = children_hash(name, size);
	uint32_t slot = hash & (c->room - 1);

	for (; c->slots[slot]; slot = next(c, slot))
		if (c->slots[slot]->hash == hash && !compare(name, size, c->slots[slot]))
			break;
	return slot;
}

/* The position of a name, or count. */
static uint32_t find_sorted(const struct children *c, const char *name, size_t size)
{
	uint32_t low = 0, high = c->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = compare(name, size, c->slots[middle]);

		if (!order)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return c->count;
}

struct node *children_find(const struct children *c, const char *name, size_t size)
{
	uint32_t slot;

	if (!c->count)
		return NULL;
	if (!c->sorted)
		return c->slots[find_hashed(c, name, size)];
	slot = find_sorted(c, name, size);
	return slot < c->count ? c->slots[slot] : NULL;
}

static void put(struct children *c, struct node *node)
{
	uint32_t slot = node->hash & (c->room - 1);

	while (c->slots[slot])
		slot = next(c, slot);
	c->slots[slot] = node;
}

/* A table with so many slots, of what is in the slots so far. */
static void make_table(struct children *c, uint32_t room)
{
	struct node **before = c->slots;
	uint32_t slots = c->room;

	c->slots = memory_zero(room, sizeof(struct node *));
	c->room = room;
	c->sorted = false;
	for (uint32_t i = 0; i < slots; i++)
		if (before[i])
			put(c, before[i]);
	free(before);
}

static bool fits(uint32_t count, uint32_t room)
{
	return (uint64_t)count * 3 <= (uint64_t)room * 2;
}

/* A table again, in which so many names have room. */
static void prepare(struct children *c, uint32_t count)
{
	uint32_t room = c->sorted || !c->room ? ROOM_MIN : c->room;

	while (!fits(count, room))
		room *= 2;
	if (c->sorted || room != c->room)
		make_table(c, room);
}

void children_add(struct children *c, struct node *node)
{
	prepare(c, c->count + 1);
	put(c, node);
	c->count++;
}

static uint32_t slot_of(const struct children *c, const struct node *node)
{
	return c->sorted ? find_sorted(c, node->name, strlen(node->name)) :
			   find_hashed(c, node->name, strlen(node->name));
}

void children_remove(struct children *c, const struct node *node)
{
	uint32_t hole, at;

	prepare(c, c->count);
	hole = slot_of(c, node);
	c->slots[hole] = NULL;
	c->count--;
	/* What stands behind the hole, and was not put where it wanted, moves up. */
	for (at = next(c, hole); c->slots[at]; at = next(c, at)) {
		uint32_t wanted = c->slots[at]->hash & (c->room - 1);

		if (((at - wanted) & (c->room - 1)) < ((at - hole) & (c->room - 1)))
			continue;
		c->slots[hole] = c->slots[at];
		c->slots[at] = NULL;
		hole = at;
	}
}

void children_replace(struct children *c, const struct node *old, struct node *node)
{
	c->slots[slot_of(c, old)] = node;
}

static int by_name(const void *a, const void *b)
{
	const struct node *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

struct node **children_sort(struct children *c)
{
	uint32_t count = 0;

	if (c->sorted)
		return c->slots;
	for (uint32_t i = 0; i < c->room; i++)
		if (c->slots[i])
			c->slots[count++] = c->slots[i];
	if (count > 1)
		qsort(c->slots, count, sizeof(struct node *), by_name);
	c->slots = memory_resize(c->slots, count, sizeof(struct node *));
	c->room = count;
	c->sorted = true;
	return c->slots;
}

struct node *children_pop(struct children *c)
{
	while (c->room) {
		struct node *node = c->slots[--c->room];

		if (node) {
			c->count--;
			return node;
		}
	}
	return NULL;
}
