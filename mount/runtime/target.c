// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/hex.h"
#include "lib/sha256.h"
#include "lib/sys.h"
#include "lib/text.h"
#include "mount/fs/make.h"
#include "mount/policy_read.h"

#define ID_BYTES ((TARGET_ID_SIZE - 1) / 2)

static void close_parent(struct target *t)
{
	cleanup_fd(&t->parent);
	t->parent = -1;
}

/* Of all names on the way none was exchanged for a link since the path was looked at. */
static int open_parent(struct target *t, struct err *e)
{
	const char *base = strrchr(t->path, '/') + 1;
	size_t length = base - t->path > 1 ? (size_t)(base - t->path) - 1 : 1;
	char parent[MOUNTS_PATH_SIZE], found[MOUNTS_PATH_SIZE], link[32];
	ssize_t n;

	snprintf(parent, sizeof(parent), "%.*s", (int)length, t->path);
	t->parent = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (t->parent < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %.200s", parent);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", t->parent);
	n = readlink(link, found, sizeof(found));
	if (n < 0 || (size_t)n != length || memcmp(found, parent, length)) {
		close_parent(t);
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, ELOOP, "%.200s became another place",
			       parent);
	}
	snprintf(t->at, sizeof(t->at), "%s/%s", link, base);
	return 0;
}

static int canonical(const char *path, struct target *t, struct err *e)
{
	char found[MOUNTS_PATH_SIZE]; /* PATH_MAX, as realpath() wants it */

	if (realpath(path, found)) {
		strcpy(t->path, found);
		return open_parent(t, e);
	}
	if (errno != ENOENT)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "find %.200s", path);
	strcpy(t->path, path);
	strcpy(t->at, path);
	t->parent = -1;
	return 0;
}

static bool is_ours(const char *path)
{
	const char *rest = text_behind(path, RUN_SOCLE);

	return rest && (!*rest || *rest == '/');
}

static void name_parts(struct target *t)
{
	uint8_t digest[SHA256_SIZE];

	sha256(t->path, strlen(t->path), digest);
	hex_encode(digest, ID_BYTES, t->id);
	snprintf(t->prefix, sizeof(t->prefix), TARGET_PREFIX "%s.", t->id);
	snprintf(t->run, sizeof(t->run), RUN_SOCLE "/%s", t->id);
	snprintf(t->stage, sizeof(t->stage), "%s/stage", t->run);
}

int target_open(const char *path, bool make, struct target *ret, struct err *e)
{
	int r = 0;

	if (!text_is_path(path) || strlen(path) >= sizeof(ret->path))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the target \"%.200s\" is not an absolute path without . and ..",
			       path);
	if (make)
		r = make_parents(path, 0755, e);
	if (!r && make)
		r = make_dir(path, 0755, e);
	if (!r)
		r = canonical(path, ret, e);
	if (!r && is_ours(ret->path)) {
		close_parent(ret);
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the target \"%.200s\" is in " RUN_SOCLE
			       ", where stacks are put together",
			       path);
	}
	if (!r)
		name_parts(ret);
	return r;
}

void target_dm_name(const struct target *t, size_t number, char ret[MAPPED_NAME_SIZE])
{
	snprintf(ret, MAPPED_NAME_SIZE, "%s%zu", t->prefix, number);
}

int target_id_of(const char *name, char ret[TARGET_ID_SIZE])
{
	const char *id = text_behind(name, TARGET_PREFIX);

	if (!id || strspn(id, "0123456789abcdef") != TARGET_ID_SIZE - 1 ||
	    (id[TARGET_ID_SIZE - 1] && id[TARGET_ID_SIZE - 1] != '.'))
		return 0;
	memcpy(ret, id, TARGET_ID_SIZE - 1);
	ret[TARGET_ID_SIZE - 1] = '\0';
	return 1;
}

#define HOLD_STEP_MS 10

/* Whoever had it before may have taken the directory away: then it is another one now. */
static bool is_still_there(const struct target *t, int fd)
{
	struct stat held, there;

	return !fstat(fd, &held) && !stat(t->run, &there) && held.st_ino == there.st_ino &&
	       held.st_dev == there.st_dev;
}

static int try_hold(const struct target *t, struct err *e)
{
	auto_fd int fd = -1;
	int r = make_dir(RUN_SOCLE, 0755, e);

	if (!r)
		r = make_dir(t->run, 0700, e);
	if (r)
		return r;
	fd = open(t->run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return -EAGAIN;
	if (fd < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %s", t->run);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK || errno == EINTR ?
			       -EAGAIN :
			       err_errno(e, FAIL_SYSTEM_CALL_FAILED, "lock %s", t->run);
	return is_still_there(t, fd) ? steal_fd(&fd) : -EAGAIN;
}

int target_hold(struct target *t, int timeout_ms, struct err *e)
{
	static const struct timespec step = { .tv_nsec = HOLD_STEP_MS * 1000000L };
	int64_t end = clock_ms() + timeout_ms;
	int fd;

	while ((fd = try_hold(t, e)) == -EAGAIN && clock_ms() < end)
		(void)nanosleep(&step, NULL);
	if (fd < 0)
		close_parent(t);
	return fd != -EAGAIN ?
		       fd :
		       err_set(e, FAIL_TARGET_IN_USE, EBUSY,
			       "%.200s is being mounted or unmounted by somebody else", t->path);
}

void target_release(struct target *t, int *fd)
{
	(void)sys_unlinkat(AT_FDCWD, t->stage, AT_REMOVEDIR);
	(void)sys_unlinkat(AT_FDCWD, t->run, AT_REMOVEDIR);
	close_parent(t);
	cleanup_fd(fd);
	*fd = -1;
}
