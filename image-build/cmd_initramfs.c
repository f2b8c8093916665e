// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image initramfs: an initramfs that is the same every time. */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image-build/command.h"
#include "image-build/cpio.h"
#include "image-build/elf.h"
#include "image-build/features.h"
#include "image-build/kernel_config.h"
#include "image-build/memory.h"
#include "image-build/modules.h"
#include "image-build/name.h"
#include "image-build/needs.h"
#include "image-build/output.h"
#include "image-build/plan_files.h"
#include "image-build/refuse.h"
#include "image-build/unpack.h"
#include "init/manifest.h"
#include "lib/cleanup.h"
#include "lib/io.h"

#define FILE_MAX_BYTES (1ULL << 30)
#define MODULE_MAX_BYTES (64ULL << 20)

struct options {
	const char *init;
	const char *output;
	const char *kernel_modules;
	const char *kernel;
	const char *policy;
	const char *manifest;
	const char *cmdline;
	struct option_list machine;
	struct option_list modules;
	struct option_list files;
	enum compression compression;
};

struct build {
	const struct options *options;
	enum kernel_arch arch; /* what /init runs on */
	struct needs needs;    /* of the kernel */
	struct tree tree;
	struct spool spool;
};

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

/* Add one name with the directories above it. Twice the same name is an error. */
static int add_node(struct build *b, const char *path, struct inode *inode, struct err *e)
{
	char *copy auto_text = memory_text(path);
	struct node *dir = b->tree.root, *node;
	char *rest = copy, *name, *next = strsep(&rest, "/");
	struct node holder = { .name = NULL };
	int r = 0;

	node_set_inode(&holder, inode);
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
		r = refuse(e, "/%s: what it stands in is not a directory", path);
	else if (node_child(dir, name))
		r = refuse(e, "/%s is packed twice", path);
	else
		node_set_inode(node_add(&b->tree, dir, name), inode);
	node_set_inode(&holder, NULL);
	return r;
}

static int add_base(struct build *b, struct err *e)
{
	for (size_t i = 0; i < sizeof(base) / sizeof(base[0]); i++) {
		struct inode *inode = inode_new(base[i].mode);
		int r;

		inode->device_major = base[i].device_major;
		inode->device_minor = base[i].device_minor;
		r = add_node(b, base[i].path, inode, e);
		if (r)
			return r;
	}
	return 0;
}

static int copy_file(struct build *b, int fd, const char *source, struct inode *inode,
		     struct err *e)
{
	size_t room = 1 << 20;
	char *buf auto_text = memory_zero(1, room);
	ssize_t n;

	while ((n = io_pread(fd, buf, room, inode->size)) > 0) {
		int r = content_add(&inode->content, &b->spool, buf, (size_t)n, inode->size, e);

		if (r)
			return r;
		inode->size += (uint64_t)n;
		if (inode->size > FILE_MAX_BYTES)
			return refuse_limit(e, "%s has more than %llu bytes", source,
					    FILE_MAX_BYTES);
	}
	return n < 0 ? system_error(e, (int)-n, "read %s", source) : 0;
}

static int check_program(struct build *b, int fd, const char *source, struct err *e)
{
	uint8_t header[ELF_ARCH_BYTES];
	int r = elf_check_static(fd, source, e);
	ssize_t n;

	if (r)
		return r;
	n = io_pread(fd, header, sizeof(header), 0);
	if (n < 0)
		return system_error(e, (int)-n, "read %s", source);
	b->arch = elf_arch(header, (size_t)n);
	return 0;
}

/* A file keeps nothing of its source but its bytes and whether it can be run. */
static int add_file(struct build *b, const char *path, const char *source, bool program,
		    struct err *e)
{
	int fd auto_fd = open(source, O_RDONLY | O_CLOEXEC);
	struct inode *inode;
	struct node holder = { .name = NULL };
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
	inode = inode_new(S_IFREG | (program || st.st_mode & 0100 ? 0755 : 0644));
	node_set_inode(&holder, inode);
	r = copy_file(b, fd, source, inode, e);
	if (!r)
		r = add_node(b, path, inode, e);
	node_set_inode(&holder, NULL);
	return r;
}

static int add_text(struct build *b, const char *path, const char *text, struct err *e)
{
	struct inode *inode = inode_new(S_IFREG | 0644);
	int r = content_add(&inode->content, &b->spool, text, strlen(text), 0, e);
	int r2;

	inode->size = strlen(text);
	r2 = add_node(b, path, inode, e);
	return r ? r : r2;
}

/* What is for another machine than /init could never be loaded or booted by it. */
static int check_arch(const struct build *b, enum kernel_arch arch, const char *name, struct err *e)
{
	if (arch == b->arch || !arch || !b->arch)
		return 0;
	return refuse(e, "%s is for %s, but %s is for %s", name, kernel_arch_name(arch),
		      b->options->init, kernel_arch_name(b->arch));
}

