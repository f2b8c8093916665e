// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "tests/qemu/agent/command.h"
#include "tests/qemu/agent/json.h"
#include "tests/qemu/agent/left.h"
#include "tests/qemu/agent/listing.h"
#include "tests/qemu/agent/process.h"
#include "tests/qemu/agent/report.h"
#include "tests/qemu/agent/streams.h"
#include "tests/qemu/agent/verbs.h"

#define PORTS       "/sys/class/virtio-ports"
#define CONTENT_MAX (4UL << 20)

static void tell(const char *what, int result)
{
	json_begin(what);
	json_result(result);
	json_end();
}

/* The whole of a file: "content PATH". */
static void do_content(const struct command *c)
{
	static char content[CONTENT_MAX];
	auto_fd int fd = open(c->words[1].text, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -errno : io_read(fd, content, sizeof(content));

	errno = size < 0 ? (int)-size : 0;
	json_begin("content");
	json_result(size < 0 ? -1 : 0);
	json_key("bytes");
	json_string(content, size < 0 ? 0 : (size_t)size);
	json_end();
}

/* "put PATH BYTES MODE", an octal one; a file that is there keeps its own. */
static void do_put(const struct command *c)
{
	mode_t mode = c->count > 3 ? (mode_t)strtoul(c->words[3].text, NULL, 8) : 0644;
	auto_fd int fd = open(c->words[1].text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	ssize_t size = fd < 0 ? -1 : write(fd, c->words[2].text, c->words[2].size);

	tell("put", size < 0 ? -1 : 0);
}

/* "open PATH": {"fd"} that stays open until "close FD". */
static void do_open(const struct command *c)
{
	int fd = open(c->words[1].text, O_RDONLY | O_CLOEXEC);

	json_begin("open");
	json_result(fd);
	json_number("fd", (uint64_t)fd);
	json_end();
}

/* As another program does it that knows nothing of volumes: "umount PATH FLAGS". */
static void do_umount(const struct command *c)
{
	tell("umount", umount2(c->words[1].text, (int)command_number(c, 2)));
}

/* "mount SOURCE TARGET TYPE FLAGS OPTIONS" */
static void do_mount(const struct command *c)
{
	tell("mount", mount(c->words[1].text, c->words[2].text, c->words[3].text,
			    command_number(c, 4), c->words[5].text));
}

/* "link TARGET PATH": a symbolic one */
static void do_link(const struct command *c)
{
	tell("link", symlink(c->words[1].text, c->words[2].text));
}

/* "chmod MODE PATH", an octal one */
static void do_chmod(const struct command *c)
{
	tell("chmod", chmod(c->words[2].text, (mode_t)strtoul(c->words[1].text, NULL, 8)));
}

static void do_tree(const struct command *c)
{
	list_tree(c->words[1].text);
}

static void do_left(const struct command *c)
{
	(void)c;
	process_reap();
	tell_left();
}

static void do_dm(const struct command *c)
{
	(void)c;
	report_dm();
}

/* Whatever was written is on the disks. */
static void do_sync(const struct command *c)
{
	(void)c;
	sync();
	tell("sync", 0);
}

static const struct {
	const char *name;
	size_t words; /* at least so many behind it */
	void (*run)(const struct command *c);
} verbs[] = {
	{ "run", 3, process_run },
	{ "start", 2, process_start },
	{ "wait", 2, process_wait },
	{ "tree", 1, do_tree },
	{ "left", 0, do_left },
	{ "dm", 0, do_dm },
	{ "sync", 0, do_sync },
	{ "content", 1, do_content },
	{ "put", 2, do_put },
	{ "open", 1, do_open },
	{ "link", 2, do_link },
	{ "chmod", 2, do_chmod },
	{ "umount", 2, do_umount },
	{ "mount", 5, do_mount },
	{ "connect", 1, stream_connect },
	{ "send", 2, stream_send },
	{ "receive", 3, stream_receive },
	{ "close", 1, stream_close },
	{ "signal", 2, process_signal },
};

static void obey(const struct command *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, c->words[0].text) && c->count > verbs[i].words) {
			verbs[i].run(c);
			return;
		}
	verb_run(c->words[0].text, c->count > 1 ? c->words[1].text : "");
}

/* The names of ports carry numbers that say nothing. */
static int open_port(const char *name)
{
	char path[512], text[64];
	struct dirent *entry;
	int fd = -1;
	DIR *ports = opendir(PORTS);

	while (ports && fd < 0 && (entry = readdir(ports))) {
		snprintf(path, sizeof(path), PORTS "/%s/name", entry->d_name);
		if (io_read_text(AT_FDCWD, path, text, sizeof(text)) < 0)
			continue;
		text[strcspn(text, "\n")] = '\0';
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		if (!strcmp(text, name))
			fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (ports)
		closedir(ports);
	return fd;
}

void do_drive(const char *name)
{
	static char buffer[32768];
	FILE *before = json_out;
	int fd = open_port(name);
	struct command c;

	json_result(fd);
	json_end();
	json_out = fd < 0 ? NULL : fdopen(fd, "w");
	if (json_out) {
		setvbuf(json_out, buffer, _IOFBF, sizeof(buffer));
		while (command_read(fd, &c) == 0 && strcmp(c.words[0].text, "leave") != 0) {
			obey(&c);
			json_begin("done");
			json_end();
			command_free(&c);
		}
		fclose(json_out);
	}
	json_out = before;
	json_begin("driven");
}
