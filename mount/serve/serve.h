/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_SERVE_H
#define MOUNT_SERVE_SERVE_H

#include "lib/err.h"
#include "mount/serve/options.h"

/*
 * socle-volume serve: in the place of the confidential data hub, or in front of it, on the
 * socket that kata-agent has for it. PullImage(image, bundle) becomes a verified
 * stack on bundle/rootfs. Everything else goes to a real hub where there is one.
 *
 * A refusal reaches the caller word for word, as the status of its call:
 * "socle: FAILED step=… volume=… code=…: …"; and stderr as well.
 */

/*
 * Serve until SIGTERM or SIGINT: then the socket goes away, pulls that are going on come
 * to their end, and 0 is returned. -errno where serving cannot begin. Each
 * pull is a process of its own, so that a slow disk holds up nobody else. SIGPIPE is
 * ignored from then on.
 */
int serve(const struct serve_options *options, struct err *e);

#endif
