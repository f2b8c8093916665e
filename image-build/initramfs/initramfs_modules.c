// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The kernel's modules in an initramfs, and the list by which init loads them. */
#include "image-build/initramfs/initramfs.h"

#include <sys/stat.h>

#include "image-build/kernel/elf.h"
#include "image-build/base/memory.h"
#include "image-build/initramfs/modules.h"
#include "image-build/base/blob.h"
#include "init/plan/module_params.h"

#define MODULE_MAX_BYTES (64ULL << 20)

static int check_module_arch(const struct initramfs_build *b, const struct inode *inode,
			     const char *name, struct err *e)
{
	uint8_t header[ELF_ARCH_BYTES];
	ssize_t n = content_read(&inode->content, inode->size, header, sizeof(header), 0, e);

	return n < 0 ? (int)n : initramfs_check_arch(b, elf_arch(header, (size_t)n), name, e);
}

static int add_module(struct initramfs_build *b, const struct modules *m,
		      const struct module *module, struct err *e)
{
	char *source auto_text = memory_printf("%s/%s", m->directory, module->path);
	char *path auto_text = memory_printf("%s/%s.ko", &MODULES_DIR[1], module->name);
	struct inode *inode auto_inode = inode_hold(inode_new(S_IFREG | 0644));
	int r = blob_read_file(source, MODULE_MAX_BYTES, &b->store, &inode->content, &inode->size,
			       e);
	if (!r)
		r = check_module_arch(b, inode, source, e);
	if (!r)
		r = initramfs_add_node(b, path, inode, e);
	return r;
}

/* Drivers first: their devices are looked for while the rest is loaded. */
static int choose_modules(struct initramfs_build *b, struct modules *m, struct err *e)
{
	int r = 0;

	for (unsigned int i = 0; !r && i < 2 * FEATURES; i++) {
		enum feature feature = (enum feature)(i % FEATURES);
		enum need need = b->needs.of[feature];

		if (need != NEED_NO && needs_is_machine(feature) == (i < FEATURES))
			r = modules_choose_feature(m, feature, b->arch, need == NEED_IF_THERE, e);
	}
	for (size_t i = 0; !r && i < b->options->modules.count; i++)
		r = modules_choose(m, b->options->modules.at[i], e);
	return r;
}

int initramfs_add_modules(struct initramfs_build *b, struct err *e)
{
	const struct initramfs_options *o = b->options;
	char *list auto_text = NULL;
	struct modules m;
	int r = modules_open(&m, o->kernel_modules, e);

	if (r)
		return r;
	r = choose_modules(b, &m, e);
	for (size_t i = 0; !r && i < m.chosen_count; i++)
		r = add_module(b, &m, m.chosen[i], e);
	if (!r) {
		list = modules_list(&m);
		r = initramfs_add_text(b, &(MODULES_DIR "/" MODULES_LIST)[1], list, e);
	}
	modules_close(&m);
	return r;
}
