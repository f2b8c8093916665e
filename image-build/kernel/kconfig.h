/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_KCONFIG_H
#define IMAGE_BUILD_KERNEL_KCONFIG_H

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

enum kconfig_state {
	KCONFIG_OFF,      /* n, "is not set", or not there */
	KCONFIG_MODULE,   /* m */
	KCONFIG_BUILT_IN, /* y */
	KCONFIG_VALUE,    /* a number or a string */
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
};

/*
 * A line that is no option, comment or empty is refused, with its number. Where
 * an option is specified twice the last one counts. The text must outlive the result.
 */
int kconfig_parse(const char *text, size_t size, struct kconfig *ret, struct err *e);
void kconfig_free(struct kconfig *k);

enum kconfig_state kconfig_state(const struct kconfig *k, const char *name, size_t name_size);

#endif
