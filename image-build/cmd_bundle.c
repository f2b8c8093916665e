// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image bundle: all that a guest is launched from, in one directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/bundle/bundle.h"
#include "image-build/command.h"
#include "image-build/convert.h"
#include "image-build/initramfs/initramfs.h"
#include "image-build/kernel/elf.h"
#include "image-build/kernel/kernel_config.h"
#include "lib/cleanup.h"
#include "lib/io.h"

#define MERGED "merged.img"

struct options {
	struct convert_options image;
	struct initramfs_options initramfs;
	const char *kernel, *kernel_config;
	const char *agent;
	bool merge;
};

/* What of the bundle is made where, and what has been said of it. */
struct bundle {
	const struct options *o;
	char *image_json; /* path */
	char *cmdline;
	struct json_object *image; /* image.json */
	const char *kernel_config; /* what tells the kernel's configuration, or NULL */
};

static char *path_in(const struct bundle *b, const char *name)
{
	return memory_printf("%s/%s", b->o->image.output, name);
}

/* --- the disks ---------------------------------------------------------------- */

static int make_disks(struct bundle *b, const char *source, struct err *e)
{
	char *merged auto_text = path_in(b, MERGED);
	char *agent auto_text =
		b->o->agent ? memory_printf("socle.agent=%s", b->o->agent) : memory_text("");
	char *append auto_text =
		memory_printf("%s%s%s", agent, b->o->agent && b->o->image.append ? " " : "",
			      b->o->image.append ? b->o->image.append : "");
	struct convert_options o = b->o->image;
	struct json_object *cmdline;
	int r;

	o.append = *append ? append : NULL;
	o.quiet = true;
	if (b->o->merge)
		o.output = merged;
	r = b->o->merge ? merge_make(&o, source, e) : layers_make(&o, source, e);
	if (r)
		return r;
	b->image_json = path_in(b, b->o->merge ? MERGED ".json" : BUNDLE_IMAGE);
	b->image = json_object_from_file(b->image_json);
	if (!json_object_object_get_ex(b->image, "cmdline", &cmdline))
		return refuse(e, "%s is not what was written there", b->image_json);
	b->cmdline = memory_text(json_object_get_string(cmdline));
	return 0;
}

/* --- the files beside them ----------------------------------------------------- */

static int write_file(struct bundle *b, const char *name, const void *bytes, size_t size,
		      struct err *e)
{
	char *path auto_text = path_in(b, name);

	return output_write(path, bytes, size, e);
}

