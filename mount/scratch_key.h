/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SCRATCH_KEY_H
#define MOUNT_SCRATCH_KEY_H

#include <stddef.h>

#include "lib/err.h"

/*
 * The key of a scratch disk. It goes from the kernel's random numbers into a "logon"
 * key of its keyring, which no program can read, and from there into dm-crypt's
 * table, whose text only names it. All that this process ever has of it is a buffer
 * that is wiped. SCRATCH_FAILED.
 */

#define SCRATCH_KEY_MAX 96 /* bytes */

/*
 * Random bytes, only from a generator that is seeded: it is waited for, 10 seconds at
 * the most.
 */
int scratch_random(void *bytes, size_t size, struct err *e);

/* A new key of this thread's keyring, by a description as "logon" keys have it, "a:b". */
int scratch_key_add(const char *description, size_t size, int *ret_key, struct err *e);

/* Its bytes are gone from the keyring; dm-crypt keeps what it has taken. */
void scratch_key_drop(int key);

#endif
