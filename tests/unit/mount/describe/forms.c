// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/mount/describe/forms.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/io.h"
#include "tests/unit/unit.h"

#define TEXT_SIZE 262144

int read_form(const struct form_reader *form, const char *text, const struct describe_given *given,
	      struct stack *ret, struct err *e)
{
	static const struct describe_given nothing;
	auto_json struct json_object *root = NULL;
	int r = hostile_parse(text, strlen(text), &root, e);

	stack_init(ret);
	return r ? r : form->read(root, given ? given : &nothing, ret, e);
}

void expect_looks_like(const struct form_reader *form, const char *text, bool is)
{
	auto_json struct json_object *root = NULL;
	struct err e = { 0 };

	expect_success(text, hostile_parse(text, strlen(text), &root, &e), &e);
	if (form->looks_like(root) != is)
		fail_msg("%s", text);
}

char *read_fixture(const char *path)
{
	const char *fixtures = getenv("SOCLE_FIXTURES");
	char whole[512], *text = malloc(TEXT_SIZE);

	snprintf(whole, sizeof(whole), "%s/%s", fixtures ? fixtures : "../shared/fixtures", path);
	if (io_read_text(AT_FDCWD, whole, text, TEXT_SIZE) >= 0)
		return text;
	free(text);
	return NULL;
}

const char *changed(const char *text, const char *what, const char *into)
{
	static char result[TEXT_SIZE];
	const char *at = strstr(text, what);

	assert_non_null(at);
	snprintf(result, sizeof(result), "%.*s%s%s", (int)(at - text), text, into,
		 at + strlen(what));
	return result;
}
