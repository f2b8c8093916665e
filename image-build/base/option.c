// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/option.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"

int option_text(const char *text, void *field, struct err *e)
{
	if (!*text)
		return refuse(e, "its value is empty");
	*(const char **)field = text;
	return 0;
}

int option_flag(const char *text, void *field, struct err *e)
{
	(void)text;
	(void)e;
	*(bool *)field = true;
	return 0;
}

int option_size(const char *text, void *field, struct err *e)
{
	static const char units[] = "KMGT";
	const char *at = text, *unit = NULL;
	bool fits = *at >= '1' && *at <= '9';
	uint64_t value = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		fits = fits && !__builtin_mul_overflow(value, 10u, &value) &&
		       !__builtin_add_overflow(value, (unsigned int)(*at - '0'), &value);
	if (*at)
		unit = strchr(units, *at++);
	for (ptrdiff_t i = 0; unit && i <= unit - units; i++)
		fits = fits && !__builtin_mul_overflow(value, 1024u, &value);
	if (!fits || *at || (at[-1] > '9' && !unit))
		return refuse(e, "\"%.40s\" is not a size: a number, with or without K, M, G or T",
			      text);
	*(uint64_t *)field = value;
	return 0;
}

int option_list(const char *text, void *field, struct err *e)
{
	struct option_list *list = field;

	if (!*text)
		return refuse(e, "its value is empty");
	if (list->count == OPTION_LIST_MAX)
		return refuse_limit(e, "it is specified more than %d times", OPTION_LIST_MAX);
	list->at[list->count++] = text;
	return 0;
}

const struct option_row *option_row_at(const struct command *c, size_t index)
{
	const struct option_row *const tables[] = { c->options, c->more_options };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct option_row *row = tables[i]; row && row->name; row++)
			if (!index--)
				return row;
	return NULL;
}

bool option_wants_argument(const struct option_row *o)
{
	return o->argument && *o->argument != '[';
}

static void print_help(const struct command *c)
{
	const struct option_row *o;

	printf("usage: socle-image %s [options] %s\n%s.\n", c->name, c->operands, c->summary);
	if (*c->details)
		printf("\n%s\n", c->details);
	printf("\noptions:\n");
	for (size_t i = 0; (o = option_row_at(c, i)); i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%s%s", o->name, option_wants_argument(o) ? " " : "",
			 o->argument ? o->argument : "");
		printf("  %-28s %s\n", left, o->help);
	}
	printf("  %-28s %s\n", "--help", "print this and exit");
}

static int usage_error(const struct command *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int usage_error(const struct command *c, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "socle-image %s: ", c->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "; see socle-image %s --help\n", c->name);
	return STATUS_USAGE;
}

/* The row for "--name" or "--name=value"; *value is set for the second form. */
static const struct option_row *find_row(const struct command *c, const char *text, size_t *index,
					 const char **value)
{
	size_t size = strcspn(text, "=");
	const struct option_row *o;

	*value = text[size] ? text + size + 1 : NULL;
	for (*index = 0; (o = option_row_at(c, *index)); ++*index)
		if (strlen(o->name) == size && !memcmp(o->name, text, size))
			return o;
	return NULL;
}

static int take_option(const struct command *c, int argc, char **argv, int *i, void *options,
		       unsigned long *seen)
{
	const char *text = argv[*i], *value;
	size_t index;
	const struct option_row *o = find_row(c, text, &index, &value);
	struct err e = { .text = "" };

	if (!o)
		return usage_error(c, "unknown option %s", text);
	if (!o->argument && value)
		return usage_error(c, "%s takes no value", o->name);
	if (option_wants_argument(o) && !value) {
		if (*i + 1 >= argc)
			return usage_error(c, "%s needs %s", o->name, o->argument);
		value = argv[++*i];
	}
	if ((*seen & 1UL << index) && !o->repeatable)
		return usage_error(c, "%s is specified twice", o->name);
	*seen |= 1UL << index;
	if (o->parse(value ? value : "", (char *)options + o->offset, &e))
		return usage_error(c, "%s: %s", o->name, e.text);
	return STATUS_OK;
}

/* At most so many operands go to the list. */
static int parse(const struct command *c, int argc, char **argv, void *options, size_t operands,
		 struct option_list *found)
{
	unsigned long seen = 0;
	bool only_operands = false;

	for (int i = 1; i < argc; i++) {
		int status = STATUS_OK;

		if (!only_operands && !strcmp(argv[i], "--help")) {
			print_help(c);
			return OPTION_HELP;
		}
		if (!only_operands && !strcmp(argv[i], "--"))
			only_operands = true;
		else if (!only_operands && argv[i][0] == '-' && argv[i][1])
			status = take_option(c, argc, argv, &i, options, &seen);
		else if (found->count == operands)
			return usage_error(c, "unexpected argument %s", argv[i]);
		else
			found->at[found->count++] = argv[i];
		if (status)
			return status;
	}
	return operands && !found->count ? usage_error(c, "%s is missing", c->operands) : STATUS_OK;
}

int option_parse_list(const struct command *c, int argc, char **argv, void *options,
		      struct option_list *operands)
{
	*operands = (struct option_list){ .count = 0 };
	return parse(c, argc, argv, options, OPTION_LIST_MAX, operands);
}

int option_parse(const struct command *c, int argc, char **argv, void *options,
		 const char **operand)
{
	struct option_list found = { .count = 0 };
	int status = parse(c, argc, argv, options, operand ? 1 : 0, &found);

	if (!status && operand)
		*operand = found.at[0];
	return status;
}

int command_failed(const struct err *e)
{
	fprintf(stderr, "socle-image: %s\n", e->text);
	return STATUS_FAILED;
}
