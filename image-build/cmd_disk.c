// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image disk: finished file systems on a disk as somebody else lays it out. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "image-build/base/json.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/bundle/image_json.h"
#include "image-build/command.h"
#include "image-build/disk_input.h"
#include "image-build/disk/disk_parts.h"
#include "image-build/kernel/arch.h"
#include "lib/array.h"
#include "lib/hex.h"
#include "lib/text.h"

struct options {
	const struct disk_format *format;
	struct disk_options disk;
	bool salt_given, sector_size_given, json;
};

/* --- what is asked for ------------------------------------------------------------------ */

static int take_format(const char *text, void *field, struct err *e)
{
	const struct disk_format *found = disk_format_find(text);

	if (!found)
		return refuse(e, "\"%.40s\" is not a format", text);
	*(const struct disk_format **)field = found;
	return 0;
}

static int take_salt(const char *text, void *field, struct err *e)
{
	struct options *o = field;

	o->salt_given = true;
	return salt_parse(text, &o->disk.salt, e);
}

static int take_sector_size(const char *text, void *field, struct err *e)
{
	struct options *o = field;

	o->sector_size_given = true;
	if (parse_u64(text, 4096, &o->disk.sector_size) ||
	    (o->disk.sector_size != 512 && o->disk.sector_size != 4096))
		return refuse(e, "a sector has 512 or 4096 bytes");
	return 0;
}

static int take_fec(const char *text, void *field, struct err *e)
{
	struct options *o = field;

	if (parse_u64(text, VERITY_FEC_ROOTS_MAX, &o->disk.fec_roots) ||
	    o->disk.fec_roots < VERITY_FEC_ROOTS_MIN)
		return refuse(e, "%d to %d bytes of each codeword can be parity",
			      VERITY_FEC_ROOTS_MIN, VERITY_FEC_ROOTS_MAX);
	return 0;
}

static int take_arch(const char *text, void *field, struct err *e)
{
	enum kernel_arch arch = kernel_arch_parse(text);

	if (arch == ARCH_UNKNOWN)
		return refuse(e, "\"%.40s\" is not x86_64, s390x or aarch64", text);
	*(const char **)field = kernel_arch_name(arch);
	return 0;
}

#define FIELD(name) offsetof(struct options, disk.name)

static const struct option_row options[] = {
	{ "--format", "NAME", offsetof(struct options, format), take_format, false,
	  "what the disk is for: see above" },
	{ "--output", "FILE", FIELD(output), option_text, false,
	  "the disk; texts about it have its name with more behind it" },
	{ "--salt", "content|none|HEX", 0, take_salt, false,
	  "make new trees, with this salt; default: those that the images have" },
	{ "--sector-size", "512|4096", 0, take_sector_size, false,
	  "what a GPT counts in (default: 512)" },
	{ "--no-superblock", NULL, FIELD(no_superblock), option_flag, false,
	  "the tree without a superblock in front of it" },
	{ "--fec", "N", 0, take_fec, false,
	  "parity as well: N bytes of each 255, behind the tree or in a file of its own" },
	{ "--dax-header", NULL, FIELD(dax_header), option_flag, false,
	  "kata: a disk that is persistent memory, too" },
	{ "--name", "NAME", FIELD(name), option_text, false, "kata-extension: its name" },
	{ "--source", "TEXT", FIELD(source), option_text, false,
	  "kata-gpt, nydus: what the agent is told of the place of the disk" },
	{ "--no-verity", NULL, FIELD(no_verity), option_flag, false,
	  "nydus: without a tree, as image_block has it" },
	{ "--arch", "ARCH", FIELD(arch), take_arch, false,
	  "dps: x86_64, s390x or aarch64; default: this machine's" },
	{ "--uki", "FILE", FIELD(uki), option_text, false,
	  "dps: an EFI program for an ESP, which the firmware starts" },
	{ "--signature", "FILE", FIELD(signature), option_text, false,
	  "dps: of the root hash, PKCS#7 in DER; with --certificate" },
	{ "--certificate", "FILE", FIELD(certificate), option_text, false,
	  "dps: whose signature it is, X.509 in PEM or DER" },
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ .name = NULL },
};

