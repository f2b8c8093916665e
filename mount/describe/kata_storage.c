// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * What Kata's runtime sends to its agent for a container's root: one Storage message a
 * layer, with the names that serde gives to them. Source: kata-containers,
 * src/libs/protocols/protos/agent.proto (message Storage),
 * src/runtime-rs/crates/resource/src/rootfs/erofs_rootfs.rs.
 *
 * Layers stand in any order; the number of their partition is their rank, 1 on top. A
 * description is one message, a list of them, or {"storages": [...]}.
 */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "mount/describe/form.h"
#include "mount/describe/sidecar.h"
#include "mount/describe/storage_disk.h"
#include "mount/describe/storage_options.h"

#define STORAGES_MAX (LAYERS_MAX + 1) /* and a disk that is written to */

struct storage {
	const char *driver, *source, *fstype, *mount_point;
	struct json_object *driver_options, *options;
	struct storage_options said;
};

struct storages {
	size_t count, lowers;
	struct storage all[STORAGES_MAX];
	const struct storage *upper; /* or NULL */
};

#define invalid(e, ...)     err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)
#define unsupported(e, ...) err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP, __VA_ARGS__)

static int read_texts(struct json_object *object, struct storage *st, struct err *e)
{
	int r = json_get_string(object, "driver", true, &st->driver, e);

	if (!r)
		r = json_get_string(object, "source", true, &st->source, e);
	if (!r)
		r = json_get_string(object, "fstype", true, &st->fstype, e);
	if (!r)
		r = json_get_string(object, "mount_point", true, &st->mount_point, e);
	if (!r && !text_is_path(st->mount_point))
		r = invalid(e, "the mount point \"%.120s\" is not an absolute path",
			    st->mount_point);
	return r;
}

/* shared and fs_group are about volumes that are written to: read, and of no effect here. */
static int read_message(struct json_object *object, struct storage *st, struct err *e)
{
	static const char *const names[] = { "driver",   "driver_options", "source",
					     "fstype",   "options",        "mount_point",
					     "fs_group", "shared",         NULL };
	struct json_object *group;
	bool shared, given;
	int r = json_only(object, names, e);

	if (!r)
		r = read_texts(object, st, e);
	if (!r)
		r = json_get_array(object, "driver_options", &st->driver_options, e);
	if (!r)
		r = json_get_array(object, "options", &st->options, e);
	if (!r)
		r = json_get_object(object, "fs_group", &group, e);
	return r ? r : json_get_bool(object, "shared", &shared, &given, e);
}

static bool is_guest_pull(const struct storage *st)
{
	return !strcmp(st->driver, STORAGE_GUEST_PULL);
}

/* What a driver is told beside the disk changes what is on it, or what proves it. */
static int check_driver_options(const struct storage *st, struct err *e)
{
	for (size_t i = 0; i < json_count(st->driver_options); i++) {
		const char *option;

		if (json_string_at(st->driver_options, i, &option, e))
			return -EINVAL;
		if (text_behind(option, "dm_verity"))
			return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
				       "verity is described in driver_options, where Kata's agent "
				       "does not look: it belongs among the options");
		if (!is_guest_pull(st) || !text_behind(option, STORAGE_GUEST_PULL "="))
			return unsupported(e, "the driver option \"%.80s\" is not taken here",
					   option);
	}
	return 0;
}

static int check_roles(const struct storage *st, struct err *e)
{
	const struct storage_options *o = &st->said;

	if (o->upper && (o->lower || storage_names_verity(o) || o->partition || o->gpt))
		return invalid(e, "it is a disk that is written to and something else");
	if ((o->upper || o->lower || o->gpt || o->partition) && !o->multi_layer)
		return invalid(e, "it is a part of several layers without "
				  "X-kata.multi-layer=true");
	if (o->gpt != (o->partition != 0))
		return invalid(e, "X-kata.gpt-partitioned=true and X-kata.partition-number "
				  "are given together or not at all");
	if (o->writable && !o->upper)
		return invalid(e, "rw, of a disk that is only read");
	if (o->multi_layer && !o->upper && strcmp(st->fstype, "erofs"))
		return invalid(e, "a layer has the file system \"%.40s\", not erofs", st->fstype);
	return 0;
}

static int read_storage(struct json_object *object, struct storage *ret, struct err *e)
{
	int r = read_message(object, ret, e);

	if (!r)
		r = check_driver_options(ret, e);
	if (!r && !is_guest_pull(ret))
		r = storage_options_read(ret->options, &ret->said, e);
	return r ? r : check_roles(ret, e);
}

static int add_storage(struct json_object *object, struct storages *all, struct err *e)
{
	struct storage *st = &all->all[all->count];
	int r;

	if (all->count == STORAGES_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d storages",
			       STORAGES_MAX);
	r = read_storage(object, st, e);
	if (r)
		return r;
	if (all->count++ && strcmp(st->mount_point, all->all[0].mount_point))
		return unsupported(e, "the storages have more than one mount point");
	if (!st->said.upper) {
		all->lowers++;
		return 0;
	}
	if (all->upper)
		return invalid(e, "there are two disks to write to");
	all->upper = st;
	return 0;
}

