// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The command line becomes the plan. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "init/cmdline.h"
#include "init/log.h"
#include "init/steps.h"
#include "lib/file.h"

int step_plan(struct boot *b, struct err *e)
{
	static char text[CMDLINE_SIZE];
	ssize_t n = file_read_at(AT_FDCWD, "/proc/cmdline", text, sizeof(text));
	int r;

	if (n == -EFBIG)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "the command line has more than %d bytes", CMDLINE_SIZE - 1);
	if (n < 0)
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, (int)-n, "read /proc/cmdline: %s",
			       strerror((int)-n));
	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	r = plan_parse(text, &b->plan, e);
	if (!r)
		log_info("%zu layer%s, agent %s", b->plan.layers, b->plan.layers == 1 ? "" : "s",
			 b->plan.agent);
	return r;
}
