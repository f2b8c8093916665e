// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/storage_message.h"

#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "mount/describe/storage_disk.h"

#define invalid(e, ...)     err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)
#define unsupported(e, ...) err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP, __VA_ARGS__)

static int read_texts(struct json_object *object, struct storage *st, struct err *e)
{
	int r = hostile_string(object, "driver", true, &st->driver, e);

	if (!r)
		r = hostile_string(object, "source", true, &st->source, e);
	if (!r)
		r = hostile_string(object, "fstype", true, &st->fstype, e);
	if (!r)
		r = hostile_string(object, "mount_point", true, &st->mount_point, e);
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
	int r = hostile_only(object, names, e);

	if (!r)
		r = read_texts(object, st, e);
	if (!r)
		r = hostile_array(object, "driver_options", &st->driver_options, e);
	if (!r)
		r = hostile_array(object, "options", &st->options, e);
	if (!r)
		r = hostile_object(object, "fs_group", &group, e);
	return r ? r : hostile_bool(object, "shared", &shared, &given, e);
}

bool storage_is_guest_pull(const struct storage *st)
{
	return !strcmp(st->driver, STORAGE_GUEST_PULL);
}

/* What a driver is told beside the disk changes what is on it, or what proves it. */
static int check_driver_options(const struct storage *st, struct err *e)
{
	for (size_t i = 0; i < hostile_count(st->driver_options); i++) {
		const char *option;

		if (hostile_string_at(st->driver_options, i, &option, e))
			return -EINVAL;
		if (text_behind(option, "dm_verity"))
			return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
				       "verity is described in driver_options, where Kata's agent "
				       "does not look: it belongs among the options");
		if (!storage_is_guest_pull(st) || !text_behind(option, STORAGE_GUEST_PULL "="))
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

int storage_read(struct json_object *object, struct storage *ret, struct err *e)
{
	int r = read_message(object, ret, e);

	if (!r)
		r = check_driver_options(ret, e);
	if (!r && !storage_is_guest_pull(ret))
		r = storage_options_read(ret->options, &ret->said, e);
	return r ? r : check_roles(ret, e);
}
