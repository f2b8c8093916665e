// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/catalogue.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/io.h"
#include "mount/serve/toml.h"

/* A file whole, as a text to be freed. */
static int read_file(const char *path, size_t size_max, char **ret, size_t *ret_size, struct err *e)
{
	char *text = malloc(size_max + 2);
	ssize_t n = text ? io_read_text(AT_FDCWD, path, text, size_max + 2) : -ENOMEM;

	if (n < 0) {
		free(text);
		return n == -EFBIG ? err_set(e, FAIL_LIMIT_EXCEEDED, EFBIG,
					     "it has more than %zu bytes", size_max) :
				     err_result(e, FAIL_SYSTEM_CALL_FAILED, n, "read it");
	}
	*ret = text;
	*ret_size = (size_t)n;
	return 0;
}

static int load_file(const char *path, struct images *images, struct err *e)
{
	char *text;
	size_t size;
	int r = read_file(path, IMAGES_SIZE_MAX, &text, &size, e);

	if (r)
		return r;
	r = images_add(images, text, size, e);
	free(text);
	return r;
}

/* Initdata without our key are for others. */
static int load_initdata(const char *path, struct images *images, struct err *e)
{
	char *text, *value;
	size_t size, length;
	int r = read_file(path, TOML_SIZE_MAX, &text, &size, e);

	if (r)
		return r;
	value = malloc(size + 1);
	if (value)
		r = toml_find(text, size, "data", SERVE_KEY, value, &length, e);
	else
		r = err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "no memory");
	if (r > 0)
		r = err_prefix(e, images_add(images, value, length, e), SERVE_KEY ": ");
	free(value);
	free(text);
	return r;
}

void catalogue_load(const struct serve_options *options, struct catalogue *ret)
{
	struct err *e = &ret->broken;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	if (options->images)
		r = err_prefix(e, load_file(options->images, &ret->images, e),
			       "%s: ", options->images);
	if (!r && options->initdata)
		(void)err_prefix(e, load_initdata(options->initdata, &ret->images, e),
				 "%s: ", options->initdata);
}
