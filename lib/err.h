/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

#include <sys/types.h>

/*
 * Errors: a function returns 0 or -errno, and says why in a struct err that
 * lives on its caller's stack: one bounded sentence and one failure code from
 * the closed list in lib/failure.def. Nothing is allocated and nothing is
 * logged here; only programs' mains log, so one failure is one line.
 *
 * Every function takes e == NULL (the caller does not want the sentence).
 */

#define FAIL(name, meaning) FAIL_##name,
enum fail_code {
	FAIL_NONE, /* no failure was recorded */
#include "lib/failure.def"
	FAIL_CODES, /* how many there are, FAIL_NONE included */
};
#undef FAIL

/* Bytes of a sentence, the closing NUL included. Longer ones are cut. */
#define ERR_TEXT_SIZE 768

/* Bytes of a volume's name, the closing NUL included. */
#define ERR_VOLUME_SIZE 32

struct err {
	enum fail_code code;
	char volume[ERR_VOLUME_SIZE]; /* which volume it was, or empty */
	char text[ERR_TEXT_SIZE];
};

/*
 * Record a failure. The text is made printable: a byte outside of ASCII's
 * printable range (a serial number that the host chose, say) becomes '?'.
 * Returns -errnum; errnum is positive.
 */
int err_set(struct err *e, enum fail_code code, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same with errno: ": " and its description follow the text; returns -errno. */
int err_errno(struct err *e, enum fail_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The same with what a call returned: -errno, or the count of a transfer that
 * ended too early, which is EIO. Returns -errno, never 0.
 */
int err_result(struct err *e, enum fail_code code, ssize_t result, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put words in front of a recorded text: "layer 3: " and the like. */
void err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Bytes outside of ASCII's printable range become '?', in place. */
void err_make_printable(char *text);

/* Say which volume a recorded failure is about. */
void err_volume(struct err *e, const char *name);

/* The code's name ("ROOT_HASH_MISSING"), never NULL. */
const char *fail_name(enum fail_code code);

#endif
