/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_DIALECT_H
#define INIT_PLAN_DIALECT_H

#include "init/plan/cmdline.h"
#include "init/plan/plan.h"

/*
 * The kernel's own keys about the root, which more than one dialect looks at;
 * the last of each counts, as in the kernel. Texts are empty where not given.
 */
struct root_keys {
	char root[DEVREF_TEXT_SIZE];
	char fstype[FSTYPE_SIZE];
	char flags[VOLUME_OPTIONS_SIZE];
	char init[PLAN_PATH_SIZE];
	bool writable;
};

#define DM_CREATE_SIZE 1025 /* the kernel refuses a longer text */

struct rootfs_verity_keys {
	bool scheme_given, hash_given;
	char scheme[32];
	char hash[2 * VERITY_DIGEST_MAX + 2];
};

#define SYSTEMD_OPTIONS_SIZE 4096 /* bytes, with the NUL: a signature may stand among them */

/* What stands on the line about one of systemd's two file systems. */
struct systemd_side {
	bool given; /* a hash, even an empty one */
	bool asked; /* any other key about it */
	char hash[2 * VERITY_DIGEST_MAX + 2];
	char data[DEVREF_TEXT_SIZE], hash_device[DEVREF_TEXT_SIZE];
	char options[SYSTEMD_OPTIONS_SIZE];
};

struct systemd_keys {
	struct systemd_side root, usr;
	bool off; /* systemd.verity=no */
};

/* Our own words of the line, so that it can be held against what it says of itself. */
struct socle_words {
	size_t count, bytes; /* but for socle.length=; without quotes and the blanks between */
	bool length_given;
	uint64_t length; /* bytes, as socle.length= says */
};

/* What the dialects have seen of one line, until its end; zeroed before its first word. */
struct line_keys {
	struct socle_words socle;
	struct root_keys root;
	char dm_create[DM_CREATE_SIZE];
	struct rootfs_verity_keys rootfs_verity;
	struct systemd_keys systemd;
	char volatile_mode[16];
};

/*
 * A dialect is a family of command-line keys. It looks at one parameter after
 * the other and keeps what is its own; when all are in, the dialects finish the
 * plan in the order of the table in init/plan/parse.c. A new one is a file of
 * its own and a row there.
 */
struct dialect {
	const char *name;
	/* 0: not a key of this dialect, or taken; an error refuses the boot. */
	int (*take)(const struct cmdline_param *param, struct line_keys *keys,
		    struct boot_plan *plan, struct err *e);
	/* After the last parameter; NULL: nothing is left to do. */
	int (*finish)(struct line_keys *keys, struct boot_plan *plan, struct err *e);
};

extern const struct dialect dialect_socle;         /* socle.* */
extern const struct dialect dialect_dm_create;     /* dm-mod.create=, Kata since 3.27 */
extern const struct dialect dialect_rootfs_verity; /* rootfs_verity.*, Kata until 3.26 */
extern const struct dialect dialect_systemd;       /* roothash=, usrhash=, systemd.verity_* */
extern const struct dialect dialect_volatile;      /* systemd.volatile= */
extern const struct dialect dialect_extension;     /* kata.extension.* */
extern const struct dialect dialect_root;          /* root= and its kin; the last of all */

/*
 * One of our own keys without its prefix, from wherever it comes; value is NULL
 * where it has none. KEY_UNKNOWN, KEY_REPEATED, or what the key says.
 */
int dialect_socle_set(struct boot_plan *plan, const char *key, const char *value, struct err *e);

/*
 * The line's own words against its socle.length=: CMDLINE_TRUNCATED where some are
 * lost, whatever else is then wrong with the line; VALUE_INVALID where there are
 * more than it says, or several words and no length in front of them.
 */
bool socle_words_lost(const struct socle_words *words);
int socle_words_check(const struct socle_words *words, struct err *e);

/*
 * A dialect has found out that the root is its own: ROOT_AMBIGUOUS where another
 * one has said so before.
 */
int plan_claim(struct boot_plan *plan, const char *dialect, struct err *e);

/* The same for a root of one volume without an upper; *ret is layer 0, initialised. */
int plan_claim_root(struct boot_plan *plan, const char *dialect, const char *dm_name,
		    struct volume **ret, struct err *e);

/* Give a volume the type and options that root= keys carry. */
void root_keys_apply(const struct root_keys *keys, struct volume *v);

/* Read a text of a limited length into a plan's or volume's array; VALUE_INVALID. */
int dialect_copy(char *to, size_t size, const char *key, const char *value, struct err *e);

/* An absolute path without "." or ".." or control characters, as long as a plan takes it. */
bool dialect_is_path(const char *path);

#endif
