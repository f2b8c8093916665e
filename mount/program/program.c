// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/err.h"
#include "lib/io.h"
#include "lib/out.h"
#include "lib/refusal.h"
#include "lib/text.h"

#define READ_MAX    1048576 /* bytes of a description */
#define TIMEOUT_MAX 3600    /* seconds */

static void write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		size -= (size_t)n;
	}
}

void program_say(const char *text, size_t size)
{
	write_all(STDOUT_FILENO, text, size);
}

int program_usage(const struct command *c, const char *problem, const char *what)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "socle-volume %s: %s%s%s\nusage: socle-volume %s %s\n",
			 c->name, problem, what ? " " : "", what ? what : "", c->name, c->usage);

	write_all(STDERR_FILENO, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
	return PROGRAM_USAGE;
}

int program_timeout(const struct command *c, const char *value, int *ret_ms)
{
	uint64_t seconds;

	if (parse_u64(value, TIMEOUT_MAX, &seconds) || !seconds)
		return program_usage(c, "--timeout is 1 to 3600 seconds, not", value);
	*ret_ms = (int)seconds * 1000;
	return PROGRAM_DONE;
}

int program_help(const struct command *c)
{
	struct record r = { 0 };

	record_add(&r, "usage: socle-volume %s %s\n\n%s", c->name, c->usage, c->help);
	record_say(&r);
	return PROGRAM_DONE;
}

/* What a caller can do about a code; every other one is the description's or the policy's. */
static const struct {
	const char *code;
	enum program_exit status;
} statuses[] = {
	{ "DEVICE_NOT_FOUND", PROGRAM_NO_DISK },      { "ROOT_HASH_MISMATCH", PROGRAM_NO_MATCH },
	{ "HASH_TREE_CORRUPT", PROGRAM_NO_MATCH },    { "DATA_CORRUPT", PROGRAM_NO_MATCH },
	{ "TARGET_IN_USE", PROGRAM_IN_USE },          { "SYSTEM_CALL_FAILED", PROGRAM_SYSTEM },
	{ "KERNEL_FEATURE_MISSING", PROGRAM_SYSTEM }, { "DEVICE_READ_FAILED", PROGRAM_SYSTEM },
	{ "VERITY_OPEN_FAILED", PROGRAM_SYSTEM },     { "MOUNT_FAILED", PROGRAM_SYSTEM },
	{ "OVERLAY_FAILED", PROGRAM_SYSTEM },         { "SCRATCH_FAILED", PROGRAM_SYSTEM },
};

static int status_of(const char *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (!strcmp(statuses[i].code, code))
			return (int)statuses[i].status;
	return PROGRAM_REFUSED;
}

int program_refuse(const struct socle_error *error, bool as_json)
{
	char text[REFUSAL_SIZE];
	struct out line = { .text = text, .size = sizeof(text) }, json = line;

	out_printf(&line, ERR_LINE "\n", error->step, error->volume[0] ? error->volume : "-",
		   error->code, error->text);
	write_all(STDERR_FILENO, text, line.length);
	if (as_json) {
		out_refusal(&json, error->step, error->volume, error->code, error->text);
		program_say(text, json.length);
	}
	return status_of(error->code);
}

int program_fail(const char *code, bool as_json, const char *fmt, ...)
{
	struct socle_error error = { .step = "describe" };
	va_list args;

	snprintf(error.code, sizeof(error.code), "%s", code);
	va_start(args, fmt);
	vsnprintf(error.text, sizeof(error.text), fmt, args);
	va_end(args);
	err_make_printable(error.text);
	return program_refuse(&error, as_json);
}

static void grow(struct record *r, size_t more)
{
	size_t size = r->size ? r->size : 1024;

	while (size - r->used <= more)
		size *= 2;
	if (size == r->size)
		return;
	r->text = realloc(r->text, size);
	if (!r->text)
		_exit(PROGRAM_SYSTEM);
	r->size = size;
}

void record_add(struct record *r, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	grow(r, (size_t)n);
	va_start(args, fmt);
	vsnprintf(r->text + r->used, (size_t)n + 1, fmt, args);
	va_end(args);
	r->used += (size_t)n;
}

void record_add_string(struct record *r, const char *text)
{
	struct out o = { .text = NULL };

	if (!text) {
		record_add(r, "null");
		return;
	}
	out_string(&o, text);
	grow(r, o.length);
	o = (struct out){ .text = r->text + r->used, .size = r->size - r->used };
	out_string(&o, text);
	r->used += o.length;
}

void record_say(struct record *r)
{
	if (r->text)
		program_say(r->text, r->used);
	free(r->text);
	*r = (struct record){ 0 };
}

static int read_open(int fd, const char *name, bool as_json, char **ret, size_t *ret_size)
{
	char *text = malloc(READ_MAX + 2);
	ssize_t n = text ? io_read(fd, text, READ_MAX + 1) : -ENOMEM;

	if (n < 0 || n > READ_MAX) {
		free(text);
		return n < 0 ? program_fail("SYSTEM_CALL_FAILED", as_json, "read %.200s: %s", name,
					    strerror((int)-n)) :
			       program_fail("LIMIT_EXCEEDED", as_json,
					    "%.200s has more than %d bytes", name, READ_MAX);
	}
	text[n] = '\0';
	*ret = text;
	*ret_size = (size_t)n;
	return PROGRAM_DONE;
}

int program_read(const char *path, bool as_json, char **ret, size_t *ret_size)
{
	auto_fd int fd = -1;

	if (!strcmp(path, "-"))
		return read_open(STDIN_FILENO, "the standard input", as_json, ret, ret_size);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return program_fail("SYSTEM_CALL_FAILED", as_json, "open %.200s: %s", path,
				    strerror(errno));
	return read_open(fd, path, as_json, ret, ret_size);
}
