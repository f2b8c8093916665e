/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_ROOT_SYSTEMD_H
#define INIT_ROOT_SYSTEMD_H

#include "lib/err.h"

/*
 * Word for a systemd that the agent may be, in /run, which goes along into the
 * new root. Generators make units of what they find, and two find too much.
 *
 * Source: systemd.generator(7).
 */

/*
 * Whatever partitions the disk of the root has: a host only needs to add one for
 * the guest to mount it, or to swap its memory to it. Nothing has proved them.
 */
#define SYSTEMD_GPT_AUTO "systemd-gpt-auto-generator"

/* Kata's extensions, which are open already: that fails, and powers the guest off. */
#define SYSTEMD_KATA_EXTENSIONS "kata-extension-mount-generator"

/* Hide a generator: a link to /dev/null of its name, in a folder that counts more. */
int systemd_hide_generator(const char *name, struct err *e);

#endif
