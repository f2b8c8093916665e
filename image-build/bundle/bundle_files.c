// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/bundle/bundle.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/digest.h"
#include "image-build/base/json.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/io.h"

#define CHUNK (1 << 20)

struct digests {
	uint64_t size; /* bytes */
	char sha256[2 * DIGEST_MAX + 1], sha384[2 * DIGEST_MAX + 1];
};

static void finish_hex(struct hasher *h, char *ret)
{
	struct digest d;

	hasher_finish(h, &d);
	hex_encode(d.bytes, d.size, ret);
}

/* Both in one pass over the file. */
static int read_digests(const char *path, struct digests *ret, struct err *e)
{
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	char *chunk auto_text = memory_zero(1, CHUNK);
	struct hasher h256, h384;
	ssize_t n;

	if (fd < 0)
		return system_failed(e, "open %s", path);
	hasher_start(&h256, "sha256");
	hasher_start(&h384, "sha384");
	ret->size = 0;
	while ((n = io_read(fd, chunk, CHUNK)) > 0) {
		hasher_add(&h256, chunk, (size_t)n);
		hasher_add(&h384, chunk, (size_t)n);
		ret->size += (uint64_t)n;
	}
	finish_hex(&h256, ret->sha256);
	finish_hex(&h384, ret->sha384);
	hasher_stop(&h256);
	hasher_stop(&h384);
	return n < 0 ? system_result(e, n, "read %s", path) : 0;
}

int bundle_file(const char *directory, const char *name, struct json_object **ret, struct err *e)
{
	char *path auto_text = memory_printf("%s/%s", directory, name);
	struct digests d;
	int r = read_digests(path, &d, e);

	if (r)
		return r;
	*ret = json_object_new_object();
	json_add_text(*ret, "file", name);
	json_add_number(*ret, "size", d.size);
	json_add_text(*ret, "sha256", d.sha256);
	json_add_text(*ret, "sha384", d.sha384);
	return 0;
}

int bundle_verify(const char *directory, struct json_object *file, struct err *e)
{
	const char *name = json_text(file, "file");
	char *path auto_text = memory_printf("%s/%s", directory, name);
	struct digests d;
	int r;

	/* Of the directory itself and of nothing else. */
	if (!*name || strchr(name, '/'))
		return refuse(e,
			      "%s/" BUNDLE_MANIFEST ": \"%.100s\" is not the name of a file in it",
			      directory, name);
	r = read_digests(path, &d, e);
	if (!r && (strcmp(d.sha256, json_text(file, "sha256")) ||
		   strcmp(d.sha384, json_text(file, "sha384"))))
		r = refuse(e, "%s: its digest is not the one in " BUNDLE_MANIFEST, path);
	return r;
}

int bundle_read(const char *directory, struct json_object **ret, struct err *e)
{
	char *path auto_text = memory_printf("%s/" BUNDLE_MANIFEST, directory);
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	struct json_object *o, *version;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return system_failed(e, "open %s", path);
	if (st.st_size > LIMIT_JSON_BYTES)
		return refuse_limit(e, "%s has more than %d bytes", path, LIMIT_JSON_BYTES);
	o = json_object_from_fd(fd);
	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "version", &version) ||
	    json_object_get_int(version) != 1) {
		json_object_put(o);
		return refuse(e, "%s is not the manifest of a bundle of version 1", path);
	}
	*ret = o;
	return 0;
}
