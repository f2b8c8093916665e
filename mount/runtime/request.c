// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

#define TIMEOUT_MS     10000
#define TIMEOUT_MS_MAX 3600000

static int take_option(const struct socle_volume_option *o, struct describe_given *given,
		       struct err *e)
{
	struct describe_volume *v;

	if (o->number >= STACK_VOLUMES_MAX)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "there can be no volume-%u: the highest is volume-%d", o->number,
			       STACK_VOLUMES_MAX - 1);
	v = &given->volume[o->number];
	if ((o->device && v->device) || (o->sidecar && v->sidecar))
		return err_set(e, FAIL_KEY_REPEATED, EINVAL,
			       "the %s of volume-%u is specified twice",
			       o->device && v->device ? "device" : "sidecar", o->number);
	if (o->device)
		v->device = o->device;
	if (o->sidecar)
		v->sidecar = o->sidecar;
	v->allow_unverified = v->allow_unverified || o->allow_unverified;
	return 0;
}

static int copy_directories(const struct socle_request *request, struct describe_given *given,
			    struct err *e)
{
	if (request->directory_count > LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "more than %d directories",
			       LAYERS_MAX);
	for (size_t i = 0; i < request->directory_count; i++)
		given->directory[given->directories++] = request->directories[i];
	return 0;
}

static int read_form(const char *name, enum describe_form *ret, struct err *e)
{
	int form = name ? text_find(describe_forms, name, strlen(name)) : DESCRIBE_BY_CONTENT;

	if (form < 0)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the form \"%.40s\" is not one of kata-volume, containerd, "
			       "kata-storage, socle",
			       name);
	*ret = (enum describe_form)form;
	return 0;
}

static int read_on_corruption(const char *word, enum verity_corruption *ret, struct err *e)
{
	int chosen = word ? text_find(verity_corruption_words, word, strlen(word)) :
			    VERITY_ON_CORRUPTION_PANIC;

	if (chosen < 0)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "\"%.40s\" is not one of panic, restart, eio", word);
	*ret = (enum verity_corruption)chosen;
	return 0;
}

static int read_timeout(int timeout_ms, int *ret, struct err *e)
{
	if (timeout_ms < 0 || timeout_ms > TIMEOUT_MS_MAX)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "a time limit of %d ms is not between 0 and %d", timeout_ms,
			       TIMEOUT_MS_MAX);
	*ret = timeout_ms ? timeout_ms : TIMEOUT_MS;
	return 0;
}

/* A caller's text needs no closing NUL, and what reads it does. */
static int read_description(enum describe_form form, const struct socle_request *request,
			    const struct describe_given *given, struct stack *ret, struct err *e)
{
	size_t size = request->description ? request->description_size : 0;
	char *text;
	int r;

	if (size > DESCRIBE_SIZE_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "the description has more than %d bytes", DESCRIBE_SIZE_MAX);
	text = malloc(size + 1);
	if (!text)
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "out of memory for a request");
	if (size)
		memcpy(text, request->description, size);
	text[size] = '\0';
	r = describe(form, text, size, given, ret, e);
	free(text);
	return r;
}

static int read_stack(const struct socle_request *request, struct describe_given *given,
		      struct stack *ret, struct err *e)
{
	enum describe_form form = DESCRIBE_BY_CONTENT;
	int r = read_form(request->form, &form, e);

	for (size_t i = 0; !r && i < request->option_count; i++)
		r = take_option(&request->options[i], given, e);
	if (!r)
		r = copy_directories(request, given, e);
	given->upper = request->upper;
	return r ? r : read_description(form, request, given, ret, e);
}

int request_read(const struct socle_request *request, struct stack *ret_stack,
		 enum verity_corruption *ret_on_corruption, int *ret_timeout_ms, struct err *e)
{
	struct describe_given *given;
	int r = read_on_corruption(request->on_corruption, ret_on_corruption, e);

	if (!r)
		r = read_timeout(request->timeout_ms, ret_timeout_ms, e);
	if (r)
		return r;
	given = calloc(1, sizeof(*given));
	if (!given)
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "out of memory for a request");
	r = read_stack(request, given, ret_stack, e);
	free(given);
	return r;
}