static int check_module_arch(const struct build *b, const struct inode *inode, const char *name,
			     struct err *e)
{
	uint8_t header[ELF_ARCH_BYTES];
	ssize_t n = content_read(&inode->content, inode->size, header, sizeof(header), 0, e);

	return n < 0 ? (int)n : check_arch(b, elf_arch(header, (size_t)n), name, e);
}

static int add_module(struct build *b, const struct modules *m, const struct module *module,
		      struct err *e)
{
	char *source auto_text = memory_printf("%s/%s", m->directory, module->path);
	char *path auto_text = memory_printf("lib/modules/%s.ko", module->name);
	struct inode *inode = inode_new(S_IFREG | 0644);
	struct node holder = { .name = NULL };
	int r;

	node_set_inode(&holder, inode);
	r = unpack_file(source, MODULE_MAX_BYTES, &b->spool, &inode->content, &inode->size, e);
	if (!r)
		r = check_module_arch(b, inode, source, e);
	if (!r)
		r = add_node(b, path, inode, e);
	node_set_inode(&holder, NULL);
	return r;
}

/* Drivers first: their devices are looked for while the rest is loaded. */
static int choose_modules(struct build *b, struct modules *m, struct err *e)
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

static int add_modules(struct build *b, struct err *e)
{
	const struct options *o = b->options;
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
		r = add_text(b, "lib/modules/socle.load", list, e);
	}
	modules_close(&m);
	return r;
}

/* DEST=SRC; the first "=" parts them. */
static int add_named_file(struct build *b, const char *text, struct err *e)
{
	const char *equals = strchr(text, '=');
	char *raw auto_text = NULL;
	char path[LIMIT_PATH + 1];
	int r;

	if (!equals || equals == text || !equals[1])
		return refuse(e, "--file wants DEST=SRC, not \"%.100s\"", text);
	raw = memory_printf("%.*s", (int)(equals - text), text);
	r = name_clean(raw, path, e);
	if (!r && !*path)
		r = refuse(e, "--file %.100s: DEST is the root", text);
	return r ? r : add_file(b, path, equals + 1, false, e);
}

static int add_policy(struct build *b, struct policy *policy, struct err *e)
{
	const char *source = b->options->policy;
	int r = source ? plan_policy_file(source, policy, e) : 0;

	return r || !source ? r : add_file(b, &POLICY_FILE[1], source, false, e);
}

static int add_manifest(struct build *b, struct boot_plan *plan, struct err *e)
{
	const char *source = b->options->manifest;
	int r;

	if (!source)
		return 0;
	if (plan->manifest.digest_size)
		return refuse(e, "the command line has socle.manifest=, so no manifest can be "
				 "packed");
	r = plan_manifest_file(source, plan, e);
	return r ? r : add_file(b, &MANIFEST_FILE[1], source, false, e);
}

/* As the guest will settle it, in the order of init/step_plan.c; our /init is no agent. */
static int settle(const struct build *b, struct boot_plan *plan, const struct policy *policy,
		  struct err *e)
{
	bool has_agent = strcmp(plan->agent, "/init") && tree_find(&b->tree, &plan->agent[1]);
	int r = plan_settle(plan, has_agent, e);

	return r ? r : policy_check(policy, plan, e);
}

/*
 * What the guest would refuse is not packed, and what its plan and its machine
 * need of the kernel is known from here on. Without a command line the plan is
 * only begun, and with a manifest on a disk a part of it is missing.
 */
static int add_plan(struct build *b, struct err *e)
{
	static struct boot_plan plan;
	const struct options *o = b->options;
	struct policy policy = { false };
	int r = needs_of_machine(&b->needs, &o->machine, b->arch, e);
	bool whole;

	plan_init(&plan);
	if (!r)
		r = add_policy(b, &policy, e);
	if (!r && o->cmdline)
		r = plan_cmdline(o->cmdline, b->arch ? kernel_arch_name(b->arch) : NULL, &plan, e);
	whole = o->cmdline && !plan.manifest.digest_size;
	if (!r)
		r = add_manifest(b, &plan, e);
	if (!r && whole)
		r = settle(b, &plan, &policy, e);
	if (!whole)
		needs_of_layers(&b->needs);
	return r ? r : needs_of_plan(&b->needs, &plan, o->machine.count > 0, e);
}

