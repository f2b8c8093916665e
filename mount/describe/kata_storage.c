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

#include "mount/describe/form.h"
#include "mount/describe/sidecar.h"
#include "mount/describe/storage_disk.h"
#include "mount/describe/storage_message.h"

#define STORAGES_MAX (LAYERS_MAX + 1) /* and a disk that is written to */

struct storages {
	size_t count, lowers;
	struct storage all[STORAGES_MAX];
	const struct storage *upper; /* or NULL */
};

#define invalid(e, ...)     err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)
#define unsupported(e, ...) err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP, __VA_ARGS__)

static int add_storage(struct json_object *object, struct storages *all, struct err *e)
{
	struct storage *st = &all->all[all->count];
	int r;

	if (all->count == STORAGES_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d storages",
			       STORAGES_MAX);
	r = storage_read(object, st, e);
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
		r = hostile_only(root, names, e);
		if (!r)
			r = hostile_array(root, "storages", &list, e);
	} else if (!json_object_is_type(root, json_type_array)) {
		return invalid(e, "it is neither a Storage message nor a list of them");
	}
	for (size_t i = 0; !r && i < hostile_count(list); i++) {
		struct json_object *object;

		r = hostile_object_at(list, i, &object, e);
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
	int r;

	if (all->count != 1)
		return invalid(e, "an image that the guest pulls is a storage by itself");
	r = form_take_directories(given, s, e);
	if (!r)
		s->upper.kind = UPPER_TMPFS;
	return r;
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
		if (storage_is_guest_pull(&all.all[i]))
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