static unsigned int given_options(const struct options *o)
{
	const struct disk_options *d = &o->disk;

	return (o->salt_given ? DISK_SALT : 0u) | (o->sector_size_given ? DISK_SECTOR_SIZE : 0u) |
	       (d->no_superblock ? DISK_NO_SUPERBLOCK : 0u) | (d->fec_roots ? DISK_FEC : 0u) |
	       (d->name ? DISK_NAME : 0u) | (d->dax_header ? DISK_DAX_HEADER : 0u) |
	       (d->arch ? DISK_ARCH : 0u) | (d->uki ? DISK_UKI : 0u) |
	       (d->signature ? DISK_SIGNATURE : 0u) | (d->certificate ? DISK_CERTIFICATE : 0u) |
	       (d->source ? DISK_SOURCE : 0u) | (d->no_verity ? DISK_NO_VERITY : 0u);
}

static const char *option_name(unsigned int option)
{
	static const struct {
		unsigned int option;
		const char *name;
	} names[] = {
		{ DISK_SALT, "--salt" },
		{ DISK_SECTOR_SIZE, "--sector-size" },
		{ DISK_FEC, "--fec" },
		{ DISK_NO_SUPERBLOCK, "--no-superblock" },
		{ DISK_NAME, "--name" },
		{ DISK_DAX_HEADER, "--dax-header" },
		{ DISK_ARCH, "--arch" },
		{ DISK_UKI, "--uki" },
		{ DISK_SIGNATURE, "--signature" },
		{ DISK_CERTIFICATE, "--certificate" },
		{ DISK_SOURCE, "--source" },
		{ DISK_NO_VERITY, "--no-verity" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].option & option)
			return names[i].name;
	return "?";
}

static int usage(const char *format, const char *words, const char *name)
{
	fprintf(stderr, "socle-image disk: %s%s%s; see socle-image disk --help\n", format, words,
		name);
	return STATUS_USAGE;
}

static int check_usage(struct options *o)
{
	static struct utsname machine;
	const struct disk_format *f = o->format;

	o->disk.given = given_options(o);
	if (!f || !o->disk.output)
		return usage(f ? "--output" : "--format", " is missing", "");
	if (o->disk.given & ~f->takes)
		return usage(f->name, " does not take ", option_name(o->disk.given & ~f->takes));
	if (f->needs & ~o->disk.given)
		return usage(f->name, " needs ", option_name(f->needs & ~o->disk.given));
	if (!o->disk.signature != !o->disk.certificate)
		return usage("--signature and --certificate", " go together", "");
	if (!o->disk.arch && !uname(&machine))
		o->disk.arch = machine.machine;
	return STATUS_OK;
}

/* --- what comes out ----------------------------------------------------------------------- */

static void add_volume(struct json_object *list, const struct disk_part *p)
{
	struct json_object *o = json_object_new_object(), *verity;
	char serial[SERIAL_DIGITS + 1];

	json_add_text(o, "fstype", p->fstype);
	json_add_number(o, "data_bytes", part_data_bytes(p));
	if (p->verity.root_hash_size) {
		verity = json_object_new_object();
		json_add_verity(verity, &p->verity);
		json_add_hex(verity, "root_hash", p->verity.root_hash, p->verity.root_hash_size);
		if (p->verity.fec_roots) {
			json_add_number(verity, "fec_roots", p->verity.fec_roots);
			json_add_number(verity, "fec_offset", p->verity.fec_start_bytes);
		}
		json_object_object_add(o, "verity", verity);
		hex_encode(p->verity.root_hash, SERIAL_DIGITS / 2, serial);
		if (!*p->device || text_behind(p->device, "SERIAL="))
			json_add_text(o, "serial", serial);
	}
	json_object_array_add(list, o);
}

/* The words of socle.layer= for each, where there is a tree. */
static char *make_cmdline(const struct disk *d)
{
	char *text = memory_text("");

	for (size_t i = 0; i < d->count; i++) {
		const struct disk_part *p = &d->parts[i];
		char *before auto_text = text, *device auto_text = NULL, *layer auto_text = NULL;
		char serial[SERIAL_DIGITS + 1];

		hex_encode(p->verity.root_hash, SERIAL_DIGITS / 2, serial);
		device = *p->device ? memory_text(p->device) : memory_printf("SERIAL=%s", serial);
		layer = image_layer_text(device, &p->verity);
		text = memory_printf("%s%ssocle.layer=%s", before, i ? " " : "", layer);
	}
	return text;
}

