// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image run: a bundle in QEMU. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/bundle/bundle.h"
#include "image-build/command.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/text.h"

#define CMDLINE_MAX   65536
#define MEMORY_MIN_MB 64

struct options {
	uint64_t memory; /* bytes */
	const char *cpus;
	const char *qemu;
	const char *accel; /* NULL: kvm where this machine has it for the bundle's */
	bool print;
};

/* How QEMU calls an architecture's machine, and how disks are attached there. */
static const struct machine {
	const char *arch, *qemu, *machine, *disk;
} machines[] = {
	{ "x86_64", "qemu-system-x86_64", "q35", "virtio-blk-pci" },
	{ "aarch64", "qemu-system-aarch64", "virt", "virtio-blk-pci" },
	{ "s390x", "qemu-system-s390x", "s390-ccw-virtio", "virtio-blk-ccw" },
};

/* The words of a command, and a NULL behind them. */
struct words {
	char **at;
	size_t count, room;
};

/* Takes an allocated text over. */
static void add(struct words *w, char *text)
{
	w->at = memory_grow(w->at, w->count + 1, &w->room, sizeof(*w->at));
	w->at[w->count++] = text;
	w->at[w->count] = NULL;
}

static void add_pair(struct words *w, const char *option, char *value)
{
	add(w, memory_text(option));
	add(w, value);
}

static void free_words(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->at[i]);
	free(w->at);
}

static int find_machine(struct json_object *manifest, const struct machine **ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].arch, json_text(manifest, "arch"))) {
			*ret = &machines[i];
			return 0;
		}
	return refuse(e, "its architecture \"%.40s\" has no machine here",
		      json_text(manifest, "arch"));
}

/* --- files ------------------------------------------------------------------ */

/* What is started is what the manifest says: every file is read once before. */
static int verify_all(const char *directory, struct json_object *manifest, struct err *e)
{
	static const char *const single[] = { "kernel", "initramfs", "cmdline" };
	struct json_object *file, *disks;
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(single); i++) {
		if (!json_object_object_get_ex(manifest, single[i], &file))
			return refuse(e, BUNDLE_MANIFEST " names no %s", single[i]);
		r = bundle_verify(directory, file, e);
	}
	if (!json_object_object_get_ex(manifest, "disks", &disks))
		return r;
	for (size_t i = 0; !r && i < json_object_array_length(disks); i++)
		r = bundle_verify(directory, json_object_array_get_idx(disks, i), e);
	return r;
}

static int read_cmdline(const char *directory, char **ret, struct err *e)
{
	char *path auto_text = memory_printf("%s/" BUNDLE_CMDLINE, directory);
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = memory_zero(1, CMDLINE_MAX + 1);
	ssize_t n = fd < 0 ? -errno : io_pread(fd, text, CMDLINE_MAX, 0);

	if (n < 0 || n == CMDLINE_MAX || strlen(text) != (size_t)n) {
		free(text);
		return n < 0 ? system_result(e, n, "read %s", path) :
			       refuse(e, "%s is not a command line", path);
	}
	*ret = text;
	return 0;
}

/* --- QEMU's words ------------------------------------------------------------- */

/* In a value of QEMU's a comma is written twice. */
static char *doubled(const char *text)
{
	char *copy = memory_zero(2, strlen(text) + 1), *to = copy;

	for (; *text; text++) {
		*to++ = *text;
		if (*text == ',')
			*to++ = ',';
	}
	return copy;
}

static bool is_attached(struct json_object *disks, size_t index)
{
	const char *name = json_text(json_object_array_get_idx(disks, index), "file");

	for (size_t i = 0; i < index; i++)
		if (!strcmp(json_text(json_object_array_get_idx(disks, i), "file"), name))
			return true;
	return false;
}

/* Layers that came out the same share a disk. */
static void add_disks(struct words *w, const char *directory, struct json_object *manifest,
		      const struct machine *m)
{
	struct json_object *disks;

	if (!json_object_object_get_ex(manifest, "disks", &disks))
		return;
	for (size_t i = 0; i < json_object_array_length(disks); i++) {
		struct json_object *disk = json_object_array_get_idx(disks, i);
		char *path auto_text = memory_printf("%s/%s", directory, json_text(disk, "file"));
		char *file auto_text = doubled(path);
		char *serial auto_text = doubled(json_text(disk, "serial"));

		if (is_attached(disks, i))
			continue;
		add_pair(w, "-drive",
			 memory_printf("file=%s,format=raw,if=none,read-only=on,id=disk%zu", file,
				       i));
		add_pair(w, "-device",
			 memory_printf("%s,drive=disk%zu,serial=%s", m->disk, i, serial));
	}
}

static bool can_accelerate(const struct machine *m)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.machine, m->arch) && !access("/dev/kvm", R_OK | W_OK);
}

