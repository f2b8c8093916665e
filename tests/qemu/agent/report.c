// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/report.h"

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "tests/qemu/agent/json.h"

static void put_fds(void)
{
	json_key("fds");
	fputc('{', json_out);
	for (int fd = 0, n = 0; fd < 1024; fd++) {
		char path[32], target[256];
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		size = readlink(path, target, sizeof(target));
		if (fd == fileno(json_out) || size < 0)
			continue;
		fprintf(json_out, "%s\"%d\":", n++ ? "," : "", fd);
		json_string(target, (size_t)size);
	}
	fputc('}', json_out);
}

void report_process(char **argv, char **environment)
{
	struct timespec up = { 0 };
	mode_t mask = umask(0);

	umask(mask);
	clock_gettime(CLOCK_BOOTTIME, &up);
	json_begin("process");
	json_number("pid", (uint64_t)getpid());
	json_number("sid", (uint64_t)getsid(0));
	json_number("pgrp", (uint64_t)getpgrp());
	json_number("umask", mask);
	json_number("uptime_ms", (uint64_t)up.tv_sec * 1000 + (uint64_t)up.tv_nsec / 1000000);
	json_strings("argv", argv);
	json_strings("env", environment);
	json_link("cwd", "/proc/self/cwd");
	put_fds();
	json_end();
}

/* A file of /proc as a list of lines. */
void report_lines(const char *what, const char *path)
{
	char line[8192];
	FILE *file = fopen(path, "re");

	json_begin(what);
	json_key("lines");
	fputc('[', json_out);
	for (int n = 0; file && fgets(line, sizeof(line), file); n++) {
		line[strcspn(line, "\n")] = '\0';
		if (n)
			fputc(',', json_out);
		json_string(line, strlen(line));
	}
	fputc(']', json_out);
	if (file)
		fclose(file);
	json_end();
}

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
	const struct dm_target_spec *spec = (const void *)(buffer.bytes + sizeof(struct dm_ioctl));

	if (dm_command(fd, (int)DM_TABLE_STATUS, name, flags, &buffer) < 0 ||
	    buffer.ioctl.target_count == 0)
		return;
	json_text(key, (const char *)(spec + 1));
	if (flags & DM_STATUS_TABLE_FLAG)
		return;
	json_text("uuid", buffer.ioctl.uuid);
	json_text("target", spec->target_type);
	json_number("targets", buffer.ioctl.target_count);
	json_number("sectors", spec->length);
	json_number("open_count", (uint64_t)buffer.ioctl.open_count);
	json_number("read_only", !!(buffer.ioctl.flags & DM_READONLY_FLAG));
}

void report_dm(void)
{
	static union dm_buffer list;
	size_t offset = sizeof(struct dm_ioctl);
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	const struct dm_name_list *entry;

	if (fd < 0 || dm_command(fd, (int)DM_LIST_DEVICES, "", 0, &list) < 0) {
		json_begin("dm-error");
		json_result(-1);
		json_end();
		return;
	}
	do {
		entry = (const void *)(list.bytes + offset);
		if (entry->dev == 0)
			break;
		json_begin("dm");
		json_text("name", entry->name);
		json_number("minor", minor(entry->dev));
		put_target(fd, "status", entry->name, 0);
		put_target(fd, "table", entry->name, DM_STATUS_TABLE_FLAG);
		json_end();
		offset += entry->next;
	} while (entry->next);
	close(fd);
}
