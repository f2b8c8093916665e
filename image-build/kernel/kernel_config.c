// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/kernel_config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

#include "image-build/kernel/ikconfig.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/cleanup.h"
#include "lib/io.h"

#define CHUNK (1 << 20)

/* To the end, whatever stat says: /proc/config.gz has a size of 0. */
static int read_file(const char *path, struct buffer *ret, struct err *e)
{
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return system_failed(e, "open");
	do {
		buffer_reserve(ret, CHUNK);
		n = io_read(fd, ret->bytes + ret->size, CHUNK);
		ret->size += n > 0 ? (size_t)n : 0;
	} while (n == CHUNK && ret->size <= IKCONFIG_IMAGE_MAX);
	return n < 0 ? system_result(e, n, "read") : 0;
}

static int read_options(struct kernel_config *c, const char *path, struct err *e)
{
	struct buffer image auto_buffer = { .bytes = NULL };
	size_t text_size;
	int r = read_file(path, &image, e);

	if (!r)
		r = ikconfig_text(image.bytes, image.size, &c->text, &text_size, e);
	if (!r)
		r = kconfig_parse(c->text, text_size, &c->options, e);
	return r;
}

static int choose_arch(struct kernel_config *c, const char *asked, struct err *e)
{
	enum kernel_arch said = kernel_arch_of(&c->options);

	c->arch = said;
	if (asked) {
		c->arch = kernel_arch_parse(asked);
		if (!c->arch)
			return refuse(e, "unknown architecture %.40s: not x86_64, s390x or aarch64",
				      asked);
		if (said && said != c->arch)
			return refuse(e, "it is for %s, not for %s", kernel_arch_name(said),
				      kernel_arch_name(c->arch));
	}
	if (!c->arch)
		return refuse(e, "it does not say its architecture; name one with --arch");
	return 0;
}

int kernel_config_open(struct kernel_config *ret, const char *path, const char *arch, struct err *e)
{
	struct kernel_config c = { .text = NULL };
	int r = read_options(&c, path, e);

	if (!r)
		r = choose_arch(&c, arch, e);
	if (r) {
		kernel_config_close(&c);
		return r;
	}
	*ret = c;
	return 0;
}

void kernel_config_close(struct kernel_config *c)
{
	kconfig_free(&c->options);
	free(c->text);
	c->text = NULL;
}
