// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/tardev.h"

#include <errno.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/text.h"
#include "mount/describe/sidecar.h"

#define FS_OPT     "io.katacontainers.fs-opt."
#define LAYER      FS_OPT "layer="
#define LAYER_SIZE 512 /* bytes of one layer's words, with the NUL */
#define NAME_SIZE  129

#define invalid(e, ...)     err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)
#define unsupported(e, ...) err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP, __VA_ARGS__)

/* The words of one layer; they point into text. */
struct layer {
	char text[LAYER_SIZE];
	const char *name, *fstype, *root_hash;
};

static int read_word(const char *word, struct layer *layer, struct err *e)
{
	static const char *const known[] = { "ro", FS_OPT "block_device=file", FS_OPT "is-layer",
					     NULL };
	const char *root_hash = text_behind(word, FS_OPT "root-hash=");

	if (root_hash && layer->root_hash)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL,
			       "root-hash of a layer is specified twice");
	if (root_hash)
		layer->root_hash = root_hash;
	else if (text_find(known, word, strlen(word)) < 0)
		return invalid(e, "the option \"%.80s\" of a layer is not taken here", word);
	return 0;
}

static int read_layer(const char *base64, struct layer *ret, struct err *e)
{
	int n = base64_decode(base64, (uint8_t *)ret->text, sizeof(ret->text) - 1), r = 0;
	char *rest = ret->text;

	if (n <= 0)
		return invalid(e, "a layer is not base64 of 1 to %d bytes", LAYER_SIZE - 1);
	ret->text[n] = '\0';
	for (int i = 0; i < n; i++)
		if (ret->text[i] < 0x20 || ret->text[i] > 0x7e)
			return invalid(e, "a layer has bytes that are not printable");
	ret->name = strsep(&rest, ",");
	ret->fstype = strsep(&rest, ",");
	ret->root_hash = NULL;
	if (!ret->fstype || !*ret->name)
		return invalid(e, "a layer has no name and file system");
	while (!r && rest)
		r = read_word(strsep(&rest, ","), ret, e);
	return r;
}

/* The layer of a name, which must be there once. */
static int find_layer(const struct mount_entry *entry, const char *name, struct layer *ret,
		      struct err *e)
{
	struct layer layer;
	size_t found = 0;

	for (size_t i = 0; i < hostile_count(entry->options); i++) {
		const char *option;
		int r = hostile_string_at(entry->options, i, &option, e);

		option = r ? NULL : text_behind(option, LAYER);
		if (option)
			r = read_layer(option, &layer, e);
		if (r)
			return r;
		if (!option || strcmp(layer.name, name))
			continue;
		found++;
		*ret = layer;
		ret->root_hash =
			layer.root_hash ? ret->text + (layer.root_hash - layer.text) : NULL;
		ret->fstype = ret->text + (layer.fstype - layer.text);
	}
	return found == 1 ? 0 :
			    invalid(e, "lowerdir has %.130s, and the mount %zu such layers", name,
				    found);
}

static int add_layer(const struct layer *layer, const struct describe_given *given, struct stack *s,
		     struct err *e)
{
	struct volume *v;
	int r;

	if (!strcmp(layer->fstype, "tar"))
		return unsupported(e, "a layer is a tar, which only a kernel with Microsoft's "
				      "module mounts");
	if (strcmp(layer->fstype, "erofs"))
		return invalid(e, "a layer has the file system \"%.40s\", not erofs",
			       layer->fstype);
	r = stack_add(s, &v, e);
	if (r)
		return r;
	strcpy(v->fstype, "erofs");
	if (!layer->root_hash)
		return err_volume(e, sidecar_take(given, s, NULL, v, e), v->name);
	v->proof = VOLUME_SUPERBLOCK;
	v->trailer = true;
	r = sidecar_none(given, s, v, e);
	if (!r)
		r = verity_params_set(&v->verity, "root_hash", layer->root_hash, e);
	return err_volume(e, r, v->name);
}

/* What is said once of all layers. */
struct whole {
	const char *lower;
	size_t layers;
	bool writable;
};

static int read_option(const char *option, struct whole *whole, struct err *e)
{
	const char *lower = text_behind(option, "lowerdir=");

	if (lower && whole->lower)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "lowerdir is specified twice");
	if (lower)
		whole->lower = lower;
	else if (text_behind(option, LAYER))
		whole->layers++;
	else if (!strcmp(option, FS_OPT "overlay-rw"))
		whole->writable = true;
	else if (!text_behind(option, FS_OPT "layer-src-prefix="))
		return invalid(e, "the option \"%.80s\" is not taken here", option);
	return 0;
}

static int read_whole(const struct mount_entry *entry, struct whole *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < hostile_count(entry->options); i++) {
		const char *option;

		r = hostile_string_at(entry->options, i, &option, e);
		if (!r)
			r = read_option(option, ret, e);
	}
	if (r)
		return r;
	if (!ret->lower || !ret->layers)
		return invalid(e, "there is no volume in it");
	if (ret->layers > LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d layers",
			       LAYERS_MAX);
	return 0;
}

/* Does the name at this place of a lowerdir stand before it as well? */
static bool is_repeated(const char *lower, const char *at, size_t length)
{
	for (const char *name = lower; name < at; name += strcspn(name, ":") + 1)
		if (strcspn(name, ":") == length && !memcmp(name, at, length))
			return true;
	return false;
}

/* Takes the name at this place, and goes behind it. */
static int take_name(const char *lower, const char **at, char name[NAME_SIZE], struct err *e)
{
	size_t length = strcspn(*at, ":");

	if (!length || length >= NAME_SIZE || is_repeated(lower, *at, length))
		return invalid(e, "lowerdir does not name each layer once");
	memcpy(name, *at, length);
	name[length] = '\0';
	*at += length;
	return 0;
}

int tardev_read(const struct mount_entry *entry, const struct describe_given *given,
		struct stack *s, struct err *e)
{
	struct whole whole = { 0 };
	struct layer layer;
	char name[NAME_SIZE];
	int r = read_whole(entry, &whole, e);
	bool more = !r;

	for (const char *at = whole.lower; !r && more; at++) {
		r = take_name(whole.lower, &at, name, e);
		if (!r)
			r = find_layer(entry, name, &layer, e);
		if (!r)
			r = add_layer(&layer, given, s, e);
		more = !r && *at;
	}
	if (!r && s->count != whole.layers)
		return invalid(e, "lowerdir does not name each layer once");
	if (!r && whole.writable)
		s->upper.kind = UPPER_TMPFS;
	return r;
}
