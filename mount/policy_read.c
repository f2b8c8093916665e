// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/policy_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"

static const char *const files[] = { POLICY_RUN_FILE, POLICY_FILE };

/* What somebody else may write is no rule for root. */
static int check_file(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "stat %s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(e, FAIL_POLICY_REFUSED, EPERM,
			       "%s is not a regular file that root alone may write", path);
	return 0;
}

/* 1: read, 0: there is none. */
static int read_file(const char *path, struct policy *ret, struct err *e)
{
	/* No link, and no waiting for the other end of a pipe. */
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char text[POLICY_SIZE];
	ssize_t n;
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %s", path);
	r = check_file(fd, path, e);
	if (r)
		return r;
	n = io_read_text_of(fd, text, sizeof(text));
	if (n == -EFBIG)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "%s has more than %d bytes", path,
			       POLICY_SIZE - 1);
	if (n < 0)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, n, "read %s", path);
	r = policy_parse(path, text, (size_t)n, ret, e);
	return r ? r : 1;
}

int policy_read(struct policy *ret, bool *ret_found, struct err *e)
{
	static const struct policy nothing = { .verity_optional = true };
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(files); i++)
		r = read_file(files[i], ret, e);
	if (r < 0)
		return r;
	*ret_found = r > 0;
	if (!r)
		*ret = nothing;
	return 0;
}
