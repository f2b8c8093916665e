// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/bundle/image_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "lib/hex.h"
#include "lib/uuid.h"

static char *hex(const uint8_t *bytes, size_t size)
{
	char *text = memory_zero(2, size + 1);

	hex_encode(bytes, size, text);
	return text;
}

/* What differs from the guest's defaults, as ",key=value…"; allocated. */
static char *unusual_text(const struct verity_params *v)
{
	struct verity_params usual;
	uint64_t behind_data = 0;
	char hash[VERITY_HASH_NAME_SIZE + 8] = "", format[24] = "", data[40] = "", block[40] = "",
					  start[40] = "", fec[64] = "";

	verity_params_init(&usual);
	if (strcmp(v->hash_name, usual.hash_name))
		snprintf(hash, sizeof(hash), ",hash=%s", v->hash_name);
	if (v->hash_type != usual.hash_type)
		snprintf(format, sizeof(format), ",format=%" PRIu32, v->hash_type);
	if (v->data_block_size != usual.data_block_size)
		snprintf(data, sizeof(data), ",data_block_size=%" PRIu32, v->data_block_size);
	if (v->hash_block_size != usual.hash_block_size)
		snprintf(block, sizeof(block), ",hash_block_size=%" PRIu32, v->hash_block_size);
	if (verity_hash_start(v->data_blocks * v->data_block_size, v->hash_block_size,
			      &behind_data) ||
	    v->hash_start_block != behind_data)
		snprintf(start, sizeof(start), ",hash_start=%" PRIu64, v->hash_start_block);
	if (v->fec_roots)
		snprintf(fec, sizeof(fec), ",fec_roots=%" PRIu32 ",fec_offset=%" PRIu64,
			 v->fec_roots, v->fec_start_bytes);
	return memory_printf("%s%s%s%s%s%s", hash, format, data, block, start, fec);
}

char *image_layer_text(const char *device, const struct verity_params *v)
{
	char *root auto_text = hex(v->root_hash, v->root_hash_size);
	char *salt auto_text = hex(v->salt, v->salt_size);
	char *unusual auto_text = unusual_text(v);

	return memory_printf("%s,root_hash=%s%s%s,data_blocks=%" PRIu64 "%s", device, root,
			     v->salt_size ? ",salt=" : "", salt, v->data_blocks, unusual);
}

char *image_cmdline(const struct image_layer *layers, size_t count)
{
	char *text = memory_text("");

	for (size_t i = 0; i < count; i++) {
		char *before auto_text = text;
		const struct built_image *image = layers[i].image;
		char *device auto_text = memory_printf("SERIAL=%s", image->serial);
		char *layer auto_text = image_layer_text(device, &image->verity);

		text = memory_printf("%s%ssocle.layer=%s", before, i ? " " : "", layer);
	}
	return text;
}

static void add_digest(struct json_object *o, const char *key, const struct digest *d)
{
	char text[DIGEST_TEXT_SIZE];

	digest_text(d, text);
	json_add_text(o, key, text);
}

static struct json_object *verity_object(const struct verity_params *v)
{
	struct json_object *o = json_object_new_object();

	json_add_verity(o, v);
	json_add_hex(o, "root_hash", v->root_hash, v->root_hash_size);
	return o;
}

static struct json_object *source_object(const struct oci_layer *source)
{
	struct json_object *o = json_object_new_object();

	add_digest(o, "digest", &source->digest);
	add_digest(o, "diff_id", &source->diff_id);
	json_add_text(o, "media_type", source->media_type);
	return o;
}

static struct json_object *layer_object(const struct image_layer *layer)
{
	struct json_object *o = json_object_new_object();
	const struct built_image *image = layer->image;
	char uuid[UUID_TEXT_SIZE];

	uuid_text(image->uuid, uuid);
	json_add_text(o, "file", layer->file);
	json_add_number(o, "size", image->size);
	json_add_text(o, "serial", image->serial);
	if (layer->source)
		json_object_object_add(o, "source", source_object(layer->source));
	json_add_text(o, "fstype", "erofs");
	json_add_text(o, "uuid", uuid);
	json_object_object_add(o, "verity", verity_object(&image->verity));
	return o;
}

static struct json_object *hidden_list(const struct oci_image *source, size_t hidden)
{
	struct json_object *list = json_object_new_array();

	while (hidden--)
		json_object_array_add(list, source_object(&source->layers[hidden]));
	return list;
}

char *image_json(const struct oci_image *source, const struct image_layer *layers, size_t count,
		 size_t hidden, const char *cmdline)
{
	struct json_object *o = json_object_new_object(), *image = json_object_new_object(),
			   *list = json_object_new_array();
	char *text;

	json_add_number(o, "version", 1);
	json_add_text(image, "ref", source->ref);
	if (source->manifest.size)
		add_digest(image, "manifest_digest", &source->manifest);
	add_digest(image, "config_digest", &source->config);
	json_object_object_add(o, "image", image);
	for (size_t i = 0; i < count; i++)
		json_object_array_add(list, layer_object(&layers[i]));
	json_object_object_add(o, "layers", list);
	if (hidden)
		json_object_object_add(o, "hidden", hidden_list(source, hidden));
	json_add_text(o, "cmdline", cmdline);
	text = memory_printf("%s\n", json_object_to_json_string_ext(
					     o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return text;
}
