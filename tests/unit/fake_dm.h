/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * A device-mapper: what the kernel would do with the requests that sys_dm() gets,
 * after fake_dm_reset(). What is asked of it is in fake_sys.log. It may be asked by
 * several threads, as the kernel may.
 */
#ifndef TESTS_UNIT_FAKE_DM_H
#define TESTS_UNIT_FAKE_DM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verity/device.h"

#define FAKE_DM_NAME "socle-layer-0"

/* The table of the device of this name after fake_dm_reset(). */
#define FAKE_DM_LINE "1 254:0 254:0 4096 4096 8 9 sha256 00ff -"

struct fake_dm_table {
	char type[16]; /* empty: there is none */
	char line[4096];
	uint64_t sectors;
	bool read_only;
	unsigned int targets;
};

struct fake_dm_device {
	char name[128]; /* empty: there is none */
	char uuid[129];
	unsigned int minor;
	struct fake_dm_table live, loaded;
	bool suspended, deferred;
	int open_count;
};

#define FAKE_DM_DEVICES_MAX 200

extern struct fake_dm {
	struct fake_dm_device device[FAKE_DM_DEVICES_MAX];
	const char *status;      /* "V", "C" */
	const char *refused;     /* a word of a table that it does not take, or NULL */
	int refused_errno;       /* and what it says then: EINVAL */
	const char *targets[4];  /* those that it has, up to a NULL; linear and verity */
	unsigned int interrupts; /* how many dm_resume()s a signal ends */
	bool no_prefixes;        /* a list has all devices */
	size_t wiped;            /* requests that were to be wiped on the kernel's side */
} fake_dm;

/*
 * One good device of 4096 sectors again, and its mapped_device; the call of this
 * number fails with EIO, 0: none does.
 */
const struct mapped_device *fake_dm_reset(unsigned int fail_call);

/* The first device, FAKE_DM_NAME. */
#define fake_dm_first (&fake_dm.device[0])

/* One of a name; NULL: there is none. */
struct fake_dm_device *fake_dm_find(const char *name);

#endif
