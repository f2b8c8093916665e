// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The lists that depmod leaves beside a kernel's modules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/initramfs/modules.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

/* "kernel/drivers/md/dm-mod.ko.xz" -> "dm_mod"; allocated. */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = memory_text(slash ? slash + 1 : path);
	char *suffix = strstr(name, ".ko");

	if (suffix)
		*suffix = '\0';
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static int by_name(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return strcmp(x->name, y->name);
}

struct module *modules_find(const struct modules *m, const char *name)
{
	char *normal auto_text = module_name(name);
	struct module key = { .name = normal };

	return bsearch(&key, m->all, m->count, sizeof(*m->all), by_name);
}

static void add(struct modules *m, const char *path, const char *depends, bool built_in)
{
	m->all = memory_grow(m->all, m->count, &m->room, sizeof(*m->all));
	m->all[m->count++] = (struct module){
		.name = module_name(path),
		.path = memory_text(path),
		.depends = memory_text(depends),
		.softdep_pre = memory_text(""),
		.built_in = built_in,
	};
}

/* "path: path path …" */
static int take_dependencies(struct modules *m, char *line, struct err *e)
{
	char *colon = strchr(line, ':');

	if (!colon || strstr(line, ".."))
		return refuse(e, "%s/modules.dep has an invalid line: %.80s", m->directory, line);
	*colon = '\0';
	add(m, line, colon + 1, false);
	return 0;
}

static int take_built_in(struct modules *m, char *line, struct err *e)
{
	(void)e;
	add(m, line, "", true);
	return 0;
}

/* "softdep name pre: name … post: name …"; what comes after a module is no matter here. */
static int take_soft_dependencies(struct modules *m, char *line, struct err *e)
{
	char *word, *rest = line;
	struct module *module;
	bool pre = false;

	(void)e;
	word = strsep(&rest, " ");
	if (strcmp(word, "softdep") || !rest)
		return 0;
	module = modules_find(m, strsep(&rest, " "));
	while (module && (word = strsep(&rest, " "))) {
		size_t size = strlen(word);

		if (size && word[size - 1] == ':') {
			pre = !strcmp(word, "pre:");
		} else if (size && pre) {
			char *old auto_text = module->softdep_pre;

			module->softdep_pre = memory_printf("%s %s", old, word);
		}
	}
	return 0;
}

static void add_alias(struct modules *m, const char *alias, const char *module)
{
	m->aliases = memory_grow(m->aliases, m->alias_count, &m->alias_room, sizeof(*m->aliases));
	m->aliases[m->alias_count++] = (struct module_alias){
		.alias = memory_text(alias),
		.module = module ? memory_text(module) : NULL,
	};
}

/* "alias name module"; most are patterns for devices, and no module asks for one of those. */
static int take_alias(struct modules *m, char *line, struct err *e)
{
	char *rest = line, *word = strsep(&rest, " "), *alias = strsep(&rest, " ");

	(void)e;
	if (!strcmp(word, "alias") && rest && !strpbrk(alias, ":*?["))
		add_alias(m, alias, rest);
	return 0;
}

/* "module.alias=name" among much else */
static int take_built_in_alias(struct modules *m, char *line, struct err *e)
{
	static const char key[] = ".alias=";
	const char *found = strstr(line, key);

	(void)e;
	if (found)
		add_alias(m, found + sizeof(key) - 1, NULL);
	return 0;
}

static const struct list {
	const char *name;
	int end; /* of a line */
	bool required;
	int (*take)(struct modules *m, char *line, struct err *e);
} lists_of_modules[] = {
	{ "modules.dep", '\n', true, take_dependencies },
	{ "modules.builtin", '\n', true, take_built_in },
}, lists_about_modules[] = {
	{ "modules.softdep", '\n', false, take_soft_dependencies },
	{ "modules.alias", '\n', false, take_alias },
	{ "modules.builtin.modinfo", '\0', false, take_built_in_alias },
};

static int read_list(struct modules *m, const struct list *list, struct err *e)
{
	char *path auto_text = memory_printf("%s/%s", m->directory, list->name);
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int r = 0;

	if (!f && errno == ENOENT && !list->required)
		return 0;
	if (!f)
		return system_failed(e, "%s (is this a directory like /lib/modules/<release>?)",
				     path);
	while (!r && getdelim(&line, &room, list->end, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		r = list->take(m, line, e);
	}
	free(line);
	fclose(f);
	return r;
}

static int read_lists(struct modules *m, const struct list *lists, size_t count, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < count; i++)
		r = read_list(m, &lists[i], e);
	return r;
}

int modules_open(struct modules *ret, const char *directory, struct err *e)
{
	int r;

	*ret = (struct modules){ .directory = directory };
	r = read_lists(ret, lists_of_modules, ARRAY_SIZE(lists_of_modules), e);
	if (!r) {
		qsort(ret->all, ret->count, sizeof(*ret->all), by_name);
		r = read_lists(ret, lists_about_modules, ARRAY_SIZE(lists_about_modules), e);
	}
	if (r) {
		modules_close(ret);
		return r;
	}
	ret->chosen = memory_zero(ret->count, sizeof(struct module *));
	return 0;
}

void modules_close(struct modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->all[i].name);
		free(m->all[i].path);
		free(m->all[i].depends);
		free(m->all[i].softdep_pre);
	}
	for (size_t i = 0; i < m->alias_count; i++) {
		free(m->aliases[i].alias);
		free(m->aliases[i].module);
	}
	free(m->all);
	free(m->aliases);
	free(m->chosen);
	*m = (struct modules){ .count = 0 };
}
