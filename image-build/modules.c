// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/memory.h"
#include "image-build/refuse.h"

/* How much a module of the default set matters. */
enum need {
	NEED_ALWAYS,     /* not in this tree and not built in: an error */
	NEED_IF_PRESENT, /* some kernels have no such module since they need none */
	NEED_NOT,        /* makes things faster where the machine can: may fail to load, too */
};

static const struct {
	const char *name;
	const char *or_name; /* the same thing in other kernels */
	unsigned int archs;  /* enum kernel_arch, or'ed */
	enum need need;
} defaults[] = {
	/* The buses; s390x has its own, always built in, and the others only with PCI. */
	{ "virtio_pci", NULL, ARCH_X86_64 | ARCH_AARCH64, NEED_ALWAYS },
	{ "virtio_mmio", NULL, ARCH_X86_64 | ARCH_AARCH64, NEED_ALWAYS },
	{ "virtio_pci", NULL, ARCH_S390X, NEED_IF_PRESENT },
	{ "virtio_blk", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "virtio_scsi", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "sd_mod", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "virtio_console", NULL, ARCH_ANY, NEED_ALWAYS },
	/* libcryptsetup's kernel backend speaks to both; dm-verity asks for the hash itself. */
	{ "af_alg", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "algif_hash", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "sha256_generic", "sha256", ARCH_ANY, NEED_ALWAYS },
	{ "sha256_ssse3", NULL, ARCH_X86_64, NEED_NOT },
	{ "sha256_arm64", NULL, ARCH_AARCH64, NEED_NOT },
	{ "sha2_ce", NULL, ARCH_AARCH64, NEED_NOT },
	{ "sha256_s390", NULL, ARCH_S390X, NEED_NOT },
	{ "dm_mod", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "dm_verity", NULL, ARCH_ANY, NEED_ALWAYS },
	/* libcrc32c asks for it by name when it is loaded, which no dependency shows. */
	{ "crc32c_generic", NULL, ARCH_ANY, NEED_IF_PRESENT },
	{ "erofs", NULL, ARCH_ANY, NEED_ALWAYS },
	{ "overlay", NULL, ARCH_ANY, NEED_ALWAYS },
};

/* "kernel/drivers/md/dm-mod.ko.xz" -> "dm_mod"; allocated. */
static char *module_name(const char *path, size_t size)
{
	char *copy auto_text = memory_printf("%.*s", (int)size, path);
	const char *base = strrchr(copy, '/') ? strrchr(copy, '/') + 1 : copy;
	char *name = memory_text(base);
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

static struct module *find(const struct modules *m, char *name)
{
	struct module key = { .name = name };

	return bsearch(&key, m->all, m->count, sizeof(*m->all), by_name);
}

static void add(struct modules *m, struct module added)
{
	m->all = memory_grow(m->all, m->count, &m->room, sizeof(*m->all));
	m->all[m->count++] = added;
}

static FILE *open_list(const char *directory, const char *name, struct err *e)
{
	char *path auto_text = memory_printf("%s/%s", directory, name);
	FILE *f = fopen(path, "re");

	if (!f)
		system_failed(e, "%s (is this a directory like /lib/modules/<release>?)", path);
	return f;
}

/* "path: path path …" */
static int read_dependencies(struct modules *m, struct err *e)
{
	FILE *f = open_list(m->directory, "modules.dep", e);
	char *line = NULL;
	size_t room = 0;
	int r = 0;

	if (!f)
		return -ENOENT;
	while (!r && getline(&line, &room, f) >= 0) {
		char *colon = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		if (!colon || strstr(line, ".."))
			r = refuse(e, "%s/modules.dep has a line that is none: %.80s", m->directory,
				   line);
		else
			add(m, (struct module){
				       .name = module_name(line, (size_t)(colon - line)),
				       .path = memory_printf("%.*s", (int)(colon - line), line),
				       .needs = memory_text(colon + 1),
			       });
	}
	free(line);
	fclose(f);
	return r;
}

static int read_built_in(struct modules *m, struct err *e)
{
	FILE *f = open_list(m->directory, "modules.builtin", e);
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return -ENOENT;
	while (getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		add(m, (struct module){
			       .name = module_name(line, strlen(line)),
			       .path = memory_text(line),
			       .needs = memory_text(""),
			       .built_in = true,
		       });
	}
	free(line);
	fclose(f);
	return 0;
}

int modules_open(struct modules *ret, const char *directory, struct err *e)
{
	int r;

	*ret = (struct modules){ .directory = directory };
	r = read_dependencies(ret, e);
	if (!r)
		r = read_built_in(ret, e);
	if (r) {
		modules_close(ret);
		return r;
	}
	qsort(ret->all, ret->count, sizeof(*ret->all), by_name);
	ret->chosen = memory_zero(ret->count, sizeof(struct module *));
	return 0;
}

void modules_close(struct modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->all[i].name);
		free(m->all[i].path);
		free(m->all[i].needs);
	}
	free(m->all);
	free(m->chosen);
	*m = (struct modules){ .count = 0 };
}

static int choose(struct modules *m, struct module *module, bool optional, struct err *e)
{
	char *needs auto_text = memory_text(module->needs);
	char *rest = needs, *path;

	if (module->built_in || module->chosen)
		return 0;
	/* Marked first: a ring of dependencies ends here, too. */
	module->chosen = true;
	module->optional = optional;
	while ((path = strsep(&rest, " "))) {
		char *name auto_text = module_name(path, strlen(path));
		struct module *needed = find(m, name);
		int r;

		if (!*path)
			continue;
		if (!needed)
			return refuse(e, "%s: module %s needs %s, which is not there", m->directory,
				      module->name, path);
		r = choose(m, needed, optional, e);
		if (r)
			return r;
	}
	m->chosen[m->chosen_count++] = module;
	return 0;
}

static struct module *find_text(const struct modules *m, const char *text)
{
	char *name auto_text = NULL;

	if (!text)
		return NULL;
	name = module_name(text, strlen(text));
	return find(m, name);
}

int modules_choose(struct modules *m, const char *name, struct err *e)
{
	struct module *module = find_text(m, name);

	if (!module)
		return refuse(e, "%s: no module %s, and none of that name is built in",
			      m->directory, name);
	module->optional = false;
	return choose(m, module, false, e);
}

int modules_choose_default(struct modules *m, enum kernel_arch arch, struct err *e)
{
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		struct module *module = find_text(m, defaults[i].name);
		int r;

		if (defaults[i].archs != ARCH_ANY && !(defaults[i].archs & arch))
			continue;
		if (!module)
			module = find_text(m, defaults[i].or_name);
		if (!module && defaults[i].need == NEED_ALWAYS)
			return refuse(e,
				      "%s: the kernel has no %s, neither as a module nor built in",
				      m->directory, defaults[i].name);
		if (!module)
			continue;
		r = choose(m, module, defaults[i].need == NEED_NOT, e);
		if (r)
			return r;
	}
	return 0;
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
