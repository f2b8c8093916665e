// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/differences.h"

#include <stdio.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "lib/err.h"

static char *printable(const char *text)
{
	char *copy = memory_text(text);

	err_make_printable(copy);
	return copy;
}

static void keep(struct json_object *list, const char *place, const char *what, const char *a,
		 const char *b)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "place", place);
	json_add_text(o, "what", what);
	if (a)
		json_add_text(o, "a", a);
	if (b)
		json_add_text(o, "b", b);
	json_object_array_add(list, o);
}

static void print(const char *place, const char *what, const char *a, const char *b)
{
	printf("%s%s%s", place, *place ? ": " : "", what);
	if (a && b)
		printf(": %s | %s", a, b);
	else if (a || b)
		printf(": only in %s%s%s", a ? "A" : "B", *(a ? a : b) ? ": " : "", a ? a : b);
	printf("\n");
}

void differences_add(struct differences *d, const char *place, const char *what, const char *a,
		     const char *b)
{
	char *where auto_text = printable(place), *which auto_text = printable(what);
	char *left auto_text = a ? printable(a) : NULL;
	char *right auto_text = b ? printable(b) : NULL;

	d->count++;
	if (d->list)
		keep(d->list, where, which, left, right);
	else
		print(where, which, left, right);
}

void differences_number(struct differences *d, const char *place, const char *what,
			unsigned long long a, unsigned long long b)
{
	char *left auto_text = memory_printf("%llu", a);
	char *right auto_text = memory_printf("%llu", b);

	if (a != b)
		differences_add(d, place, what, left, right);
}

void differences_content(struct differences *d, const char *place, unsigned long long first)
{
	char *what auto_text = memory_printf("content differs from byte %llu on", first);

	differences_add(d, place, what, NULL, NULL);
}
