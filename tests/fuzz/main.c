// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * A fuzz target without a fuzzer: every file of its corpus, once. Without an
 * argument the corpus is tests/fuzz/corpus/NAME for a program test_fuzz_NAME.
 *
 * With clang's fuzzer instead of this file, from the top of the tree:
 *	clang -g -O1 -std=gnu11 -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined \
 *		tests/fuzz/fuzz_plan.c image-build/plan/plan_print.c mount/describe/[a-z]*.c \
 *		mount/{volume,upper,stack}.c init/plan/[a-z]*.c mount/device/devref.c \
 *		mount/fs/fstype.c verity/{params,signature}.c lib/[a-z]*.c -ljson-c -o fuzz_plan
 *	./fuzz_plan NEW_FILES_GO_HERE tests/fuzz/corpus/plan
 * What it finds becomes a file of the corpus.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX (1 << 20)

static int replay_file(int dir, const char *name)
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	uint8_t *data = malloc(INPUT_MAX);
	ssize_t n = io_read(fd, data, INPUT_MAX);
	uint8_t *exact = malloc(n > 0 ? (size_t)n : 1);

	if (n >= 0) {
		/* a byte behind the input is seen */
		memcpy(exact, data, (size_t)n);
		LLVMFuzzerTestOneInput(exact, (size_t)n);
	}
	free(exact);
	free(data);
	return n < 0 ? -1 : 0;
}

static int replay(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int number = 0, failed = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (replay_file(dirfd(dir), entry->d_name)) {
			printf("not ok %d - %s\n", ++number, entry->d_name);
			failed = 1;
		} else {
			printf("ok %d - %s\n", ++number, entry->d_name);
		}
	}
	if (dir)
		closedir(dir);
	printf("1..%d\n", number);
	return failed || !number;
}

int main(int argc, char **argv)
{
	const char *name = strstr(argv[0], "fuzz_");
	char path[256];

	if (argc > 1)
		return replay(argv[1]);
	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name ? name + strlen("fuzz_") : "");
	return replay(path);
}
