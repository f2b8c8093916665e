/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

#include <errno.h>
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

/*
 * The same with what a call returned: -errno, or the count of a transfer that
 * ended too early, which is EIO. ": " and the error's description follow the
 * text. Returns -errno, never 0.
 */
int err_result(struct err *e, enum fail_code code, ssize_t result, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same for a call that left its error in errno. */
#define err_errno(e, code, ...) err_result(e, code, -errno, __VA_ARGS__)

/*
 * Where r is a failure, put words in front of its recorded text ("layer 3: " and the
 * like), or say which volume it is about. Both return r.
 */
int err_prefix(struct err *e, int r, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_volume(struct err *e, int r, const char *name);

/* Bytes outside of ASCII's printable range become '?', in place. */
void err_make_printable(char *text);

/*
 * How every program here says a failure, for printf: the step, the volume or "-", the
 * code's name, the sentence.
 */
#define ERR_LINE "socle: FAILED step=%s volume=%s code=%s: %s"

/* The code's name ("ROOT_HASH_MISSING"), never NULL. */
const char *fail_name(enum fail_code code);

#endif
