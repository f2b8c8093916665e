// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/memory.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/text.h"
#include "mount/describe/describe.h"
#include "mount/describe/print.h"

/* Large, so not on the stack. */
static struct describe_given given;
static struct stack stack;

bool plan_stack_is_said(const struct plan_stack_options *o)
{
	return o->file || o->from || o->devices.count || o->sidecars.count || o->unverified.count ||
	       o->directories.count || o->upper;
}

/* A byte more than is allowed is read, so that it is seen to be too much. */
static int read_description(const char *path, char *text, size_t *ret_size, struct err *e)
{
	auto_fd int opened = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = -1;

	if (opened < 0 && strcmp(path, "-"))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %s", path);
	n = io_read(opened < 0 ? STDIN_FILENO : opened, text, DESCRIBE_SIZE_MAX + 1);
	if (n < 0)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, n, "read %s", path);
	text[n] = '\0';
	*ret_size = (size_t)n;
	return 0;
}

/* N=VALUE: *ret_value is what stands behind the number, NULL for a number alone. */
static struct describe_volume *find_volume(const char *text, const char **ret_value)
{
	size_t digits = strcspn(text, "=");
	uint64_t number;

	if (parse_u64_part(text, digits, STACK_VOLUMES_MAX - 1, &number))
		return NULL;
	*ret_value = text[digits] ? text + digits + 1 : NULL;
	return &given.volume[number];
}

static const char *take_devices(const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *value;
		struct describe_volume *v = find_volume(list->at[i], &value);

		if (!v || !value || v->device)
			return "--device takes N=REFERENCE, each N once";
		v->device = value;
	}
	return NULL;
}

static const char *take_unverified(const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *value;
		struct describe_volume *v = find_volume(list->at[i], &value);

		if (!v || value || v->allow_unverified)
			return "--allow-unverified takes the number of a volume, each once";
		v->allow_unverified = true;
	}
	return NULL;
}

static const char *copy_directories(const struct option_list *list)
{
	if (list->count > LAYERS_MAX)
		return "--directory is specified more than 127 times";
	memcpy(given.directory, list->at, list->count * sizeof(list->at[0]));
	given.directories = list->count;
	return NULL;
}

/* The texts of sidecar files stay as long as the program. */
static int take_sidecars(const struct option_list *list, const char **ret_usage, struct err *e)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *path;
		struct describe_volume *v = find_volume(list->at[i], &path);
		char *text = memory_zero(1, DESCRIBE_SIZE_MAX + 2);
		size_t size;
		int r;

		if (!v || !path || v->sidecar) {
			*ret_usage = "--sidecar takes N=FILE, each N once";
			free(text);
			return -EINVAL;
		}
		v->sidecar = text;
		r = read_description(path, text, &size, e);
		if (r)
			return r;
	}
	return 0;
}

static int take_given(const struct plan_stack_options *o, const char **ret_usage, struct err *e)
{
	*ret_usage = take_devices(&o->devices);
	if (!*ret_usage)
		*ret_usage = take_unverified(&o->unverified);
	if (!*ret_usage)
		*ret_usage = copy_directories(&o->directories);
	given.upper = o->upper;
	return *ret_usage ? -EINVAL : take_sidecars(&o->sidecars, ret_usage, e);
}

static void print(bool json)
{
	size_t size = stack_print(&stack, json, NULL, 0) + 1;
	auto_text char *text = memory_zero(1, size);

	stack_print(&stack, json, text, size);
	fputs(text, stdout);
}

int plan_stack(const struct plan_stack_options *o, bool json, const char **ret_usage, struct err *e)
{
	int form =
		o->from ? text_find(describe_forms, o->from, strlen(o->from)) : DESCRIBE_BY_CONTENT;
	auto_text char *text = memory_zero(1, DESCRIBE_SIZE_MAX + 2);
	size_t size = 0;
	int r;

	if (form < 0) {
		*ret_usage = "--from must be kata-volume, containerd, kata-storage or socle";
		return -EINVAL;
	}
	r = take_given(o, ret_usage, e);
	if (!r)
		r = read_description(o->file, text, &size, e);
	if (!r)
		r = describe((enum describe_form)form, text, size, &given, &stack, e);
	if (!r)
		print(json);
	return r;
}
