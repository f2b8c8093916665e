// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/fsmount.h"

#include <errno.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/sys.h"
#include "mount/fs/explain.h"

/*
 * A message is "e text", "w text" or "i text"; a read takes one. The first
 * error is the one that counts.
 */
static void read_kernel_words(int fs, char *words, size_t size)
{
	char line[256];
	ssize_t n;

	words[0] = '\0';
	while ((n = read(fs, line, sizeof(line) - 1)) > 0) {
		if (n < 3 || line[0] != 'e' || words[0])
			continue;
		line[n] = '\0';
		line[strcspn(line, "\n")] = '\0';
		snprintf(words, size, " (%s)", line + 2);
	}
}

/* value: of an option, or NULL. */
static int refused(const struct fs_mount *m, int fs, const char *what, const char *value,
		   struct err *e)
{
	int errnum = errno;
	char words[264];

	read_kernel_words(fs, words, sizeof(words));
	return err_set(e, m->code, errnum, "mount %s on %s: %s%s%.200s: %s%s", m->type, m->target,
		       what, value ? "=" : "", value ? value : "", strerror(errnum), words);
}

static int set_options(const struct fs_mount *m, int fs, struct err *e)
{
	for (size_t i = 0; i < m->option_count; i++) {
		const struct fs_option *o = &m->options[i];
		unsigned int command = o->value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;

		if (sys_fsconfig(fs, command, o->key, o->value))
			return refused(m, fs, o->key, o->value, e);
	}
	return 0;
}

int fs_mount(const struct fs_mount *m, struct err *e)
{
	auto_fd int fs = sys_fsopen(m->type), mount = -1;
	int r;

	if (fs < 0 && errno == ENODEV)
		return kernel_lacks_fstype(m->type, e);
	if (fs < 0)
		return err_errno(e, m->code, "open the file system %s", m->type);
	r = set_options(m, fs, e);
	if (r)
		return r;
	if (sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL))
		return refused(m, fs, "create", NULL, e);
	mount = sys_fsmount(fs, m->attributes);
	if (mount < 0)
		return refused(m, fs, "fsmount", NULL, e);
	if (sys_move_mount(mount, m->target))
		return refused(m, fs, "move_mount", NULL, e);
	return 0;
}
