/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The agent of the test images: PID 1 after the hand-over. It tells the test
 * what it finds, one JSON object a line on the second serial port, does what
 * the image's /etc/socle-test asks for, and powers off.
 *
 * /etc/socle-test has one command a line, "<verb> <path>"; verbs[] below has
 * them all. Error numbers go out as numbers; the test knows their names.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CHANNEL	 "/dev/ttyS1"
#define COMMANDS "/etc/socle-test"

/* How much of a file's content goes into a report. */
#define CONTENT_MAX 256

static FILE *out;

/* A JSON string of any bytes, each one a code point below 256. */
static void put_string(const char *text, size_t size)
{
	fputc('"', out);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_key(const char *key)
{
	fputc(',', out);
	put_string(key, strlen(key));
	fputc(':', out);
}

static void put_text(const char *key, const char *value)
{
	put_key(key);
	put_string(value, strlen(value));
}

static void put_number(const char *key, uint64_t value)
{
	put_key(key);
	fprintf(out, "%llu", (unsigned long long)value);
}

/* The result of a system call: 0, or the error number. */
static void put_result(int result)
{
	put_number("errno", result < 0 ? (uint64_t)errno : 0);
}

static void begin(const char *what)
{
	fputs("{\"what\":", out);
	put_string(what, strlen(what));
}

/* The line has left the guest when this returns, whatever happens next. */
static void end(void)
{
	fputs("}\n", out);
	fflush(out);
	tcdrain(fileno(out));
}

static void put_strings(const char *key, char *const *strings)
{
	put_key(key);
	fputc('[', out);
	for (size_t i = 0; strings[i]; i++) {
		if (i)
			fputc(',', out);
		put_string(strings[i], strlen(strings[i]));
	}
	fputc(']', out);
}

static void put_link(const char *key, const char *path)
{
	char target[512];
	ssize_t size = readlink(path, target, sizeof(target));

	put_key(key);
	put_string(target, size < 0 ? 0 : (size_t)size);
}

static void put_fds(void)
{
	put_key("fds");
	fputc('{', out);
	for (int fd = 0, n = 0; fd < 1024; fd++) {
		char path[32], target[256];
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		size = readlink(path, target, sizeof(target));
		if (fd == fileno(out) || size < 0)
			continue;
		fprintf(out, "%s\"%d\":", n++ ? "," : "", fd);
		put_string(target, (size_t)size);
	}
	fputc('}', out);
}

static void report_process(char **argv, char **environment)
{
	struct timespec up = { 0 };
	mode_t mask = umask(0);

	umask(mask);
	clock_gettime(CLOCK_BOOTTIME, &up);
	begin("process");
	put_number("pid", (uint64_t)getpid());
	put_number("sid", (uint64_t)getsid(0));
	put_number("pgrp", (uint64_t)getpgrp());
	put_number("umask", mask);
	put_number("uptime_ms", (uint64_t)up.tv_sec * 1000 + (uint64_t)up.tv_nsec / 1000000);
	put_strings("argv", argv);
	put_strings("env", environment);
	put_link("cwd", "/proc/self/cwd");
	put_fds();
	end();
}

/* A file of /proc as a list of lines. */
static void report_lines(const char *what, const char *path)
{
	char line[8192];
	FILE *file = fopen(path, "re");

	begin(what);
	put_key("lines");
	fputc('[', out);
	for (int n = 0; file && fgets(line, sizeof(line), file); n++) {
		line[strcspn(line, "\n")] = '\0';
		if (n)
			fputc(',', out);
		put_string(line, strlen(line));
	}
	fputc(']', out);
	if (file)
		fclose(file);
	end();
}

/* --- device mapper ------------------------------------------------------ */

union dm_buffer {
	struct dm_ioctl ioctl;
	char bytes[16384];
};

static int dm_command(int fd, int command, const char *name, uint32_t flags,
		      union dm_buffer *buffer)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->ioctl = (struct dm_ioctl){
		.version = { 4, 0, 0 },
		.data_size = sizeof(*buffer),
		.data_start = sizeof(struct dm_ioctl),
		.flags = flags,
	};
	snprintf(buffer->ioctl.name, sizeof(buffer->ioctl.name), "%s", name);
	return ioctl(fd, command, buffer);
}

/* The first target's status or table, the whole line that dmsetup would show. */
static void put_target(int fd, const char *key, const char *name, uint32_t flags)
{
	static union dm_buffer buffer;
	const struct dm_target_spec *spec =
		(const void *)(buffer.bytes + sizeof(struct dm_ioctl));

	if (dm_command(fd, (int)DM_TABLE_STATUS, name, flags, &buffer) < 0 ||
	    buffer.ioctl.target_count == 0)
		return;
	put_text(key, (const char *)(spec + 1));
	if (flags & DM_STATUS_TABLE_FLAG)
		return;
	put_text("target", spec->target_type);
	put_number("targets", buffer.ioctl.target_count);
	put_number("sectors", spec->length);
	put_number("open_count", (uint64_t)buffer.ioctl.open_count);
	put_number("read_only", !!(buffer.ioctl.flags & DM_READONLY_FLAG));
}

