// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/array.h"
#include "lib/cleanup.h"

/*
 * Both tables are read by the signal handler: a slot's text is complete before
 * it is taken and stays while it is taken.
 */
static struct {
	volatile sig_atomic_t taken;
	char temp[PATH_MAX];
} files[OUTPUT_MAX];

static volatile sig_atomic_t children[OUTPUT_MAX];

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };

void output_discard_all(void)
{
	for (size_t i = 0; i < OUTPUT_MAX; i++) {
		if (children[i])
			kill(children[i], SIGKILL);
		children[i] = 0;
	}
	for (size_t i = 0; i < OUTPUT_MAX; i++) {
		if (files[i].taken)
			unlink(files[i].temp);
		files[i].taken = 0;
	}
}

static void on_signal(int signum)
{
	output_discard_all();
	/* SA_RESETHAND: this time it does what it does to any program. */
	raise(signum);
}

void output_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &action, NULL);
}

void output_in_child(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		signal(caught[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < OUTPUT_MAX; i++)
		files[i].taken = children[i] = 0;
}

static int register_file(const char *temp)
{
	for (size_t i = 0; i < OUTPUT_MAX; i++) {
		if (files[i].taken)
			continue;
		snprintf(files[i].temp, sizeof(files[i].temp), "%s", temp);
		files[i].taken = 1;
		return 0;
	}
	return -1;
}

static void forget_file(const char *temp)
{
	for (size_t i = 0; i < OUTPUT_MAX; i++)
		if (files[i].taken && !strcmp(files[i].temp, temp))
			files[i].taken = 0;
}

/* mkstemp() makes 0600; an output has the mode that any new file would have. */
static void usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	(void)!fchmod(fd, 0666 & ~mask);
}

/* What is there already must be a file that a rename may replace: as root, all else goes, too. */
static int check_place(const char *path, struct err *e)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return refuse(e, "an output is a file, not \"-\"");
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return refuse(e, "%.200s exists and is not a regular file", path);
	return 0;
}

int output_not_input(const char *output, const char *input, struct err *e)
{
	struct stat in, out;

	if (!input || stat(input, &in) || stat(output, &out) || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return 0;
	return refuse(e, "the output %.200s is also an input", output);
}

int output_create(struct output *ret, const char *path, struct err *e)
{
	char directory[PATH_MAX], name[PATH_MAX];
	struct output o = { .fd = -1 };

	if (check_place(path, e))
		return -EINVAL;
	snprintf(directory, sizeof(directory), "%s", path);
	snprintf(name, sizeof(name), "%s", path);
	snprintf(o.path, sizeof(o.path), "%s", path);
	if (snprintf(o.temp, sizeof(o.temp), "%s/.%s.XXXXXX", dirname(directory), basename(name)) >=
		    (int)sizeof(o.temp) ||
	    strlen(path) >= sizeof(o.path))
		return refuse_limit(e, "%.200s...: the path is too long", path);
	o.fd = mkostemp(o.temp, O_CLOEXEC);
	if (o.fd < 0)
		return system_failed(e, "create a file beside %s", path);
	if (register_file(o.temp)) {
		close(o.fd);
		unlink(o.temp);
		return refuse_limit(e, "%s: more than %d outputs at once", path, OUTPUT_MAX);
	}
	usual_mode(o.fd);
	*ret = o;
	return 0;
}

/* A rename is on the disk when its directory is. */
static int sync_directory(const char *path)
{
	char text[PATH_MAX];
	int fd auto_fd = -1;

	snprintf(text, sizeof(text), "%s", path);
	fd = open(dirname(text), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : fsync(fd);
}

int output_commit(struct output *o, struct err *e)
{
	int r = 0;

	if (fsync(o->fd))
		r = system_failed(e, "sync %s", o->path);
	else if (rename(o->temp, o->path))
		r = system_failed(e, "rename to %s", o->path);
	else if (sync_directory(o->path))
		r = system_failed(e, "sync the directory of %s", o->path);
	if (r) {
		output_discard(o);
		return r;
	}
	forget_file(o->temp);
	close(o->fd);
	o->fd = -1;
	return 0;
}

int output_write(const char *path, const void *bytes, size_t size, struct err *e)
{
	struct output o;
	int r = output_create(&o, path, e);

	if (r)
		return r;
	r = write_all(o.fd, bytes, size);
	if (r) {
		output_discard(&o);
		return system_result(e, r, "write %s", path);
	}
	return output_commit(&o, e);
}

void output_discard(struct output *o)
{
	if (o->fd < 0)
		return;
	unlink(o->temp);
	forget_file(o->temp);
	close(o->fd);
	o->fd = -1;
}

int output_scratch(const char *directory, struct err *e)
{
	char temp[PATH_MAX];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system has O_TMPFILE. */
	if (snprintf(temp, sizeof(temp), "%s/.socle.XXXXXX", directory) >= (int)sizeof(temp))
		return refuse_limit(e, "%.200s...: the path is too long", directory);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return system_failed(e, "create a temporary file in %s", directory);
	unlink(temp);
	return fd;
}

void output_child_started(pid_t pid)
{
	for (size_t i = 0; i < OUTPUT_MAX; i++)
		if (!children[i]) {
			children[i] = pid;
			return;
		}
}

void output_child_ended(pid_t pid)
{
	for (size_t i = 0; i < OUTPUT_MAX; i++)
		if (children[i] == pid)
			children[i] = 0;
}
