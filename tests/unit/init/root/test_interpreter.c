// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a program needs to be started, as its first bytes say. */
#include "tests/unit/unit.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "init/root/interpreter.h"

static int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, 0), size);
	return fd;
}

static void expect_interpreter(const char *label, const void *bytes, size_t size, const char *want)
{
	char path[INTERPRETER_SIZE];
	int fd = file_of(bytes, size);
	const char *got = interpreter_of(fd, path);

	close(fd);
	if (!want != !got)
		fail_msg("%s: %s", label, got ? got : "none");
	if (want)
		assert_string_equal(got, want);
}

static void test_scripts(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "#!/bin/sh\n", "/bin/sh" },
		{ "#! \t/bin/sh -e x\n", "/bin/sh" },
		{ "#!/bin/sh", "/bin/sh" },
		{ "#!/bin/sh\techo\n", "/bin/sh" },
		{ "#!sh\n/bin/x", "sh" },
		{ "#!", NULL },
		{ "#!\n/bin/sh", NULL },
		{ "#!  \n", NULL },
		{ "# !/bin/sh\n", NULL },
		{ "echo\n", NULL },
		{ "#", NULL },
		{ "", NULL },
	};
	char longest[1000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_interpreter(rows[i].text, rows[i].text, strlen(rows[i].text), rows[i].want);
	/* the kernel looks at 256 bytes, and so no further here */
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "#!", 2);
	int fd = file_of(longest, sizeof(longest));
	char path[INTERPRETER_SIZE];

	assert_non_null(interpreter_of(fd, path));
	assert_int_equal(strlen(path), INTERPRETER_SIZE - 3);
	close(fd);
}

/* A header, a segment of another kind, and the one that names the loader. */
struct program {
	ElfW(Ehdr) elf;
	ElfW(Phdr) segments[2];
	char loader[INTERPRETER_SIZE + 1];
};

static struct program make_program(void)
{
	struct program p = {
		.elf = { .e_phoff = offsetof(struct program, segments),
			 .e_phnum = 2,
			 .e_phentsize = sizeof(ElfW(Phdr)) },
		.segments = { { .p_type = PT_LOAD },
			      { .p_type = PT_INTERP,
				.p_offset = offsetof(struct program, loader),
				.p_filesz = sizeof("/lib/ld-musl.so.1") } },
		.loader = "/lib/ld-musl.so.1",
	};

	memcpy(p.elf.e_ident, ELFMAG, SELFMAG);
	p.elf.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	return p;
}

static void test_programs(void **state)
{
	struct program p = make_program();

	(void)state;
	expect_interpreter("loader", &p, sizeof(p), "/lib/ld-musl.so.1");
	p.segments[1].p_type = PT_NOTE;
	expect_interpreter("static", &p, sizeof(p), NULL);
	p = make_program();
	expect_interpreter("cut in the header", &p, 20, NULL);
	expect_interpreter("cut in the segments", &p, sizeof(p.elf) + 60, NULL);
	expect_interpreter("cut in the path", &p, offsetof(struct program, loader) + 17, NULL);
	p.elf.e_ident[EI_CLASS] ^= ELFCLASS64 ^ ELFCLASS32;
	expect_interpreter("another class", &p, sizeof(p), NULL);
	p = make_program();
	p.elf.e_phentsize--;
	expect_interpreter("segments of another size", &p, sizeof(p), NULL);
	p = make_program();
	p.elf.e_phoff = (ElfW(Off)) - 1;
	expect_interpreter("segments nowhere", &p, sizeof(p), NULL);
	p = make_program();
	p.segments[1].p_filesz = 0;
	expect_interpreter("no bytes", &p, sizeof(p), NULL);
	p.segments[1].p_filesz = sizeof("/lib/ld-musl.so.1") - 1;
	expect_interpreter("no NUL", &p, sizeof(p), NULL);
	p.segments[1].p_filesz = INTERPRETER_SIZE + 1;
	expect_interpreter("too long", &p, sizeof(p), NULL);
	p.segments[1].p_filesz = INTERPRETER_SIZE;
	expect_interpreter("the longest", &p, sizeof(p), "/lib/ld-musl.so.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