static void add_machine(struct words *w, const struct options *o, const struct machine *m)
{
	const char *accel = o->accel ? o->accel : can_accelerate(m) ? "kvm" : "tcg";
	bool fast = !strcmp(accel, "kvm");

	add(w, memory_text(o->qemu ? o->qemu : m->qemu));
	add_pair(w, "-machine", memory_printf("%s,accel=%s", m->machine, accel));
	add_pair(w, "-cpu", memory_text(fast ? "host" : "max"));
	add_pair(w, "-m", memory_printf("%llu", (unsigned long long)(o->memory >> 20)));
	add_pair(w, "-smp", memory_text(o->cpus));
	add(w, memory_text("-nodefaults"));
	add(w, memory_text("-no-reboot"));
	add_pair(w, "-display", memory_text("none"));
	add_pair(w, "-serial", memory_text("stdio"));
}

static int make_command(struct words *w, const struct options *o, const char *directory,
			struct json_object *manifest, struct err *e)
{
	const struct machine *m = NULL;
	char *cmdline = NULL;
	int r = find_machine(manifest, &m, e);

	if (!r)
		r = verify_all(directory, manifest, e);
	if (!r)
		r = read_cmdline(directory, &cmdline, e);
	if (r)
		return r;
	add_machine(w, o, m);
	add_pair(w, "-kernel", memory_printf("%s/" BUNDLE_KERNEL, directory));
	add_pair(w, "-initrd", memory_printf("%s/" BUNDLE_INITRAMFS, directory));
	add_pair(w, "-append", cmdline);
	add_disks(w, directory, manifest, m);
	return 0;
}

/* For a shell: every word in '…'. */
static void print_command(const struct words *w)
{
	for (size_t i = 0; i < w->count; i++) {
		printf("%s'", i ? " " : "");
		for (const char *c = w->at[i]; *c; c++)
			if (*c == '\'')
				printf("'\\''");
			else
				putchar(*c);
		printf("'");
	}
	printf("\n");
}

static int start(const struct options *o, const char *directory, struct err *e)
{
	struct words w = { .count = 0 };
	struct json_object *manifest = NULL;
	int r = bundle_read(directory, &manifest, e);

	if (!r)
		r = make_command(&w, o, directory, manifest, e);
	json_object_put(manifest);
	if (!r && o->print) {
		print_command(&w);
	} else if (!r) {
		execvp(w.at[0], w.at);
		r = system_failed(e, "start %s", w.at[0]);
	}
	free_words(&w);
	return r;
}

static int take_cpus(const char *text, void *field, struct err *e)
{
	uint64_t count;

	if (parse_u64(text, 1024, &count) || !count)
		return refuse(e, "\"%.40s\" is not a number of processors, 1 to 1024", text);
	return option_text(text, field, e);
}

static int take_accel(const char *text, void *field, struct err *e)
{
	if (strcmp(text, "kvm") && strcmp(text, "tcg"))
		return refuse(e, "\"%.40s\" is not kvm or tcg", text);
	return option_text(text, field, e);
}

static int take_memory(const char *text, void *field, struct err *e)
{
	uint64_t *bytes = field;
	int r = option_size(text, bytes, e);

	if (!r && *bytes >> 20 < MEMORY_MIN_MB)
		r = refuse(e, "less than %dM of memory", MEMORY_MIN_MB);
	return r;
}

static const struct option_row options[] = {
	{ "--memory", "SIZE", offsetof(struct options, memory), take_memory, false,
	  "of the guest (default: 1G)" },
	{ "--cpus", "N", offsetof(struct options, cpus), take_cpus, false, "default: 1" },
	{ "--accel", "kvm|tcg", offsetof(struct options, accel), take_accel, false,
	  "default: kvm where this machine can" },
	{ "--qemu", "FILE", offsetof(struct options, qemu), option_text, false,
	  "the emulator (default: qemu-system-ARCH)" },
	{ "--print", NULL, offsetof(struct options, print), option_flag, false,
	  "print its command line for a shell, and start nothing" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct options o = { .memory = 1ULL << 30, .cpus = "1" };
	struct err e = { .text = "" };
	const char *directory = NULL;
	int status = option_parse(&command_run, argc, argv, &o, &directory);

	if (status)
		return status;
	if (err_prefix(&e, start(&o, directory, &e), "%.200s: ", directory))
		return command_failed(&e);
	return STATUS_OK;
}

const struct command command_run = {
	.name = "run",
	.summary = "Boot a bundle in QEMU, its console on standard output",
	.operands = "<bundle>",
	.details = "Every file is held against manifest.json first. The command line is the\n"
		   "bundle's, byte for byte: for a console it has to name one, such as\n"
		   "bundle --append console=ttyS0. The disks are attached read-only.",
	.options = options,
	.run = run,
};
