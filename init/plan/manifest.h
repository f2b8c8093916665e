/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_MANIFEST_H
#define INIT_PLAN_MANIFEST_H

#include "init/plan/plan.h"

/*
 * The (boot) manifest: what our own keys say on a command line, as JSON and
 * without its limit on length. An OCI image's is called image manifest in this
 * tree, and what image-build writes beside its images is image.json.
 *
 *   { "version": 1,
 *     "layers": [ { "device": "SERIAL=…", "root_hash": "…", "data_blocks": 12 } ],
 *     "upper": "tmpfs", "agent": "/sbin/init" }
 *
 * "layers" has the keys of socle.layer=, topmost layer first, and "device" for
 * the reference in front of them; the other names are those of the keys behind
 * "socle.". Values are texts or whole numbers. It is packed as MANIFEST_FILE, so
 * that it is measured with the initramfs, or read from a disk that
 * socle.manifest= names together with its SHA-256.
 */

#define MANIFEST_FILE    "/etc/socle/manifest.json"
#define MANIFEST_VERSION 1

/*
 * Take a manifest into a plan that has been parsed from a command line. A key
 * that stands in both is refused, and so is a root in both. text has a closing
 * NUL behind its size bytes. Pure.
 */
int manifest_parse(const char *text, size_t size, struct boot_plan *plan, struct err *e);

#endif
