// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The agent of the test images: PID 1 after the hand-over. It tells the test
 * what it finds, one JSON object a line on the second serial port, does what
 * the image asks for, and powers off.
 */
#include <sys/reboot.h>
#include <unistd.h>

#include "tests/qemu/agent/json.h"
#include "tests/qemu/agent/report.h"
#include "tests/qemu/agent/verbs.h"

#define CHANNEL "/dev/ttyS1"

int main(int argc, char **argv, char **environment)
{
	(void)argc;
	json_out = fopen(CHANNEL, "we");
	if (json_out) {
		report_process(argv, environment);
		report_lines("mounts", "/proc/self/mountinfo");
		report_lines("memory", "/proc/meminfo");
		report_lines("status", "/proc/self/status");
		report_dm();
		verbs_run();
		json_begin("end");
		json_end();
	}
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
