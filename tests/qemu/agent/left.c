// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/left.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/io.h"
#include "tests/qemu/agent/json.h"
#include "tests/qemu/agent/report.h"

#define TEXT_SIZE 1024

/* What is told of one entry of a directory; false: nothing. */
typedef bool teller(const char *directory, const char *name, char text[TEXT_SIZE]);

static bool tell_name(const char *directory, const char *name, char text[TEXT_SIZE])
{
	(void)directory;
	snprintf(text, TEXT_SIZE, "%s", name);
	return true;
}

static bool tell_link(const char *directory, const char *name, char text[TEXT_SIZE])
{
	char path[TEXT_SIZE], target[TEXT_SIZE] = { 0 };

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (readlink(path, target, sizeof(target) - 1) < 0)
		return false;
	snprintf(text, TEXT_SIZE, "%.16s %.900s", name, target);
	return true;
}

/* The kernel's own have no memory, and so no command line; nor has what has ended. */
static bool tell_process(const char *directory, const char *name, char text[TEXT_SIZE])
{
	char path[TEXT_SIZE];
	ssize_t size;

	snprintf(path, sizeof(path), "%s/%.16s/cmdline", directory, name);
	size = name[0] >= '1' && name[0] <= '9' ? io_read_text(AT_FDCWD, path, text, TEXT_SIZE) :
						  -1;
	for (ssize_t i = 0; i + 1 < size; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return size > 0;
}

static bool tell_file_of(const char *directory, const char *name, const char *file,
			 char text[TEXT_SIZE])
{
	char path[TEXT_SIZE];

	snprintf(path, sizeof(path), "%s/%.64s/%s", directory, name, file);
	if (io_read_text(AT_FDCWD, path, text, TEXT_SIZE) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static bool tell_dm(const char *directory, const char *name, char text[TEXT_SIZE])
{
	return tell_file_of(directory, name, "dm/name", text);
}

static bool tell_loop(const char *directory, const char *name, char text[TEXT_SIZE])
{
	return tell_file_of(directory, name, "loop/backing_file", text);
}

static void put_list(const char *key, const char *directory, teller *tell)
{
	struct dirent **entries = NULL;
	char text[TEXT_SIZE];
	int count = scandir(directory, &entries, NULL, alphasort);

	json_key(key);
	fputc('[', json_out);
	for (int i = 0, n = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.' && tell(directory, entries[i]->d_name, text)) {
			if (n++)
				fputc(',', json_out);
			json_string(text, strlen(text));
		}
		free(entries[i]);
	}
	free(entries);
	fputc(']', json_out);
}

void tell_left(void)
{
	report_lines("mounts", "/proc/self/mountinfo");
	json_begin("left");
	put_list("fds", "/proc/self/fd", tell_link);
	put_list("processes", "/proc", tell_process);
	put_list("dm", "/sys/block", tell_dm);
	put_list("loops", "/sys/block", tell_loop);
	put_list("run", "/run/socle", tell_name);
	json_end();
}
