// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/socle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/describe/print.h"
#include "mount/policy_read.h"
#include "mount/runtime/list.h"
#include "mount/runtime/own_directory.h"
#include "mount/runtime/request.h"
#include "mount/runtime/umount.h"
#include "mount/runtime/verify.h"
#include "mount/runtime/work.h"

_Static_assert(sizeof(((struct socle_error *)0)->text) == ERR_TEXT_SIZE, "ERR_TEXT_SIZE");
_Static_assert(sizeof(((struct socle_error *)0)->volume) == ERR_VOLUME_SIZE, "ERR_VOLUME_SIZE");

const char *socle_version(void)
{
	return SOCLE_VERSION;
}

unsigned int socle_abi(void)
{
	return SOCLE_ABI;
}

static int answer(int r, const char *step, const struct err *e, struct socle_error *error)
{
	if (r && error) {
		snprintf(error->code, sizeof(error->code), "%s", fail_name(e->code));
		snprintf(error->step, sizeof(error->step), "%s", step);
		memcpy(error->volume, e->volume, sizeof(error->volume));
		memcpy(error->text, e->text, sizeof(error->text));
	}
	return r;
}

static int no_memory(struct err *e)
{
	return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "out of memory");
}

/* Of what the caller brings along nothing is proved here. */
static int check_directories(const struct stack *s, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->directories; i++)
		r = own_directory_check(s->directory[i], e);
	if (!r && s->upper.kind == UPPER_DIRECTORY)
		r = err_volume(e, own_directory_check(s->upper.directory, e), "upper");
	return r;
}

static int mount_request(struct work *w, const struct socle_request *request, const char *target,
			 struct err *e)
{
	struct policy policy;
	bool found;
	int r;

	w->step = "describe";
	r = request_read(request, &w->stack, &w->on_corruption, &w->timeout_ms, e);
	if (!r)
		r = policy_read(&policy, &found, e);
	if (!r)
		r = policy_check_stack(&policy, &w->stack, w->on_corruption, e);
	if (!r && !policy.verity_optional)
		r = check_directories(&w->stack, e);
	return r ? r : work_mount(w, target, e);
}

int socle_mount(const struct socle_request *request, const char *target, struct socle_error *error)
{
	struct work *w = calloc(1, sizeof(*w));
	struct err e = { 0 };
	int r = w ? mount_request(w, request, target, &e) : no_memory(&e);

	r = answer(r, w ? w->step : "describe", &e, error);
	free(w);
	return r;
}

int socle_umount(const char *target, unsigned int *ret_deferred, struct socle_error *error)
{
	struct err e = { 0 };
	unsigned int left = 0;
	int r = runtime_umount(target, &left, &e);

	if (!r && ret_deferred)
		*ret_deferred = left;
	return answer(r, "umount", &e, error);
}

int socle_list(int (*each)(const struct socle_mount_info *mount, void *data), void *data,
	       struct socle_error *error)
{
	struct err e = { 0 };
	int r = runtime_list(each, data, &e);

	/* What each returned is no failure of ours. */
	return e.code == FAIL_NONE ? r : answer(r, "list", &e, error);
}

int socle_verify(const char *target,
		 int (*progress)(uint64_t done_bytes, uint64_t all_bytes, void *data), void *data,
		 struct socle_error *error)
{
	struct err e = { 0 };

	return answer(runtime_verify(target, progress, data, &e), "verify", &e, error);
}

int socle_plan(const struct socle_request *request, int as_json, char *text, size_t size,
	       size_t *ret_length, struct socle_error *error)
{
	struct stack *s = calloc(1, sizeof(*s));
	enum verity_corruption on_corruption;
	struct err e = { 0 };
	int timeout_ms, r;

	r = s ? request_read(request, s, &on_corruption, &timeout_ms, &e) : no_memory(&e);
	if (!r) {
		size_t length = stack_print(s, as_json, text, size);

		if (ret_length)
			*ret_length = length;
	}
	free(s);
	return answer(r, "describe", &e, error);
}
