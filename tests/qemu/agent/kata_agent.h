/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_KATA_AGENT_H
#define TESTS_QEMU_AGENT_KATA_AGENT_H

/*
 * The verb "as-kata-agent /": what kata-agent does first when it is process 1, in
 * its order, and what came of each: mounts where none of that type is, then cgroups
 * v2, /dev/ptmx, a session of its own, the console as its terminal.
 */
void do_as_kata_agent(const char *path);

#endif
