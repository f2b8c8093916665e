// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/print.h"

#include <string.h>

#include "lib/hex.h"

static void print_hex(FILE *to, const char *key, const uint8_t *bytes, size_t size)
{
	char text[2 * VERITY_SALT_MAX + 1] = "-";

	if (size)
		hex_encode(bytes, size, text);
	fprintf(to, "  %s %s\n", key, text);
}

static void print_ref(FILE *to, const char *key, const struct devref *ref)
{
	char text[DEVREF_TEXT_SIZE];

	if (ref->kind != DEVREF_NONE)
		fprintf(to, "  %s %s\n", key, devref_print(ref, text, sizeof(text)));
}

static void print_geometry(FILE *to, const struct volume *v)
{
	const struct verity_params *p = &v->verity;

	if (v->proof == VOLUME_SUPERBLOCK) {
		fprintf(to, "  superblock_offset %llu\n",
			(unsigned long long)v->superblock_offset_bytes);
		return;
	}
	fprintf(to, "  hash %s format %u\n", p->hash_name, p->hash_type);
	fprintf(to, "  data_block_size %u data_blocks %llu\n", p->data_block_size,
		(unsigned long long)p->data_blocks);
	fprintf(to, "  hash_block_size %u hash_start %llu\n", p->hash_block_size,
		(unsigned long long)p->hash_start_block);
	print_hex(to, "salt", p->salt, p->salt_size);
}

static void print_verity(FILE *to, const struct boot_plan *plan, const struct volume *v)
{
	const char *signature = verity_signature_path(&v->signature, plan->signatures);
	const struct verity_params *p = &v->verity;

	print_geometry(to, v);
	if (p->fec_roots)
		fprintf(to, "  fec_roots %u fec_offset %llu\n", p->fec_roots,
			(unsigned long long)p->fec_start_bytes);
	if (p->ignore_zero_blocks)
		fprintf(to, "  ignore_zero_blocks\n");
	print_hex(to, "root_hash", p->root_hash, p->root_hash_size);
	if (signature)
		fprintf(to, "  signature %s\n", signature);
	else if (v->signature.size)
		fprintf(to, "  signature of %u bytes\n", v->signature.size);
}

static void print_volume(FILE *to, const struct boot_plan *plan, const struct volume *v)
{
	fprintf(to, "%s\n", v->name);
	print_ref(to, "data_device", &v->data);
	print_ref(to, "hash_device", &v->hash);
	print_ref(to, "fec_device", &v->fec);
	if (v->fstype[0])
		fprintf(to, "  fstype %s\n", v->fstype);
	if (v->options[0])
		fprintf(to, "  options %s\n", v->options);
	if (v->proof == VOLUME_RAW)
		fprintf(to, "  unverified%s\n", v->writable ? " writable" : "");
	else
		print_verity(to, plan, v);
	if (v->adopt)
		fprintf(to, "  adopt %s\n", v->dm_name);
}

const char *plan_root_word(enum plan_root root)
{
	static const char *const words[] = { "none", "layers", "tmpfs", "initramfs" };

	return words[root];
}

const char *plan_report_text(const struct plan_failure *failure, char text[PLAN_PATH_SIZE])
{
	if (!failure->vsock_port && !failure->device[0])
		return NULL;
	if (failure->vsock_port)
		snprintf(text, PLAN_PATH_SIZE, "vsock:%u", failure->vsock_port);
	else
		strcpy(text, failure->device);
	return text;
}

static void print_upper(const struct upper *u, FILE *to)
{
	char text[DEVREF_TEXT_SIZE];

	fprintf(to, "upper %s", upper_kind_words[u->kind]);
	if (u->size[0])
		fprintf(to, " size=%s", u->size);
	if (u->kind == UPPER_DISK)
		fprintf(to, " %s%s%s", devref_print(&u->disk, text, sizeof(text)),
			u->encrypted ? " encrypted" : "", u->integrity ? " integrity" : "");
	fputc('\n', to);
}

static void print_root(const struct boot_plan *plan, FILE *to)
{
	fprintf(to, "root %s\n", plan_root_word(plan->root));
	if (plan->root == PLAN_ROOT_LAYERS)
		print_upper(&plan->upper, to);
	if (plan->state_tmpfs)
		fprintf(to, "var tmpfs\n");
}

void plan_print(const struct boot_plan *plan, FILE *to)
{
	char text[PLAN_PATH_SIZE];
	const char *report = plan_report_text(&plan->failure, text);
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		print_volume(to, plan, v);
	print_root(plan, to);
	if (plan->volumes)
		fprintf(to, "volumes at run time\n");
	fprintf(to, "agent %s\n", plan->agent);
	fprintf(to, "timeout %u\n", plan->timeout_s);
	fprintf(to, "on_failure %s\n", plan_on_failure_words[plan->failure.how]);
	fprintf(to, "on_corruption %s\n", verity_corruption_words[plan->on_corruption]);
	fprintf(to, "report %s\n", report ? report : "-");
}