static int copy_kernel(struct bundle *b, struct err *e)
{
	const char *from = b->o->kernel;
	char *to auto_text = path_in(b, BUNDLE_KERNEL);
	int fd auto_fd = open(from, O_RDONLY | O_CLOEXEC);
	struct buffer bytes auto_buffer = { .bytes = NULL };
	int r = output_not_input(to, from, e);
	ssize_t n = 0;

	if (fd < 0)
		return system_failed(e, "open %s", from);
	do {
		buffer_reserve(&bytes, 1 << 20);
		n = r ? 0 : io_read(fd, bytes.bytes + bytes.size, 1 << 20);
		bytes.size += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	if (n < 0)
		return system_result(e, n, "read %s", from);
	return r ? r : write_file(b, BUNDLE_KERNEL, bytes.bytes, bytes.size, e);
}

static int make_initramfs(struct bundle *b, struct err *e)
{
	char *path auto_text = path_in(b, BUNDLE_INITRAMFS);
	struct initramfs_options o = b->o->initramfs;

	o.output = path;
	o.cmdline = b->cmdline;
	o.kernel = b->kernel_config;
	return initramfs_pack(&o, e);
}

/* Debian's kernels do not tell their configuration: what cannot be asked is not checked. */
static void find_kernel_config(struct bundle *b)
{
	struct kernel_config config;
	struct err e = { .text = "" };

	b->kernel_config = b->o->kernel_config ? b->o->kernel_config : b->o->kernel;
	if (b->o->kernel_config)
		return;
	if (!kernel_config_open(&config, b->o->kernel, NULL, &e)) {
		kernel_config_close(&config);
		return;
	}
	b->kernel_config = NULL;
	fprintf(stderr,
		"socle-image bundle: warning: %s: %s; without --kernel-config nothing is "
		"checked of it\n",
		b->o->kernel, e.text);
}

/* What /init runs on, and so all of the guest. */
static int find_arch(const struct bundle *b, enum kernel_arch *ret, struct err *e)
{
	int fd auto_fd = open(b->o->initramfs.init, O_RDONLY | O_CLOEXEC);
	uint8_t header[ELF_ARCH_BYTES];
	ssize_t n = fd < 0 ? -errno : io_pread(fd, header, sizeof(header), 0);

	if (n < 0)
		return system_result(e, n, "read %s", b->o->initramfs.init);
	*ret = elf_arch(header, (size_t)n);
	if (*ret == ARCH_UNKNOWN)
		return refuse(e, "%s is for no architecture that is known here",
			      b->o->initramfs.init);
	return 0;
}

static int make_manifest(const struct bundle *b, struct err *e)
{
	struct bundle_parts parts = {
		.directory = b->o->image.output,
		.agent = b->o->agent,
		.kernel_config = b->kernel_config,
		.init = b->o->initramfs.init,
		.image = b->image,
	};
	int r = find_arch(b, &parts.arch, e);

	return r ? r : bundle_write(&parts, e);
}

/* Each of the files replaces one of an earlier bundle; the manifest that named them goes first. */
static int make_directory(const struct bundle *b, struct err *e)
{
	char *manifest auto_text = path_in(b, BUNDLE_MANIFEST);

	if (mkdir(b->o->image.output, 0777) && errno != EEXIST)
		return system_failed(e, "create directory %s", b->o->image.output);
	if (unlink(manifest) && errno != ENOENT)
		return system_failed(e, "remove %s", manifest);
	return 0;
}

static int make_bundle(const struct options *o, const char *source, struct err *e)
{
	struct bundle b = { .o = o };
	int r;

	find_kernel_config(&b);
	r = make_directory(&b, e);
	if (!r)
		r = make_disks(&b, source, e);
	if (!r)
		r = make_initramfs(&b, e);
	if (!r)
		r = copy_kernel(&b, e);
	if (!r)
		r = write_file(&b, BUNDLE_CMDLINE, b.cmdline, strlen(b.cmdline), e);
	if (!r)
		r = make_manifest(&b, e);
	if (!r)
		printf("%s\n", o->image.output);
	json_object_put(b.image);
	free(b.image_json);
	free(b.cmdline);
	return r;
}

#define IMAGE(field)     offsetof(struct options, image.field)
#define INITRAMFS(field) offsetof(struct options, initramfs.field)

static const struct option_row options[] = {
	{ "--output", "DIR", IMAGE(output), option_text, false, "where the bundle is made" },
	{ "--kernel", "FILE", offsetof(struct options, kernel), option_text, false,
	  "the kernel image; where it tells its configuration, it is held against the plan" },
	{ "--kernel-config", "FILE", offsetof(struct options, kernel_config), option_text, false,
	  "the configuration of a kernel that does not tell it" },
	{ "--init", "FILE", INITRAMFS(init), option_text, false,
	  "the program that becomes /init; static" },
	{ "--agent", "PATH", offsetof(struct options, agent), option_text, false,
	  "what is started in the image's root (default: what socle-init looks for)" },
	{ "--merge", NULL, offsetof(struct options, merge), option_flag, false,
	  "one disk of all layers, and not one of each" },
	{ "--policy", "FILE", INITRAMFS(policy), option_text, false, "see initramfs" },
	{ "--kernel-modules", "DIR", INITRAMFS(kernel_modules), option_text, false,
	  "see initramfs" },
	{ "--machine", "WORD,...", INITRAMFS(machine), option_list, true, "see initramfs" },
	{ "--module", "NAME", INITRAMFS(modules), option_list, true, "see initramfs" },
	{ "--file", "DEST=SRC", INITRAMFS(files), option_list, true, "see initramfs" },
	{ "--compress", "none|gzip|zstd", INITRAMFS(compression), sink_parse_compression, false,
	  "of the initramfs; default: none" },
	{ "--volumes", NULL, INITRAMFS(volumes), option_flag, false, "see initramfs" },
	{ "--ref", "NAME", IMAGE(ref), option_text, false, "see layers" },
	{ "--platform", "OS/ARCH", IMAGE(platform), option_text, false, "see layers" },
	{ "--salt", "content|none|HEX", IMAGE(salt), salt_parse, false, "see layers" },
	{ "--max-size", "SIZE", IMAGE(max_size), option_size, false, "see layers" },
	{ "--append", "TEXT", IMAGE(append), option_text, false,
	  "further words for the command line, such as console=ttyS0" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct options o = { .image = { CONVERT_DEFAULTS },
			     .initramfs = { .compression = COMPRESSION_NONE } };
	struct err e = { .text = "" };
	const char *source = NULL, *missing;
	int status = option_parse(&command_bundle, argc, argv, &o, &source);

	if (status)
		return status;
	missing = !o.image.output   ? "--output" :
		  !o.kernel         ? "--kernel" :
		  !o.initramfs.init ? "--init" :
				      NULL;
	if (missing) {
		fprintf(stderr,
			"socle-image bundle: %s is missing; see socle-image bundle --help\n",
			missing);
		return STATUS_USAGE;
	}
	return make_bundle(&o, source, &e) ? command_failed(&e) : STATUS_OK;
}

const struct command command_bundle = {
	.name = "bundle",
	.summary = "Make all that a guest is launched from: kernel, initramfs, command line, disks",
	.operands = "<OCI image layout or docker archive: a directory or a tar>",
	.details =
		"Writes kernel, initramfs, cmdline, a disk of each layer, image.json and, last,\n"
		"manifest.json with the size, SHA-256 and SHA-384 of every file. socle-image run\n"
		"boots it, socle-image diff compares two.",
	.options = options,
	.run = run,
};
