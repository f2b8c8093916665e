// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan.h"
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

static void print_volume(FILE *to, const struct volume *v)
{
	const struct verity_params *p = &v->verity;

	fprintf(to, "%s\n", v->name);
	print_ref(to, "data_device", &v->data);
	print_ref(to, "hash_device", &v->hash);
	print_ref(to, "fec_device", &v->fec);
	if (v->fstype[0])
		fprintf(to, "  fstype %s\n", v->fstype);
	fprintf(to, "  hash %s format %u\n", p->hash_name, p->hash_type);
	fprintf(to, "  data_block_size %u data_blocks %llu\n", p->data_block_size,
		(unsigned long long)p->data_blocks);
	fprintf(to, "  hash_block_size %u hash_start %llu\n", p->hash_block_size,
		(unsigned long long)p->hash_start_block);
	if (p->fec_roots)
		fprintf(to, "  fec_roots %u fec_offset %llu\n", p->fec_roots,
			(unsigned long long)p->fec_start_bytes);
	print_hex(to, "salt", p->salt, p->salt_size);
	print_hex(to, "root_hash", p->root_hash, p->root_hash_size);
}

void plan_print(const struct boot_plan *plan, FILE *to)
{
	static const char *const on_failure[] = { "poweroff", "reboot", "panic", "halt" };
	static const char *const on_corruption[] = { "panic", "restart", "eio" };

	for (size_t i = 0; i < plan->layers; i++)
		print_volume(to, &plan->layer[i]);
	fprintf(to, "upper %s%s%s\n", plan->upper == PLAN_UPPER_NONE ? "none" : "tmpfs",
		plan->upper_size[0] ? " size=" : "", plan->upper_size);
	fprintf(to, "agent %s\n", plan->agent);
	fprintf(to, "timeout %u\n", plan->timeout_s);
	fprintf(to, "on_failure %s\n", on_failure[plan->on_failure]);
	fprintf(to, "on_corruption %s\n", on_corruption[plan->on_corruption]);
	fprintf(to, "report %s\n", plan->report[0] ? plan->report : "-");
}
