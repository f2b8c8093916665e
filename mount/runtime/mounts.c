// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_octal(const char *text)
{
	for (int i = 0; i < 3; i++)
		if (text[i] < '0' || text[i] > '7')
			return false;
	return true;
}

/* One field, its \ooo decoded; what does not fit is cut. */
static void copy_field(const char *from, char *to, size_t size)
{
	size_t used = 0;

	while (*from && used + 1 < size) {
		if (*from == '\\' && is_octal(from + 1)) {
			to[used++] = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
					    (from[3] - '0'));
			from += 4;
		} else {
			to[used++] = *from++;
		}
	}
	to[used] = '\0';
}

/* Which options of a list with commas are there: "ro" is not "errors=remount-ro". */
static bool has_option(const char *options, const char *option)
{
	size_t length = strlen(option);

	for (const char *at = options; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, option, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

enum { FIELD_NUMBER = 2, FIELD_TARGET = 4, FIELD_OPTIONS = 5, FIELDS = 6 };

/* ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG...] - TYPE SOURCE SUPER_OPTIONS */
static bool read_line(char *line, struct mounted *ret)
{
	char *field[FIELDS], *word, *source, *super;
	struct mounted m = { 0 };
	char tail;

	for (int i = 0; i < FIELDS; i++)
		if (!(field[i] = strsep(&line, " ")))
			return false;
	while ((word = strsep(&line, " ")) && strcmp(word, "-"))
		;
	if (!word || !strsep(&line, " "))
		return false;
	source = strsep(&line, " ");
	super = strsep(&line, " \n");
	if (!source || !super ||
	    sscanf(field[FIELD_NUMBER], "%u:%u%c", &m.major, &m.minor, &tail) != 2)
		return false;
	m.writable = !has_option(field[FIELD_OPTIONS], "ro") && !has_option(super, "ro");
	copy_field(source, m.source, sizeof(m.source));
	copy_field(field[FIELD_TARGET], m.target, sizeof(m.target));
	*ret = m;
	return true;
}

int mounts_next(FILE *mountinfo, struct mounted *ret)
{
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (!found && getline(&line, &size, mountinfo) > 0)
		found = read_line(line, ret);
	free(line);
	return found;
}

int mounts_each(int (*each)(const struct mounted *m, void *data), void *data, struct err *e)
{
	FILE *mountinfo = mounts_open();
	struct mounted m;
	int r = 0;

	if (!mountinfo)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open /proc/self/mountinfo");
	while (!r && mounts_next(mountinfo, &m))
		r = each(&m, data);
	/* Also a line for which there was no memory: half a list is none. */
	if (!r && !feof(mountinfo))
		r = err_set(e, FAIL_SYSTEM_CALL_FAILED, EIO, "read /proc/self/mountinfo");
	fclose(mountinfo);
	return r;
}

struct wanted {
	const char *path;
	struct mounted *ret;
	int found;
};

static int take_if_there(const struct mounted *m, void *data)
{
	struct wanted *w = data;

	if (!strcmp(m->target, w->path)) {
		*w->ret = *m;
		w->found = 1;
	}
	return 0;
}

int mounts_at(const char *path, struct mounted *ret, struct err *e)
{
	struct wanted w = { path, ret, 0 };
	int r = mounts_each(take_if_there, &w, e);

	return r ? r : w.found;
}
