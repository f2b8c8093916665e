/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_IMAGES_H
#define MOUNT_SERVE_IMAGES_H

#include <stddef.h>

#include "lib/err.h"
#include "mount/runtime/socle.h"

/*
 * Which image is which disks: what the data hub's own pull would learn from a registry.
 * The text is JSON, a file of the measured image or the value "socle.json" in initdata:
 *
 *	{"version": 1, "images": [
 *	  {"reference": "registry.example/app@sha256:…",
 *	   "digest": "sha256:…",
 *	   "form": "kata-volume",
 *	   "description": {…},
 *	   "volumes": [{"number": 0, "device": "SERIAL=layer0", "sidecar": {…},
 *	                "allow_unverified": false}],
 *	   "upper": "tmpfs"}]}
 *
 * reference and digest are required: the first is compared with what the agent asks
 * for, letter by letter; the second is answered, as the digest of the image's manifest,
 * which need not be the one in the reference (that may be of an index). description is
 * required, as JSON or as a text, base64 among them; form is one of socle-volume's, by
 * content where there is none; volumes is what is said beside the description, by
 * volume-N's number; upper is what socle_request has (none where it is absent and the
 * description has none). sidecar is JSON or a text as well. Pure.
 */

#define IMAGES_MAX         512 /* of all texts together */
#define IMAGES_TEXTS_MAX   2
#define IMAGES_SIZE_MAX    1048576 /* bytes of a text */
#define IMAGES_DEPTH_MAX   20      /* of its JSON: a description nests as well */
#define IMAGES_VOLUMES_MAX 384     /* that one image says something of */

struct image {
	const char *reference, *digest;
	const char *form; /* NULL: by content */
	const char *description;
	size_t description_size; /* bytes */
	const char *upper;       /* NULL: as the description says */
	struct socle_volume_option *volumes;
	size_t volume_count;
};

struct json_object;

struct images {
	size_t count;
	struct image image[IMAGES_MAX];
	size_t text_count;
	struct json_object *text[IMAGES_TEXTS_MAX]; /* which have the images' texts */
};

/*
 * Add the images of a text of size bytes with a closing NUL to those that are there
 * already; images starts as zeroes, and is freed also after a failure. What hostile_read()
 * refuses, DESCRIPTION_INVALID, KEY_UNKNOWN for a member that is none of the above,
 * KEY_REPEATED for a reference or a volume's number that comes twice, LIMIT_EXCEEDED.
 */
int images_add(struct images *images, const char *text, size_t size, struct err *e);

/* The image of exactly this reference; NULL: none. */
const struct image *images_find(const struct images *images, const char *reference);

void images_free(struct images *images);

#endif
