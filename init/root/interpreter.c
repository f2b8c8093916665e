// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/root/interpreter.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "lib/io.h"

#define SEGMENTS_MAX 64

static const char *loader_of(int fd, const ElfW(Ehdr) * elf, char path[INTERPRETER_SIZE])
{
	for (unsigned int i = 0; i < elf->e_phnum && i < SEGMENTS_MAX; i++) {
		ElfW(Phdr) segment;

		if (io_pread(fd, &segment, sizeof(segment), elf->e_phoff + i * sizeof(segment)) !=
		    (ssize_t)sizeof(segment))
			return NULL;
		if (segment.p_type != PT_INTERP)
			continue;
		if (!segment.p_filesz || segment.p_filesz > INTERPRETER_SIZE ||
		    io_pread(fd, path, segment.p_filesz, segment.p_offset) !=
			    (ssize_t)segment.p_filesz ||
		    path[segment.p_filesz - 1])
			return NULL;
		return path;
	}
	return NULL;
}

/* "#! /bin/sh -e": the word behind the first blanks. */
static const char *program_of(const char *line, char path[INTERPRETER_SIZE])
{
	const char *word = line + strspn(line, " \t");
	size_t length = strcspn(word, " \t\n");

	memcpy(path, word, length);
	path[length] = '\0';
	return length ? path : NULL;
}

const char *interpreter_of(int fd, char path[INTERPRETER_SIZE])
{
	char start[INTERPRETER_SIZE] = "";
	const char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	ElfW(Ehdr) elf;

	if (io_pread(fd, start, sizeof(start) - 1, 0) < 2)
		return NULL;
	if (!strncmp(start, "#!", 2))
		return program_of(start + 2, path);
	memcpy(&elf, start, sizeof(elf));
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != class ||
	    elf.e_phentsize != sizeof(ElfW(Phdr)))
		return NULL;
	return loader_of(fd, &elf, path);
}
