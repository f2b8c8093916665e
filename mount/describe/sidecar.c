// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/sidecar.h"

#include <errno.h>
#include <string.h>

#include "mount/describe/hostile_json.h"

/* A superblock begins at a sector of the disk, whatever the block sizes are. */
#define SECTOR_BYTES 512

static int read_object(struct json_object *object, struct volume *v, struct err *e)
{
	static const char *const names[] = { "roothash", "hashoffset", NULL };
	const char *root_hash;
	uint64_t offset;
	bool given;
	int r = hostile_only(object, names, e);

	if (!r)
		r = hostile_string(object, "roothash", false, &root_hash, e);
	if (!r)
		r = hostile_number(object, "hashoffset", true, INT64_MAX, &offset, &given, e);
	if (r)
		return r;
	if (!root_hash)
		return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL, "it has no roothash");
	if (!offset || offset % SECTOR_BYTES)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "its hashoffset %llu is not behind a number of sectors",
			       (unsigned long long)offset);
	r = verity_params_set(&v->verity, "root_hash", root_hash, e);
	if (r)
		return r;
	v->proof = VOLUME_SUPERBLOCK;
	v->superblock_offset_bytes = offset;
	v->tree_follows_data = true;
	return 0;
}

int sidecar_read(const char *text, struct volume *v, struct err *e)
{
	auto_json struct json_object *object = NULL;
	int r = hostile_parse(text, strlen(text), &object, e);

	if (!r && !json_object_is_type(object, json_type_object))
		r = err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, "it is not a JSON object");
	if (!r)
		r = read_object(object, v, e);
	return err_prefix(e, r, "the .dmverity file given for %s: ", v->name);
}

static const struct describe_volume *given_for(const struct describe_given *given,
					       const struct stack *s, const struct volume *v)
{
	return &given->volume[v - s->volume];
}

int sidecar_take(const struct describe_given *given, const struct stack *s, const char *named,
		 struct volume *v, struct err *e)
{
	const struct describe_volume *g = given_for(given, s, v);

	v->proof = VOLUME_RAW;
	if (g->sidecar)
		return sidecar_read(g->sidecar, v, e);
	if (!named || g->allow_unverified)
		return 0;
	return err_set(e, FAIL_VERITY_MISSING, EINVAL,
		       "the numbers of its verity are in %.200s, a file of the host whose text was "
		       "not given",
		       named);
}

int sidecar_none(const struct describe_given *given, const struct stack *s, const struct volume *v,
		 struct err *e)
{
	if (!given_for(given, s, v)->sidecar)
		return 0;
	return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL,
		       "a .dmverity file is given for %s, which the description proves itself",
		       v->name);
}
