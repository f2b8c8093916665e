// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What all calls have in common, and what is shared of the fake kernel. */
#include "tests/unit/mount/runtime/machine/fake_kernel.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/unit.h"

struct fake_kernel *fake_kernel;

/*
 * The real kernel puts no order between threads that ThreadSanitizer could take for one
 * of ours: a race must not hide behind a lock of the test's.
 */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#define unseen_begin()                                                                             \
	(AnnotateIgnoreSyncBegin(__FILE__, __LINE__),                                              \
	 AnnotateIgnoreReadsBegin(__FILE__, __LINE__),                                             \
	 AnnotateIgnoreWritesBegin(__FILE__, __LINE__))
#define unseen_end()                                                                               \
	(AnnotateIgnoreWritesEnd(__FILE__, __LINE__), AnnotateIgnoreReadsEnd(__FILE__, __LINE__),  \
	 AnnotateIgnoreSyncEnd(__FILE__, __LINE__))
#else
#define unseen_begin() ((void)0)
#define unseen_end()   ((void)0)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- descriptors ------------------------------------------------------------------- */

int fake_kernel_fd(const char *kind, unsigned int number)
{
	char name[64];

	snprintf(name, sizeof(name), "fake-%s-%u", kind, number);
	return memfd_create(name, MFD_CLOEXEC);
}

static int number_of(int dir, const char *fd, const char *kind)
{
	char beginning[64], target[FAKE_PATH];
	ssize_t n = readlinkat(dir, fd, target, sizeof(target) - 1);

	if (n < 0)
		return -1;
	target[n] = '\0';
	snprintf(beginning, sizeof(beginning), "/memfd:fake-%s-", kind);
	if (strncmp(target, beginning, strlen(beginning)))
		return -1;
	return (int)strtol(target + strlen(beginning), NULL, 10);
}

int fake_kernel_fd_number(int fd, const char *kind)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return number_of(-1, path, kind);
}

/* Those of a kind that are open, as of the last look; by their numbers. */
static struct {
	const char *kind;
	bool open[FAKE_FILESYSTEMS];
} kinds[] = { { "fs", { 0 } }, { "mount", { 0 } }, { "node", { 0 } } };

static void look_at_fds(void)
{
	DIR *fds = opendir("/proc/self/fd");
	struct dirent *entry;
	int number;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		memset(kinds[i].open, 0, sizeof(kinds[i].open));
	while ((entry = readdir(fds)))
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
			number = number_of(dirfd(fds), entry->d_name, kinds[i].kind);
			if (number >= 0)
				kinds[i].open[number] = true;
		}
	closedir(fds);
}

bool fake_kernel_fd_open(const char *kind, unsigned int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].kind, kind))
			return kinds[i].open[number];
	return false;
}

/* --- what nobody uses any more ------------------------------------------------------- */

static void let_go(void)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (unsigned int i = 0; i < FAKE_FILESYSTEMS; i++) {
			if (!fake_kernel->filesystem[i].there || fake_kernel_is_used(i))
				continue;
			fake_kernel->filesystem[i].there = false;
			changed = true;
		}
		changed = changed || fake_kernel_remove_deferred();
	}
}

/* --- calls --------------------------------------------------------------------------- */

int fake_kernel_enter(void)
{
	unseen_begin();
	pthread_mutex_lock(&lock);
	look_at_fds();
	let_go();
	return 0;
}

void fake_kernel_leave(int *held)
{
	int errnum = errno;

	(void)held;
	look_at_fds();
	let_go();
	pthread_mutex_unlock(&lock);
	unseen_end();
	errno = errnum;
}

int fake_kernel_refuse(int errnum)
{
	errno = errnum;
	return -1;
}

int fake_kernel_call(const char *fmt, ...)
{
	struct fake_kernel *k = fake_kernel;
	va_list args;

	va_start(args, fmt);
	vsnprintf(k->last, sizeof(k->last), fmt, args);
	va_end(args);
	if (getenv("FAKE_KERNEL_TRACE"))
		fprintf(stderr, "%3u %s\n", k->calls + 1, k->last);
	k->calls++;
	if (k->calls == k->kill_call)
		_exit(0);
	return k->calls == k->fail_call ? fake_kernel_refuse(k->fail_errno) : 0;
}

void fake_kernel_reset(unsigned int disks)
{
	if (!fake_kernel)
		fake_kernel = shared_memory(sizeof(*fake_kernel));
	memset(fake_kernel, 0, offsetof(struct fake_kernel, device));
	for (unsigned int i = 0; i < FAKE_DEVICES; i++)
		fake_kernel->device[i].there = false;
	for (unsigned int i = 0; i < FAKE_FILESYSTEMS; i++)
		fake_kernel->filesystem[i].there = false;
	fake_kernel->fail_errno = EIO;
	fake_kernel_add_disks(disks);
}

struct fake_left fake_kernel_left(void)
{
	in_kernel;
	struct fake_left left = { .mounts = fake_kernel->mounts, .keys = fake_kernel->keys };

	for (unsigned int i = 0; i < FAKE_DEVICES; i++)
		left.devices += fake_kernel->device[i].there;
	for (unsigned int i = 0; i < FAKE_FILESYSTEMS; i++)
		left.filesystems += fake_kernel->filesystem[i].there;
	return left;
}
