/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_VERBS_H
#define TESTS_QEMU_AGENT_VERBS_H

/*
 * Do what the image's /etc/socle-test asks for: one command a line,
 * "<verb> <path>". The table in verbs.c has them all. Each command is told
 * before it is done and when it has been done.
 */
void verbs_run(void);

/* One of them; "unknown-verb" where there is none of that name. */
void verb_run(const char *name, const char *argument);

#endif
