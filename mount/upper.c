// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/upper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"

const char *const upper_kind_words[] = { "none", "tmpfs", "dir", "disk", NULL };

static int invalid(const char *text, struct err *e)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL,
		       "the upper layer \"%.80s\" is not none, tmpfs[,size=SIZE], dir:/PATH or "
		       "disk:REFERENCE[,encrypted[,integrity]]",
		       text);
}

static int take_tmpfs(const char *size, const char *text, struct upper *u, struct err *e)
{
	if (!text_is_tmpfs_size(size) || strlen(size) >= sizeof(u->size))
		return invalid(text, e);
	strcpy(u->size, size);
	return 0;
}

static int take_directory(const char *path, const char *text, struct upper *u, struct err *e)
{
	if (!text_is_path(path) || strlen(path) >= sizeof(u->directory))
		return invalid(text, e);
	u->kind = UPPER_DIRECTORY;
	strcpy(u->directory, path);
	return 0;
}

static int take_disk(const char *disk, const char *text, struct upper *u, struct err *e)
{
	char ref[DEVREF_TEXT_SIZE];
	size_t length = strcspn(disk, ",");

	if (!length || length >= sizeof(ref))
		return invalid(text, e);
	memcpy(ref, disk, length);
	ref[length] = '\0';
	disk += length;
	u->kind = UPPER_DISK;
	if (*disk) {
		const char *rest = text_behind(disk, ",encrypted");

		rest = rest ? rest : text_behind(disk, ",encrypt");
		if (!rest || (*rest && strcmp(rest, ",integrity")))
			return invalid(text, e);
		u->encrypted = true;
		u->integrity = *rest;
	}
	if (devref_parse(ref, &u->disk, e))
		return -EINVAL;
	return u->disk.kind == DEVREF_FILE ? invalid(text, e) : 0;
}

int upper_parse(const char *text, struct upper *ret, struct err *e)
{
	struct upper u = { .kind = UPPER_NONE };
	const char *rest;
	int r = 0;

	if (!strcmp(text, "tmpfs")) {
		u.kind = UPPER_TMPFS;
	} else if ((rest = text_behind(text, "tmpfs,size="))) {
		u.kind = UPPER_TMPFS;
		r = take_tmpfs(rest, text, &u, e);
	} else if ((rest = text_behind(text, "dir:"))) {
		r = take_directory(rest, text, &u, e);
	} else if ((rest = text_behind(text, "disk:"))) {
		r = take_disk(rest, text, &u, e);
	} else if (strcmp(text, "none")) {
		return invalid(text, e);
	}
	if (!r)
		*ret = u;
	return r;
}

const char *upper_print(const struct upper *u, char text[UPPER_TEXT_SIZE])
{
	char disk[DEVREF_TEXT_SIZE];

	switch (u->kind) {
	case UPPER_NONE:
		strcpy(text, "none");
		break;
	case UPPER_TMPFS:
		snprintf(text, UPPER_TEXT_SIZE, "tmpfs%s%s", u->size[0] ? ",size=" : "", u->size);
		break;
	case UPPER_DIRECTORY:
		snprintf(text, UPPER_TEXT_SIZE, "dir:%s", u->directory);
		break;
	case UPPER_DISK:
		snprintf(text, UPPER_TEXT_SIZE, "disk:%s%s%s",
			 devref_print(&u->disk, disk, sizeof(disk)),
			 u->encrypted ? ",encrypted" : "", u->integrity ? ",integrity" : "");
		break;
	}
	return text;
}
