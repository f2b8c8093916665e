// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/mark.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/hex.h"
#include "lib/sha256.h"
#include "mount/describe/print_volume.h"
#include "mount/open.h"

/* One more thing, and it is another mark. */
static void add(char mark[MARK_SIZE], const void *bytes, size_t size)
{
	uint8_t both[2 * SHA256_SIZE], digest[SHA256_SIZE];

	memcpy(both, mark, SHA256_SIZE);
	sha256(bytes, size, both + SHA256_SIZE);
	sha256(both, sizeof(both), digest);
	hex_encode(digest, (MARK_SIZE - 1) / 2, mark);
}

static void begin(char mark[MARK_SIZE], const char *text)
{
	memset(mark, 0, MARK_SIZE);
	add(mark, text, strlen(text));
}

/* What is not there fails where it is used. */
static void add_file(char mark[MARK_SIZE], const char *path)
{
	struct stat st = { 0 };
	unsigned long long place[2];

	(void)stat(path, &st);
	place[0] = st.st_dev;
	place[1] = st.st_ino;
	add(mark, place, sizeof(place));
}

static void add_disk(char mark[MARK_SIZE], const struct device_wish *wish)
{
	const unsigned int number[2] = { wish->found.major, wish->found.minor };

	if (wish->ref->kind == DEVREF_FILE)
		add_file(mark, wish->ref->value);
	else
		add(mark, number, sizeof(number));
}

void mark_volume(const struct volume *v, const uint8_t *signatures,
		 const struct device_wish *wishes, enum verity_corruption on_corruption,
		 char ret[MARK_SIZE])
{
	struct volume nameless = *v; /* its disks are what was found */
	char text[PRINT_VOLUME_SIZE];
	struct out o = { .text = text, .size = sizeof(text) };

	nameless.data.kind = nameless.hash.kind = nameless.fec.kind = DEVREF_NONE;
	out_printf(&o, "%s ", verity_corruption_words[on_corruption]);
	volume_print(&o, &nameless, signatures);
	begin(ret, text);
	add(ret, signatures + v->signature.at, v->signature.size);
	for (size_t i = 0; i < volume_devices(v); i++)
		add_disk(ret, &wishes[i]);
}

void mark_overlay(const struct stack *s, const struct device_wish *disk, char ret[MARK_SIZE])
{
	struct upper nameless = s->upper;
	char text[UPPER_TEXT_SIZE];

	memset(&nameless.disk, 0, sizeof(nameless.disk));
	nameless.directory[0] = '\0';
	begin(ret, upper_print(&nameless, text));
	if (s->upper.kind == UPPER_DISK)
		add_disk(ret, disk);
	if (s->upper.kind == UPPER_DIRECTORY)
		add_file(ret, s->upper.directory);
	for (size_t i = 0; i < s->directories; i++)
		add_file(ret, s->directory[i]);
}
