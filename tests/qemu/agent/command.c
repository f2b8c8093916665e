// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/io.h"

#define WORDS_MAX 2048
#define LINE_SIZE 32768
#define BYTES_MAX (32UL << 20)

static int read_line(int fd, char line[LINE_SIZE])
{
	for (size_t n = 0; n < LINE_SIZE; n++) {
		if (io_read(fd, line + n, 1) != 1)
			return -1;
		if (line[n] == '\n') {
			line[n] = '\0';
			return 0;
		}
	}
	return -1;
}

static int read_word(int fd, size_t size, struct word *ret)
{
	if (size > BYTES_MAX)
		return -1;
	*ret = (struct word){ malloc(size + 1), size };
	if (!ret->text || io_read(fd, ret->text, size) != (ssize_t)size)
		return -1;
	ret->text[size] = '\0';
	return 0;
}

int command_read(int fd, struct command *ret)
{
	static char line[LINE_SIZE];
	char *at, *verb = line;
	unsigned long count;
	int r = read_line(fd, line);

	if (r || !(at = strchr(line, ' ')))
		return -1;
	*at++ = '\0';
	count = strtoul(at, &at, 10);
	if (count > WORDS_MAX)
		return -1;
	*ret = (struct command){ calloc(count + 2, sizeof(struct word)), count + 1 };
	if (!ret->words)
		return -1;
	ret->words[0] = (struct word){ strdup(verb), strlen(verb) };
	for (size_t i = 1; !r && i <= count; i++)
		r = read_word(fd, strtoul(at, &at, 10), &ret->words[i]);
	if (r)
		command_free(ret);
	return r;
}

void command_free(struct command *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->words[i].text);
	free(c->words);
}

unsigned long command_number(const struct command *c, size_t index)
{
	return index < c->count ? strtoul(c->words[index].text, NULL, 10) : 0;
}
