// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/sys.h"
#include "tests/qemu/agent/driver.h"
#include "tests/qemu/agent/json.h"
#include "tests/qemu/agent/kata_agent.h"
#include "tests/qemu/agent/remake.h"

#define COMMANDS "/etc/socle-test"

/* How much of a file's content goes into a report. */
#define CONTENT_MAX 256

static const char *type_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "link";
	case S_IFCHR:
		return "char";
	case S_IFBLK:
		return "block";
	case S_IFIFO:
		return "fifo";
	default:
		return "other";
	}
}

static void put_entries(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	json_key("entries");
	fputc('[', json_out);
	for (int i = 0, n = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			if (n++)
				fputc(',', json_out);
			json_string(name, strlen(name));
		}
		free(entries[i]);
	}
	fputc(']', json_out);
}

static void put_content(const char *path)
{
	char content[CONTENT_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, content, sizeof(content));

	if (size < 0) {
		json_number("read_errno", (uint64_t)errno);
	} else {
		json_key("content");
		json_string(content, (size_t)size);
	}
	if (fd >= 0)
		close(fd);
}

static void put_xattrs(const char *path)
{
	char names[4096], value[1024];
	ssize_t size = llistxattr(path, names, sizeof(names));

	json_key("xattrs");
	fputc('{', json_out);
	for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
		ssize_t bytes = lgetxattr(path, names + at, value, sizeof(value));

		if (at)
			fputc(',', json_out);
		json_string(names + at, strlen(names + at));
		fputc(':', json_out);
		json_string(value, bytes < 0 ? 0 : (size_t)bytes);
	}
	fputc('}', json_out);
}

static void do_path(const char *path)
{
	struct stat st;
	int result = lstat(path, &st);

	json_result(result);
	if (result < 0)
		return;
	json_text("type", type_of(st.st_mode));
	json_number("mode", st.st_mode & 07777);
	json_number("uid", st.st_uid);
	json_number("gid", st.st_gid);
	json_number("links", st.st_nlink);
	json_number("inode", st.st_ino);
	json_number("size", (uint64_t)st.st_size);
	json_number("mtime", (uint64_t)st.st_mtime);
	json_number("rdev", st.st_rdev);
	put_xattrs(path);
	if (S_ISREG(st.st_mode))
		put_content(path);
	else if (S_ISDIR(st.st_mode))
		put_entries(path);
	else if (S_ISLNK(st.st_mode))
		json_link("target", path);
}

/* Every byte; the line before says that it is about to happen. */
static void do_read(const char *path)
{
	static char buffer[65536];
	uint64_t total = 0;
	ssize_t size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while ((size = fd < 0 ? -1 : read(fd, buffer, sizeof(buffer))) > 0)
		total += (uint64_t)size;
	json_result((int)size);
	json_number("bytes", total);
	if (fd >= 0)
		close(fd);
}

static void do_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t size = fd < 0 ? -1 : write(fd, "written\n", 8);

	json_result(size < 0 ? -1 : 0);
	if (fd >= 0)
		close(fd);
}

static void do_fill(const char *path)
{
	static char buffer[65536];
	uint64_t total = 0;
	ssize_t size;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	while ((size = fd < 0 ? -1 : write(fd, buffer, sizeof(buffer))) > 0)
		total += (uint64_t)size;
	json_result((int)size);
	json_number("bytes", total);
	if (fd >= 0)
		close(fd);
	unlink(path);
}

static void do_unlink(const char *path)
{
	json_result(unlink(path));
}

static void do_mkdir(const char *path)
{
	json_result(mkdir(path, 0755));
}

static void do_rmdir(const char *path)
{
	json_result(rmdir(path));
}

static void do_statfs(const char *path)
{
	struct statfs st;
	int result = statfs(path, &st);

	json_result(result);
	if (result < 0)
		return;
	json_number("type", (uint64_t)st.f_type);
	json_number("bytes", (uint64_t)st.f_blocks * (uint64_t)st.f_bsize);
}

/* Climb json_out of the root as far as a process can, and look for path there. */
static void do_escape(const char *path)
{
	struct stat st;
	int out_of = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (out_of < 0 || chroot("/dev") < 0 || fchdir(out_of) < 0) {
		json_result(-1);
		return;
	}
	for (int i = 0; i < 64; i++)
		if (chdir("..") < 0)
			break;
	json_result(chroot("."));
	json_number("found", lstat(path, &st) == 0);
	put_entries("/");
	close(out_of);
}

static void do_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	json_result(fd < 0 ? -1 : sys_finit_module(fd, ""));
	if (fd >= 0)
		close(fd);
}

static void do_sleep(const char *seconds)
{
	sleep((unsigned int)strtoul(seconds, NULL, 10));
}

static const struct verb {
	const char *name;
	void (*run)(const char *argument);
} verbs[] = {
	{ "path", do_path },
	{ "read", do_read },
	{ "write", do_write },
	{ "fill", do_fill },
	{ "unlink", do_unlink },
	{ "mkdir", do_mkdir },
	{ "rmdir", do_rmdir },
	{ "statfs", do_statfs },
	{ "escape", do_escape },
	{ "sleep", do_sleep },
	{ "remake", do_remake },
	{ "load", do_load },
	{ "as-kata-agent", do_as_kata_agent },
	{ "drive", do_drive },
};

void verb_run(const char *name, const char *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].name, name) != 0)
			continue;
		json_begin("about");
		json_text("verb", name);
		json_text("path", argument);
		json_end();
		json_begin(name);
		json_text("path", argument);
		verbs[i].run(argument);
		json_end();
		return;
	}
	json_begin("unknown-verb");
	json_text("verb", name);
	json_end();
}

void verbs_run(void)
{
	char line[1024];
	FILE *file = fopen(COMMANDS, "re");

	while (file && fgets(line, sizeof(line), file)) {
		char *argument = line + strcspn(line, " \n");

		line[strcspn(line, "\n")] = '\0';
		if (*argument)
			*argument++ = '\0';
		if (*line)
			verb_run(line, argument);
	}
	if (file)
		fclose(file);
}
