// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/elf.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"
#include "lib/io.h"

#define MAX_PROGRAM_HEADERS 256
#define MAX_DYNAMIC_BYTES   65536

/* How to read one file's fields, whatever machine it is for. */
struct layout {
	bool wide, big; /* 64 bits; big-endian */
	uint64_t headers_at;
	unsigned int header_size, count;
};

static uint64_t get(const uint8_t *at, unsigned int size, bool big)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value = value << 8 | at[big ? i : size - 1 - i];
	return value;
}

#define FIELD(l, bytes, header, name)                                                              \
	((l)->wide ? get((bytes) + offsetof(Elf64_##header, name),                                 \
			 sizeof(((Elf64_##header *)0)->name), (l)->big) :                          \
		     get((bytes) + offsetof(Elf32_##header, name),                                 \
			 sizeof(((Elf32_##header *)0)->name), (l)->big))

static int read_layout(int fd, const char *name, struct layout *ret, struct err *e)
{
	uint8_t header[sizeof(Elf64_Ehdr)] = { 0 };
	struct layout l;
	uint64_t type;

	if (io_pread(fd, header, sizeof(header), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(header, ELFMAG, SELFMAG))
		return refuse(e, "%s is not an ELF program; /init must be a static one", name);
	l.wide = header[EI_CLASS] == ELFCLASS64;
	l.big = header[EI_DATA] == ELFDATA2MSB;
	type = FIELD(&l, header, Ehdr, e_type);
	l.headers_at = FIELD(&l, header, Ehdr, e_phoff);
	l.header_size = (unsigned int)FIELD(&l, header, Ehdr, e_phentsize);
	l.count = (unsigned int)FIELD(&l, header, Ehdr, e_phnum);
	if (type != ET_EXEC && type != ET_DYN)
		return refuse(e, "%s is an ELF file but not a program", name);
	/* A library has no place to start at. */
	if (!FIELD(&l, header, Ehdr, e_entry))
		return refuse(e, "%s is a shared library, not a program", name);
	if (!l.count || l.count > MAX_PROGRAM_HEADERS ||
	    l.header_size != (l.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return refuse(e, "%s: damaged ELF header", name);
	*ret = l;
	return 0;
}

/* Older linkers give a library an entry, too; but it names itself, or asks for others. */
static int check_dynamic(int fd, const char *name, const struct layout *l, uint64_t offset,
			 uint64_t size, struct err *e)
{
	unsigned int entry = l->wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
	uint8_t bytes[sizeof(Elf64_Dyn)];

	for (uint64_t at = 0; at + entry <= size && at < MAX_DYNAMIC_BYTES; at += entry) {
		uint64_t tag;

		if (io_pread(fd, bytes, entry, offset + at) != (ssize_t)entry)
			return refuse(e, "%s is shorter than its ELF headers say", name);
		tag = get(bytes, entry / 2, l->big);
		if (tag == DT_NULL)
			break;
		if (tag == DT_SONAME)
			return refuse(e, "%s is a shared library, not a program", name);
		if (tag == DT_NEEDED)
			return refuse(e, "%s needs shared libraries; link it with -static", name);
	}
	return 0;
}

int elf_check_static(int fd, const char *name, struct err *e)
{
	struct layout l;
	struct stat st;
	bool loads = false;
	int r = read_layout(fd, name, &l, e);

	if (r)
		return r;
	if (fstat(fd, &st))
		return system_failed(e, "%s", name);
	for (unsigned int i = 0; i < l.count; i++) {
		uint8_t header[sizeof(Elf64_Phdr)] = { 0 };
		uint64_t type, offset, size, end;

		if (io_pread(fd, header, l.header_size,
			     l.headers_at + (uint64_t)i * l.header_size) != (ssize_t)l.header_size)
			return refuse(e, "%s: its ELF headers are cut short", name);
		type = FIELD(&l, header, Phdr, p_type);
		offset = FIELD(&l, header, Phdr, p_offset);
		size = FIELD(&l, header, Phdr, p_filesz);
		if (type == PT_INTERP)
			return refuse(
				e,
				"%s needs a dynamic linker (PT_INTERP), which the initramfs does "
				"not have; link it with -static",
				name);
		if (__builtin_add_overflow(offset, size, &end) || end > (uint64_t)st.st_size)
			return refuse(e, "%s is shorter than its ELF headers say", name);
		r = type == PT_DYNAMIC ? check_dynamic(fd, name, &l, offset, size, e) : 0;
		if (r)
			return r;
		loads = loads || type == PT_LOAD;
	}
	return loads ? 0 : refuse(e, "%s: an ELF file with nothing to load", name);
}

enum kernel_arch elf_arch(const uint8_t *bytes, size_t size)
{
	static const struct {
		uint64_t machine;
		bool big;
		enum kernel_arch arch;
	} machines[] = {
		{ EM_X86_64, false, ARCH_X86_64 },
		{ EM_S390, true, ARCH_S390X },
		{ EM_AARCH64, false, ARCH_AARCH64 },
	};
	bool big;

	if (size < ELF_ARCH_BYTES || memcmp(bytes, ELFMAG, SELFMAG) ||
	    bytes[EI_CLASS] != ELFCLASS64)
		return ARCH_UNKNOWN;
	big = bytes[EI_DATA] == ELFDATA2MSB;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].big == big &&
		    machines[i].machine == get(bytes + offsetof(Elf64_Ehdr, e_machine), 2, big))
			return machines[i].arch;
	return ARCH_UNKNOWN;
}
