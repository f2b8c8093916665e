// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/io.h"

size_t open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

void temp_make(struct temp *t)
{
	const char *where = getenv("TMPDIR");

	snprintf(t->path, sizeof(t->path), "%s/socle-test.XXXXXX", where ? where : "/tmp");
	assert_non_null(mkdtemp(t->path));
	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->fd >= 0);
}

static void remove_below(int dir_fd)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		int child;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    !unlinkat(dirfd(dir), entry->d_name, 0))
			continue;
		child = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
		if (child >= 0)
			remove_below(child);
		unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

void temp_remove(struct temp *t)
{
	remove_below(t->fd);
	t->fd = -1;
	rmdir(t->path);
}

/* Make every folder of a path but, unless whole, the last part of it. */
static void make_dirs(int dir, const char *path, int whole)
{
	char part[512];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		(void)mkdirat(dir, part, 0755);
	}
	if (whole)
		(void)mkdirat(dir, path, 0755);
}

void put_bytes(int dir, const char *path, const void *bytes, size_t size)
{
	int fd;

	make_dirs(dir, path, 0);
	fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

void put_text(int dir, const char *path, const char *text)
{
	put_bytes(dir, path, text, strlen(text));
}

void put_link(int dir, const char *path, const char *target)
{
	make_dirs(dir, path, 0);
	assert_int_equal(symlinkat(target, dir, path), 0);
}

void put_dir(int dir, const char *path)
{
	make_dirs(dir, path, 1);
}

void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

#define NOT_ALLOWED 77

/* Without the right to mount: as root of a user namespace. */
static int own_namespaces(void)
{
	char users[32], groups[32];

	if (!unshare(CLONE_NEWNS))
		return 0;
	snprintf(users, sizeof(users), "0 %u 1", getuid());
	snprintf(groups, sizeof(groups), "0 %u 1", getgid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
	       io_write_text(AT_FDCWD, "/proc/self/uid_map", users) ||
	       io_write_text(AT_FDCWD, "/proc/self/setgroups", "deny") ||
	       io_write_text(AT_FDCWD, "/proc/self/gid_map", groups);
}

/*
 * What is mounted from here on stays here. In a chroot / may be no mount, so that it cannot be
 * said of it; then in_own_root() takes back what others have seen.
 */
static int keep_mounts_apart(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && errno != EINVAL;
}

static void child_in_own_root(const char *path, void (*fill)(int dir), void (*run)(void *shared),
			      void *shared)
{
	int dir;

	if (own_namespaces() || keep_mounts_apart() || mount("test", path, "tmpfs", 0, "mode=755"))
		_exit(NOT_ALLOWED);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fill(dir);
	close(dir);
	if (chroot(path) || chdir("/"))
		_exit(NOT_ALLOWED);
	run(shared);
	_exit(0);
}

int in_own_root(void (*fill)(int dir), void (*run)(void *shared), void *shared)
{
	struct temp t;
	int status;
	pid_t child;

	temp_make(&t);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		child_in_own_root(t.path, fill, run, shared);
	assert_int_equal(waitpid(child, &status, 0), child);
	(void)umount2(t.path, MNT_DETACH);
	temp_remove(&t);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED)
		return -1;
	assert_int_equal(status, 0);
	return 0;
}

/* With the processes of this one: what a sanitizer looks at, and a test's own descriptors. */
static void child_with_own_run(const char *path, int (*run)(void))
{
	int dir;

	if (own_namespaces() || keep_mounts_apart() ||
	    mount("test", path, "tmpfs", 0, "mode=755") ||
	    mount(NULL, path, NULL, MS_PRIVATE, NULL))
		_exit(NOT_ALLOWED);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	put_dir(dir, "run");
	put_dir(dir, "proc");
	if (fchdir(dir) || mount("/proc", "proc", NULL, MS_BIND | MS_REC, NULL) || chroot(".") ||
	    chdir("/"))
		_exit(NOT_ALLOWED);
	close(dir);
	exit(run());
}

static void not_allowed(void **state)
{
	(void)state;
	skip();
}

int with_own_run(int (*run)(void))
{
	static const struct CMUnitTest skipped[] = { cmocka_unit_test(not_allowed) };
	struct temp t;
	int status;
	pid_t child;

	temp_make(&t);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		child_with_own_run(t.path, run);
	assert_int_equal(waitpid(child, &status, 0), child);
	(void)umount2(t.path, MNT_DETACH);
	temp_remove(&t);
	if (!WIFEXITED(status)) {
		fprintf(stderr, "killed by signal %d\n", WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status) == NOT_ALLOWED ? cmocka_run_group_tests(skipped, NULL, NULL) :
						    WEXITSTATUS(status);
}

void expect_failure(const char *label, int r, const struct err *e, enum fail_code code,
		    const char *words)
{
	if (r >= 0)
		fail_msg("%s: no error (%d), expected %s", label, r, fail_name(code));
	if (e->code != code)
		fail_msg("%s: %s (%s), expected %s", label, fail_name(e->code), e->text,
			 fail_name(code));
	if (!strstr(e->text, words))
		fail_msg("%s: \"%s\" does not say \"%s\"", label, e->text, words);
}

void expect_success(const char *label, int r, const struct err *e)
{
	if (r)
		fail_msg("%s: %d, %s: %s", label, r, fail_name(e->code), e->text);
}