/* A kernel that could neither unpack nor boot what is packed for it. */
static int check_kernel(const struct build *b, struct err *e)
{
	const struct options *o = b->options;
	bool required[FEATURES] = { [FEATURE_BOOT] = true, [FEATURE_DISKS] = true };
	struct kernel_config kernel;
	int r = kernel_config_open(&kernel, o->kernel, NULL, e);

	if (!r) {
		for (unsigned int i = 0; i < FEATURES; i++)
			required[i] |= b->needs.of[i] == NEED_YES;
		required[FEATURE_LAYERS] |= !o->cmdline;
		required[FEATURE_INITRAMFS_GZIP] |= o->compression == COMPRESSION_GZIP;
		required[FEATURE_INITRAMFS_ZSTD] |= o->compression == COMPRESSION_ZSTD;
		required[FEATURE_MODULES] |= o->kernel_modules != NULL;
		r = check_arch(b, kernel.arch, "the kernel", e);
		if (!r)
			r = features_require(&kernel.options, kernel.arch, required,
					     o->kernel_modules, e);
		kernel_config_close(&kernel);
	}
	if (r)
		err_prefix(e, "%.200s: ", o->kernel);
	return r;
}

static int fill(struct build *b, struct err *e)
{
	const struct options *o = b->options;
	int r = add_base(b, e);

	if (!r)
		r = add_file(b, "init", o->init, true, e);
	for (size_t i = 0; !r && i < o->files.count; i++)
		r = add_named_file(b, o->files.at[i], e);
	if (!r)
		r = add_plan(b, e);
	if (!r && o->kernel)
		r = check_kernel(b, e);
	if (!r && o->kernel_modules)
		r = add_modules(b, e);
	return r;
}

static int write_archive(const struct build *b, int fd, struct err *e)
{
	struct sink s;
	int r = sink_open(&s, fd, b->options->compression, e);

	if (!r)
		r = cpio_write(&b->tree, &s, e);
	if (!r)
		r = sink_finish(&s, e);
	sink_close(&s);
	return r;
}

static int build(const struct options *o, struct err *e)
{
	char *copy auto_text = memory_text(o->output);
	struct build b = { .options = o, .spool.fd = -1 };
	struct output output = { .fd = -1 };
	int r;

	tree_init(&b.tree);
	b.spool.fd = output_scratch(dirname(copy), e);
	r = b.spool.fd < 0 ? -EIO : fill(&b, e);
	if (!r)
		r = output_create(&output, o->output, e);
	if (!r)
		r = write_archive(&b, output.fd, e);
	if (!r)
		r = output_commit(&output, e);
	output_discard(&output);
	tree_free(&b.tree);
	cleanup_fd(&b.spool.fd);
	return r;
}

static const struct option_row options[] = {
	{ "--init", "FILE", offsetof(struct options, init), option_text, false,
	  "the program that becomes /init; static" },
	{ "--output", "FILE", offsetof(struct options, output), option_text, false,
	  "where the initramfs goes" },
	{ "--kernel-modules", "DIR", offsetof(struct options, kernel_modules), option_text, false,
	  "a directory like /lib/modules/<release>: pack what init needs of it" },
	{ "--kernel", "FILE", offsetof(struct options, kernel), option_text, false,
	  "check that this kernel (an image or its .config) can unpack and boot it" },
	{ "--module", "NAME", offsetof(struct options, modules), option_list, true,
	  "pack this module, too, and all that it depends on" },
	{ "--policy", "FILE", offsetof(struct options, policy), option_text, false,
	  "pack this policy, after checking it" },
	{ "--manifest", "FILE", offsetof(struct options, manifest), option_text, false,
	  "pack this boot manifest, after checking it" },
	{ "--cmdline", "TEXT", offsetof(struct options, cmdline), option_text, false,
	  "the kernel command line: check it, and pack for what it asks" },
	{ "--machine", "WORD,...", offsetof(struct options, machine), option_list, true,
	  "the machine's buses and disks, such as virtio-pci,virtio-blk: pack drivers for these" },
	{ "--file", "DEST=SRC", offsetof(struct options, files), option_list, true,
	  "pack the file SRC under the name DEST" },
	{ "--compress", "none|gzip|zstd", offsetof(struct options, compression),
	  sink_parse_compression, false, "default: none" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct options o = { .compression = COMPRESSION_NONE };
	struct err e = { .text = "" };
	int status = option_parse(&command_initramfs, argc, argv, &o, NULL);

	if (status)
		return status;
	if (!o.init || !o.output || (o.modules.count && !o.kernel_modules)) {
		fprintf(stderr, "socle-image initramfs: %s; see socle-image initramfs --help\n",
			!o.init     ? "--init is missing"
			: !o.output ? "--output is missing"
				    : "--module wants --kernel-modules");
		return STATUS_USAGE;
	}
	return build(&o, &e) ? command_failed(&e) : STATUS_OK;
}

const struct command command_initramfs = {
	.name = "initramfs",
	.summary = "Pack an initramfs, byte for byte the same every time",
	.operands = "",
	.details =
		"With --kernel-modules the modules stand in /lib/modules/<name>.ko, unpacked, and\n"
		"/lib/modules/socle.load names them in the order in which init loads them; a "
		"\"-\"\n"
		"before a name there means that it may fail to load.",
	.options = options,
	.run = run,
};