static int read_all(struct json_object *root, struct storages *all, struct err *e)
{
	struct json_object *list = root;
	int r = 0;

	if (json_object_is_type(root, json_type_object)) {
		static const char *const names[] = { "storages", NULL };

		if (!json_object_object_get_ex(root, "storages", NULL))
			return add_storage(root, all, e);
		r = json_only(root, names, e);
		if (!r)
			r = json_get_array(root, "storages", &list, e);
	} else if (!json_object_is_type(root, json_type_array)) {
		return invalid(e, "it is neither a Storage message nor a list of them");
	}
	for (size_t i = 0; !r && i < json_count(list); i++) {
		struct json_object *object;

		r = json_object_at(list, i, &object, e);
		if (!r)
			r = add_storage(object, all, e);
		r = err_prefix(e, r, "storage %zu: ", i);
	}
	return r;
}

static int add_layer(const struct storage *st, const struct describe_given *given, struct stack *s,
		     struct err *e)
{
	struct volume *v;
	int r = stack_add(s, &v, e);

	if (!r)
		r = storage_disk(st->driver, st->source, &v->data, e);
	if (!r)
		r = fstype_parse(st->fstype, v->fstype, e);
	if (r)
		return r;
	v->data.partition = st->said.partition;
	if (!storage_names_verity(&st->said))
		r = sidecar_take(given, s, st->said.sidecar, v, e);
	else
		r = sidecar_none(given, s, v, e);
	if (!r && storage_names_verity(&st->said))
		r = storage_verity_set(&st->said, v, e);
	return err_volume(e, r, v->name);
}

/*
 * Partitions of one disk, each once and without a gap: what has a gap lacks a layer, and a
 * layer that deletes or replaces is missed by nobody until something is used.
 */
static int sort_layers(const struct storages *all, const struct storage *ret[LAYERS_MAX],
		       struct err *e)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct storage *st = &all->all[i], *first = all->all;
		unsigned int rank = st->said.partition;

		if (st == all->upper)
			continue;
		if (first == all->upper)
			first++;
		if (all->lowers == 1 && !rank)
			rank = 1;
		if (!rank)
			return invalid(e,
				       "of several layers, storage %zu has no partition number, "
				       "which would be its rank",
				       i);
		if (rank > all->lowers)
			return invalid(e,
				       "partition %u is one of %zu layers, so another one is "
				       "missing",
				       rank, all->lowers);
		if (ret[rank - 1])
			return invalid(e, "two layers are on partition %u", rank);
		if (strcmp(st->source, first->source) || strcmp(st->driver, first->driver))
			return invalid(e, "the layers are partitions of more than one disk");
		ret[rank - 1] = st;
	}
	return 0;
}

/* Only the name of an image came, and words of the host about it: both prove nothing. */
static int read_guest_pull(const struct storages *all, const struct describe_given *given,
			   struct stack *s, struct err *e)
{
	if (all->count != 1)
		return invalid(e, "an image that the guest pulls is a storage by itself");
	if (!given->directories)
		return unsupported(e,
				   "%.200s is to be pulled by the guest: the directories of its "
				   "layers must be given",
				   all->all[0].source);
	s->directories = given->directories;
	memcpy(s->directory, given->directory, sizeof(s->directory));
	s->upper.kind = UPPER_TMPFS;
	return 0;
}

/* Nothing proves what is read from it, and the host can read what is written to it. */
static int check_upper(const struct storages *all, const struct describe_given *given,
		       struct err *e)
{
	if (!all->upper || given->upper)
		return 0;
	return unsupported(e,
			   "what is written would go to the disk %.80s, a plain one of the host's, "
			   "who can read and change it: say what the upper is to be",
			   all->upper->source);
}

static int read_layers(const struct storages *all, const struct describe_given *given,
		       struct stack *s, struct err *e)
{
	const struct storage *sorted[LAYERS_MAX] = { NULL };
	int r;

	if (!all->lowers)
		return invalid(e, "there is no volume in it");
	if (all->lowers > LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d layers",
			       LAYERS_MAX);
	r = sort_layers(all, sorted, e);
	for (size_t i = 0; !r && i < all->lowers; i++)
		r = add_layer(sorted[i], given, s, e);
	if (!r)
		r = check_upper(all, given, e);
	if (!r && sorted[0]->said.multi_layer)
		s->upper.kind = UPPER_TMPFS;
	return r;
}

static int read_storages(struct json_object *root, const struct describe_given *given,
			 struct stack *s, struct err *e)
{
	struct storages all = { 0 };
	int r = read_all(root, &all, e);

	if (r)
		return r;
	for (size_t i = 0; i < all.count; i++)
		if (is_guest_pull(&all.all[i]))
			return read_guest_pull(&all, given, s, e);
	return read_layers(&all, given, s, e);
}

static bool looks_like(struct json_object *root)
{
	struct json_object *first = root;

	if (json_object_is_type(root, json_type_array))
		first = json_object_array_get_idx(root, 0);
	return json_object_is_type(first, json_type_object) &&
	       (json_object_object_get_ex(first, "driver", NULL) ||
		json_object_object_get_ex(first, "storages", NULL));
}

const struct form_reader form_kata_storage = { looks_like, read_storages };