static int add_digest(struct disk *d, struct err *e)
{
	struct digest digest;
	struct stat st;
	int r;

	if (fstat(d->out.fd, &st))
		return system_failed(e, "%s", d->out.path);
	r = digest_file(d->out.fd, (uint64_t)st.st_size, d->out.path, &digest, e);
	if (r)
		return r;
	json_add_number(d->report, "size", (uint64_t)st.st_size);
	json_add_hex(d->report, "sha256", digest.bytes, digest.size);
	return 0;
}

static int add_report(struct disk *d, struct err *e)
{
	struct json_object *list = json_object_new_array();
	char *cmdline auto_text = NULL;
	int r = add_digest(d, e);

	for (size_t i = 0; i < d->count; i++)
		add_volume(list, &d->parts[i]);
	json_object_object_add(d->report, "volumes", list);
	if (!d->parts[0].verity.root_hash_size)
		return r;
	cmdline = make_cmdline(d);
	if (strlen(cmdline) > CMDLINE_WARN_BYTES)
		fprintf(stderr,
			"socle-image: warning: the command line of these layers has %zu bytes, and "
			"an x86 kernel accepts 2047 in all; a boot manifest has no such limit\n",
			strlen(cmdline));
	json_add_text(d->report, "cmdline", cmdline);
	return r;
}

static char *report_text(const struct disk *d)
{
	return memory_printf("%s\n",
			     json_object_to_json_string_ext(
				     d->report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							JSON_C_TO_STRING_NOSLASHESCAPE));
}

/* The disk last: where it is, all that is said of it is there. */
static int commit(struct disk *d, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < d->file_count; i++)
		r = output_commit(&d->files[i], e);
	return r ? r : output_commit(&d->out, e);
}

static void print_report(const struct disk *d, const char *text, bool json)
{
	if (json) {
		printf("%s", text);
		return;
	}
	json_object_object_foreach(d->report, key,
				   value) if (!json_object_is_type(value, json_type_array))
		printf("%s: %s\n", key, json_object_get_string(value));
}

static int make(struct disk *d, bool json, struct err *e)
{
	char *text auto_text = NULL;
	int r = disk_inputs_open(d, e);

	if (!r)
		r = disk_not_input(d, d->options->output, e);
	if (!r)
		r = output_create(&d->out, d->options->output, e);
	if (!r)
		r = d->format->write(d, e);
	if (!r)
		r = add_report(d, e);
	if (r)
		return r;
	text = report_text(d);
	r = disk_text_file(d, ".json", text, e);
	if (!r)
		r = commit(d, e);
	if (!r)
		print_report(d, text, json);
	return r;
}

static int run_format(const struct options *o, const struct option_list *operands, struct err *e)
{
	struct disk *d = memory_zero(1, sizeof(*d));
	int r;

	d->options = &o->disk;
	d->operands = operands;
	d->format = o->format;
	d->out.fd = -1;
	d->report = json_object_new_object();
	json_add_number(d->report, "version", 1);
	json_add_text(d->report, "format", o->format->name);
	r = make(d, o->json, e);
	output_discard(&d->out);
	for (size_t i = 0; i < d->file_count; i++)
		output_discard(&d->files[i]);
	disk_inputs_close(d);
	json_object_put(d->report);
	free(d);
	return r;
}

static int run(int argc, char **argv)
{
	struct options o = { .disk = { .sector_size = 512 } };
	struct err e = { .text = "" };
	struct option_list operands;
	int status = option_parse_list(&command_disk, argc, argv, &o, &operands);

	if (!status)
		status = check_usage(&o);
	if (status)
		return status;
	return run_format(&o, &operands, &e) ? command_failed(&e) : STATUS_OK;
}

const struct command command_disk = {
	.name = "disk",
	.summary = "Put file systems and their hash trees on a disk as others lay it out",
	.operands = "<image, or image.json of layers or merge>…",
	.details =
		"Formats:\n"
		"  raw             the file system alone\n"
		"  verity          with its hash tree behind it\n"
		"  hash-file       with its hash tree in FILE.hash\n"
		"  kata            Kata's guest image: MBR, file system, tree; FILE.root_hash.txt\n"
		"  kata-extension  the same as a guest extension\n"
		"  kata-gpt        a partition for each layer, the first one topmost\n"
		"  dps             GPT with root and root-verity, for roothash= alone\n"
		"  containerd      a blob of its erofs snapshotter; FILE.dmverity\n"
		"  nydus           an erofs and, of a tarfs, its tars; FILE.volume.json\n"
		"  layers          one disk with a partition for each layer\n"
		"FILE.json tells what is where, and the command line that boots it.",
	.options = options,
	.run = run,
};
