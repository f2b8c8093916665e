// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * A list of mounts, as containerd's erofs snapshotter hands it to a runtime, and as other
 * snapshotters do: one mount with volumes among its options. Source: containerd,
 * api/types/mount.proto, plugins/snapshots/erofs/erofs.go, core/mount/manager/.
 *
 *	[writable disk] layer... [overlay | bind]
 *
 * Layers stand topmost first. A further device (device=) stands in the order of the
 * file system's slots, the bottom layer first.
 */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "mount/describe/form.h"
#include "mount/describe/kata_volume.h"
#include "mount/describe/sidecar.h"
#include "mount/describe/tardev.h"
#include "mount/describe/mount_top.h"

#define SIDECAR "X-containerd.dmverity="

#define invalid(e, ...)     err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)
#define unsupported(e, ...) err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP, __VA_ARGS__)

static int read_entry(struct json_object *root, size_t i, struct mount_entry *ret, struct err *e)
{
	static const char *const names[] = { "type", "source", "target", "options", NULL };
	struct json_object *object;
	const char *target;
	int r = hostile_object_at(root, i, &object, e);

	if (!r)
		r = hostile_only(object, names, e);
	if (!r)
		r = hostile_string(object, "type", true, &ret->type, e);
	if (!r)
		r = hostile_string(object, "source", false, &ret->source, e);
	if (!r)
		r = hostile_string(object, "target", false, &target, e);
	if (!r)
		r = hostile_array(object, "options", &ret->options, e);
	if (r)
		return r;
	if (target && *target)
		return unsupported(e, "it is mounted at %.120s below the others", target);
	if (!ret->source)
		ret->source = "";
	return 0;
}

/* What is the host's business alone: how it finds and mounts the file. */
static bool is_host_option(const char *option)
{
	return !strcmp(option, "loop") || mount_option_harmless(option);
}

/* Of one layer: the path of its sidecar, and how many further devices it has. */
struct layer {
	const char *sidecar;
	size_t devices;
};

static int read_layer_option(const char *option, struct layer *layer, struct err *e)
{
	const char *sidecar = text_behind(option, SIDECAR);
	const char *device = text_behind(option, "device=");

	if (sidecar && *sidecar == '/') {
		if (layer->sidecar)
			return invalid(e, "it has two " SIDECAR);
		layer->sidecar = sidecar;
		return 0;
	}
	if (device && *device) {
		layer->devices++;
		return 0;
	}
	return is_host_option(option) ?
		       0 :
		       invalid(e, "the option \"%.120s\" of a layer is not taken here", option);
}

static int read_layer_options(const struct mount_entry *entry, struct layer *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < hostile_count(entry->options); i++) {
		const char *option;

		r = hostile_string_at(entry->options, i, &option, e);
		if (!r)
			r = read_layer_option(option, ret, e);
	}
	return r;
}

static int add_layer(const struct mount_entry *entry, const struct describe_given *given,
		     struct stack *s, struct err *e)
{
	struct layer layer = { 0 };
	struct volume *v, *device;
	int r = read_layer_options(entry, &layer, e);

	if (!r)
		r = stack_add(s, &v, e);
	if (r)
		return r;
	strcpy(v->fstype, "erofs");
	v->devices = (unsigned int)layer.devices;
	r = sidecar_take(given, s, layer.sidecar, v, e);
	if (r)
		return err_volume(e, r, v->name);
	while (!r && layer.devices--) {
		r = stack_add(s, &device, e);
		if (!r)
			r = err_volume(e, sidecar_take(given, s, NULL, device, e), device->name);
	}
	return r;
}

/* Nothing proves what is read from it, and the host can read what is written to it. */
static int refuse_writable(const struct mount_list *list, const struct describe_given *given,
			   struct err *e)
{
	if (!list->writable || given->upper)
		return 0;
	return unsupported(e,
			   "%.200s, which would be written to, is a plain disk of the host's, who "
			   "can read and change it: say what the upper is to be",
			   list->writable);
}

/* nydus-snapshotter's: the directories are placeholders, the volumes stand among the options. */
static int read_nydus(const struct mount_entry *entry, const struct describe_given *given,
		      struct stack *s, struct err *e)
{
	const struct mount_list none = { 0 };
	struct overlay_options overlay = { 0 };
	int r = 0;

	for (size_t i = 0; !r && i < hostile_count(entry->options); i++) {
		const char *option, *volume;

		r = hostile_string_at(entry->options, i, &option, e);
		if (r)
			break;
		volume = text_behind(option, "io.katacontainers.volume=");
		if (text_behind(option, "extraoption="))
			r = unsupported(e,
					"it needs nydusd (extraoption=), which does not run here");
		else if (volume)
			r = kata_volume_add(volume, given, s, e);
		else
			r = overlay_option_read(option, &none, &overlay, e);
	}
	if (!r && !stack_layers(s))
		r = invalid(e, "there is no volume in it: an overlay of directories of the host");
	if (!r && overlay.upper)
		s->upper.kind = UPPER_TMPFS;
	return r;
}

static bool is_writable(const char *type)
{
	return !strcmp(type, "ext4") || !strcmp(type, "mkfs/ext4");
}

/* Entry i of a list of count. */
static int read_at(struct json_object *root, size_t i, const struct describe_given *given,
		   struct mount_list *list, struct stack *s, struct err *e)
{
	size_t count = hostile_count(root);
	struct mount_entry entry;
	int r = read_entry(root, i, &entry, e);

	if (r)
		return r;
	if (!strcmp(entry.type, "erofs")) {
		if (list->lowers++ == LAYERS_MAX)
			return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
				       "there are more than %d layers", LAYERS_MAX);
		return add_layer(&entry, given, s, e);
	}
	if (!i && count > 1 && is_writable(entry.type)) {
		list->writable = entry.source;
		list->first_lower = 1;
		return 0;
	}
	if (count == 1 && !strcmp(entry.type, TARDEV_MOUNT))
		return tardev_read(&entry, given, s, e);
	if (count == 1 && !strcmp(entry.type, "fuse.nydus-overlayfs"))
		return read_nydus(&entry, given, s, e);
	if (i + 1 != count)
		return invalid(e, "a mount of type \"%.40s\" is not taken in front of others",
			       entry.type);
	return mount_top_read(&entry, list, s, e);
}

static bool looks_like(struct json_object *root)
{
	struct json_object *first = json_object_is_type(root, json_type_array) ?
					    json_object_array_get_idx(root, 0) :
					    NULL;

	return json_object_is_type(first, json_type_object) &&
	       json_object_object_get_ex(first, "type", NULL);
}

/* Layers without an overlay over them are a View of one. */
static int check_end(struct json_object *root, const struct mount_list *list, struct err *e)
{
	size_t without_top = list->first_lower + list->lowers;

	if (hostile_count(root) == without_top && (list->lowers != 1 || list->writable))
		return invalid(e, "%zu layers, and nothing that puts them together", list->lowers);
	return 0;
}

static int read_list(struct json_object *root, const struct describe_given *given, struct stack *s,
		     struct err *e)
{
	struct mount_list list = { 0 };
	int r = 0;

	if (!json_object_is_type(root, json_type_array) || !hostile_count(root))
		return invalid(e, "there is no volume in it: a list of mounts is expected");
	for (size_t i = 0; !r && i < hostile_count(root); i++)
		r = err_prefix(e, read_at(root, i, given, &list, s, e), "mount %zu: ", i);
	if (!r)
		r = check_end(root, &list, e);
	return r ? r : refuse_writable(&list, given, e);
}

const struct form_reader form_containerd = { looks_like, read_list };
