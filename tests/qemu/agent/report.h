/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_REPORT_H
#define TESTS_QEMU_AGENT_REPORT_H

/* What every agent finds, asked or not. */

/* How it was started: ids, arguments, environment, descriptors, time since boot. */
void report_process(char **argv, char **environment);

/* A file of /proc as a list of lines. */
void report_lines(const char *what, const char *path);

/* Each device-mapper device with its first target's status and table. */
void report_dm(void);

#endif
