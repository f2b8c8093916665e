// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/kconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

/* A piece of the text. */
struct span {
	const char *at;
	size_t size;
};

static bool begins(const struct span *s, const char *with)
{
	size_t size = strlen(with);

	return s->size >= size && !memcmp(s->at, with, size);
}

static bool equals(const struct span *s, const char *text)
{
	return s->size == strlen(text) && begins(s, text);
}

static void skip(struct span *s, size_t bytes)
{
	s->at += bytes;
	s->size -= bytes;
}

static bool is_name_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Cut "CONFIG_<name>" off the beginning; what is left follows the name. */
static bool take_name(struct span *s, struct span *ret)
{
	size_t size = 0;

	if (!begins(s, "CONFIG_"))
		return false;
	skip(s, strlen("CONFIG_"));
	while (size < s->size && is_name_byte(s->at[size]))
		size++;
	*ret = (struct span){ s->at, size };
	skip(s, size);
	return size > 0;
}

static enum kconfig_state value_state(const struct span *value)
{
	if (equals(value, "y"))
		return KCONFIG_BUILT_IN;
	if (equals(value, "m"))
		return KCONFIG_MODULE;
	if (equals(value, "n") || equals(value, "\"\""))
		return KCONFIG_OFF;
	return KCONFIG_VALUE;
}

static int add_option(struct kconfig *k, const struct span *name, enum kconfig_state state,
		      struct err *e)
{
	if (name->size > KCONFIG_NAME_MAX)
		return refuse_limit(e, "an option's name has more than %d bytes", KCONFIG_NAME_MAX);
	if (k->count == KCONFIG_OPTIONS_MAX)
		return refuse_limit(e, "more than %d options", KCONFIG_OPTIONS_MAX);
	k->options = memory_grow(k->options, k->count, &k->room, sizeof(*k->options));
	k->options[k->count++] = (struct kconfig_option){ name->at, name->size, state };
	return 0;
}

/* "# Linux/x86 6.12.118 Kernel Configuration" */
static void read_version(struct kconfig *k, const struct span *comment)
{
	char line[64], *blank;
	unsigned int version, patch_level;

	if (!begins(comment, "# Linux/") || comment->size >= sizeof(line))
		return;
	memcpy(line, comment->at, comment->size);
	line[comment->size] = '\0';
	blank = strchr(line + 2, ' ');
	if (!blank || sscanf(blank, " %4u.%4u", &version, &patch_level) != 2)
		return;
	k->version = version;
	k->patch_level = patch_level;
	k->whole = true;
}

/* "# CONFIG_X is not set" is as good as CONFIG_X=n; any other comment is none. */
static int read_comment(struct kconfig *k, const struct span *line, struct err *e)
{
	struct span rest = *line, name;

	read_version(k, line);
	skip(&rest, begins(line, "# ") ? 2 : 1);
	if (!take_name(&rest, &name) || !equals(&rest, " is not set"))
		return 0;
	return add_option(k, &name, KCONFIG_OFF, e);
}

static bool has_control(const struct span *s)
{
	for (size_t i = 0; i < s->size; i++)
		if ((unsigned char)s->at[i] < 0x20 && s->at[i] != '\t')
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Kconfig itself passes over one '\r', and looks at the first byte of y, m and n only. */
static void drop_end(struct span *s)
{
	if (s->size && s->at[s->size - 1] == '\r')
		s->size--;
	while (s->size && is_blank(s->at[s->size - 1]))
		s->size--;
}

static int read_line(struct kconfig *k, struct span line, struct err *e)
{
	struct span name;

	drop_end(&line);
	if (!line.size)
		return 0;
	if (has_control(&line))
		return refuse(e, "a control character");
	if (*line.at == '#')
		return read_comment(k, &line, e);
	if (!take_name(&line, &name) || !begins(&line, "="))
		return refuse(e, "not a line of a kernel configuration");
	skip(&line, 1);
	return add_option(k, &name, value_state(&line), e);
}

static int read_lines(struct kconfig *k, const char *text, size_t size, struct err *e)
{
	const char *end = text + size;
	size_t number = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline ? newline : end;
		int r = read_line(k, (struct span){ text, (size_t)(line_end - text) }, e);

		number++;
		if (r)
			return err_prefix(e, r, "line %zu: ", number);
		text = line_end + 1;
	}
	return 0;
}

static int compare_names(const char *a, size_t a_size, const char *b, size_t b_size)
{
	int order = memcmp(a, b, a_size < b_size ? a_size : b_size);

	if (order)
		return order;
	return a_size < b_size ? -1 : a_size > b_size;
}

/* By name; the same name by place in the text, so that the last one is last. */
static int compare_options(const void *a, const void *b)
{
	const struct kconfig_option *x = a, *y = b;
	int order = compare_names(x->name, x->name_size, y->name, y->name_size);

	if (order)
		return order;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void keep_last(struct kconfig *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->count; i++) {
		const struct kconfig_option *o = &k->options[i];

		if (kept && !compare_names(o->name, o->name_size, k->options[kept - 1].name,
					   k->options[kept - 1].name_size))
			kept--;
		k->options[kept++] = *o;
	}
	k->count = kept;
}

int kconfig_parse(const char *text, size_t size, struct kconfig *ret, struct err *e)
{
	struct kconfig k = { .count = 0 };
	int r;

	if (size > KCONFIG_TEXT_MAX)
		return refuse_limit(e, "a kernel configuration of more than %d bytes",
				    KCONFIG_TEXT_MAX);
	r = read_lines(&k, text, size, e);
	if (!r && !k.count)
		r = refuse(e, "no option in it");
	if (r) {
		kconfig_free(&k);
		return r;
	}
	qsort(k.options, k.count, sizeof(*k.options), compare_options);
	keep_last(&k);
	*ret = k;
	return 0;
}

void kconfig_free(struct kconfig *k)
{
	free(k->options);
	*k = (struct kconfig){ .count = 0 };
}

enum kconfig_state kconfig_state(const struct kconfig *k, const char *name, size_t name_size)
{
	size_t low = 0, high = k->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct kconfig_option *o = &k->options[middle];
		int order = compare_names(name, name_size, o->name, o->name_size);

		if (!order)
			return o->state;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return k->whole ? KCONFIG_OFF : KCONFIG_UNSAID;
}
