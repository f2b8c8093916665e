/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_OPTION_H
#define IMAGE_BUILD_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* An option's row is its documentation too: --help prints the table. */
struct option_row {
	const char *name;     /* "--output" */
	const char *argument; /* "DIR"; "[=DIR]": may be left out; NULL: takes none */
	size_t offset;        /* of its field in the command's options */
	int (*parse)(const char *text, void *field, struct err *e);
	bool repeatable; /* else a second one is an error */
	const char *help;
};

/* What a field is, by its parser. */
int option_text(const char *text, void *field, struct err *e); /* const char * */
int option_flag(const char *text, void *field, struct err *e); /* bool */
int option_size(const char *text, void *field, struct err *e); /* uint64_t: bytes, or 10M, 10G */
int option_list(const char *text, void *field, struct err *e); /* struct option_list */

#define OPTION_LIST_MAX 256

struct option_list {
	size_t count;
	const char *at[OPTION_LIST_MAX];
};

/* A row with no name ends a table. */
struct command {
	const char *name;
	const char *summary;
	const char *operands; /* as in the usage line */
	const char *details;  /* more lines for --help, or "" */
	const struct option_row *options;
	const struct option_row *more_options; /* that other commands have, too; or NULL */
	int (*run)(int argc, char **argv);
};

enum {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* Of a command's own options and of those that it shares, in this order; NULL behind the last. */
const struct option_row *option_row_at(const struct command *c, size_t index);
/* Whether a word has to follow: not where it takes none or one that may be left out. */
bool option_wants_argument(const struct option_row *o);

/*
 * Read a command's arguments into its options; exactly one operand goes to
 * *operand (none where operand is NULL). Returns STATUS_OK to go on; anything
 * else has been said already and is the exit status, less one: OPTION_HELP.
 */
#define OPTION_HELP (-1)
int option_parse(const struct command *c, int argc, char **argv, void *options,
		 const char **operand);

/* The same for one operand or more. */
int option_parse_list(const struct command *c, int argc, char **argv, void *options,
		      struct option_list *operands);

/* Print a failure and return STATUS_FAILED. */
int command_failed(const struct err *e);

#endif
