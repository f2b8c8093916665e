/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_PULL_H
#define MOUNT_SERVE_PULL_H

#include "mount/serve/catalogue.h"
#include "mount/serve/message.h"

/* What a pull came to: small enough to go through a pipe in one piece (PIPE_BUF). */
struct pull_answer {
	uint32_t status;                /* enum message_status */
	char digest[144];               /* STATUS_OK: of the image's manifest */
	char line[MESSAGE_STATUS_SIZE]; /* else: the refusal, "socle: FAILED …" */
};

/*
 * Mount what an image is described as on bundle/rootfs, and measure that where the options
 * ask for it. Takes as long as its disks do.
 */
void pull_run(const struct serve_options *options, const struct catalogue *catalogue,
	      const struct pull_request *request, struct pull_answer *ret);

/* A refusal in that shape, of something that libsocle never saw. */
void pull_refuse(struct pull_answer *ret, enum message_status status, const char *step,
		 const struct err *e);

#endif
