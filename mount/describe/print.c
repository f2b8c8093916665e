// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/print.h"

#include "mount/describe/print_volume.h"

static void print_text(struct out *o, const struct stack *s)
{
	char upper[UPPER_TEXT_SIZE];

	for (size_t i = 0; i < s->count; i++)
		volume_print(o, &s->volume[i], s->signatures);
	for (size_t i = 0; i < s->directories; i++)
		out_printf(o, "directory %s\n", s->directory[i]);
	out_printf(o, "upper %s\n", upper_print(&s->upper, upper));
}

static void print_json(struct out *o, const struct stack *s)
{
	char upper[UPPER_TEXT_SIZE];

	out_open(o, NULL, '{');
	out_open(o, "volumes", '[');
	for (size_t i = 0; i < s->count; i++)
		volume_print_json(o, &s->volume[i], s->signatures);
	out_close(o, ']');
	out_open(o, "directories", '[');
	for (size_t i = 0; i < s->directories; i++)
		out_text(o, NULL, s->directory[i]);
	out_close(o, ']');
	out_text(o, "upper", upper_print(&s->upper, upper));
	out_close(o, '}');
	out_printf(o, "\n");
}

size_t stack_print(const struct stack *s, bool as_json, char *text, size_t size)
{
	struct out o = { .text = text, .size = size };

	(as_json ? print_json : print_text)(&o, s);
	return o.length;
}
