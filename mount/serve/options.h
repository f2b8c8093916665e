/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_OPTIONS_H
#define MOUNT_SERVE_OPTIONS_H

#include <stdbool.h>

/* What serve() is told, and how much it takes on. */

#define SERVE_SOCKET  "/run/confidential-containers/cdh.sock"
#define SERVE_BUNDLES "/run/kata-containers" /* kata-agent's CONTAINER_BASE */
#define SERVE_KEY     "socle.json"           /* of [data] in initdata */

#define SERVE_CLIENTS_MAX 32     /* connections at a time; one more is closed at once */
#define SERVE_PULLS_MAX   64     /* at a time; one more is refused, RESOURCE_EXHAUSTED */
#define SERVE_RELAYED_MAX 64     /* calls at a time that one client has at the real hub */
#define SERVE_STALL_MS    30000  /* for one frame to come or go, and for pulls at the end */
#define SERVE_DISKS_MS    10000  /* what socle_request's timeout_ms is when it is 0 */
#define SERVE_REST_MS     120000 /* for a pull, once its disks have been found */

/* NULL or 0 is the default. The texts are the caller's. */
struct serve_options {
	const char *socket;  /* SERVE_SOCKET */
	const char *bundles; /* a bundle is a folder in this one; SERVE_BUNDLES */
	/*
	 * Where the images are described (mount/serve/images.h): in a file, in
	 * initdata's [data] "socle.json", in both, or nowhere, and then every image is
	 * unknown. Read once. Where that fails every pull is refused with the reason.
	 */
	const char *images, *initdata;
	const char *forward;       /* the socket of a real hub, for all other calls */
	bool pull_unknown;         /* and for images that are not described here */
	const char *attestation;   /* the attestation agent's socket: each pull is measured */
	const char *on_corruption; /* as in socle_request */
	int timeout_ms;            /* as in socle_request */
	int stall_ms;              /* SERVE_STALL_MS */
	int rest_ms;               /* SERVE_REST_MS */
};

#endif
