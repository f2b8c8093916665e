// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/describe.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "mount/describe/form.h"
#include "mount/describe/kata_volume.h"
#include "mount/describe/socle_lines.h"

const char *const describe_forms[] = { "kata-volume", "containerd", "kata-storage", "socle", NULL };

static const struct form_reader *const readers[] = {
	[DESCRIBE_KATA_VOLUME] = &form_kata_volume,
	[DESCRIBE_CONTAINERD] = &form_containerd,
	[DESCRIBE_KATA_STORAGE] = &form_kata_storage,
	[DESCRIBE_SOCLE] = &form_socle,
};

#define invalid(e, ...) err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)

/* --- the text ---------------------------------------------------------------------- */

static int read_json(enum describe_form form, const char *text, size_t size,
		     const struct describe_given *given, struct stack *s, struct err *e)
{
	auto_json struct json_object *root = NULL;
	int r = hostile_parse(text, size, &root, e);

	if (r)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (form == DESCRIBE_BY_CONTENT ? readers[i]->looks_like(root) : form == i)
			return readers[i]->read(root, given, s, e);
	return invalid(e, "the description looks like none of kata-volume, containerd, "
			  "kata-storage and socle");
}

/* JSON begins with a bracket here; what else there is, is of two of the forms. */
static int read_text(enum describe_form form, const char *text, size_t size,
		     const struct describe_given *given, struct stack *s, struct err *e)
{
	const char *begin = text + strspn(text, " \t\r\n");
	bool json = *begin == '{' || *begin == '[';

	if (!*begin)
		return invalid(e, "the description is empty");
	if (!json && (form == DESCRIBE_KATA_VOLUME ||
		      (form == DESCRIBE_BY_CONTENT && kata_volume_is_base64(begin))))
		return kata_volume_add_lines(text, given, s, e);
	if (!json && (form == DESCRIBE_SOCLE || form == DESCRIBE_BY_CONTENT))
		return socle_add_lines(text, s, e);
	return read_json(form, text, size, given, s, e);
}

/* --- what is the same for all forms -------------------------------------------------- */

static int check_proof(struct volume *v, size_t number, const struct describe_volume *given,
		       struct err *e)
{
	if (given->sidecar && v->proof != VOLUME_SUPERBLOCK)
		return invalid(e, "a sidecar is given for it, which its form does not have");
	if (v->proof != VOLUME_RAW)
		return volume_finish(v, e);
	if (given->allow_unverified)
		return 0;
	return err_set(e, FAIL_VERITY_MISSING, EINVAL,
		       "nothing proves its bytes, and that is not allowed for it "
		       "(--allow-unverified %zu)",
		       number);
}

static int finish_volume(struct volume *v, size_t number, const struct describe_volume *given,
			 struct err *e)
{
	int r = check_proof(v, number, given, e);

	if (!r && given->device)
		r = devref_parse(given->device, &v->data, e);
	if (r || v->data.kind != DEVREF_NONE)
		return r;
	return invalid(e,
		       "the description does not say which disk of the guest it is: that must be "
		       "given (--device %zu=REFERENCE)",
		       number);
}

/* What is said of a volume that is not there was meant for another description. */
static int check_rest(const struct describe_given *given, const struct stack *s, struct err *e)
{
	for (size_t i = s->count; i < STACK_VOLUMES_MAX; i++) {
		const struct describe_volume *v = &given->volume[i];

		if (v->device || v->sidecar || v->allow_unverified)
			return invalid(e, "a %s is given for volume-%zu, and there are %zu volumes",
				       v->device  ? "device" :
				       v->sidecar ? "sidecar" :
						    "permission",
				       i, s->count);
	}
	if (given->directories && !s->directories)
		return invalid(e, "directories are given, and the description has none");
	return 0;
}

static int finish(const struct describe_given *given, struct stack *s, struct err *e)
{
	int r = 0;

	if (!stack_layers(s))
		return invalid(e, "there is no volume in the description");
	if (stack_layers(s) > LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d layers",
			       LAYERS_MAX);
	for (size_t i = 0; !r && i < s->count; i++)
		r = err_volume(e, finish_volume(&s->volume[i], i, &given->volume[i], e),
			       s->volume[i].name);
	if (!r)
		r = check_rest(given, s, e);
	if (!r && given->upper)
		r = upper_parse(given->upper, &s->upper, e);
	return r;
}

int describe(enum describe_form form, const char *text, size_t size,
	     const struct describe_given *given, struct stack *ret, struct err *e)
{
	int r;

	stack_init(ret);
	if (size > DESCRIBE_SIZE_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "the description has more than %d bytes", DESCRIBE_SIZE_MAX);
	if (memchr(text, '\0', size))
		return invalid(e, "the description has a NUL in it");
	r = read_text(form, text, size, given, ret, e);
	return r ? r : finish(given, ret, e);
}
