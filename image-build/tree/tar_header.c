// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_header.h"

#include <stdio.h>
#include <string.h>

#include "image-build/base/refuse.h"

#define STAR_PREFIX  131
#define STAR_TRAILER 508 /* where star's headers have "tar\0" */
#define GNU_TIMES    345 /* where GNU's have atime and ctime, of twelve bytes each */
#define STAR_TIMES   476
#define NUMBER_SIZE  12

bool tar_block_is_zero(const uint8_t block[TAR_BLOCK])
{
	return block[0] == 0 && !memcmp(block, block + 1, TAR_BLOCK - 1);
}

static bool base_256(const uint8_t *field, size_t size, int64_t *ret)
{
	uint8_t invert = field[0] & 0x40 ? 0xff : 0;
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++) {
		uint8_t byte = field[i] ^ invert;

		if (value >> 56)
			return false;
		value = value << 8 | (i ? byte : byte & 0x7f);
	}
	if (value >> 63)
		return false;
	*ret = invert ? -(int64_t)value - 1 : (int64_t)value;
	return true;
}

bool tar_number(const void *field, size_t size, int64_t *ret)
{
	const uint8_t *at = field, *end = at + size;
	int64_t value = 0;

	if (*at & 0x80)
		return base_256(field, size, ret);
	while (at < end && (*at == ' ' || *at == '\0'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\0'))
		end--;
	/* What follows a NUL between digits belongs to nobody. */
	for (; at < end && *at; at++) {
		if (*at < '0' || *at > '7')
			return false;
		value = value * 8 + (*at - '0');
	}
	*ret = value;
	return true;
}

/* Some writers summed signed chars. */
static bool checksum_fits(const uint8_t block[TAR_BLOCK])
{
	const size_t from = offsetof(struct tar_ustar, checksum), to = from + 8;
	int64_t stored, plain = 0, with_signs = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t byte = i >= from && i < to ? ' ' : block[i];

		plain += byte;
		with_signs += byte - (byte & 0x80 ? 256 : 0);
	}
	return !(block[from] & 0x80) && tar_number(block + from, 8, &stored) &&
	       (stored == plain || stored == with_signs);
}

static enum tar_dialect dialect_of(const uint8_t *block, const struct tar_ustar *h)
{
	if (!memcmp(h->magic, "ustar", 6))
		return memcmp(block + STAR_TRAILER, "tar", 4) ? TAR_USTAR : TAR_STAR;
	return memcmp(h->magic, "ustar  ", 8) ? TAR_V7 : TAR_GNU;
}

/* Two times of twelve bytes; nothing is done with them but to see whether they are ones. */
static bool are_times(const uint8_t *field)
{
	int64_t ignored;

	return tar_number(field, NUMBER_SIZE, &ignored) &&
	       tar_number(field + NUMBER_SIZE, NUMBER_SIZE, &ignored);
}

/*
 * Before version 1.8 Go's writer, and with it Docker up to 1.13, put the front
 * of a long name where a ustar header has it, but under GNU's magic.
 */
static size_t gnu_prefix(const uint8_t *block, const struct tar_ustar *h)
{
	size_t size = strnlen(h->prefix, sizeof(h->prefix));

	if (are_times(block + GNU_TIMES))
		return 0;
	for (size_t i = 0; i < size; i++)
		if (h->prefix[i] & 0x80)
			return 0;
	return size;
}

static int read_name(const uint8_t *block, const struct tar_ustar *h, struct tar_header *ret,
		     struct err *e)
{
	size_t prefix = 0;

	switch (ret->dialect) {
	case TAR_V7:
		break;
	case TAR_USTAR:
		prefix = strnlen(h->prefix, sizeof(h->prefix));
		break;
	case TAR_STAR:
		if (!are_times(block + STAR_TIMES))
			return refuse(e, "a time in its header is not a number");
		prefix = strnlen(h->prefix, STAR_PREFIX);
		break;
	case TAR_GNU:
		prefix = gnu_prefix(block, h);
		break;
	}
	snprintf(ret->name, sizeof(ret->name), "%.*s%s%.*s", (int)prefix, h->prefix,
		 prefix ? "/" : "", (int)sizeof(h->name), h->name);
	snprintf(ret->link, sizeof(ret->link), "%.*s", (int)sizeof(h->link), h->link);
	return 0;
}

int tar_header_parse(const uint8_t block[TAR_BLOCK], struct tar_header *ret, struct err *e)
{
	struct tar_ustar h;

	_Static_assert(sizeof(h) == TAR_BLOCK, "a header is one block");
	memcpy(&h, block, sizeof(h));
	*ret = (struct tar_header){ .dialect = dialect_of(block, &h), .type = h.type };
	if (!checksum_fits(block))
		return refuse(e, "the checksum of its header is wrong");

	const struct {
		const char *what, *field;
		size_t size;
		int64_t *value;
	} numbers[] = {
		{ "mode", h.mode, sizeof(h.mode), &ret->mode },
		{ "user id", h.uid, sizeof(h.uid), &ret->uid },
		{ "group id", h.gid, sizeof(h.gid), &ret->gid },
		{ "size", h.size, sizeof(h.size), &ret->size },
		{ "time", h.mtime, sizeof(h.mtime), &ret->mtime },
		{ "device major", h.device_major, sizeof(h.device_major), &ret->device_major },
		{ "device minor", h.device_minor, sizeof(h.device_minor), &ret->device_minor },
	};
	size_t count = ret->dialect == TAR_V7 ? 5 : 7;

	for (size_t i = 0; i < count; i++)
		if (!tar_number(numbers[i].field, numbers[i].size, numbers[i].value))
			return refuse(e, "the %s in its header is not a number", numbers[i].what);
	return read_name(block, &h, ret, e);
}