static void report_dm(void)
{
	static union dm_buffer list;
	size_t offset = sizeof(struct dm_ioctl);
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	const struct dm_name_list *entry;

	if (fd < 0 || dm_command(fd, (int)DM_LIST_DEVICES, "", 0, &list) < 0) {
		begin("dm-error");
		put_result(-1);
		end();
		return;
	}
	do {
		entry = (const void *)(list.bytes + offset);
		if (entry->dev == 0)
			break;
		begin("dm");
		put_text("name", entry->name);
		put_number("minor", minor(entry->dev));
		put_target(fd, "status", entry->name, 0);
		put_target(fd, "table", entry->name, DM_STATUS_TABLE_FLAG);
		end();
		offset += entry->next;
	} while (entry->next);
	close(fd);
}

/* --- what /etc/socle-test can ask for ----------------------------------- */

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

	put_key("entries");
	fputc('[', out);
	for (int i = 0, n = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			if (n++)
				fputc(',', out);
			put_string(name, strlen(name));
		}
		free(entries[i]);
	}
	fputc(']', out);
}

static void put_content(const char *path)
{
	char content[CONTENT_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, content, sizeof(content));

	if (size < 0) {
		put_number("read_errno", (uint64_t)errno);
	} else {
		put_key("content");
		put_string(content, (size_t)size);
	}
	if (fd >= 0)
		close(fd);
}

static void put_xattrs(const char *path)
{
	char names[4096], value[1024];
	ssize_t size = llistxattr(path, names, sizeof(names));

	put_key("xattrs");
	fputc('{', out);
	for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
		ssize_t bytes = lgetxattr(path, names + at, value, sizeof(value));

		if (at)
			fputc(',', out);
		put_string(names + at, strlen(names + at));
		fputc(':', out);
		put_string(value, bytes < 0 ? 0 : (size_t)bytes);
	}
	fputc('}', out);
}

static void do_path(const char *path)
{
	struct stat st;
	int result = lstat(path, &st);

	put_result(result);
	if (result < 0)
		return;
	put_text("type", type_of(st.st_mode));
	put_number("mode", st.st_mode & 07777);
	put_number("uid", st.st_uid);
	put_number("gid", st.st_gid);
	put_number("links", st.st_nlink);
	put_number("inode", st.st_ino);
	put_number("size", (uint64_t)st.st_size);
	put_number("mtime", (uint64_t)st.st_mtime);
	put_number("rdev", st.st_rdev);
	put_xattrs(path);
	if (S_ISREG(st.st_mode))
		put_content(path);
	else if (S_ISDIR(st.st_mode))
		put_entries(path);
	else if (S_ISLNK(st.st_mode))
		put_link("target", path);
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
	put_result((int)size);
	put_number("bytes", total);
	if (fd >= 0)
		close(fd);
}

static void do_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t size = fd < 0 ? -1 : write(fd, "written\n", 8);

	put_result(size < 0 ? -1 : 0);
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
	put_result((int)size);
	put_number("bytes", total);
	if (fd >= 0)
		close(fd);
	unlink(path);
}

static void do_unlink(const char *path)
{
	put_result(unlink(path));
}

static void do_mkdir(const char *path)
{
	put_result(mkdir(path, 0755));
}

static void do_rmdir(const char *path)
{
	put_result(rmdir(path));
}

static void do_statfs(const char *path)
{
	struct statfs st;
	int result = statfs(path, &st);

	put_result(result);
	if (result < 0)
		return;
	put_number("type", (uint64_t)st.f_type);
	put_number("bytes", (uint64_t)st.f_blocks * (uint64_t)st.f_bsize);
}

/* Climb out of the root as far as a process can, and look for path there. */
static void do_escape(const char *path)
{
	struct stat st;
	int out_of = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (out_of < 0 || chroot("/dev") < 0 || fchdir(out_of) < 0) {
		put_result(-1);
		return;
	}
	for (int i = 0; i < 64; i++)
		if (chdir("..") < 0)
			break;
	put_result(chroot("."));
	put_number("found", lstat(path, &st) == 0);
	put_entries("/");
	close(out_of);
}

static void do_sleep(const char *seconds)
{
	sleep((unsigned int)strtoul(seconds, NULL, 10));
}

static const struct verb {
	const char *name;
	void (*run)(const char *argument);
} verbs[] = {
	{ "path", do_path },	 { "read", do_read },	{ "write", do_write },
	{ "fill", do_fill },	 { "unlink", do_unlink }, { "mkdir", do_mkdir },
	{ "rmdir", do_rmdir },	 { "statfs", do_statfs }, { "escape", do_escape },
	{ "sleep", do_sleep },
};

static void run_command(const char *name, const char *argument)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, name) != 0)
			continue;
		begin("about");
		put_text("verb", name);
		put_text("path", argument);
		end();
		begin(name);
		put_text("path", argument);
		verbs[i].run(argument);
		end();
		return;
	}
	begin("unknown-verb");
	put_text("verb", name);
	end();
}

static void run_commands(void)
{
	char line[1024];
	FILE *file = fopen(COMMANDS, "re");

	while (file && fgets(line, sizeof(line), file)) {
		char *argument = line + strcspn(line, " \n");

		line[strcspn(line, "\n")] = '\0';
		if (*argument)
			*argument++ = '\0';
		if (*line)
			run_command(line, argument);
	}
	if (file)
		fclose(file);
}

int main(int argc, char **argv, char **environment)
{
	(void)argc;
	out = fopen(CHANNEL, "we");
	if (out) {
		report_process(argv, environment);
		report_lines("mounts", "/proc/self/mountinfo");
		report_lines("memory", "/proc/meminfo");
		report_lines("status", "/proc/self/status");
		report_dm();
		run_commands();
		begin("end");
		end();
	}
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
