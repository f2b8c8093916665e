// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/mount_top.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "lib/text.h"

#define invalid(e, ...) err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)

bool mount_option_harmless(const char *option)
{
	return !strcmp(option, "ro") || (text_behind(option, "X-") && !strstr(option, "verity"));
}

static int set_once(const char **place, const char *value, const char *name, struct err *e)
{
	if (*place)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "%s is specified twice", name);
	*place = value;
	return 0;
}

int overlay_option_read(const char *option, const struct mount_list *list,
			struct overlay_options *top, struct err *e)
{
	static const char mkdir_path[] = "X-containerd.mkdir.path=";
	const char *value;

	if ((value = text_behind(option, "lowerdir=")))
		return set_once(&top->lower, value, "lowerdir", e);
	if ((value = text_behind(option, "upperdir=")))
		return set_once(&top->upper, value, "upperdir", e);
	if ((value = text_behind(option, "workdir=")))
		return set_once(&top->work, value, "workdir", e);
	if ((value = text_behind(option, mkdir_path))) {
		if (strstr(value, "{{"))
			return template_upper(value, list, e);
		return 0;
	}
	if (mount_option_harmless(option))
		return 0;
	return invalid(e, "the option \"%.120s\" of an overlay is not taken here", option);
}

static int read_overlay_options(const struct mount_entry *entry, const struct mount_list *list,
				struct overlay_options *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < hostile_count(entry->options); i++) {
		const char *option;

		r = hostile_string_at(entry->options, i, &option, e);
		if (!r)
			r = overlay_option_read(option, list, ret, e);
	}
	return r;
}

/* A directory of the host in the place of an upper says that there is one: here, in memory. */
static int add_upper(const struct overlay_options *top, const struct mount_list *list,
		     struct stack *s, struct err *e)
{
	int r;

	if (!top->upper != !top->work)
		return invalid(e, "upperdir and workdir are given together or not at all");
	if (!top->upper)
		return list->writable ? invalid(e, "the writable disk of the list is not used") : 0;
	r = template_upper(top->upper, list, e);
	if (!r)
		r = template_upper(top->work, list, e);
	if (!r)
		s->upper.kind = UPPER_TMPFS;
	return r;
}

static int read_overlay(const struct mount_entry *entry, const struct mount_list *list,
			struct stack *s, struct err *e)
{
	struct overlay_options top = { 0 };
	int r = read_overlay_options(entry, list, &top, e);

	if (r)
		return r;
	if (!list->lowers)
		return invalid(e, "there is no volume in it: an overlay of directories of the "
				  "host, which nothing proves");
	if (!top.lower)
		return invalid(e, "the overlay has no lowerdir");
	r = template_lowers(top.lower, list, e);
	return r ? r : add_upper(&top, list, s, e);
}

/* A View: the only layer as it is. */
static int read_bind(const struct mount_entry *entry, const struct mount_list *list,
		     struct stack *s, struct err *e)
{
	static const char *const harmless[] = { "ro", "bind", "rbind", NULL };

	(void)s;
	if (list->lowers != 1 || list->writable)
		return invalid(e, "a bind mount shows one layer, and there are %zu", list->lowers);
	for (size_t i = 0; i < hostile_count(entry->options); i++) {
		const char *option;

		if (hostile_string_at(entry->options, i, &option, e))
			return -EINVAL;
		if (text_find(harmless, option, strlen(option)) < 0)
			return invalid(e, "the option \"%.120s\" of a bind mount is not taken here",
				       option);
	}
	return template_lowers(entry->source, list, e);
}

static const struct {
	const char *type;
	int (*read)(const struct mount_entry *entry, const struct mount_list *list, struct stack *s,
		    struct err *e);
} tops[] = {
	{ "overlay", read_overlay },
	{ "format/overlay", read_overlay },
	{ "mkdir/overlay", read_overlay },
	{ "format/mkdir/overlay", read_overlay },
	{ "bind", read_bind },
	{ "format/bind", read_bind },
};

int mount_top_read(const struct mount_entry *entry, const struct mount_list *list, struct stack *s,
		   struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(tops); i++)
		if (!strcmp(entry->type, tops[i].type))
			return tops[i].read(entry, list, s, e);
	return invalid(e, "a mount of type \"%.40s\" is not taken here", entry->type);
}
