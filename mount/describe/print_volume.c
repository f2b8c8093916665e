// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/print_volume.h"

/* --- text ---------------------------------------------------------------------------- */

static void print_hex(struct out *o, const char *key, const uint8_t *bytes, size_t size)
{
	out_printf(o, "  %s %s", key, size ? "" : "-");
	for (size_t i = 0; i < size; i++)
		out_printf(o, "%02x", bytes[i]);
	out_printf(o, "\n");
}

static void print_ref(struct out *o, const char *key, const struct devref *ref)
{
	char text[DEVREF_TEXT_SIZE];

	if (ref->kind != DEVREF_NONE)
		out_printf(o, "  %s %s\n", key, devref_print(ref, text, sizeof(text)));
}

static void print_geometry(struct out *o, const struct volume *v)
{
	const struct verity_params *p = &v->verity;

	if (v->trailer) {
		out_printf(o, "  trailer\n");
		return;
	}
	if (v->proof == VOLUME_SUPERBLOCK) {
		out_printf(o, "  superblock_offset %llu%s\n",
			   (unsigned long long)v->superblock_offset_bytes,
			   v->tree_follows_data ? " behind the data" : "");
		if (v->salt_given)
			print_hex(o, "salt", p->salt, p->salt_size);
		return;
	}
	out_printf(o, "  hash %s format %u\n", p->hash_name, p->hash_type);
	out_printf(o, "  data_block_size %u data_blocks %llu\n", p->data_block_size,
		   (unsigned long long)p->data_blocks);
	out_printf(o, "  hash_block_size %u hash_start %llu\n", p->hash_block_size,
		   (unsigned long long)p->hash_start_block);
	print_hex(o, "salt", p->salt, p->salt_size);
}

static void print_verity(struct out *o, const struct volume *v, const uint8_t *signatures)
{
	const char *signature = verity_signature_path(&v->signature, signatures);
	const struct verity_params *p = &v->verity;

	print_geometry(o, v);
	if (p->fec_roots)
		out_printf(o, "  fec_roots %u fec_offset %llu\n", p->fec_roots,
			   (unsigned long long)p->fec_start_bytes);
	if (p->ignore_zero_blocks)
		out_printf(o, "  ignore_zero_blocks\n");
	print_hex(o, "root_hash", p->root_hash, p->root_hash_size);
	if (signature)
		out_printf(o, "  signature %s\n", signature);
	else if (v->signature.size)
		out_printf(o, "  signature of %u bytes\n", v->signature.size);
}

void volume_print(struct out *o, const struct volume *v, const uint8_t *signatures)
{
	out_printf(o, "%s\n", v->name);
	print_ref(o, "data_device", &v->data);
	print_ref(o, "hash_device", &v->hash);
	print_ref(o, "fec_device", &v->fec);
	if (v->fstype[0])
		out_printf(o, "  fstype %s\n", v->fstype);
	if (v->options[0])
		out_printf(o, "  options %s\n", v->options);
	if (v->devices)
		out_printf(o, "  devices %u\n", v->devices);
	if (v->refuse_whiteouts)
		out_printf(o, "  refuse_whiteouts\n");
	if (v->proof == VOLUME_RAW)
		out_printf(o, "  unverified%s\n", v->writable ? " writable" : "");
	else
		print_verity(o, v, signatures);
	if (v->adopt)
		out_printf(o, "  adopt %s\n", v->dm_name);
}

/* --- JSON ---------------------------------------------------------------------------- */

static void put_ref(struct out *o, const char *key, const struct devref *ref)
{
	char text[DEVREF_TEXT_SIZE];

	if (ref->kind != DEVREF_NONE)
		out_text(o, key, devref_print(ref, text, sizeof(text)));
}

/* Its bytes would say nothing to a reader: where it is, or that the description has it. */
static void put_signature(struct out *o, const struct verity_signature_ref *ref,
			  const uint8_t *signatures)
{
	const char *path = verity_signature_path(ref, signatures);

	out_open(o, "signature", '{');
	if (path)
		out_text(o, "file", path);
	else
		out_number(o, "size", ref->size);
	out_close(o, '}');
}

static void put_geometry(struct out *o, const struct volume *v)
{
	const struct verity_params *p = &v->verity;

	if (v->trailer) {
		out_bool(o, "trailer", true);
		return;
	}
	if (v->proof == VOLUME_SUPERBLOCK) {
		out_number(o, "superblock_offset", v->superblock_offset_bytes);
		if (v->tree_follows_data)
			out_bool(o, "tree_follows_data", true);
		if (v->salt_given)
			out_hex(o, "salt", p->salt, p->salt_size);
		return;
	}
	out_text(o, "hash", p->hash_name);
	out_number(o, "format", p->hash_type);
	out_number(o, "data_block_size", p->data_block_size);
	out_number(o, "hash_block_size", p->hash_block_size);
	out_number(o, "data_blocks", p->data_blocks);
	out_number(o, "hash_start", p->hash_start_block);
	out_hex(o, "salt", p->salt, p->salt_size);
}

static void put_verity(struct out *o, const struct volume *v, const uint8_t *signatures)
{
	const struct verity_params *p = &v->verity;

	out_open(o, "verity", '{');
	put_geometry(o, v);
	if (p->fec_roots) {
		out_number(o, "fec_roots", p->fec_roots);
		out_number(o, "fec_offset", p->fec_start_bytes);
	}
	out_bool(o, "ignore_zero_blocks", p->ignore_zero_blocks);
	out_hex(o, "root_hash", p->root_hash, p->root_hash_size);
	if (verity_signature_asked(&v->signature))
		put_signature(o, &v->signature, signatures);
	out_close(o, '}');
}

void volume_print_json(struct out *o, const struct volume *v, const uint8_t *signatures)
{
	out_open(o, NULL, '{');
	out_text(o, "name", v->name);
	put_ref(o, "data_device", &v->data);
	put_ref(o, "hash_device", &v->hash);
	put_ref(o, "fec_device", &v->fec);
	if (v->fstype[0])
		out_text(o, "fstype", v->fstype);
	if (v->options[0])
		out_text(o, "options", v->options);
	if (v->devices)
		out_number(o, "devices", v->devices);
	if (v->refuse_whiteouts)
		out_bool(o, "refuse_whiteouts", true);
	out_bool(o, "writable", v->writable);
	if (v->proof != VOLUME_RAW)
		put_verity(o, v, signatures);
	if (v->adopt)
		out_text(o, "adopt", v->dm_name);
	out_close(o, '}');
}
