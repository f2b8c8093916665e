// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Names, files and texts of an initramfs. */
#include "image-build/initramfs/initramfs.h"

#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/kernel/elf.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "init/plan/plan.h"
#include "lib/io.h"

#define FILE_MAX_BYTES (1ULL << 30)

/* What is there before anything is packed: mount points, and a console for PID 1's descriptors. */
static const struct {
	const char *path;
	mode_t mode;
	uint32_t device_major, device_minor;
} base[] = {
	{ "dev", S_IFDIR | 0755, 0, 0 },  { "dev/console", S_IFCHR | 0600, 5, 1 },
	{ "proc", S_IFDIR | 0555, 0, 0 }, { "run", S_IFDIR | 0755, 0, 0 },
	{ "sys", S_IFDIR | 0555, 0, 0 },
};

int initramfs_add_node(struct initramfs_build *b, const char *path, struct inode *inode,
		       struct err *e)
{
	char *copy auto_text = memory_text(path);
	struct node *dir = b->tree.root, *node;
	char *rest = copy, *name, *next = strsep(&rest, "/");

	while ((name = next) && (next = strsep(&rest, "/"))) {
		node = node_child(dir, name);
		if (!node)
			node = node_add(&b->tree, dir, name);
		if (!node->inode)
			node_set_inode(node, inode_new(S_IFDIR | 0755));
		dir = node;
		if (!node_is_directory(node))
			break;
	}
	if (!node_is_directory(dir))
		return refuse(e, "/%s: its parent is not a directory", path);
	if (node_child(dir, name))
		return refuse(e, "/%s is packed twice", path);
	node_set_inode(node_add(&b->tree, dir, name), inode);
	return 0;
}

int initramfs_add_base(struct initramfs_build *b, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(base); i++) {
		struct inode *inode auto_inode = inode_hold(inode_new(base[i].mode));
		int r;

		if (inode_is_device(inode)) {
			inode->device_major = base[i].device_major;
			inode->device_minor = base[i].device_minor;
		}
		r = initramfs_add_node(b, base[i].path, inode, e);
		if (r)
			return r;
	}
	return 0;
}

static int copy_file(struct initramfs_build *b, int fd, const char *source, struct inode *inode,
		     struct err *e)
{
	size_t room = 1 << 20;
	char *buf auto_text = memory_zero(1, room);
	ssize_t n;

	while ((n = io_pread(fd, buf, room, inode->size)) > 0) {
		int r = content_add(&inode->content, &b->store, buf, (size_t)n, inode->size, e);

		if (r)
			return r;
		inode->size += (uint64_t)n;
		if (inode->size > FILE_MAX_BYTES)
			return refuse_limit(e, "%s has more than %llu bytes", source,
					    FILE_MAX_BYTES);
	}
	if (n < 0)
		return system_result(e, n, "read %s", source);
	return content_end(&inode->content, &b->store, inode->size, 0, e);
}

static int check_program(struct initramfs_build *b, int fd, const char *source, struct err *e)
{
	uint8_t header[ELF_ARCH_BYTES];
	int r = elf_check_static(fd, source, e);
	enum kernel_arch arch;
	ssize_t n;

	if (r)
		return r;
	n = io_pread(fd, header, sizeof(header), 0);
	if (n < 0)
		return system_result(e, n, "read %s", source);
	arch = elf_arch(header, (size_t)n);
	if (!b->arch)
		b->arch = arch;
	return initramfs_check_arch(b, arch, source, e);
}

/* A file keeps nothing of its source but its bytes and whether it can be run. */
int initramfs_add_file(struct initramfs_build *b, const char *path, const char *source,
		       bool program, struct err *e)
{
	/* A FIFO would keep us here until somebody writes into it. */
	int fd auto_fd = open(source, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct inode *inode auto_inode = NULL;
	struct stat st;
	int r = 0;

	if (fd < 0 || fstat(fd, &st))
		return system_failed(e, "open %s", source);
	if (!S_ISREG(st.st_mode))
		return refuse(e, "%s is not a regular file", source);
	if (program)
		r = check_program(b, fd, source, e);
	if (r)
		return r;
	inode = inode_hold(inode_new(S_IFREG | (program || st.st_mode & 0100 ? 0755 : 0644)));
	r = copy_file(b, fd, source, inode, e);
	return r ? r : initramfs_add_node(b, path, inode, e);
}

int initramfs_add_text(struct initramfs_build *b, const char *path, const char *text, struct err *e)
{
	struct inode *inode auto_inode = inode_hold(inode_new(S_IFREG | 0644));
	int r = content_add(&inode->content, &b->store, text, strlen(text), 0, e);

	inode->size = strlen(text);
	if (!r)
		r = content_end(&inode->content, &b->store, inode->size, 0, e);
	return r ? r : initramfs_add_node(b, path, inode, e);
}

/* What is for another machine than /init could never be loaded or booted by it. */
int initramfs_check_arch(const struct initramfs_build *b, enum kernel_arch arch, const char *name,
			 struct err *e)
{
	if (arch == b->arch || !arch || !b->arch)
		return 0;
	return refuse(e, "%s is for %s, but %s is for %s", name, kernel_arch_name(arch),
		      b->options->init, kernel_arch_name(b->arch));
}

char *initramfs_volume_program(const struct initramfs_options *o)
{
	char *copy auto_text = memory_text(o->init);

	if (o->volume_program)
		return memory_text(o->volume_program);
	return memory_printf("%s%s", dirname(copy), PLAN_VOLUME_PROGRAM);
}

int initramfs_add_volume_program(struct initramfs_build *b, struct err *e)
{
	char *source auto_text = initramfs_volume_program(b->options);
	int r = initramfs_add_file(b, &PLAN_VOLUME_PROGRAM[1], source, true, e);

	return b->options->volume_program ? r : err_prefix(e, r, "without --volume-program: ");
}
