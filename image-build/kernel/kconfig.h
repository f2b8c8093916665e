/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_KCONFIG_H
#define IMAGE_BUILD_KERNEL_KCONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

/*
 * A kernel's options, read from the text of its configuration: a .config, a
 * fragment of one, or what /proc/config.gz unpacks to. Pure. Source:
 * scripts/kconfig/confdata.c, conf_read_simple().
 */
#define KCONFIG_TEXT_MAX    (4 << 20) /* bytes; distributions' have 300,000 */
#define KCONFIG_OPTIONS_MAX 65536     /* distributions' have 12,000 */
#define KCONFIG_NAME_MAX    127       /* bytes of a name, without CONFIG_ */

/* The worst first. */
enum kconfig_state {
	KCONFIG_OFF,      /* n, "is not set", an empty string; not there, in a whole one */
	KCONFIG_UNSAID,   /* not there, in a part of one */
	KCONFIG_VALUE,    /* a number or a string */
	KCONFIG_MODULE,   /* m */
	KCONFIG_BUILT_IN, /* y */
};

struct kconfig_option {
	const char *name; /* in the text, without CONFIG_, not terminated */
	size_t name_size;
	enum kconfig_state state;
};

struct kconfig {
	size_t count, room;
	struct kconfig_option *options;    /* by name, each once */
	unsigned int version, patch_level; /* 6, 12 of its first comment; 0, 0: not said */
	/*
	 * It has that comment, which Kconfig writes where it writes all that can be chosen:
	 * what is not there is off. savedefconfig leaves out what is default, a fragment all
	 * that it is not about.
	 */
	bool whole;
};

/*
 * A line that is no option, comment or blank is refused, with its number; a carriage
 * return and blanks at its end are not part of it. The last value of an option counts.
 * The text must outlive the result.
 */
int kconfig_parse(const char *text, size_t size, struct kconfig *ret, struct err *e);
void kconfig_free(struct kconfig *k);

enum kconfig_state kconfig_state(const struct kconfig *k, const char *name, size_t name_size);

#endif
