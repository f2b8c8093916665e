// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/name.h"

#include <stdbool.h>
#include <string.h>

#include "image-build/base/refuse.h"

#define WHITEOUT_PREFIX ".wh."
#define AUFS_PREFIX     ".wh..wh."
#define OPAQUE_NAME     ".wh..wh..opq"

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

int name_clean(const char *raw, char ret[LIMIT_PATH + 1], struct err *e)
{
	char clean[LIMIT_PATH + 1];
	size_t used = 0;

	for (const char *at = raw + strspn(raw, "/"); *at; at += strspn(at, "/")) {
		const char *component = at;
		size_t size = strcspn(at, "/");

		at += size;
		if (size == 1 && component[0] == '.')
			continue;
		if (size == 2 && component[0] == '.' && component[1] == '.')
			return refuse(e, "name \"%.200s\" has a \"..\" component", raw);
		if (size > LIMIT_NAME)
			return refuse_limit(
				e, "name \"%.60s...\" has a component of %zu bytes, at most %d",
				component, size, LIMIT_NAME);
		if (used + size + 1 > LIMIT_PATH)
			return refuse_limit(e, "name \"%.60s...\" is longer than %d bytes", raw,
					    LIMIT_PATH);
		if (used)
			clean[used++] = '/';
		memcpy(clean + used, component, size);
		used += size;
	}
	clean[used] = '\0';
	memcpy(ret, clean, used + 1);
	return 0;
}

const char *name_hidden(const char *component)
{
	return component + strlen(WHITEOUT_PREFIX);
}

enum name_kind name_kind(const char *path)
{
	const char *last = strrchr(path, '/');
	const char *hidden;

	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (starts_with(at, AUFS_PREFIX) && strcmp(at, OPAQUE_NAME))
			return NAME_IGNORED;
		if (starts_with(at, WHITEOUT_PREFIX) && strchr(at, '/'))
			return NAME_INVALID;
	}
	last = last ? last + 1 : path;
	if (!strcmp(last, OPAQUE_NAME))
		return NAME_OPAQUE;
	if (!starts_with(last, WHITEOUT_PREFIX))
		return NAME_PLAIN;
	hidden = name_hidden(last);
	if (!*hidden || !strcmp(hidden, ".") || !strcmp(hidden, ".."))
		return NAME_INVALID;
	return NAME_WHITEOUT;
}
