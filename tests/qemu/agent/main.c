// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The agent of the test images: PID 1 after the hand-over. It tells the test
 * what it finds, one JSON object a line on the channel that socle-init was told
 * of as well, does what the image asks for, and powers off.
 */
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "tests/qemu/agent/json.h"
#include "tests/qemu/agent/report.h"
#include "tests/qemu/agent/verbs.h"

/* Where socle.report= is not on the command line, or twice. */
#define CHANNEL "/dev/ttyS1"

static FILE *open_channel(void)
{
	static const char key[] = " socle.report=";
	char line[8192] = " ", *found;
	FILE *cmdline = fopen("/proc/cmdline", "re");

	if (cmdline && fgets(line + 1, sizeof(line) - 1, cmdline)) {
		found = strstr(line, key);
		if (found && !strstr(found + 1, key)) {
			found += strlen(key);
			found[strcspn(found, " \n")] = '\0';
			fclose(cmdline);
			return fopen(found, "we");
		}
	}
	if (cmdline)
		fclose(cmdline);
	return fopen(CHANNEL, "we");
}

int main(int argc, char **argv, char **environment)
{
	(void)argc;
	json_out = open_channel();
	if (json_out) {
		report_process(argv, environment);
		report_lines("mounts", "/proc/self/mountinfo");
		report_lines("memory", "/proc/meminfo");
		report_lines("status", "/proc/self/status");
		report_lines("limits", "/proc/self/limits");
		report_dm();
		verbs_run();
		json_begin("end");
		json_end();
	}
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
