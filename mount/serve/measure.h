/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_MEASURE_H
#define MOUNT_SERVE_MEASURE_H

#include "lib/err.h"

#define MEASURE_LIMIT_MS 10000 /* for all of it */

/*
 * Have the attestation agent extend the run-time measurement by the event that the
 * data hub has for a pull (pull_image() in hub/src/hub.rs of guest-components), so that the
 * event log reads the same whoever pulled: domain github.com/confidential-containers,
 * operation PullImage, content {"image":"…", "digest":"…"}.
 *
 * Waits for the answer. MEASUREMENT_FAILED where there is none, or another one than
 * that the measurement is extended.
 */
int measure_pull(const char *socket, const char *reference, const char *digest, struct err *e);

#endif
