// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

static int choose(struct modules *m, struct module *module, bool optional, struct err *e);

static int choose_dependencies(struct modules *m, const struct module *module, bool optional,
			       struct err *e)
{
	char *depends auto_text = memory_text(module->depends);
	char *rest = depends, *path;
	int r = 0;

	while (!r && (path = strsep(&rest, " "))) {
		struct module *found = *path ? modules_find(m, path) : NULL;

		if (found)
			r = choose(m, found, optional, e);
		else if (*path)
			r = refuse(e, "%s: module %s needs %s, which is missing", m->directory,
				   module->name, path);
	}
	return r;
}

/* By name, or by another name that it has; NULL where nothing needs to be loaded for it. */
static struct module *find_any_name(const struct modules *m, const char *name)
{
	struct module *found = modules_find(m, name);

	for (size_t i = 0; !found && i < m->alias_count; i++)
		if (!m->aliases[i].module && !strcmp(m->aliases[i].alias, name))
			return NULL;
	for (size_t i = 0; !found && i < m->alias_count; i++)
		if (!strcmp(m->aliases[i].alias, name))
			found = modules_find(m, m->aliases[i].module);
	return found;
}

/*
 * What it asks for by name, which no dependency shows: libcrc32c does so with
 * crc32c. In the guest nobody answers such a question, so it must be there before.
 */
static int choose_softdeps(struct modules *m, const struct module *module, struct err *e)
{
	char *softdeps auto_text = memory_text(module->softdep_pre);
	char *rest = softdeps, *name;
	int r = 0;

	while (!r && (name = strsep(&rest, " "))) {
		struct module *found = *name ? find_any_name(m, name) : NULL;

		if (found)
			r = choose(m, found, true, e);
	}
	return r;
}

/* With all that it depends on, which has to be at least as sure to load as itself. */
static int choose(struct modules *m, struct module *module, bool optional, struct err *e)
{
	bool again = module->chosen;
	int r;

	if (module->built_in || (again && (optional || !module->optional)))
		return 0;
	/* Marked first: a ring of dependencies ends here, too. */
	module->chosen = true;
	module->optional = optional;
	r = choose_dependencies(m, module, optional, e);
	if (!r)
		r = choose_softdeps(m, module, e);
	if (!r && !again)
		m->chosen[m->chosen_count++] = module;
	return r;
}

int modules_choose(struct modules *m, const char *name, struct err *e)
{
	struct module *module = modules_find(m, name);

	if (!module)
		return refuse(e, "%s: no module %s, and none of that name is built in",
			      m->directory, name);
	return choose(m, module, false, e);
}

/* Of "new|old" the first one that this kernel has. */
static struct module *find_first(const struct modules *m, const char *names)
{
	char *copy auto_text = memory_text(names);
	char *rest = copy, *name;
	struct module *found = NULL;

	while (!found && (name = strsep(&rest, "|")))
		found = modules_find(m, name);
	return found;
}

#define OPTIONS_MAX 8 /* of which one will do */

/* The modules of "A|B", built in or not. known: whether any of them can be a module at all. */
static size_t find_options(const struct modules *m, const char *options,
			   struct module *ret[OPTIONS_MAX], bool *ret_known)
{
	size_t count = 0;

	*ret_known = false;
	while (*options && count < OPTIONS_MAX) {
		size_t size = strcspn(options, "|");
		const char *names = feature_module_names(options, size);
		struct module *found = names ? find_first(m, names) : NULL;

		*ret_known |= names != NULL;
		if (found)
			ret[count++] = found;
		options += size;
		options += *options == '|';
	}
	return count;
}

static int choose_rule(struct modules *m, const struct feature_info *feature,
		       const struct feature_rule *rule, bool if_there, struct err *e)
{
	struct module *found[OPTIONS_MAX];
	bool known;
	size_t count = find_options(m, rule->options, found, &known);
	int r = 0;

	if (!count && known && !rule->optional && !if_there)
		return refuse(e,
			      "%s: the kernel has no CONFIG_%s, neither as a module nor built "
			      "in: it is needed for %s",
			      m->directory, rule->options, feature->what);
	for (size_t i = 0; !r && i < count; i++)
		r = choose(m, found[i], rule->optional || if_there || count > 1, e);
	return r;
}

int modules_choose_feature(struct modules *m, enum feature feature, enum kernel_arch arch,
			   bool if_there, struct err *e)
{
	struct feature_rule rule;
	int r = 0;

	for (size_t i = 0; !r && feature_rule(feature, arch, i, &rule); i++)
		r = choose_rule(m, &feature_infos[feature], &rule, if_there, e);
	return r;
}

char *modules_list(const struct modules *m)
{
	char *text = memory_text("");

	for (size_t i = 0; i < m->chosen_count; i++) {
		char *before auto_text = text;

		text = memory_printf("%s%s%s.ko\n", before, m->chosen[i]->optional ? "-" : "",
				     m->chosen[i]->name);
	}
	return text;
}
