/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_MOUNT_DESCRIBE_FORMS_H
#define TESTS_UNIT_MOUNT_DESCRIBE_FORMS_H

#include "mount/describe/form.h"

/* A text with one reader, without what describe() adds for all; given NULL: nothing. */
int read_form(const struct form_reader *form, const char *text, const struct describe_given *given,
	      struct stack *ret, struct err *e);

/* Whether a text is taken for this form where none is named. */
void expect_looks_like(const struct form_reader *form, const char *text, bool is);

/*
 * A file of the producers' ($SOCLE_FIXTURES), with a closing NUL, freed by the caller.
 * NULL where they are not at hand.
 */
char *read_fixture(const char *path);

/*
 * Part of a text as another one, as a test of one change wants it; the text must have it.
 * The result lasts until the next call.
 */
const char *changed(const char *text, const char *what, const char *into);

/* A root hash of one digit. */
#define HASH(digit)                                                                                \
	digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit  \
		digit digit digit digit digit digit digit digit digit digit digit digit digit      \
			digit digit digit digit digit digit digit digit digit digit digit digit    \
				digit digit digit digit digit digit digit digit digit digit digit  \
					digit digit digit digit digit digit digit digit digit      \
						digit digit digit digit

#endif
